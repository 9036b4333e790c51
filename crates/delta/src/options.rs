//! What a user may set on a minimiser that is chosen by name.

use std::str::FromStr;

use thiserror::Error;

use crate::chunks::{Split, SplitFactor};
use crate::visit::{Direction, LoopOrder, Visit};

/// What a minimiser chosen by name is to do; each takes what it knows. The defaults are the published ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// How lists are cut (ddmin, greeddy).
    pub split: Split,
    /// How many times finer each cut is (ddmin, greeddy).
    pub split_factor: SplitFactor,
    /// The order of single chunks (ddmin, greeddy).
    pub subsets: Visit,
    /// The order of complements (ddmin, greeddy).
    pub complements: Visit,
    /// Which of the two comes first (ddmin, greeddy).
    pub order: LoopOrder,
    /// How many candidates a window has (greeddy).
    pub window: usize,
    /// Decides all that is random; with a seed the probabilistic ones draw lots among equals instead of going by index.
    pub seed: Option<u64>,
    /// The share of elements expected to stay (probdd, wprobdd, cdd); `None` is the one of the publication.
    pub sigma: Option<f64>,
    /// The end at which sweeps begin; `None` is the one of the publication.
    pub direction: Option<Direction>,
    /// Whether a sweep that proves 1-minimality follows.
    pub one_minimal: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            split: Split::Zeller,
            split_factor: SplitFactor::Times(2),
            subsets: Visit::Skip,
            complements: Visit::Backward,
            order: LoopOrder::SubsetsFirst,
            window: 4,
            seed: None,
            sigma: None,
            direction: None,
            one_minimal: false,
        }
    }
}

/// A word that is none of those an option takes.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{given}` is not known here: use {expected}")]
pub struct UnknownWord {
    given: String,
    expected: &'static str,
}

fn unknown(given: &str, expected: &'static str) -> UnknownWord {
    UnknownWord { given: given.to_owned(), expected }
}

impl FromStr for Split {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        match word {
            "zeller" => Ok(Split::Zeller),
            "balanced" => Ok(Split::Balanced),
            _ => Err(unknown(word, "zeller or balanced")),
        }
    }
}

impl FromStr for SplitFactor {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        match word.parse() {
            Ok(factor) if factor >= 2 => Ok(SplitFactor::Times(factor)),
            _ if word == "inf" => Ok(SplitFactor::Units),
            _ => Err(unknown(word, "a whole number from 2 on, or inf")),
        }
    }
}

impl FromStr for Visit {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        match word {
            "forward" => Ok(Visit::Forward),
            "backward" => Ok(Visit::Backward),
            "random" => Ok(Visit::Random),
            "skip" => Ok(Visit::Skip),
            _ => Err(unknown(word, "forward, backward, random or skip")),
        }
    }
}

impl FromStr for LoopOrder {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        match word {
            "subsets-first" => Ok(LoopOrder::SubsetsFirst),
            "complements-first" => Ok(LoopOrder::ComplementsFirst),
            _ => Err(unknown(word, "subsets-first or complements-first")),
        }
    }
}

impl FromStr for Direction {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        match word {
            "forward" => Ok(Direction::Forward),
            "backward" => Ok(Direction::Backward),
            _ => Err(unknown(word, "forward or backward")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_factors_are_two_or_more_or_inf() {
        assert_eq!("2".parse(), Ok(SplitFactor::Times(2)));
        assert_eq!("inf".parse(), Ok(SplitFactor::Units));
        for word in ["1", "0", "-2", "two", ""] {
            assert!(word.parse::<SplitFactor>().is_err(), "{word}");
        }
    }

    #[test]
    fn a_wrong_word_says_which_ones_are_right() {
        let wrong = "sideways".parse::<Visit>().unwrap_err();
        assert_eq!(wrong.to_string(), "`sideways` is not known here: use forward, backward, random or skip");
    }
}
