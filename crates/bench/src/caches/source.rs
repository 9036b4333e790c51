//! Generated programs: nested blocks of statements, of which some are needed and need declarations in turn.

use std::ops::Range;

use dwindle_core::Subset;

use super::program::Program;

/// A node of a program: a function, a block or a statement.
pub(super) struct Node {
    pub(super) span: Range<usize>,
    pub(super) level: usize,
    pub(super) children: Vec<usize>,
    /// The declaration without which it does not compile.
    uses: Option<usize>,
    needed: bool,
}

/// A program, its tree, and what makes a part of it interesting.
pub(super) struct Source {
    pub(super) program: Program,
    pub(super) nodes: Vec<Node>,
    /// Which node each token belongs to.
    pub(super) owner: Vec<usize>,
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
        let span = self.words.len()..0;
        self.nodes.push(Node { span, level, children: Vec::new(), uses: None, needed: false });
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
    /// A program of so many tokens, or a few more.
    pub(super) fn new(tokens: usize) -> Self {
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
        // Sixty statements in the second half: what they need keeps a few hundred tokens alive. Less of short programs.
        let half = maker.nodes.len() / 2;
        let mut left = 60.min(half / 8);
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
        Source { program: Program::new(maker.words), nodes: maker.nodes, owner: maker.owner, own }
    }

    /// What is needed is there, nothing is there in part, and whatever is used is declared.
    pub(super) fn is_interesting(&self, kept: &Subset) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_interesting_as_a_whole_and_not_without_its_second_half() {
        let source = Source::new(2_000);
        let n = source.program.len();
        assert!(n >= 2_000);
        assert!(source.is_interesting(&Subset::full(n)));
        assert!(!source.is_interesting(&Subset::full(n).without(n / 2..n)));
        assert!(!source.is_interesting(&Subset::full(n).without(n - 1..n)), "nothing may be there in part");
    }
}
