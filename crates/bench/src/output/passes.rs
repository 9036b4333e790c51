//! What each pass of ours contributed: its share of the queries, and of the way down.

use std::fmt::Write;

use super::in_order;
use super::plots::Plot;
use super::svg::{COLOURS, WIDTH, escape};
use crate::contest::Row;

/// Bars begin here; names of cases and contestants stand before them.
const LEFT: f64 = 250.0;
const RIGHT: f64 = 150.0;
const TOP: f64 = 58.0;
/// Two bars, and some space below them.
const ROW: f64 = 34.0;
const BAR: f64 = 12.0;

/// Two bars for each of our runs: the upper one has the queries of each pass; the lower one its part in the reduction,
/// as a share of the logarithm, so that halving counts the same wherever it happens. Nothing without runs of ours.
pub(super) fn chart(rows: &[Row]) -> Option<Plot> {
    let runs: Vec<_> = rows
        .iter()
        .filter_map(|row| {
            let parts = row.middle()?.told.as_ref()?.contributions();
            (!parts.is_empty()).then(|| (format!("{} {}", row.case, row.contestant), parts))
        })
        .collect();
    if runs.is_empty() {
        return None;
    }
    let names = in_order(runs.iter().flat_map(|(_, parts)| parts.iter().map(|(name, ..)| *name)));
    let colour = |name: &str| {
        let at = names.iter().position(|known| *known == name).unwrap_or(0);
        COLOURS[at % COLOURS.len()]
    };
    let height = TOP + ROW * runs.len() as f64 + 10.0;
    let mut out = String::new();
    let mut put = |text: std::fmt::Arguments<'_>| writeln!(out, "{text}").expect("strings take all");
    put(format_args!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"12\" role=\"img\">"
    ));
    put(format_args!("<title>What each pass contributed</title>"));
    put(format_args!("<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#ffffff\"/>"));
    put(format_args!(
        "<text x=\"12\" y=\"20\" font-size=\"14\" font-weight=\"bold\" fill=\"#222222\">What each pass contributed</text>\
         <text x=\"12\" y=\"40\" fill=\"#555555\">upper bar: share of the queries; lower bar: share of the reduction (by factors)</text>"
    ));
    for (number, name) in names.iter().enumerate() {
        let line = TOP + 10.0 + 18.0 * number as f64;
        put(format_args!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"12\" height=\"12\" fill=\"{}\"/><text x=\"{:.1}\" y=\"{line:.1}\" fill=\"#222222\">{}</text>",
            WIDTH - RIGHT + 14.0,
            line - 10.0,
            colour(name),
            WIDTH - RIGHT + 32.0,
            escape(name)
        ));
    }
    for (number, (title, parts)) in runs.iter().enumerate() {
        let top = TOP + ROW * number as f64;
        put(format_args!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#222222\">{}</text>",
            LEFT - 8.0,
            top + BAR + 4.0,
            escape(title)
        ));
        let queries: Vec<f64> = parts.iter().map(|(_, queries, _)| *queries as f64).collect();
        let factors: Vec<f64> = parts.iter().map(|(.., factor)| factor.ln().max(0.0)).collect();
        for (bar, values) in [queries, factors].iter().enumerate() {
            let whole: f64 = values.iter().sum();
            let mut from = LEFT;
            for ((name, queries, factor), value) in parts.iter().zip(values) {
                // A run in which nothing was asked, or nothing went, has an empty bar.
                let width = if whole > 0.0 { value / whole * (WIDTH - LEFT - RIGHT) } else { 0.0 };
                put(format_args!(
                    "<rect x=\"{from:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{BAR}\" fill=\"{}\"><title>{}: {queries} queries, {factor:.2} times smaller</title></rect>",
                    top + bar as f64 * (BAR + 1.0),
                    colour(name),
                    escape(name)
                ));
                from += width;
            }
        }
    }
    out.push_str("</svg>\n");
    Some(Plot { name: "passes".to_owned(), svg: out })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_run_of_ours_has_two_bars_with_a_part_for_each_pass() {
        let plot = chart(&super::super::samples::rows()).unwrap();
        // The ground, two passes in the legend, and for each of two runs two bars of two parts.
        assert_eq!(plot.svg.matches("<rect").count(), 1 + 2 + 2 * 2 * 2);
        assert!(plot.svg.contains("line: 60 queries, 10.00 times smaller"), "{}", plot.svg);
        assert!(!plot.svg.contains("NaN"), "{}", plot.svg);
        assert!(chart(&[]).is_none());
    }
}
