//! What the test of linked items teaches: rules that it prints.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use dwindle::core::{Candidate, Fingerprint};
use dwindle_logic::format::read_rules;
use dwindle_logic::{Clause, Items};

/// What a line with a rule starts with.
const MARK: &str = "dwindle-rule:";

/// The rules that tests have printed, by candidate: whatever runs ahead of its turn must not be heard before it.
pub(crate) struct Lessons {
    items: Items,
    heard: Mutex<HashMap<Fingerprint, Vec<Clause>>>,
}

impl Lessons {
    pub(crate) fn new(items: Items) -> Self {
        Lessons { items, heard: Mutex::default() }
    }

    /// Takes the rules out of what the test of a candidate said; says what is wrong with one that cannot be used.
    pub(crate) fn hear(&self, candidate: &Candidate, said: &str) -> Result<(), String> {
        for rule in said.lines().filter_map(|line| line.trim_start().strip_prefix(MARK)) {
            let clauses = self.read(rule.trim())?;
            let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
            heard.entry(candidate.fingerprint()).or_default().extend(clauses);
        }
        Ok(())
    }

    /// What the test of a candidate has taught.
    pub(crate) fn of(&self, candidate: &Candidate) -> Vec<Clause> {
        let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.get(&candidate.fingerprint()).cloned().unwrap_or_default()
    }

    fn read(&self, rule: &str) -> Result<Vec<Clause>, String> {
        let problem = |why: String| format!("the test printed a rule that is ignored, {rule}: {why}");
        let read = read_rules(self.items.clone(), &format!("[{rule}]"))
            .map_err(|error| problem(error.to_string()))?;
        Ok(read.model.clauses().to_vec())
    }
}

#[cfg(test)]
mod tests {
    use dwindle::core::Files;

    use super::*;

    fn candidate(text: &'static str) -> Candidate {
        Candidate::of_files(Files::single("items.txt", text.as_bytes()))
    }

    #[test]
    fn rules_belong_to_the_candidate_whose_test_printed_them() {
        let lessons = Lessons::new(Items::named(["a", "b", "c"]).unwrap());
        let said = "error: no b\n  dwindle-rule: {\"if\": \"a\", \"then\": {\"any\": [\"b\", \"c\"]}}\nbye";
        lessons.hear(&candidate("a"), said).unwrap();
        let clauses = lessons.of(&candidate("a"));
        assert_eq!(clauses.len(), 1);
        assert_eq!((clauses[0].needs().len(), clauses[0].gives().len()), (1, 2));
        assert!(lessons.of(&candidate("b")).is_empty());
    }

    #[test]
    fn what_is_no_rule_is_named() {
        let lessons = Lessons::new(Items::named(["a", "b"]).unwrap());
        for rule in ["a", "{\"if\": \"a\", \"then\": \"x\"}", "{\"not\": \"a\"}"] {
            let problem = lessons.hear(&candidate("a"), &format!("dwindle-rule: {rule}")).unwrap_err();
            assert!(problem.contains(rule), "{problem}");
        }
    }
}
