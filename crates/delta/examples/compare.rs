//! Prints how many queries each minimiser takes on synthetic lists, as tables in Markdown.
//!
//! `cargo run --release -p dwindle-delta --example compare [-- NAME…]`
#![allow(clippy::print_stdout, reason = "tables on standard output are what this is for")]

use std::time::Instant;

use dwindle_core::Subset;
use dwindle_delta::{Options, PredicateList, all, by_name};

/// How many tests run at once in the column of steps: each step is as long as one test.
const WORKERS: usize = 8;

/// What has to stay of a list.
#[derive(Clone, Copy)]
enum Shape {
    /// The needed elements are anywhere.
    Scattered,
    /// They come in groups of five.
    Clustered,
    /// They are one run.
    Contiguous,
    /// They are anywhere, and the list is made of blocks of 3 to 20 elements whose first and last only go together, and
    /// only after all between: functions with their braces. Far from monotone.
    Bracketed,
}

const SHAPES: [(Shape, &str); 4] = [
    (Shape::Scattered, "scattered"),
    (Shape::Clustered, "clustered"),
    (Shape::Contiguous, "contiguous"),
    (Shape::Bracketed, "bracketed"),
];

/// A number below `bound` that looks random and is the same in every run.
fn drawn(i: usize, bound: usize) -> usize {
    let mixed = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((mixed ^ (mixed >> 32)) % bound as u64) as usize
}

/// Which `count` of `n` elements are needed, ascending.
fn needed(shape: Shape, n: usize, count: usize) -> Vec<usize> {
    let mut needed: Vec<usize> = Vec::new();
    for i in 0.. {
        if needed.len() >= count {
            break;
        }
        match shape {
            Shape::Scattered | Shape::Bracketed => needed.push(drawn(i, n)),
            Shape::Clustered => needed.extend((0..5).map(|k| drawn(i, n - 5) + k)),
            Shape::Contiguous => needed.push(n / 3 + i),
        }
        needed.sort_unstable();
        needed.dedup();
    }
    needed.truncate(count);
    needed
}

/// Blocks that cover `0..n`: first and last element of each.
fn blocks(n: usize) -> Vec<(usize, usize)> {
    let mut blocks = Vec::new();
    let mut start = 0;
    while start < n {
        let end = (start + 3 + drawn(start, 18)).min(n);
        blocks.push((start, end - 1));
        start = end;
    }
    blocks
}

/// Whether each block of a bracketed list is whole at its ends, or gone.
fn is_balanced(blocks: &[(usize, usize)], kept: &Subset) -> bool {
    blocks.iter().all(|&(first, last)| {
        let open = kept.contains(first);
        open == kept.contains(last) && (open || (first..last).all(|i| !kept.contains(i)))
    })
}

/// What a run came to: queries, hits, elements left, steps.
fn run(name: &str, shape: Shape, n: usize, count: usize, workers: usize) -> (u64, u64, usize, u64) {
    let options = Options { window: if workers > 1 { workers } else { 4 }, ..Options::default() };
    let minimizer = by_name(name, &options).expect("it is in the table");
    let needed = needed(shape, n, count);
    let blocks = if matches!(shape, Shape::Bracketed) { blocks(n) } else { Vec::new() };
    let mut list = PredicateList::new(|kept: &Subset| {
        needed.iter().all(|&i| kept.contains(i)) && is_balanced(&blocks, kept)
    })
    .looking_ahead(workers);
    let kept = minimizer.minimize(&vec![1; n], &mut list).expect("there is no limit");
    (list.queries(), list.hits(), kept.len(), list.windows())
}

/// Whether a run would take minutes: a quadratic number of questions, or a check of all blocks for each of many.
fn is_slow(name: &str, shape: Shape, n: usize) -> bool {
    let restarts = matches!(name, "algorithm1" | "algorithm1-fractional" | "chunk-length");
    match shape {
        Shape::Bracketed => n > 10_000 || n == 10_000 && restarts,
        _ => n > 10_000 && name == "one-by-one",
    }
}

fn main() {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    if names.is_empty() {
        names = all().iter().map(|entry| entry.name.to_owned()).collect();
        names.extend(["one-sweep-star", "probdd-learning-star"].map(String::from));
    }
    for (n, count) in [(100, 10), (1_000, 20), (10_000, 50), (100_000, 50)] {
        println!("\nn = {n}, {count} needed: queries (+ hits)\n");
        let shapes = SHAPES.map(|(_, name)| name).join(" | ");
        println!("| minimiser | {shapes} | steps of {WORKERS} workers, scattered | seconds |");
        println!("|---|--:|--:|--:|--:|--:|--:|");
        for name in &names {
            let begin = Instant::now();
            let cells = SHAPES.map(|(shape, _)| {
                if is_slow(name, shape, n) {
                    return String::from("–");
                }
                let (queries, hits, left, _) = run(name, shape, n, count, 1);
                let left = if left > count { format!(" → {left}") } else { String::new() };
                format!("{queries} (+{hits}){left}")
            });
            let seconds = begin.elapsed().as_secs_f64();
            let steps = match is_slow(name, Shape::Scattered, n) {
                true => String::from("–"),
                false => run(name, Shape::Scattered, n, count, WORKERS).3.to_string(),
            };
            println!("| `{name}` | {} | {steps} | {seconds:.2} |", cells.join(" | "));
        }
    }
}
