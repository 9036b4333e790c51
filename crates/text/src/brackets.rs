//! Balanced brackets in text of any kind.

use std::ops::Range;

use crate::units::Unit;

/// A pair of brackets that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    /// From the opening bracket to behind the closing one.
    pub(crate) span: Range<usize>,
    /// How many groups are around it.
    pub(crate) depth: usize,
}

/// What of a group can go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// The brackets and all between them.
    Whole,
    /// All between the brackets.
    Inside,
    /// The two brackets.
    Pair,
}

impl Cut {
    /// Cuts a text into pieces, and says which group owns each; those of none always stay. The groups are side by side.
    pub(crate) fn pieces(self, groups: &[Group], len: usize) -> (Vec<Range<usize>>, Vec<Option<usize>>) {
        let (mut pieces, mut owners) = (Vec::new(), Vec::new());
        let mut at = 0;
        let mut push = |to: usize, owner: Option<usize>| {
            if at < to {
                pieces.push(at..to);
                owners.push(owner);
                at = to;
            }
        };
        for (number, Group { span, .. }) in groups.iter().enumerate() {
            let inside = span.start + 1..span.end - 1;
            push(span.start, None);
            match self {
                Cut::Whole => push(span.end, Some(number)),
                Cut::Inside => {
                    push(inside.start, None);
                    push(inside.end, Some(number));
                    push(span.end, None);
                }
                Cut::Pair => {
                    push(inside.start, Some(number));
                    push(inside.end, None);
                    push(span.end, Some(number));
                }
            }
        }
        push(len, None);
        (pieces, owners)
    }

    /// What goes with the group, in bytes.
    pub(crate) fn weight(self, group: &Group) -> u64 {
        match self {
            Cut::Whole => group.span.len() as u64,
            Cut::Inside => group.span.len() as u64 - 2,
            Cut::Pair => 2,
        }
    }
}

/// All balanced groups of a text, by their start. Brackets in strings do not count; a closing bracket that fits no
/// open one is passed over, and so is an opening one that nothing closes.
pub(crate) fn groups(text: &[u8]) -> Vec<Group> {
    let mut open: Vec<(usize, u8)> = Vec::new();
    // How many of each kind are open: a stray closing bracket must not search them all in vain.
    let mut waiting = [0usize; 128];
    let mut spans: Vec<Range<usize>> = Vec::new();
    for token in Unit::Token.pieces(text) {
        match text[token.start] {
            opening @ (b'(' | b'[' | b'{') => {
                let closing = if opening == b'(' { b')' } else { opening + 2 };
                waiting[closing as usize] += 1;
                open.push((token.start, closing));
            }
            closing @ (b')' | b']' | b'}') => {
                while waiting[closing as usize] > 0 {
                    let Some((start, wanted)) = open.pop() else { break };
                    waiting[wanted as usize] -= 1;
                    if wanted == closing {
                        spans.push(start..token.start + 1);
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    spans.sort_by_key(|span| span.start);
    let mut around: Vec<usize> = Vec::new();
    spans
        .into_iter()
        .map(|span| {
            while around.last().is_some_and(|&end| end <= span.start) {
                around.pop();
            }
            let depth = around.len();
            around.push(span.end);
            Group { span, depth }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(&str, usize)> {
        groups(text.as_bytes()).into_iter().map(|group| (&text[group.span], group.depth)).collect()
    }

    #[test]
    fn groups_nest() {
        assert_eq!(found("f(a[1]) {x}"), [("(a[1])", 0), ("[1]", 1), ("{x}", 0)]);
    }

    #[test]
    fn strays_and_strings_are_passed_over() {
        assert_eq!(found("a) (b ')' [c)"), [("(b ')' [c)", 0)]);
        assert_eq!(found("{ ( }"), [("{ ( }", 0)]);
    }

    #[test]
    fn a_long_run_of_openers_takes_linear_time() {
        let openers = "(".repeat(1_000_000);
        assert!(groups(openers.as_bytes()).is_empty());
        let strays = openers + &"]".repeat(1_000_000);
        assert!(groups(strays.as_bytes()).is_empty());
    }

    #[test]
    fn each_cut_owns_its_pieces() {
        let text = "f(a)g{b}";
        let show = |cut: Cut| {
            let (pieces, owners) = cut.pieces(&groups(text.as_bytes()), text.len());
            pieces
                .into_iter()
                .zip(owners)
                .map(|(p, o)| format!("{}:{}", &text[p], o.map_or(-1, |o| o as i32)))
                .collect::<Vec<_>>()
        };
        assert_eq!(show(Cut::Whole), ["f:-1", "(a):0", "g:-1", "{b}:1"]);
        assert_eq!(show(Cut::Inside), ["f:-1", "(:-1", "a:0", "):-1", "g:-1", "{:-1", "b:1", "}:-1"]);
        assert_eq!(show(Cut::Pair), ["f:-1", "(:0", "a:-1", "):0", "g:-1", "{:1", "b:-1", "}:1"]);
    }
}
