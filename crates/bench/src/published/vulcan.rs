//! Vulcan: what enumerating windows over a level of a tree costs.

use super::Figure;
use crate::stats::thousands;

/// Candidates of one window: every set of at least two of its nodes.
fn at_a_position(window: u32) -> u64 {
    (1..1u64 << window).filter(|set| set.count_ones() >= 2).count() as u64
}

/// Candidates of a level of so many nodes in which nothing can go.
fn on_a_level(window: u32, nodes: u64) -> u64 {
    (nodes + 1 - u64::from(window)) * at_a_position(window)
}

pub(super) fn figures() -> Vec<Figure> {
    // Table 1. The cell for windows of 8 and 100 nodes is printed as 22,974; all others follow the same rule.
    let table: [(u32, u64, [u64; 4]); 7] = [
        (2, 1, [99, 199, 299, 399]),
        (3, 4, [392, 792, 1_192, 1_592]),
        (4, 11, [1_067, 2_167, 3_267, 4_367]),
        (5, 26, [2_496, 5_096, 7_696, 10_296]),
        (6, 57, [5_415, 11_115, 16_815, 22_515]),
        (7, 120, [11_280, 23_280, 35_280, 47_280]),
        (8, 247, [22_971, 47_671, 72_371, 97_071]),
    ];
    let mut figures = Vec::new();
    for (window, position, levels) in table {
        let line = |position: u64, levels: [u64; 4]| {
            let levels = levels.map(thousands);
            format!("{position}; {}", levels.join(", "))
        };
        figures.push(Figure::printed(
            format!("Table 1: queries with windows of {window}, at a position; on levels of 100, 200, 300, 400 nodes"),
            line(position, levels),
            line(at_a_position(window), [100, 200, 300, 400].map(|nodes| on_a_level(window, nodes))),
        ));
    }
    figures
}
