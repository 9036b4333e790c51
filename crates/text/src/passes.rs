//! The passes over text: a list of units, a set of files, brackets.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use dwindle_core::{Candidate, Files, Pass, Session, Stop, Subset};
use dwindle_delta::{ListMinimizer, SessionList};

use crate::brackets::{Cut, Group, groups};
use crate::segments::Segments;
use crate::units::Unit;

/// A list minimiser that passes share.
pub type SharedMinimizer = Rc<dyn ListMinimizer>;

/// Minimises the list of lines, tokens or characters of each file, the largest file first.
pub struct UnitPass {
    unit: Unit,
    minimizer: SharedMinimizer,
}

impl UnitPass {
    /// A pass over these units.
    #[must_use]
    pub fn new(unit: Unit, minimizer: SharedMinimizer) -> Self {
        UnitPass { unit, minimizer }
    }
}

impl Pass for UnitPass {
    fn name(&self) -> &str {
        self.unit.name()
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Stop> {
        for at in session.best().files().largest_first() {
            let segments = Segments::new(session.best().files(), at, |text| self.unit.cut(text));
            let weights = segments.weights();
            let identities = OnceCell::new();
            let identity = |at: usize| identities.get_or_init(|| segments.identities())[at];
            let mut list =
                SessionList::new(session, |kept: &Subset| segments.keep(kept)).identified(&identity);
            self.minimizer.minimize(&weights, &mut list)?;
        }
        Ok(())
    }
}

/// Minimises the list of characters of each file, but for its line breaks: what is left can still be read.
pub struct LetterPass {
    minimizer: SharedMinimizer,
}

impl LetterPass {
    /// A pass over characters.
    #[must_use]
    pub fn new(minimizer: SharedMinimizer) -> Self {
        LetterPass { minimizer }
    }
}

impl Pass for LetterPass {
    fn name(&self) -> &str {
        "letter"
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Stop> {
        for at in session.best().files().largest_first() {
            let text = Arc::clone(&session.best().files()[at].bytes);
            let pieces = Unit::Char.cut(&text);
            // The number of each letter among the letters; line breaks have none.
            let mut letters = 0;
            let numbers: Vec<Option<usize>> = pieces
                .iter()
                .map(|piece| {
                    let is_letter = !matches!(text[piece.start], b'\n' | b'\r');
                    letters += usize::from(is_letter);
                    is_letter.then(|| letters - 1)
                })
                .collect();
            let segments = Segments::new(session.best().files(), at, |_| pieces.clone());
            let keep = |kept: &Subset| {
                let stays = |at: &usize| numbers[*at].is_none_or(|letter| kept.contains(letter));
                segments.keep(&(0..numbers.len()).filter(stays).collect())
            };
            self.minimizer.minimize(&vec![1; letters], &mut SessionList::new(session, keep))?;
        }
        Ok(())
    }
}

/// Drops whole files.
pub struct FilesPass {
    minimizer: SharedMinimizer,
}

impl FilesPass {
    /// A pass over the files of an input.
    #[must_use]
    pub fn new(minimizer: SharedMinimizer) -> Self {
        FilesPass { minimizer }
    }
}

impl Pass for FilesPass {
    fn name(&self) -> &str {
        "files"
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Stop> {
        let files = session.best().files().clone();
        if files.len() < 2 {
            return Ok(());
        }
        let weights: Vec<u64> = files.iter().map(|file| file.bytes.len() as u64 + 1).collect();
        let keep = |kept: &Subset| Candidate::of_files(Files::new(kept.iter().map(|at| files[at].clone())));
        self.minimizer.minimize(&weights, &mut SessionList::new(session, keep))?;
        Ok(())
    }
}

/// Takes balanced brackets apart, level by level from the outside: whole groups go first, then what is inside them,
/// then the brackets around what must stay.
pub struct BracketPass {
    minimizer: SharedMinimizer,
}

impl BracketPass {
    /// A pass over `()`, `[]` and `{}`.
    #[must_use]
    pub fn new(minimizer: SharedMinimizer) -> Self {
        BracketPass { minimizer }
    }

    /// Minimises the groups of one depth, each cut as `cut` says.
    fn level(&self, session: &mut Session<'_>, at: usize, depth: usize, cut: Cut) -> Result<(), Stop> {
        let text = Arc::clone(&session.best().files()[at].bytes);
        let level: Vec<Group> = groups(&text).into_iter().filter(|group| group.depth == depth).collect();
        if level.is_empty() {
            return Ok(());
        }
        let (pieces, owners) = cut.pieces(&level, text.len());
        let segments = Segments::new(session.best().files(), at, |_| pieces.clone());
        let weights: Vec<u64> = level.iter().map(|group| cut.weight(group)).collect();
        let keep = |kept: &Subset| {
            let stays = |owner: &Option<usize>| owner.is_none_or(|group| kept.contains(group));
            segments.keep(&(0..owners.len()).filter(|&piece| stays(&owners[piece])).collect())
        };
        let mut list = SessionList::new(session, keep);
        let left = self.minimizer.minimize(&weights, &mut list)?;
        // Minimisers of the ddmin family never try to drop the last element.
        if left.len() == 1 {
            session.test(keep(&Subset::empty()))?;
        }
        Ok(())
    }
}

impl Pass for BracketPass {
    fn name(&self) -> &str {
        "bracket"
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Stop> {
        for at in session.best().files().largest_first() {
            let mut depth = 0;
            loop {
                for cut in [Cut::Whole, Cut::Inside, Cut::Pair] {
                    self.level(session, at, depth, cut)?;
                }
                depth += 1;
                let deepest =
                    groups(&session.best().files()[at].bytes).iter().map(|group| group.depth + 1).max();
                if deepest.is_none_or(|deepest| depth >= deepest) {
                    break;
                }
            }
        }
        Ok(())
    }
}
