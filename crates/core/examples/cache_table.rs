//! Measures every cache scheme on synthetic reductions and prints the table of the book.
//!
//! `cargo run --release -p dwindle-core --example cache_table [-- TOKENS... SCHEME...]`, by default all schemes on 50,000,
//! 100,000 and 200,000 tokens (the compressor takes most of the time).
//!
//! Programs are nested blocks of statements; some statements are needed, and a statement needs the declarations it
//! uses. Two deletion-only walks reduce them, in process: one by levels of the tree, again and again until nothing
//! changes (like HDD*), one by nodes, the largest first, with children in place of their parents (like Perses).
#![allow(clippy::print_stdout, reason = "a program that prints a table")]
#![allow(clippy::unwrap_used, reason = "nothing here can fail but by a mistake of ours")]

#[path = "../tests/words/mod.rs"]
mod words;

use std::cell::Cell;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::rc::Rc;
use std::time::{Duration, Instant};

use dwindle_core::cache::{CacheOptions, CacheSample, CacheUsage, SCHEMES, VerdictCache, by_name};
use dwindle_core::{Candidate, Options, Session, Stop, Subset, Summary, Verdict};
use words::{Program, kept};

fn main() {
    let (sizes, chosen): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.parse::<usize>().is_ok());
    let mut sizes: Vec<usize> = sizes.iter().map(|size| size.parse().unwrap()).collect();
    if sizes.is_empty() {
        sizes = vec![50_000, 100_000, 200_000];
    }
    let walks: [(&str, Walk); 2] = [("HDD-like", by_levels), ("Perses-like", by_nodes)];
    for tokens in sizes {
        let source = Source::new(tokens);
        for (name, walk) in walks {
            table(&source, name, walk, &chosen);
        }
    }
}

fn table(source: &Source, name: &str, walk: Walk, chosen: &[String]) {
    println!("{name}, {} tokens", source.program.len());
    println!(
        "| scheme | queries | saved % | tokens left | entries at peak | peak KiB | bytes/entry | time vs str | % of the time of 10 ms tests |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let none = measure(source, walk, "none");
    let plain = measure(source, walk, "str");
    for scheme in SCHEMES {
        if !chosen.is_empty() && !chosen.iter().any(|name| name == scheme.name) {
            continue;
        }
        let run = match scheme.name {
            "none" => none.clone(),
            "str" => plain.clone(),
            name => measure(source, walk, name),
        };
        assert_eq!(run.left, none.left, "{}", scheme.name);
        if scheme.name != "none" {
            assert_eq!(run.queries, plain.queries, "{}", scheme.name);
        }
        println!(
            "| {} | {} | {:.1} | {} | {} | {:.1} | {:.1} | {:.3} | {:.3} |",
            scheme.name,
            run.queries,
            100.0 * (none.queries - run.queries) as f64 / none.queries as f64,
            run.left,
            run.usage.peak_entries,
            run.usage.peak_bytes as f64 / 1024.0,
            run.usage.peak_bytes as f64 / run.usage.peak_entries.max(1) as f64,
            run.per_answer() / plain.per_answer(),
            100.0 * run.time.as_secs_f64() / (run.queries as f64 * 0.01),
        );
    }
    println!();
}

#[derive(Clone)]
struct Run {
    queries: u64,
    answers: u64,
    left: usize,
    usage: CacheUsage,
    time: Duration,
}

impl Run {
    fn per_answer(&self) -> f64 {
        self.time.as_secs_f64() / self.answers as f64
    }
}

fn measure(source: &Source, walk: Walk, scheme: &str) -> Run {
    let time = Rc::new(Cell::new(Duration::ZERO));
    let cache = Timed { inner: by_name(scheme, &CacheOptions::default()).unwrap(), time: Rc::clone(&time) };
    let options = Options { cache: Box::new(cache), ..Options::default() };
    let runner = |candidate: &Candidate| source.is_interesting(kept(candidate));
    let (result, best, summary): (_, _, Summary) =
        Session::run(&runner, source.program.whole(), options, |session| walk(session, source));
    result.unwrap();
    Run {
        queries: summary.counts.queries,
        answers: summary.counts.queries + summary.counts.hits,
        left: kept(&best).len(),
        usage: summary.cache,
        time: time.get(),
    }
}

/// Counts the time spent in a cache, renderings that it asks for included.
struct Timed {
    inner: Box<dyn VerdictCache>,
    time: Rc<Cell<Duration>>,
}

impl Timed {
    fn timed<R>(&mut self, body: impl FnOnce(&mut dyn VerdictCache) -> R) -> R {
        let begin = Instant::now();
        let result = body(&mut *self.inner);
        self.time.set(self.time.get() + begin.elapsed());
        result
    }
}

impl VerdictCache for Timed {
    fn get(&mut self, candidate: &Candidate) -> Option<Verdict> {
        self.timed(|cache| cache.get(candidate))
    }

    fn put(&mut self, candidate: &Candidate, verdict: Verdict) {
        self.timed(|cache| cache.put(candidate, verdict));
    }

    fn accepted(&mut self, best: &Candidate) {
        self.timed(|cache| cache.accepted(best));
    }

    fn recast(&mut self, best: &Candidate) {
        self.inner.recast(best);
    }

    fn usage(&self) -> CacheUsage {
        self.inner.usage()
    }

    fn samples(&self) -> &[CacheSample] {
        self.inner.samples()
    }
}

/// A node of a program: a function, a block or a statement.
struct Node {
    span: Range<usize>,
    level: usize,
    children: Vec<usize>,
    /// The declaration without which it does not compile.
    uses: Option<usize>,
    needed: bool,
}

struct Source {
    program: Program,
    nodes: Vec<Node>,
    /// Which node each token belongs to.
    owner: Vec<usize>,
    /// How many tokens belong to each node itself.
    own: Vec<usize>,
}

/// Makes a program, the same one each time.
struct Maker {
    words: Vec<String>,
    owner: Vec<usize>,
    nodes: Vec<Node>,
    state: u64,
}

impl Maker {
    fn random(&mut self, below: usize) -> usize {
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) as usize % below
    }

    fn say(&mut self, node: usize, text: &str) {
        for word in text.split(' ') {
            self.words.push(word.to_owned());
            self.owner.push(node);
        }
    }

    fn open(&mut self, parent: Option<usize>, level: usize) -> usize {
        let node = self.nodes.len();
        self.nodes.push(Node {
            span: self.words.len()..0,
            level,
            children: Vec::new(),
            uses: None,
            needed: false,
        });
        if let Some(parent) = parent {
            self.nodes[parent].children.push(node);
        }
        node
    }

    fn close(&mut self, node: usize) {
        self.nodes[node].span.end = self.words.len();
    }

    fn statements(&mut self, parent: usize, level: usize, declarations: &mut Vec<usize>) {
        for _ in 0..4 + self.random(9) {
            let node = self.open(Some(parent), level);
            match self.random(10) {
                0..=2 => {
                    self.say(node, &format!("int v{node} = {} ;", self.nodes.len() % 90));
                    declarations.push(node);
                }
                3..=4 if level < 5 => {
                    self.say(node, &format!("if ( {} < 7 ) {{", self.nodes.len() % 5));
                    self.statements(node, level + 1, declarations);
                    self.say(node, "}");
                }
                _ => {
                    let used = declarations[self.random(declarations.len())];
                    self.say(node, &format!("t{} = v{used} + {} ;", node % 800, self.nodes.len() % 7));
                    self.nodes[node].uses = Some(used);
                }
            }
            self.close(node);
        }
    }
}

impl Source {
    fn new(tokens: usize) -> Self {
        let mut maker =
            Maker { words: Vec::new(), owner: Vec::new(), nodes: Vec::new(), state: tokens as u64 };
        while maker.words.len() < tokens {
            let function = maker.open(None, 0);
            maker.say(function, &format!("void f{function} ( ) {{"));
            let first = maker.open(Some(function), 1);
            maker.say(first, &format!("int v{first} ;"));
            maker.close(first);
            maker.statements(function, 1, &mut vec![first]);
            maker.say(function, "}");
            maker.close(function);
        }
        // Sixty statements in the second half: what they need keeps a few hundred tokens alive.
        let half = maker.nodes.len() / 2;
        let mut left = 60;
        while left > 0 {
            let node = half + maker.random(maker.nodes.len() - half);
            // Only what has a text of its own: whether a candidate is interesting must be seen from its text.
            if maker.nodes[node].uses.is_some() && !maker.nodes[node].needed {
                maker.nodes[node].needed = true;
                left -= 1;
            }
        }
        let mut own = vec![0; maker.nodes.len()];
        for &node in &maker.owner {
            own[node] += 1;
        }
        Source { program: Program::new(1, maker.words), nodes: maker.nodes, owner: maker.owner, own }
    }

    /// What is needed is there, nothing is there in part, and whatever is used is declared.
    fn is_interesting(&self, kept: &Subset) -> bool {
        let mut seen = vec![0; self.nodes.len()];
        for token in kept.iter() {
            seen[self.owner[token]] += 1;
        }
        let whole = |node: usize| seen[node] == self.own[node];
        self.nodes.iter().enumerate().all(|(at, node)| {
            let fine = whole(at) && node.uses.is_none_or(whole);
            fine || seen[at] == 0 && !node.needed
        })
    }
}

type Walk = fn(&mut Session<'_>, &Source) -> Result<(), Stop>;

/// The tokens of `kept` that are not in the span.
fn without(kept: &Subset, spans: &[Range<usize>]) -> Subset {
    let mut gone = Subset::empty();
    for span in spans {
        gone.push_run(span.start as u32..span.end as u32);
    }
    kept.difference(&gone)
}

/// Deletes as many of the spans as it can: halves first, then smaller and smaller blocks of them.
fn minimize(session: &mut Session<'_>, source: &Source, mut spans: Vec<Range<usize>>) -> Result<(), Stop> {
    let mut size = spans.len().div_ceil(2).max(1);
    while !spans.is_empty() {
        let mut at = 0;
        while at < spans.len() {
            let best = kept(session.best()).clone();
            let end = |start: usize| spans.len().min(start + size);
            let starts = (at..spans.len()).step_by(size);
            let cut = |start: usize| source.program.keep(without(&best, &spans[start..end(start)]));
            let Some(index) = session.first(starts.map(cut))? else {
                break;
            };
            at += index * size;
            spans.drain(at..end(at));
        }
        if size == 1 {
            break;
        }
        size = size.div_ceil(2);
    }
    Ok(())
}

fn is_alive(best: &Subset, span: &Range<usize>) -> bool {
    let before = best.runs().partition_point(|run| (run.end as usize) <= span.start);
    best.runs().get(before).is_some_and(|run| (run.start as usize) < span.end)
}

/// Level by level from the root, tokens last, over again while anything changes.
fn by_levels(session: &mut Session<'_>, source: &Source) -> Result<(), Stop> {
    let deepest = source.nodes.iter().map(|node| node.level).max().unwrap();
    loop {
        let before = kept(session.best()).len();
        for level in 0..=deepest {
            let best = kept(session.best());
            let nodes = source.nodes.iter().filter(|node| node.level == level);
            let spans = nodes.map(|node| node.span.clone()).filter(|span| is_alive(best, span));
            let spans = spans.collect();
            minimize(session, source, spans)?;
        }
        let tokens = kept(session.best()).iter().map(|token| token..token + 1).collect();
        minimize(session, source, tokens)?;
        if kept(session.best()).len() == before {
            return Ok(());
        }
    }
}

/// The largest node first: itself away, its children without it, as few children as possible.
fn by_nodes(session: &mut Session<'_>, source: &Source) -> Result<(), Stop> {
    loop {
        let before = kept(session.best()).len();
        let roots = (0..source.nodes.len()).filter(|&node| source.nodes[node].level == 0);
        let spans = roots.clone().map(|root| source.nodes[root].span.clone());
        let alive = spans.filter(|span| is_alive(kept(session.best()), span)).collect();
        minimize(session, source, alive)?;
        let mut queue: BinaryHeap<(usize, usize)> =
            roots.map(|root| (source.nodes[root].span.len(), root)).collect();
        while let Some((_, at)) = queue.pop() {
            let node = &source.nodes[at];
            if !is_alive(kept(session.best()), &node.span) {
                continue;
            }
            let best = kept(session.best()).clone();
            let outside = without(&best, std::slice::from_ref(&node.span));
            let inside = best.difference(&outside);
            let own: Subset = inside.iter().filter(|&token| source.owner[token] == at).collect();
            let tries = [outside, best.difference(&own)];
            session.first(
                tries
                    .into_iter()
                    .filter(|kept| kept.len() < best.len())
                    .map(|kept| source.program.keep(kept)),
            )?;
            let best = kept(session.best());
            let children = node.children.iter().map(|&child| source.nodes[child].span.clone());
            let children = children.filter(|span| is_alive(best, span)).collect();
            minimize(session, source, children)?;
            queue.extend(node.children.iter().map(|&child| (source.nodes[child].span.len(), child)));
        }
        if kept(session.best()).len() == before {
            return Ok(());
        }
    }
}
