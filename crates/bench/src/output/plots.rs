//! Which charts are drawn: size over queries and over time for each case, and how often who is how near to the smallest.

use super::svg::{Chart, Scale, Series};
use super::{cases, contestants, find, passes};
use crate::contest::{Point, Row, Trial};

/// A chart under its file name.
pub(super) struct Plot {
    pub(super) name: String,
    pub(super) svg: String,
}

pub(super) fn all(rows: &[Row]) -> Vec<Plot> {
    let mut plots = vec![frequency(rows)];
    plots.extend(passes::chart(rows));
    for case in cases(rows) {
        let by_queries = curves(
            rows,
            case,
            "runs of the test",
            |point| point.queries.max(1) as f64,
            |trial| trial.queries as f64,
        );
        let by_time = curves(rows, case, "seconds", |point| point.seconds.max(0.1), |trial| trial.seconds);
        plots.push(Plot { name: format!("{case}-queries"), svg: by_queries.svg() });
        plots.push(Plot { name: format!("{case}-time"), svg: by_time.svg() });
    }
    plots
}

fn curves(
    rows: &[Row],
    case: &str,
    label: &'static str,
    place: impl Fn(&Point) -> f64,
    end: impl Fn(&Trial) -> f64,
) -> Chart {
    let series = rows.iter().filter(|row| row.case == case).filter_map(|row| {
        let trial = row.middle()?;
        let mut points: Vec<_> =
            trial.curve.iter().map(|point| (place(point), point.bytes.max(1) as f64)).collect();
        // The line goes on to where the tool stopped.
        let last = *points.last()?;
        points.push((end(trial).max(last.0), last.1));
        Some(Series { name: row.contestant.clone(), points, strong: row.ours })
    });
    Chart {
        title: format!("{case}: bytes of the smallest so far"),
        x: (label, Scale::Logarithmic),
        y: ("bytes", Scale::Logarithmic),
        series: series.collect(),
    }
}

/// For each contestant, on how many cases its result is at most so many times the smallest of all.
fn frequency(rows: &[Row]) -> Plot {
    let tokens = |row: &Row| Some(row.middle()?.tokens.max(1) as f64);
    let smallest = |case: &str| {
        let of_case = rows.iter().filter(|row| row.case == case).filter_map(tokens);
        of_case.fold(f64::INFINITY, f64::min)
    };
    let ratios = |name: &str| {
        let ratio = |case: &str| Some(tokens(find(rows, case, name)?)? / smallest(case));
        let mut ratios: Vec<f64> = cases(rows).into_iter().filter_map(ratio).collect();
        ratios.sort_by(f64::total_cmp);
        ratios
    };
    let names = contestants(rows);
    let largest = names.iter().flat_map(|name| ratios(name)).fold(1.0, f64::max);
    let series = names.iter().filter_map(|name| {
        let ratios = ratios(name);
        let steps = ratios.iter().enumerate().map(|(at, &ratio)| (ratio, (at + 1) as f64));
        let mut points: Vec<_> = std::iter::once((1.0, 0.0)).chain(steps).collect();
        points.push((largest, ratios.len() as f64));
        (!ratios.is_empty()).then(|| Series {
            name: (*name).to_owned(),
            points,
            strong: name.starts_with("dwindle"),
        })
    });
    let chart = Chart {
        title: "Cases with a result of at most so many times the smallest".to_owned(),
        x: ("tokens ÷ smallest of all", Scale::Logarithmic),
        y: ("cases", Scale::Linear),
        series: series.collect(),
    };
    Plot { name: "frequency".to_owned(), svg: chart.svg() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_curves_for_each_case_and_one_chart_for_all() {
        let plots = all(&super::super::samples::rows());
        let names: Vec<_> = plots.iter().map(|plot| plot.name.as_str()).collect();
        assert_eq!(names, ["frequency", "passes", "one-queries", "one-time", "two-queries", "two-time"]);
        assert_eq!(plots[2].svg.matches("<path").count(), 2, "the missing one has no line");
        assert!(plots.iter().all(|plot| !plot.svg.contains("NaN")));
    }
}
