//! The model against the worked numbers, and its traps one by one.

use super::*;
use dwindle_core::{Marks, Unresolved};

fn verdict(text: &str) -> Verdict {
    let marks = (0..).zip(text.chars()).fold(Marks::NONE, |marks, (check, letter)| match letter {
        'T' => marks.with(CheckId(check), Mark::Ok),
        'F' => marks.with(CheckId(check), Mark::Failed),
        _ => marks,
    });
    Verdict::Boring { marks }
}

fn learn(model: &mut CheckModel, deleted: &[u32], text: &str) {
    let evidence = model.evidence(verdict(text));
    model.boring(deleted, &evidence);
}

fn assert_row(model: &CheckModel, check: usize, expected: &[f64]) {
    for (element, expected) in expected.iter().enumerate() {
        let p = model.p(check, element as u32);
        assert!((p - expected).abs() < 0.5e-4, "check {check}, element {element}: {p}, not {expected}");
    }
}

#[test]
fn the_worked_example_of_four_elements_and_two_checks() {
    let mut model = CheckModel::new(4, 2, 0.25, Unexecuted::Unknown);
    assert!((model.need(0) - (1.0 - 0.5625)).abs() < 1e-12);
    learn(&mut model, &[0, 1], "TF");
    assert_row(&model, 0, &[0.0, 0.0, 0.25, 0.25]);
    assert_row(&model, 1, &[0.5714, 0.5714, 0.25, 0.25]);
    let tau: Vec<f64> = (0..4).map(|element| 1.0 - model.need(element)).collect();
    for (tau, expected) in tau.iter().zip([0.4286, 0.4286, 0.5625, 0.5625]) {
        assert!((tau - expected).abs() < 0.5e-4, "{tau}");
    }
}

#[test]
fn checks_that_were_not_run_are_unknown_or_failed() {
    // σ = 0.1, ten elements, the first of three checks fails: 0.1 / (1 − 0.9¹⁰) = 0.1535.
    let all: Vec<u32> = (0..10).collect();
    let mut ours = CheckModel::new(10, 3, 0.1, Unexecuted::Unknown);
    learn(&mut ours, &all, "F");
    let mut faithful = CheckModel::new(10, 3, 0.1, Unexecuted::Failed);
    learn(&mut faithful, &all, "F");
    for check in 0..3 {
        assert_row(&ours, check, &[if check == 0 { 0.1535 } else { 0.1 }; 10]);
        assert_row(&faithful, check, &[0.1535; 10]);
    }
    learn(&mut faithful, &all[..5], "TF");
    assert_row(&faithful, 0, &[0.0, 0.0, 0.0, 0.0, 0.0, 0.1535]);
    assert_row(&faithful, 2, &[0.2715, 0.2715, 0.2715, 0.2715, 0.2715, 0.1535]);
    learn(&mut faithful, &[7], "TF");
    assert_eq!(
        (faithful.p(0, 7), faithful.p(1, 7), faithful.p(2, 7), faithful.need(7)),
        (0.0, 1.0, 1.0, 1.0)
    );
}

#[test]
fn an_element_no_check_needs_is_not_a_decided_one() {
    let mut model = CheckModel::new(2, 2, 0.25, Unexecuted::Unknown);
    learn(&mut model, &[0, 1], "TF");
    learn(&mut model, &[0, 1], "FT");
    // 0/0 in the first row: what was shown before does not hold, the prior does, and then Bayes' rule.
    assert_row(&model, 0, &[0.5714, 0.5714]);
    assert_row(&model, 1, &[0.0, 0.0]);
    learn(&mut model, &[0, 1], "TF");
    assert_row(&model, 0, &[0.5714, 0.5714]);
    assert!(model.need(0) < 1.0 && model.need(0) > 0.5);
}

#[test]
fn without_a_word_on_the_checks_all_that_may_have_failed_share_the_blame() {
    let mut model = CheckModel::new(2, 2, 0.25, Unexecuted::Unknown);
    learn(&mut model, &[0, 1], "");
    // 0.25 / (1 − 0.75⁴), exactly what one check with four elements would give.
    assert_row(&model, 0, &[0.3657, 0.3657]);
    assert_row(&model, 1, &[0.3657, 0.3657]);
    let mut other = CheckModel::new(2, 2, 0.25, Unexecuted::Unknown);
    let unresolved = other.evidence(Verdict::Unresolved(Unresolved::TimedOut));
    other.boring(&[0, 1], &unresolved);
    assert_row(&other, 0, &[0.3657, 0.3657]);
    // The first check held, so it was another one.
    let mut model = CheckModel::new(2, 2, 0.25, Unexecuted::Unknown);
    learn(&mut model, &[0, 1], "T");
    assert_row(&model, 0, &[0.0, 0.0]);
    assert_row(&model, 1, &[0.5714, 0.5714]);
    // All held, and yet it was boring: something beside them.
    let mut model = CheckModel::new(2, 2, 0.25, Unexecuted::Unknown);
    learn(&mut model, &[0, 1], "TT");
    assert_row(&model, 0, &[0.3657, 0.3657]);
}

#[test]
fn the_shared_prior_starts_where_plain_probdd_does() {
    for checks in 1..=15 {
        let model = CheckModel::new(1, checks, CheckModel::shared(0.1, checks), Unexecuted::Unknown);
        assert!((model.need(0) - 0.1).abs() < 1e-12, "{checks}");
    }
    let inflated = CheckModel::new(1, 6, 0.1, Unexecuted::Failed);
    assert!((inflated.need(0) - 0.468559).abs() < 1e-6);
}

#[test]
fn an_element_that_was_boring_alone_is_needed_whatever_the_checks_said() {
    let mut model = CheckModel::new(1, 2, 0.1, Unexecuted::Unknown);
    learn(&mut model, &[0], "TF");
    assert_eq!((model.p(0, 0), model.p(1, 0), model.need(0)), (0.0, 1.0, 1.0));
}
