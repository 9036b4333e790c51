//! Prints how many queries each minimiser takes on synthetic lists, as a table in Markdown.
//!
//! `cargo run --release -p dwindle-delta --example compare [-- NAME…]`
#![allow(
    clippy::print_stdout,
    reason = "a table on standard output is what this is for"
)]

use std::time::Instant;

use dwindle_core::Subset;
use dwindle_delta::{Options, PredicateList, all, by_name};

/// Where the needed elements of a list are.
#[derive(Clone, Copy)]
enum Shape {
    Scattered,
    Clustered,
    Contiguous,
}

/// `count` of `n` elements: evenly spread with a fixed jitter, in groups of five, or in one run.
fn needed(shape: Shape, n: usize, count: usize) -> Vec<usize> {
    let jitter = |i: usize, width: usize| (i * 7919 + 104_729) % width.max(1);
    match shape {
        Shape::Scattered => (0..count).map(|i| i * n / count + jitter(i, n / count)).collect(),
        Shape::Clustered => {
            let groups = count.div_ceil(5);
            let width = n / groups;
            (0..count)
                .map(|i| i / 5 * width + jitter(i / 5, width.saturating_sub(5)) + i % 5)
                .collect()
        }
        Shape::Contiguous => (0..count).map(|i| n / 3 + i).collect(),
    }
}

fn main() {
    let chosen: Vec<String> = std::env::args().skip(1).collect();
    let lists = [(100, 10), (1_000, 20), (10_000, 50), (100_000, 50)];
    let shapes = [
        (Shape::Scattered, "scattered"),
        (Shape::Clustered, "clustered"),
        (Shape::Contiguous, "contiguous"),
    ];
    for (n, count) in lists {
        println!("\nn = {n}, {count} needed: queries (+ hits)\n");
        println!(
            "| minimiser | {} | seconds for all three |",
            shapes.map(|(_, name)| name).join(" | ")
        );
        println!("|---|--:|--:|--:|--:|");
        for entry in all() {
            let slow = n > 10_000 && matches!(entry.name, "one-by-one" | "chunk-length");
            if slow || !chosen.is_empty() && !chosen.iter().any(|name| name == entry.name) {
                continue;
            }
            let minimizer = by_name(entry.name, &Options::default()).expect("it is in the table");
            let weights = vec![1; n];
            let begin = Instant::now();
            let cells = shapes.map(|(shape, _)| {
                let needed = needed(shape, n, count);
                let mut list = PredicateList::new(|kept: &Subset| needed.iter().all(|&i| kept.contains(i)));
                let kept = minimizer
                    .minimize(&weights, &mut list)
                    .expect("there is no limit");
                let larger = if kept.len() > count {
                    format!(", {} left", kept.len())
                } else {
                    String::new()
                };
                format!("{} (+{}){larger}", list.queries(), list.hits())
            });
            let seconds = begin.elapsed().as_secs_f64();
            println!("| `{}` | {} | {seconds:.3} |", entry.name, cells.join(" | "));
        }
    }
}
