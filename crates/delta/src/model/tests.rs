//! The model against the published numbers.

use super::*;

fn numbered_from_one(deleted: &Subset) -> Vec<usize> {
    deleted.iter().map(|i| i + 1).collect()
}

/// The program of eight statements on which the thesis shows one run.
#[test]
fn the_published_run_to_four_decimals() {
    let from_one = |order: &[usize]| order.iter().map(|i| i - 1).collect::<Vec<_>>();
    let ties = Ties::Scripted(vec![
        from_one(&[1, 2, 3, 8, 4, 5, 6, 7]),
        from_one(&[1, 8, 2, 3]),
        from_one(&[2, 3, 1, 8]),
    ]);
    let mut model = Model::new(Subset::full(8), Prior::Fixed(0.25), Gain::Count, &ties, &[1; 8]);
    let table: &[(&[usize], bool, [f64; 8])] = &[
        (&[1, 2, 3, 8], false, [0.3657, 0.3657, 0.3657, 0.25, 0.25, 0.25, 0.25, 0.3657]),
        (&[4, 5, 6, 7], true, [0.3657, 0.3657, 0.3657, 0.0, 0.0, 0.0, 0.0, 0.3657]),
        (&[1, 8], false, [0.6119, 0.3657, 0.3657, 0.0, 0.0, 0.0, 0.0, 0.6119]),
        (&[2, 3], false, [0.6119, 0.6119, 0.6119, 0.0, 0.0, 0.0, 0.0, 0.6119]),
        (&[2], true, [0.6119, 0.0, 0.6119, 0.0, 0.0, 0.0, 0.0, 0.6119]),
        (&[3], false, [0.6119, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.6119]),
        (&[1], true, [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.6119]),
        (&[8], false, [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]),
    ];
    for (step, (deleted, interesting, after)) in table.iter().enumerate() {
        assert_eq!(numbered_from_one(&model.propose().unwrap()), *deleted, "step {step}");
        if *interesting {
            model.commit();
        }
        for (element, expected) in after.iter().enumerate() {
            let p = model.p(element as u32);
            assert!((p - expected).abs() < 0.5e-4, "step {step}, element {}: {p}", element + 1);
        }
    }
    assert_eq!(model.propose(), None);
    assert_eq!(numbered_from_one(model.present()), [3, 8]);
}

#[test]
fn probabilities_of_eight_elements_with_a_prior_of_a_tenth() {
    let mut model = Model::new(Subset::full(8), Prior::Fixed(0.1), Gain::Count, &Ties::Index, &[1; 8]);
    let table: &[(&[usize], bool, &[f64])] = &[
        (&[1, 2, 3, 4, 5, 6, 7, 8], false, &[0.1756; 8]),
        (&[1, 2, 3, 4, 5], false, &[0.2836; 5]),
        (&[6, 7, 8], false, &[0.3993; 3]),
        (&[1, 2, 3], false, &[0.4485; 3]),
        (&[4, 5], true, &[0.0; 2]),
        (&[6, 7], true, &[0.0; 2]),
        (&[1, 8], false, &[0.6707, 0.5972]),
        (&[2, 3], false, &[0.6445; 2]),
        (&[8], false, &[1.0]),
        (&[2], true, &[0.0]),
        (&[3], false, &[1.0]),
        (&[1], true, &[0.0]),
    ];
    for (step, (deleted, interesting, after)) in table.iter().enumerate() {
        assert_eq!(numbered_from_one(&model.propose().unwrap()), *deleted, "step {step}");
        if *interesting {
            model.commit();
        }
        for (element, expected) in deleted.iter().zip(*after) {
            let p = model.p(*element as u32 - 1);
            assert!((p - expected).abs() < 0.5e-4, "step {step}, element {element}: {p}");
        }
    }
    assert_eq!(model.propose(), None);
}

#[test]
fn a_fresh_model_deletes_the_reciprocal_of_its_prior() {
    for (sigma, size) in
        [(0.01, 100), (0.05, 20), (0.1, 10), (0.15, 6), (0.2, 5), (0.25, 4), (0.3, 3), (0.5, 2)]
    {
        for gain in [Gain::Count, Gain::LastElement, Gain::Weight] {
            let mut model = Model::new(Subset::full(300), Prior::Fixed(sigma), gain, &Ties::Index, &[7; 300]);
            assert_eq!(model.propose().unwrap().len(), size, "prior {sigma}, {gain:?}");
        }
    }
}

#[test]
fn a_retracted_proposal_leaves_no_trace() {
    let weights: Vec<u64> = (1..=30).map(|i| i * i % 17 + 1).collect();
    let ties = Ties::Random(3);
    for gain in [Gain::Count, Gain::LastElement, Gain::Weight] {
        for prior in [Prior::Fixed(0.2), Prior::Learnt(0.2)] {
            let mut model = Model::new(Subset::full(30), prior, gain, &ties, &weights);
            for _ in 0..5 {
                model.propose();
            }
            let beliefs = |model: &Model<'_>| (0..30).map(|element| model.p(element)).collect::<Vec<_>>();
            let before = (beliefs(&model), model.undecided.clone(), model.fresh.clone());
            let ahead: Vec<_> = (0..7).map(|_| model.propose()).collect();
            for _ in &ahead {
                model.retract();
            }
            assert_eq!((beliefs(&model), model.undecided.clone(), model.fresh.clone()), before);
            assert_eq!((0..7).map(|_| model.propose()).collect::<Vec<_>>(), ahead);
        }
    }
}

#[test]
fn a_prior_that_learns_doubles_its_deletions_while_they_succeed() {
    let mut model = Model::new(Subset::full(1000), Prior::Learnt(0.1), Gain::Count, &Ties::Index, &[1; 1000]);
    let mut sizes = Vec::new();
    while let Some(deleted) = model.propose() {
        sizes.push(deleted.len());
        model.commit();
    }
    assert_eq!(sizes, [10, 20, 40, 80, 160, 320, 370]);
}
