//! Who runs when: a main reducer that only deletes, and auxiliary ones that get it going again.

use dwindle_core::Stop;

/// What a reducer made of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// The very same program.
    Nothing,
    /// Another one of as many tokens.
    SameSize,
    /// One with fewer tokens.
    Smaller,
}

/// A main reducer and a row of auxiliary ones, all at work on the same program.
pub(crate) trait Reducers {
    /// Runs the main reducer to its fixpoint.
    fn main(&mut self) -> Result<Change, Stop>;

    /// Runs an auxiliary reducer once.
    fn auxiliary(&mut self, which: usize) -> Result<Change, Stop>;
}

/// The order of reducers.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    /// How many auxiliary reducers there are.
    pub(crate) auxiliaries: usize,
    /// How often in a row one may give a program of the same size that leads nowhere.
    pub(crate) limit: usize,
    /// Whether to begin again with the first one, as long as that makes anything smaller.
    pub(crate) fixpoint: bool,
}

impl Schedule {
    /// Runs the main reducer, then each auxiliary one until it finds nothing or has led nowhere too often; after all
    /// it does, the main reducer again. So the program that is left is always one of the main reducer's.
    ///
    /// # Errors
    /// When the session has been stopped.
    pub(crate) fn run(&self, reducers: &mut impl Reducers) -> Result<(), Stop> {
        reducers.main()?;
        loop {
            let mut progress = false;
            for which in 0..self.auxiliaries {
                progress |= self.exhaust(reducers, which)?;
            }
            if !(self.fixpoint && progress) {
                return Ok(());
            }
        }
    }

    /// Alternates between one auxiliary reducer and the main one. Says whether anything became smaller.
    fn exhaust(&self, reducers: &mut impl Reducers, which: usize) -> Result<bool, Stop> {
        let mut progress = false;
        let mut tries = 0;
        loop {
            let change = reducers.auxiliary(which)?;
            if change == Change::Nothing {
                return Ok(progress);
            }
            let after = reducers.main()?;
            if [change, after].contains(&Change::Smaller) {
                progress = true;
                tries = 0;
            } else {
                tries += 1;
            }
            if tries >= self.limit.max(1) {
                return Ok(progress);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Change::{Nothing, SameSize, Smaller};
    use super::*;

    /// Reducers that do what they are told, in order; each does nothing once it has been through.
    struct Scripted {
        main: Vec<Change>,
        auxiliaries: Vec<Vec<Change>>,
        calls: String,
    }

    fn next(script: &mut Vec<Change>) -> Change {
        if script.is_empty() { Nothing } else { script.remove(0) }
    }

    impl Reducers for Scripted {
        fn main(&mut self) -> Result<Change, Stop> {
            self.calls.push('M');
            Ok(next(&mut self.main))
        }

        fn auxiliary(&mut self, which: usize) -> Result<Change, Stop> {
            self.calls.push(char::from(b'1' + which as u8));
            Ok(next(&mut self.auxiliaries[which]))
        }
    }

    fn trace(limit: usize, fixpoint: bool, main: &[Change], auxiliaries: &[&[Change]]) -> String {
        let mut reducers = Scripted {
            main: main.to_vec(),
            auxiliaries: auxiliaries.iter().map(|script| script.to_vec()).collect(),
            calls: String::new(),
        };
        let schedule = Schedule { auxiliaries: auxiliaries.len(), limit, fixpoint };
        schedule.run(&mut reducers).expect("nothing stops it");
        reducers.calls
    }

    #[test]
    fn one_that_finds_nothing_gives_way_to_the_next_at_once() {
        assert_eq!(trace(10, false, &[Smaller], &[&[], &[], &[]]), "M123");
        assert_eq!(trace(10, false, &[], &[]), "M");
    }

    #[test]
    fn after_anything_it_does_the_main_reducer_runs_and_then_the_same_one_again() {
        assert_eq!(trace(10, false, &[], &[&[Smaller, SameSize], &[]]), "M1M1M12");
        assert_eq!(trace(10, false, &[Nothing, Smaller, Smaller], &[&[SameSize, SameSize], &[]]), "M1M1M12");
    }

    #[test]
    fn the_limit_counts_results_of_the_same_size_in_a_row() {
        // Three, not four; and the last of them still goes to the main reducer.
        assert_eq!(trace(3, false, &[], &[&[SameSize; 9], &[]]), "M1M1M1M2");
        assert_eq!(trace(1, false, &[], &[&[SameSize; 9], &[]]), "M1M2");
    }

    #[test]
    fn what_makes_it_smaller_starts_the_count_anew() {
        let by_auxiliary = [SameSize, SameSize, Smaller, SameSize, SameSize, SameSize, SameSize];
        assert_eq!(trace(3, false, &[], &[&by_auxiliary, &[]]), "M1M1M1M1M1M1M2");
        let by_main = [Nothing, Nothing, Nothing, Smaller];
        assert_eq!(trace(3, false, &by_main, &[&[SameSize; 9], &[]]), "M1M1M1M1M1M1M2");
    }

    #[test]
    fn the_next_one_has_tries_of_its_own() {
        assert_eq!(trace(2, false, &[], &[&[SameSize; 9], &[SameSize; 9]]), "M1M1M2M2M");
    }

    #[test]
    fn the_fixpoint_form_begins_again_as_long_as_a_pass_makes_it_smaller() {
        assert_eq!(trace(10, true, &[], &[&[Smaller], &[]]), "M1M1212");
        assert_eq!(trace(10, true, &[Nothing, Nothing, Smaller], &[&[Smaller], &[SameSize]]), "M1M12M212");
        // A change of the same size is no reason to begin again.
        assert_eq!(trace(10, true, &[], &[&[SameSize], &[]]), "M1M12");
        assert_eq!(trace(10, true, &[Smaller], &[&[], &[]]), "M12");
    }

    #[test]
    fn the_main_reducer_has_the_last_word_on_every_change() {
        for scripts in [[[SameSize; 5], [Smaller; 5]], [[Smaller; 5], [SameSize; 5]]] {
            for fixpoint in [false, true] {
                let calls = trace(3, fixpoint, &[], &[&scripts[0], &scripts[1]]);
                let last_change = calls.len() - calls.trim_end_matches(['1', '2']).len();
                // Behind the last run of the main reducer each one has found nothing, at most once.
                assert!(last_change <= 2, "{calls}");
            }
        }
    }
}
