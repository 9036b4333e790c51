//! Dependency graphs: what each node drags along, and models forced into that shape.

use std::collections::BTreeSet;

use fixedbitset::FixedBitSet;

use crate::item::ItemId;
use crate::model::Model;
use crate::set::ItemSet;

/// Nodes `0..n` and, for each, the nodes it needs directly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    needs: Vec<Vec<u32>>,
}

/// Which edge stands in for a clause that is not one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lossy {
    /// From the first need to the first give, in declaration order.
    First,
    /// From the last need to the last give.
    Last,
}

/// A model as closures: what is always kept, and the distinct further things that can be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closures {
    /// What the required items drag along.
    pub base: ItemSet,
    /// The other closures, without the base; fewest items first.
    pub family: Vec<ItemSet>,
}

impl Graph {
    /// A graph of `nodes` nodes with edges from what needs to what is needed.
    ///
    /// # Panics
    /// If an edge names a node outside `0..nodes`.
    pub fn new(nodes: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut needs = vec![Vec::new(); nodes];
        for (from, to) in edges {
            assert!(to < nodes, "an edge ends at node {to} of {nodes}");
            needs[from].push(u32::try_from(to).expect("fewer than 2^32 nodes"));
        }
        Graph { needs }
    }

    /// The strongly connected components, each after all it needs; members ascending.
    #[must_use]
    pub fn components(&self) -> Vec<Vec<usize>> {
        Components::of(&self.needs)
    }

    /// What each component drags along, itself included, in the order of [`components`](Self::components).
    ///
    /// One bit a node and component: 20,000 components of 20,000 nodes take 50 MB.
    fn component_closures(&self) -> Vec<(Vec<usize>, FixedBitSet)> {
        let mut component_of = vec![usize::MAX; self.needs.len()];
        let mut done: Vec<(Vec<usize>, FixedBitSet)> = Vec::new();
        for members in self.components() {
            let mut closure = FixedBitSet::with_capacity(self.needs.len());
            for member in &members {
                component_of[*member] = done.len();
                closure.insert(*member);
            }
            for needed in members.iter().flat_map(|member| &self.needs[*member]) {
                let component = component_of[*needed as usize];
                if component < done.len() && !done[component].0.iter().all(|node| closure.contains(*node)) {
                    closure.union_with(&done[component].1);
                }
            }
            done.push((members, closure));
        }
        done
    }

    /// The distinct closures, fewest nodes first.
    #[must_use]
    pub fn closures(&self) -> Vec<ItemSet> {
        let mut closures: Vec<ItemSet> = self
            .component_closures()
            .into_iter()
            .map(|(_, closure)| ItemSet::of(self.needs.len(), closure.ones().map(ItemId::new)))
            .collect();
        closures.sort_by_key(ItemSet::len);
        closures
    }
}

impl Lossy {
    /// The closures of a model. Every union of them obeys the model, but where a clause is no edge, not every valid
    /// set is such a union. Auxiliary variables are followed, not shown.
    #[must_use]
    pub fn closures(self, model: &Model) -> Closures {
        let mut edges = Vec::new();
        let mut required = Vec::new();
        for clause in model.clauses() {
            let pick = |list: &[crate::formula::Var]| match self {
                Lossy::First => list.first().map(|var| var.index()),
                Lossy::Last => list.last().map(|var| var.index()),
            };
            let give = pick(clause.gives()).expect("every clause of a model gives something");
            match pick(clause.needs()) {
                Some(need) => edges.push((need, give)),
                None => required.push(give),
            }
        }
        let closures = Graph::new(model.vars(), edges).component_closures();
        let mut base = FixedBitSet::with_capacity(model.vars());
        for (members, closure) in &closures {
            if members.iter().any(|member| required.contains(member)) {
                base.union_with(closure);
            }
        }
        let mut seen = BTreeSet::new();
        let mut family = Vec::new();
        for (_, mut closure) in closures {
            closure.difference_with(&base);
            let items = model.items_of(&closure);
            if !items.is_empty() && seen.insert(items.clone()) {
                family.push(items);
            }
        }
        family.sort_by_key(ItemSet::len);
        Closures { base: model.items_of(&base), family }
    }
}

/// Tarjan's algorithm without recursion: chains of a hundred thousand nodes are ordinary.
struct Components<'g> {
    needs: &'g [Vec<u32>],
    /// Visit number, from 1; 0 = not visited.
    number: Vec<u32>,
    /// The lowest visit number reachable inside the open part.
    low: Vec<u32>,
    open: Vec<usize>,
    is_open: FixedBitSet,
    visits: u32,
    found: Vec<Vec<usize>>,
}

impl<'g> Components<'g> {
    fn of(needs: &'g [Vec<u32>]) -> Vec<Vec<usize>> {
        let mut state = Components {
            needs,
            number: vec![0; needs.len()],
            low: vec![0; needs.len()],
            open: Vec::new(),
            is_open: FixedBitSet::with_capacity(needs.len()),
            visits: 0,
            found: Vec::new(),
        };
        for root in 0..needs.len() {
            if state.number[root] == 0 {
                state.visit(root);
            }
        }
        state.found
    }

    fn enter(&mut self, node: usize) {
        self.visits += 1;
        self.number[node] = self.visits;
        self.low[node] = self.visits;
        self.open.push(node);
        self.is_open.insert(node);
    }

    fn visit(&mut self, root: usize) {
        let mut path = vec![(root, 0)];
        self.enter(root);
        while let Some((node, at)) = path.last_mut() {
            let node = *node;
            if let Some(next) = self.needs[node].get(*at).map(|next| *next as usize) {
                *at += 1;
                if self.number[next] == 0 {
                    self.enter(next);
                    path.push((next, 0));
                } else if self.is_open.contains(next) {
                    self.low[node] = self.low[node].min(self.number[next]);
                }
                continue;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                self.low[*parent] = self.low[*parent].min(self.low[node]);
            }
            if self.low[node] == self.number[node] {
                let start =
                    self.open.iter().rposition(|open| *open == node).expect("a node is open until its end");
                let mut members = self.open.split_off(start);
                for member in &members {
                    self.is_open.set(*member, false);
                }
                members.sort_unstable();
                self.found.push(members);
            }
        }
    }
}
