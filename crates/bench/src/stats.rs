//! Medians, geometric means and how numbers are printed.

use std::time::{Duration, Instant};

/// The middle value; of two middle ones the lower.
pub(crate) fn median<T: Copy + PartialOrd>(values: &[T]) -> Option<T> {
    let mut sorted = values.to_vec();
    sorted.sort_by(|a, b| a.partial_cmp(b).expect("measured values are numbers"));
    sorted.get(sorted.len().checked_sub(1)? / 2).copied()
}

/// The geometric mean, the right one for ratios.
pub(crate) fn geometric_mean(values: &[f64]) -> Option<f64> {
    let logs: f64 = values.iter().map(|value| value.ln()).sum();
    (!values.is_empty()).then(|| (logs / values.len() as f64).exp())
}

/// How long `work` takes, and what it gives.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let begin = Instant::now();
    let value = work();
    (begin.elapsed(), value)
}

/// `1234567` as `1,234,567`.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A ratio with two digits that say something: `1.25 ×`, `0.31 ×`, `0.00033 ×`.
pub(crate) fn ratio(value: f64) -> String {
    if value <= 0.0 || value >= 0.1 {
        return format!("{value:.2} ×");
    }
    let digits = (1.0 - value.log10().floor()) as usize;
    format!("{value:.digits$} ×")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_a_value_that_was_measured() {
        assert_eq!(median(&[3, 1, 2]), Some(2));
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), Some(2.0));
        assert_eq!(median::<u8>(&[]), None);
    }

    #[test]
    fn the_geometric_mean_of_a_ratio_and_its_inverse_is_one() {
        let mean = geometric_mean(&[4.0, 0.25]).unwrap();
        assert!((mean - 1.0).abs() < 1e-12, "{mean}");
        assert_eq!(geometric_mean(&[]), None);
    }

    #[test]
    fn small_ratios_are_not_rounded_to_nothing() {
        for (value, text) in
            [(1.254, "1.25 ×"), (0.1, "0.10 ×"), (0.042, "0.042 ×"), (0.000_326, "0.00033 ×")]
        {
            assert_eq!(ratio(value), text);
        }
    }

    #[test]
    fn thousands_are_grouped_from_the_right() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(thousands(number), text);
        }
    }
}
