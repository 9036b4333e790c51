//! One page with everything, that needs nothing else.

use std::fmt::Write;

use super::markdown::{MARKS, after, cell, compared, terms};
use super::plots::Plot;
use super::svg::escape;
use super::{cases, contestants, find};
use crate::contest::{Ending, Row, Terms};
use crate::stats::{ratio, thousands};

const STYLE: &str = "\
:root { color-scheme: light dark }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1100px; margin: 2em auto; padding: 0 1em }
.wide { overflow-x: auto }
table { border-collapse: collapse; margin: 1em 0 }
th, td { padding: .25em .7em; text-align: right; border-bottom: 1px solid #8884; white-space: nowrap }
th:first-child, td:first-child { text-align: left }
.none { opacity: .5 }
svg { width: 100%; max-width: 800px; height: auto; border-radius: 4px }
details { margin: .5em 0 }
";

pub(super) fn page(rows: &[Row], the_terms: &Terms, reference: &str, plots: &[Plot]) -> String {
    let mut out = String::new();
    let mut put = |text: std::fmt::Arguments<'_>| writeln!(out, "{text}").expect("strings take all");
    put(format_args!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>dwindle and other reducers, side by side</title>\n<style>\n{STYLE}</style>"
    ));
    put(format_args!("<h1>dwindle and other reducers, side by side</h1>"));
    put(format_args!("<p>{}</p>", escape(&terms(rows, the_terms).replace('`', ""))));

    let names = contestants(rows);
    put(format_args!("<div class=\"wide\"><table>\n<tr><th>case</th><th>input</th>"));
    for name in &names {
        put(format_args!("<th>{}</th>", escape(name)));
    }
    put(format_args!("</tr>"));
    for case in cases(rows) {
        let input = rows.iter().find(|row| row.case == case).map_or(0, |row| row.input_tokens);
        put(format_args!("<tr><td>{}</td><td>{}</td>", escape(case), thousands(input)));
        for name in &names {
            let row = find(rows, case, name);
            let text = row.map_or_else(String::new, cell).replace('\\', "");
            let detail = match row.map(Row::ending) {
                Some(Ending::Failed(why)) => escape(why),
                _ => String::new(),
            };
            let class = if row.is_some_and(|row| row.middle().is_some()) { "" } else { "none" };
            put(format_args!("<td class=\"{class}\" title=\"{detail}\">{}</td>", escape(&text)));
        }
        put(format_args!("</tr>"));
    }
    put(format_args!("</table></div>"));

    put(format_args!(
        "<h2>Ratios</h2>\n<p>Geometric means against {reference}, over the cases where both have a result.</p>\n<table>\n\
         <tr><th>contestant</th><th>cases</th><th>tokens</th><th>queries</th></tr>"
    ));
    for one in compared(rows, reference) {
        put(format_args!(
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            escape(&one.contestant),
            one.cases,
            ratio(one.tokens.geometric),
            ratio(one.queries.geometric)
        ));
    }
    put(format_args!(
        "</table>\n<p>Tokens of the smallest so far after as many queries, against {reference} after as many (over how many \
         cases).</p>\n<table>\n<tr><th>contestant</th>"
    ));
    for mark in MARKS {
        put(format_args!("<th>{}</th>", thousands(mark)));
    }
    put(format_args!("</tr>"));
    for name in &names {
        put(format_args!("<tr><td>{}</td>", escape(name)));
        for mark in MARKS {
            let cell = after(rows, name, reference, mark)
                .map(|(value, cases)| format!("{} ({cases})", ratio(value)));
            put(format_args!("<td>{}</td>", cell.unwrap_or_default()));
        }
        put(format_args!("</tr>"));
    }
    put(format_args!("</table>\n<h2>Curves</h2>"));
    for (number, plot) in plots.iter().enumerate() {
        let open = if number == 0 { " open" } else { "" };
        put(format_args!("<details{open}><summary>{}</summary>\n{}</details>", escape(&plot.name), plot.svg));
    }
    out.push_str("</html>\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_needs_nothing_from_outside() {
        let rows = super::super::samples::rows();
        let terms = Terms { seconds: 10.0, queries: None, jobs: 1 };
        let page = page(&rows, &terms, "dwindle", &super::super::plots::all(&rows));
        assert!(!page.contains("<script") && !page.contains("src=") && !page.contains("href="));
        assert_eq!(page.matches("<svg").count(), 6);
        assert!(page.contains("title=\"a, &quot;b&quot; &lt;c&gt;\">failed</td>"), "{page}");
    }
}
