//! When a pass has asked long enough for too little: how much it gains a query, watched while it runs.
//!
//! Gains are counted in logarithms of the size, so that those of a large best and those of a small one compare; and per
//! query, not per second, so that a run is the same on every machine and at every `-j`.

/// Queries after which what a pass gained weighs a third of what it gains now. Passes that sweep over lists often find
/// nothing for a few dozen queries and then much at once.
const MEMORY: f64 = 48.0;

/// What a pass gains a query: a mean that forgets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rate(f64);

impl Rate {
    /// What a pass is trusted with before it has shown anything: half a per cent a query, so that each has its turn
    /// before one that gains little goes on. (With a fifth of a per cent, one C++ file of 1 MB was left to lists that
    /// gained 0.06 per cent a query while others would have gained three times as much.)
    pub(crate) const EXPECTED: Rate = Rate(0.005);

    /// What a pass is trusted with that is known to ask much for little.
    pub(crate) const LITTLE: Rate = Rate(0.000_01);

    /// Nothing.
    pub(crate) const NONE: Rate = Rate(0.0);

    fn after(self, gain: f64) -> Rate {
        Rate(self.0 + (gain - self.0) / MEMORY)
    }

    /// What a pass has to gain as long as another one promises this: a quarter, since to come back to a pass costs
    /// something too.
    pub(crate) fn floor(self) -> Rate {
        Rate(self.0 / 4.0)
    }

    /// The order of rates.
    pub(crate) fn compare(&self, other: &Rate) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// Watches one run of a pass.
#[derive(Clone, Debug)]
pub(crate) struct Patience {
    rate: Rate,
    floor: Rate,
    size: u64,
}

impl Patience {
    /// Patience with a pass that is trusted with `rate`, as long as it stays above `floor`.
    pub(crate) fn new(rate: Rate, floor: Rate, size: u64) -> Self {
        Patience { rate, floor, size }
    }

    /// Another query was made, and this is the size of the best before its verdict.
    pub(crate) fn asked(&mut self, size: u64) {
        let gain = self.gained(size);
        self.rate = self.rate.after(gain);
    }

    /// This is what the last query brought.
    pub(crate) fn credit(&mut self, size: u64) {
        self.rate.0 += self.gained(size) / MEMORY;
    }

    fn gained(&mut self, size: u64) -> f64 {
        let smaller = size.min(self.size);
        let gain = (self.size.max(1) as f64 / smaller.max(1) as f64).ln();
        self.size = smaller;
        gain
    }

    /// Whether others are to have a turn.
    pub(crate) fn is_over(&self) -> bool {
        self.rate.0 < self.floor.0
    }

    /// What the pass gains a query now.
    pub(crate) fn rate(&self) -> Rate {
        self.rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Large enough to be halved for a long time.
    const SIZE: u64 = 1 << 60;

    fn queries_until_over(floor: Rate, mut size_after: impl FnMut(u64) -> u64) -> Option<u64> {
        let mut patience = Patience::new(Rate::EXPECTED, floor, SIZE);
        (1..=2_000).find(|&asked| {
            patience.asked(size_after(asked));
            patience.is_over()
        })
    }

    #[test]
    fn a_pass_that_finds_nothing_has_some_dozens_of_queries() {
        let asked = queries_until_over(Rate::EXPECTED.floor(), |_| SIZE).expect("it is put off");
        assert!((50..100).contains(&asked), "{asked}");
    }

    #[test]
    fn a_pass_that_gains_as_much_as_others_promise_is_never_put_off() {
        let shrinking = |asked: u64| (SIZE as f64 * (-0.005 * asked as f64).exp()) as u64;
        assert_eq!(queries_until_over(Rate::EXPECTED.floor(), shrinking), None);
    }

    #[test]
    fn without_others_there_is_no_end_to_patience() {
        assert_eq!(queries_until_over(Rate::NONE.floor(), |_| SIZE), None);
    }

    #[test]
    fn detours_to_something_larger_count_as_nothing() {
        let mut patience = Patience::new(Rate::EXPECTED, Rate::NONE, 100);
        patience.asked(150);
        let rate = patience.rate();
        assert_eq!(rate, Rate::EXPECTED.after(0.0));
        patience.asked(100);
        assert_eq!(patience.rate(), rate.after(0.0));
    }
}
