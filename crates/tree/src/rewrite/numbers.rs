//! Makes numbers small: to 0 or 1, to fewer digits, to a smaller value.
//!
//! All numbers of a file are one list in every round, so many become smaller at the price of one.

use dwindle_core::Stop;
use dwindle_delta::ListMinimizer;
use dwindle_syntax::TokenId;

use super::{Relabel, relabel, reworded};
use crate::asker::Asker;
use crate::source::Source;

/// Texts for whole numbers, and for numbers with a point where a whole one will not do, in the order in which they are
/// tried.
const PLAIN: [(&str, bool); 4] = [("0", false), ("1", false), ("0.0", true), ("1.0", true)];

/// The numbers of a file while they are made smaller.
pub(super) struct Numbers<'a> {
    pub(super) source: &'a Source,
    pub(super) list: &'a dyn ListMinimizer,
    /// Where they are.
    pub(super) places: Vec<u32>,
}

impl Numbers<'_> {
    /// Those of some tokens that are numbers.
    pub(super) fn among<'a>(source: &'a Source, list: &'a dyn ListMinimizer, places: &[u32]) -> Numbers<'a> {
        let lexicon = source.lexicon();
        let is_number = |at: &&u32| {
            let text = lexicon.text(source.tree().tokens()[**at as usize]);
            let digit = text.strip_prefix(b".").unwrap_or(text).first();
            digit.is_some_and(u8::is_ascii_digit)
        };
        Numbers { source, list, places: places.iter().filter(is_number).copied().collect() }
    }

    /// Makes them 0 where they can be, else 1, else 0.0 or 1.0.
    pub(super) fn plain(&self, asker: &mut Asker<'_, '_>, tokens: &mut Vec<TokenId>) -> Result<(), Stop> {
        for (text, with_point) in PLAIN {
            let plain = PLAIN.map(|(text, _)| text.as_bytes());
            self.rewrite(asker, tokens, |old| {
                let wanted = !plain.contains(&old) && (!with_point || old.contains(&b'.'));
                wanted.then(|| text.as_bytes().to_vec())
            })?;
        }
        Ok(())
    }

    /// Bisects the number of digits of whole numbers: 1, 10, 100 and so on in their place.
    pub(super) fn fewer_digits(
        &self,
        asker: &mut Asker<'_, '_>,
        tokens: &mut Vec<TokenId>,
    ) -> Result<(), Stop> {
        let digits = |old: &[u8]| value(old).map(|_| old.len() as u128);
        let of_digits = |count: u128| format!("1{:0>1$}", "", count as usize - 1);
        self.bisect(asker, tokens, 1, digits, of_digits)
    }

    /// Writes whole numbers without what they do not need: 0x1F as 31, 5UL as 5.
    pub(super) fn decimal(&self, asker: &mut Asker<'_, '_>, tokens: &mut Vec<TokenId>) -> Result<(), Stop> {
        self.rewrite(asker, tokens, |old| {
            let text = value(old).or_else(|| decorated(old))?.to_string().into_bytes();
            (text != old).then_some(text)
        })
    }

    /// Bisects the value of whole numbers, to the smallest from which on larger ones do.
    pub(super) fn smaller(&self, asker: &mut Asker<'_, '_>, tokens: &mut Vec<TokenId>) -> Result<(), Stop> {
        self.bisect(asker, tokens, 0, value, |value| value.to_string())
    }

    /// Bisects a measure of each number between a value that will not do and the one it has.
    fn bisect(
        &self,
        asker: &mut Asker<'_, '_>,
        tokens: &mut Vec<TokenId>,
        lowest: u128,
        measure: impl Fn(&[u8]) -> Option<u128>,
        text: impl Fn(u128) -> String,
    ) -> Result<(), Stop> {
        let now = |tokens: &[TokenId], at: u32| {
            measure(self.source.lexicon().text(tokens[at as usize])).unwrap_or(lowest)
        };
        let mut low = vec![lowest; self.places.len()];
        loop {
            let middle: Vec<Option<u128>> = std::iter::zip(&self.places, &low)
                .map(|(at, low)| {
                    let high = now(tokens, *at);
                    (high > low + 1).then(|| low + (high - low) / 2)
                })
                .collect();
            let open: Vec<(u32, u128)> = std::iter::zip(&self.places, &middle)
                .filter_map(|(at, middle)| Some((*at, (*middle)?)))
                .collect();
            if open.is_empty() {
                return Ok(());
            }
            let sites: Vec<Relabel> =
                open.iter().map(|(at, middle)| self.site(tokens, *at, text(*middle).as_bytes())).collect();
            *tokens = relabel(self.source, asker, self.list, tokens, &sites)?;
            for ((at, low), middle) in std::iter::zip(&self.places, &mut low).zip(middle) {
                if let Some(middle) = middle.filter(|middle| now(tokens, *at) != *middle) {
                    *low = middle;
                }
            }
        }
    }

    /// Rewrites all for which there is a text, as far as they can be together.
    fn rewrite(
        &self,
        asker: &mut Asker<'_, '_>,
        tokens: &mut Vec<TokenId>,
        text: impl Fn(&[u8]) -> Option<Vec<u8>>,
    ) -> Result<(), Stop> {
        let mut sites = Vec::new();
        for &at in &self.places {
            let new = {
                let lexicon = self.source.lexicon();
                let old = lexicon.text(tokens[at as usize]);
                let fits =
                    |new: &Vec<u8>| new.len() < old.len() || asker.is_natural() && new.len() == old.len();
                text(old).filter(fits)
            };
            if let Some(new) = new {
                sites.push(self.site(tokens, at, &new));
            }
        }
        *tokens = relabel(self.source, asker, self.list, tokens, &sites)?;
        Ok(())
    }

    fn site(&self, tokens: &[TokenId], at: u32, text: &[u8]) -> Relabel {
        let mut lexicon = self.source.lexicon_mut();
        let old = tokens[at as usize];
        let gain = lexicon.text(old).len().saturating_sub(text.len()) as u64;
        Relabel { tokens: vec![(at, reworded(&mut lexicon, old, text))], gain }
    }
}

/// What a text of decimal digits is worth.
fn value(text: &[u8]) -> Option<u128> {
    let digits = text.iter().all(u8::is_ascii_digit) && (text.len() == 1 || !text.starts_with(b"0"));
    digits.then(|| std::str::from_utf8(text).ok()?.parse().ok()).flatten()
}

/// What a whole number with a base or an ending is worth: `0x1F`, `0b11`, `5UL`, `1_000`.
fn decorated(text: &[u8]) -> Option<u128> {
    let text: String = std::str::from_utf8(text).ok()?.chars().filter(|c| !matches!(c, '_' | '\'')).collect();
    let based = |digits: &str, base: u32| {
        let end = digits.find(|c: char| !c.is_digit(base)).unwrap_or(digits.len());
        // An ending is letters and what is left of a width: `u`, `UL`, `i64`.
        let ending = digits[end..].trim_end_matches(|c: char| c.is_ascii_digit());
        (!ending.contains(|c: char| !c.is_ascii_alphabetic()) && !ending.contains(['e', 'E', 'p', 'P']))
            .then(|| u128::from_str_radix(&digits[..end], base).ok())
            .flatten()
    };
    let lower = text.to_ascii_lowercase();
    [("0x", 16), ("0o", 8), ("0b", 2)]
        .into_iter()
        .find_map(|(prefix, base)| lower.strip_prefix(prefix).map(|digits| based(digits, base)))
        .unwrap_or_else(|| based(&text, 10))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_worth_what_they_say() {
        for (text, worth) in [
            ("0x1F", Some(31)),
            ("0b101", Some(5)),
            ("5UL", Some(5)),
            ("1_000", Some(1000)),
            ("7i64", Some(7)),
            ("1e5", None),
            ("1.5", None),
            ("0x", None),
        ] {
            assert_eq!(decorated(text.as_bytes()), worth, "{text}");
        }
        assert_eq!(value(b"120"), Some(120));
        assert_eq!((value(b"012"), value(b"1u"), value(b"")), (None, None, None));
    }
}
