//! Asking the session about candidates of a source.

use dwindle_core::{Candidate, Naturalness, Session, Stop, Subset, Verdict};
use dwindle_delta::ListOracle;

use crate::source::Source;

/// Asks a session about candidates of one source. What the syntax filter turns down is boring and costs nothing.
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

    /// Which candidates are worth a test now.
    fn admission(&self) -> impl Fn(&Candidate) -> bool + use<'s> {
        let source = self.source;
        let best = self.natural.then(|| {
            let best = self.session.best();
            (Naturalness::of(best), source.token_count(best).unwrap_or(usize::MAX))
        });
        let wanted = move |candidate: &Candidate| {
            best.as_ref().is_none_or(|(best, tokens)| {
                best.is_beaten_by(candidate)
                    && source.token_count(candidate).is_none_or(|count| count <= *tokens)
            })
        };
        move |candidate| wanted(candidate) && source.admits(candidate)
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
        if !self.admission()(candidate) {
            return Ok(Verdict::BORING);
        }
        let verdict = self.session.test(candidate.clone())?;
        if verdict.is_interesting() {
            self.accept(candidate)?;
        }
        Ok(verdict)
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
        let admits = self.admission();
        let mut asked = Vec::new();
        let admitted = candidates.into_iter().enumerate().filter(|(_, candidate)| admits(candidate));
        let won = self.session.find(admitted.map(|(index, candidate)| {
            asked.push((index, candidate.clone()));
            candidate
        }))?;
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
        let admitted: Vec<bool> = window.iter().map(self.admission()).collect();
        let asked = window.into_iter().zip(&admitted).filter(|(_, admitted)| **admitted);
        let mut verdicts = self.session.all(asked.map(|(candidate, _)| candidate).collect())?.into_iter();
        let mut verdict = |admitted: &bool| match admitted {
            true => verdicts.next().expect("one for each that was asked"),
            false => Verdict::BORING,
        };
        Ok(admitted.iter().map(&mut verdict).collect())
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
        ListAsker { asker: self, candidate }
    }
}

/// A list whose parts are candidates of a source.
pub struct ListAsker<'a, 's, 'r, F> {
    asker: &'a mut Asker<'s, 'r>,
    candidate: F,
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

    fn checks(&self) -> usize {
        self.asker.checks()
    }
}
