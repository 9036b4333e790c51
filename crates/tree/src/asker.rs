//! Asking the session about candidates of a source.

use std::cell::RefCell;
use std::collections::VecDeque;

use dwindle_core::{Candidate, Naturalness, Search, Session, Stop, Subset, Verdict};
use dwindle_delta::{ListOracle, ListSearch};

use crate::luck::{Change, Start};
use crate::sieve::Sieve;
use crate::source::Source;

/// Asks a session about candidates of one source. What the syntax filter turns down is boring and costs nothing.
///
/// In eager runs of a pass, changes that were boring before are boring without being asked.
///
/// A candidate with fewer tokens counts as an improvement even if a space that had to be put in makes up for them.
pub struct Asker<'s, 'r> {
    session: &'s mut Session<'r>,
    source: &'s Source,
    /// Whether what is more natural than the best is wanted, and nothing else.
    natural: bool,
}

impl<'s, 'r> Asker<'s, 'r> {
    /// Asks `session` about candidates of `source`.
    pub fn new(session: &'s mut Session<'r>, source: &'s Source) -> Self {
        Asker { session, source, natural: false }
    }

    /// An asker for which the more natural of two variants is the better one ([`Naturalness`]). What is not more natural
    /// than the best, or has more tokens, is boring and costs nothing; so whatever it takes, it comes to an end.
    pub fn natural(&mut self) -> Asker<'_, 'r> {
        Asker { session: self.session, source: self.source, natural: true }
    }

    /// Whether it is one of those.
    #[must_use]
    pub fn is_natural(&self) -> bool {
        self.natural
    }

    /// The session itself.
    pub fn session(&mut self) -> &mut Session<'r> {
        self.session
    }

    /// How many checks verdicts may speak of.
    #[must_use]
    pub fn checks(&self) -> usize {
        self.session.checks()
    }

    /// The source.
    #[must_use]
    pub fn source(&self) -> &'s Source {
        self.source
    }

    /// The verdict on one candidate. An interesting one that is smaller than the best becomes the best.
    ///
    /// # Errors
    /// When the session has been stopped.
    pub fn test(&mut self, candidate: &Candidate) -> Result<Verdict, Stop> {
        let hopes = self.hopes();
        let change = hopes.change(self.source, candidate);
        if !hopes.has(self.source, candidate, change) {
            return Ok(Verdict::BORING);
        }
        let verdict = self.session.test(candidate.clone())?;
        if verdict.is_interesting() {
            self.accept(candidate)?;
        } else {
            self.source.luck().extend(change);
        }
        Ok(verdict)
    }

    /// What can be hoped for from the best as it is now.
    fn hopes(&self) -> Hopes {
        self.source.go_on_from(self.session.best());
        let scheduled = self.session.is_scheduled();
        let start = scheduled.then(|| Start::at(self.session.best(), &self.source.lexicon())).flatten();
        let natural = self.natural.then(|| {
            let best = self.session.best();
            (Naturalness::of(best), self.source.token_count(best).unwrap_or(usize::MAX))
        });
        Hopes { start, eager: self.session.is_eager(), natural }
    }

    /// The index of the first interesting candidate, in the order given; it becomes the best if it is smaller.
    ///
    /// # Errors
    /// When the session has been stopped.
    pub fn first(&mut self, candidates: impl IntoIterator<Item = Candidate>) -> Result<Option<usize>, Stop> {
        let Some((index, candidate)) = self.find(candidates)? else { return Ok(None) };
        self.accept(&candidate)?;
        Ok(Some(index))
    }

    /// The first interesting candidate, in the order given, and its index. The best stays what it was.
    ///
    /// # Errors
    /// When the session has been stopped.
    pub fn find(
        &mut self,
        candidates: impl IntoIterator<Item = Candidate>,
    ) -> Result<Option<(usize, Candidate)>, Stop> {
        let (source, hopes) = (self.source, self.hopes());
        let mut asked = Vec::new();
        let mut changes = Vec::new();
        let hopeful = candidates.into_iter().enumerate().filter_map(|(index, candidate)| {
            let change = hopes.change(source, &candidate);
            hopes.has(source, &candidate, change).then(|| {
                asked.push((index, candidate.clone()));
                changes.push(change);
                candidate
            })
        });
        let won = self.session.find(hopeful)?;
        // What was looked at behind a winner has no verdict that counts.
        changes.truncate(won.unwrap_or(changes.len()));
        source.luck().extend(changes.into_iter().flatten());
        Ok(won.map(|won| asked.swap_remove(won)))
    }

    /// The first candidate that is interesting and parses no worse than the source, and its index. The best stays what
    /// it was. The test comes first: most candidates are boring, and those that are not are few.
    ///
    /// # Errors
    /// When the session has been stopped.
    pub fn find_that_parses(
        &mut self,
        candidates: impl IntoIterator<Item = Candidate>,
    ) -> Result<Option<(usize, Candidate)>, Stop> {
        self.find_that(candidates, Source::parses)
    }

    /// The first candidate that is interesting and of which `holds` is true, and its index.
    pub(crate) fn find_that(
        &mut self,
        candidates: impl IntoIterator<Item = Candidate>,
        holds: impl Fn(&Source, &Candidate) -> bool,
    ) -> Result<Option<(usize, Candidate)>, Stop> {
        let mut candidates = candidates.into_iter();
        let mut pulled: Vec<Candidate> = Vec::new();
        let mut from = 0;
        loop {
            // What was looked at behind a winner that is not taken comes again.
            let mut at = from;
            let rest = std::iter::from_fn(|| {
                if at == pulled.len() {
                    pulled.push(candidates.next()?);
                }
                at += 1;
                Some(pulled[at - 1].clone())
            });
            let Some((won, candidate)) = self.find(rest)? else { return Ok(None) };
            if holds(self.source, &candidate) {
                return Ok(Some((from + won, candidate)));
            }
            from += won + 1;
        }
    }

    /// The verdicts on a window of candidates. None of them becomes the best until [`Asker::accept`] names it.
    ///
    /// # Errors
    /// When the session has been stopped.
    pub fn all(&mut self, window: Vec<Candidate>) -> Result<Vec<Verdict>, Stop> {
        let hopes = self.hopes();
        let changes: Vec<Option<Change>> =
            window.iter().map(|candidate| hopes.change(self.source, candidate)).collect();
        let has_hope =
            |(candidate, change): (&Candidate, &Option<Change>)| hopes.has(self.source, candidate, *change);
        let hopeful: Vec<bool> = window.iter().zip(&changes).map(has_hope).collect();
        let asked = window.into_iter().zip(&hopeful).filter(|(_, hopeful)| **hopeful);
        let mut answers = self.session.all(asked.map(|(candidate, _)| candidate).collect())?.into_iter();
        let verdict = |hopeful: &bool| match hopeful {
            true => answers.next().expect("one for each that was asked"),
            false => Verdict::BORING,
        };
        let verdicts: Vec<Verdict> = hopeful.iter().map(verdict).collect();
        let boring = verdicts.iter().zip(changes).filter(|(verdict, _)| !verdict.is_interesting());
        self.source.luck().extend(boring.filter_map(|(_, change)| change));
        Ok(verdicts)
    }

    /// Takes a candidate that was found interesting, if it is better than the best.
    ///
    /// # Errors
    /// When the session has been stopped.
    pub fn accept(&mut self, candidate: &Candidate) -> Result<(), Stop> {
        let best = self.session.best();
        if best.fingerprint() == candidate.fingerprint() {
            return Ok(());
        }
        let tokens = |candidate| self.source.token_count(candidate);
        let is_better = match self.natural {
            true => Naturalness::of(best).is_beaten_by(candidate),
            false => candidate.size() >= best.size() && tokens(candidate) < tokens(best),
        };
        if is_better { self.session.prefer(candidate) } else { self.session.accept(candidate) }
    }

    /// A list in which `candidate` gives the variant that keeps just the elements it is told.
    pub fn list<F: Fn(&Subset) -> Candidate>(&mut self, candidate: F) -> ListAsker<'_, 's, 'r, F> {
        ListAsker { asker: self, candidate, identity: None }
    }
}

/// Which candidates are worth a query.
struct Hopes {
    /// What changes start from, where they are remembered.
    start: Option<Start>,
    eager: bool,
    /// The best and its tokens, where only what is more natural counts.
    natural: Option<(Naturalness, usize)>,
}

impl Hopes {
    fn change(&self, source: &Source, candidate: &Candidate) -> Option<Change> {
        self.start.as_ref()?.change(candidate, &source.lexicon())
    }

    fn has(&self, source: &Source, candidate: &Candidate, change: Option<Change>) -> bool {
        let unnatural = self.natural.as_ref().is_some_and(|(best, tokens)| {
            !best.is_beaten_by(candidate)
                || source.token_count(candidate).is_some_and(|count| count > *tokens)
        });
        let out_of_luck = self.eager && change.is_some_and(|change| source.luck().is_known_boring(change));
        !unnatural && !out_of_luck && source.admits(candidate)
    }
}

/// A list whose parts are candidates of a source.
pub struct ListAsker<'a, 's, 'r, F> {
    asker: &'a mut Asker<'s, 'r>,
    candidate: F,
    identity: Option<&'a dyn Fn(usize) -> u64>,
}

impl<'a, F> ListAsker<'a, '_, '_, F> {
    /// With what tells each element from others across lists; see [`ListOracle::identity`].
    #[must_use]
    pub fn identified(self, identity: &'a dyn Fn(usize) -> u64) -> Self {
        ListAsker { identity: Some(identity), ..self }
    }
}

impl<F: Fn(&Subset) -> Candidate> ListOracle for ListAsker<'_, '_, '_, F> {
    fn test(&mut self, kept: &Subset) -> Result<Verdict, Stop> {
        self.asker.test(&(self.candidate)(kept))
    }

    fn first(&mut self, parts: &mut dyn Iterator<Item = Subset>) -> Result<Option<usize>, Stop> {
        self.asker.first(parts.map(|kept| (self.candidate)(&kept)))
    }

    fn all(&mut self, parts: &[Subset]) -> Result<Vec<Verdict>, Stop> {
        self.asker.all(parts.iter().map(&self.candidate).collect())
    }

    fn accept(&mut self, kept: &Subset) -> Result<(), Stop> {
        self.asker.accept(&(self.candidate)(kept))
    }

    fn search(&mut self, search: &mut dyn ListSearch) -> Result<Option<usize>, Stop> {
        let (source, hopes) = (self.asker.source, self.asker.hopes());
        let made = RefCell::new(None);
        let mut hopeful = Sieve::new(search, |kept: &Subset| {
            let candidate = (self.candidate)(kept);
            let change = hopes.change(source, &candidate);
            let has_hope = hopes.has(source, &candidate, change);
            *made.borrow_mut() = Some((candidate, change));
            has_hope
        });
        let mut asked =
            Hopeful { search: &mut hopeful, made: &made, source, asked: VecDeque::new(), won: None };
        self.asker.session.search(&mut asked)?;
        let Some(candidate) = asked.won else { return Ok(None) };
        let index = hopeful.last();
        self.asker.accept(&candidate)?;
        Ok(Some(index))
    }

    fn checks(&self) -> usize {
        self.asker.checks()
    }

    fn identity(&self, element: usize) -> Option<u64> {
        self.identity.map(|identity| identity(element))
    }
}

/// A candidate and the change that it is.
type Made = (Candidate, Option<Change>);

/// A search over parts of a list, as one over candidates of a source.
struct Hopeful<'a> {
    search: &'a mut dyn ListSearch,
    /// The candidate of the part that came last.
    made: &'a RefCell<Option<Made>>,
    source: &'a Source,
    /// Those without a verdict yet.
    asked: VecDeque<Made>,
    won: Option<Candidate>,
}

impl Search for Hopeful<'_> {
    fn next(&mut self) -> Option<Candidate> {
        self.search.next()?;
        let made = self.made.take().expect("it was looked at");
        self.asked.push_back(made.clone());
        Some(made.0)
    }

    fn learn(&mut self, verdict: Verdict) -> bool {
        let (candidate, change) = self.asked.pop_front().expect("a verdict is about something asked for");
        match verdict.is_interesting() {
            true => self.won = Some(candidate),
            false => self.source.luck().extend(change),
        }
        let foreseen = self.search.learn(verdict);
        if !foreseen {
            self.asked.clear();
        }
        foreseen
    }
}
