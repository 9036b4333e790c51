//! `dwindle-bench published`: tables and worked examples of the five documents we build on, next to what we get.
//!
//! What needs the documents' own inputs (old compilers, programs that were never published) is not here. *Exact* rows must
//! be equal; the others are synthetic workloads of the published kind, where only the tendency can be compared.

mod kalhauge;
mod rcc;
mod vince;
mod vulcan;
mod wang;

use anyhow::Result;
use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct PublishedArgs {
    /// Only what can be had exactly: no synthetic workloads, which take a minute
    #[arg(long)]
    exact: bool,
}

/// A published figure and ours.
#[derive(Clone, Debug)]
struct Figure {
    what: String,
    published: String,
    ours: String,
    kind: Kind,
}

/// How the two are to be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Printed in the document: must be equal.
    Printed,
    /// Not printed, but what the document's algorithm gives, found by others' programs or by hand: must be equal.
    Derived,
    /// Another workload of the same kind.
    Synthetic,
}

impl Figure {
    fn new(
        kind: Kind,
        what: impl Into<String>,
        published: impl Into<String>,
        ours: impl Into<String>,
    ) -> Self {
        Figure { what: what.into(), published: published.into(), ours: ours.into(), kind }
    }

    fn printed(what: impl Into<String>, published: impl Into<String>, ours: impl Into<String>) -> Self {
        Self::new(Kind::Printed, what, published, ours)
    }

    fn derived(what: impl Into<String>, published: impl Into<String>, ours: impl Into<String>) -> Self {
        Self::new(Kind::Derived, what, published, ours)
    }

    fn synthetic(what: impl Into<String>, published: impl Into<String>, ours: impl Into<String>) -> Self {
        Self::new(Kind::Synthetic, what, published, ours)
    }

    fn holds(&self) -> bool {
        self.kind == Kind::Synthetic || self.published == self.ours
    }

    fn word(&self) -> &'static str {
        match (self.kind, self.holds()) {
            (Kind::Synthetic, _) => "synthetic",
            (Kind::Printed, true) => "printed, same",
            (Kind::Derived, true) => "derived, same",
            (_, false) => "DIFFERENT",
        }
    }
}

/// Prints a table for each document; whether all exact figures are equal.
pub(crate) fn run(args: &PublishedArgs) -> Result<bool> {
    let mut hold = true;
    for (title, figures) in documents(!args.exact)? {
        anstream::println!("### {title}\n\n| what | published | ours | |\n|---|---|---|---|");
        for figure in &figures {
            anstream::println!(
                "| {} | {} | {} | {} |",
                figure.what,
                figure.published,
                figure.ours,
                figure.word()
            );
            hold &= figure.holds();
        }
        anstream::println!();
    }
    Ok(hold)
}

fn documents(synthetic: bool) -> Result<Vec<(&'static str, Vec<Figure>)>> {
    Ok(vec![
        ("Zhang, caching in program reduction (Waterloo 2022)", rcc::figures(synthetic)?),
        ("Kalhauge, reporting bugs in metaprograms (UCLA 2020)", kalhauge::figures(synthetic)?),
        ("Wang, probabilistic delta debugging (Peking 2023)", wang::figures()?),
        ("Vince, enhancements of test case reduction (Szeged 2024)", vince::figures(synthetic)?),
        ("Xu and others, Vulcan (OOPSLA 2023)", vulcan::figures()),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_exact_figure_is_the_published_one() {
        let documents = documents(false).unwrap();
        let figures = || documents.iter().flat_map(|(_, figures)| figures);
        assert!(figures().count() > 60);
        assert!(figures().all(|figure| figure.kind != Kind::Synthetic));
        let different: Vec<_> = figures().filter(|figure| !figure.holds()).collect();
        assert!(different.is_empty(), "{different:#?}");
    }
}
