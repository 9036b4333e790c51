//! A small writer for line charts with logarithmic axes, as SVG without scripts or fonts of its own.

use std::fmt::Write;

/// A line of a chart.
pub(super) struct Series {
    pub(super) name: String,
    /// Ascending in the first coordinate.
    pub(super) points: Vec<(f64, f64)>,
    /// Our lines are thicker than the others'.
    pub(super) strong: bool,
}

/// How numbers become places on an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scale {
    Linear,
    Logarithmic,
}

/// A chart of steps: a value holds until the next point.
pub(super) struct Chart {
    pub(super) title: String,
    pub(super) x: (&'static str, Scale),
    pub(super) y: (&'static str, Scale),
    pub(super) series: Vec<Series>,
}

pub(super) const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 380.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 220.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 46.0;
/// Told apart by most people with colour-blindness (after Okabe and Ito); lines differ in their dashes as well.
pub(super) const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#999999", "#7a5195"];
const DASHES: [&str; 3] = ["none", "6 3", "2 3"];

struct Axis {
    scale: Scale,
    low: f64,
    high: f64,
}

impl Axis {
    fn new(scale: Scale, values: impl Iterator<Item = f64>) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values {
            low = low.min(value);
            high = high.max(value);
        }
        if !low.is_finite() {
            // Nothing to show is shown as an empty decade.
            (low, high) = (1.0, 10.0);
        }
        if scale == Scale::Linear {
            low = low.min(0.0);
        } else {
            low = low.max(f64::MIN_POSITIVE);
        }
        if high <= low {
            high = low + low.abs().max(1.0);
        }
        Axis { scale, low, high }
    }

    /// From 0 at the low end to 1 at the high end.
    fn place(&self, value: f64) -> f64 {
        let of = |value: f64| match self.scale {
            Scale::Linear => value,
            Scale::Logarithmic => value.max(self.low).ln(),
        };
        (of(value) - of(self.low)) / (of(self.high) - of(self.low))
    }

    fn ticks(&self) -> Vec<f64> {
        match self.scale {
            // Whole numbers: what is counted on such an axis comes in ones.
            Scale::Linear => {
                let step = ((self.high - self.low) / 8.0).ceil().max(1.0);
                let count = ((self.high - self.low) / step) as usize;
                (0..=count).map(|at| self.low + at as f64 * step).collect()
            }
            Scale::Logarithmic => {
                let (from, to) = (self.low.log10().ceil() as i32, self.high.log10().floor() as i32);
                let mut ticks: Vec<f64> = (from..=to).map(|power| 10f64.powi(power)).collect();
                if ticks.len() < 2 {
                    ticks = vec![self.low, (self.low * self.high).sqrt(), self.high];
                }
                ticks
            }
        }
    }
}

impl Chart {
    /// The chart as an SVG element that also stands alone as a file.
    pub(super) fn svg(&self) -> String {
        let points = || self.series.iter().flat_map(|series| series.points.iter());
        let x = Axis::new(self.x.1, points().map(|point| point.0));
        let y = Axis::new(self.y.1, points().map(|point| point.1));
        let across = |value: f64| LEFT + x.place(value) * (WIDTH - LEFT - RIGHT);
        let up = |value: f64| HEIGHT - BOTTOM - y.place(value) * (HEIGHT - TOP - BOTTOM);
        let mut out = String::new();
        let mut put = |text: std::fmt::Arguments<'_>| writeln!(out, "{text}").expect("strings take all");
        put(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\" role=\"img\">"
        ));
        put(format_args!("<title>{}</title>", escape(&self.title)));
        put(format_args!("<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#ffffff\"/>"));
        put(format_args!(
            "<text x=\"{LEFT}\" y=\"20\" font-size=\"14\" font-weight=\"bold\" fill=\"#222222\">{}</text>",
            escape(&self.title)
        ));
        for tick in x.ticks() {
            let at = across(tick);
            put(format_args!(
                "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{:.1}\" stroke=\"#dddddd\"/><text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#555555\">{}</text>",
                HEIGHT - BOTTOM,
                HEIGHT - BOTTOM + 16.0,
                short(tick)
            ));
        }
        for tick in y.ticks() {
            let at = up(tick);
            put(format_args!(
                "<line x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#dddddd\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#555555\">{}</text>",
                WIDTH - RIGHT,
                LEFT - 6.0,
                at + 4.0,
                short(tick)
            ));
        }
        put(format_args!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#222222\">{}</text>",
            (LEFT + WIDTH - RIGHT) / 2.0,
            HEIGHT - 10.0,
            self.x.0
        ));
        put(format_args!(
            "<text transform=\"translate(16 {:.1}) rotate(-90)\" text-anchor=\"middle\" fill=\"#222222\">{}</text>",
            (TOP + HEIGHT - BOTTOM) / 2.0,
            self.y.0
        ));
        for (number, series) in self.series.iter().enumerate() {
            let colour = COLOURS[number % COLOURS.len()];
            let dash = DASHES[number / COLOURS.len() % DASHES.len()];
            let width = if series.strong { 2.5 } else { 1.4 };
            let mut path = String::new();
            for (at, &(px, py)) in series.points.iter().enumerate() {
                if at == 0 {
                    write!(path, "M{:.1} {:.1}", across(px), up(py)).expect("strings take all");
                } else {
                    write!(path, "H{:.1}V{:.1}", across(px), up(py)).expect("strings take all");
                }
            }
            put(format_args!(
                "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" stroke-dasharray=\"{dash}\"><title>{}</title></path>",
                escape(&series.name)
            ));
            let (from, line) = (WIDTH - RIGHT + 12.0, TOP + 8.0 + 18.0 * number as f64);
            put(format_args!(
                "<line x1=\"{from:.1}\" x2=\"{:.1}\" y1=\"{line:.1}\" y2=\"{line:.1}\" stroke=\"{colour}\" stroke-width=\"{width}\" stroke-dasharray=\"{dash}\"/><text x=\"{:.1}\" y=\"{:.1}\" fill=\"#222222\">{}</text>",
                from + 22.0,
                from + 28.0,
                line + 4.0,
                escape(&series.name)
            ));
        }
        out.push_str("</svg>\n");
        out
    }
}

/// `1500` as `1.5k`.
fn short(value: f64) -> String {
    let (scaled, unit) = match value.abs() {
        v if v >= 1e6 => (value / 1e6, "M"),
        v if v >= 1e3 => (value / 1e3, "k"),
        _ => (value, ""),
    };
    let text = format!("{scaled:.2}");
    format!("{}{unit}", text.trim_end_matches('0').trim_end_matches('.'))
}

/// Text that may stand in XML and HTML.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (value, text) in [(0.0, "0"), (0.25, "0.25"), (10.0, "10"), (1500.0, "1.5k"), (2e6, "2M")] {
            assert_eq!(short(value), text);
        }
    }

    #[test]
    fn a_logarithmic_axis_has_its_ends_at_its_ends() {
        let axis = Axis::new(Scale::Logarithmic, [1.0, 1000.0].into_iter());
        assert_eq!((axis.place(1.0), axis.place(1000.0)), (0.0, 1.0));
        assert!((axis.place(10.0) - 1.0 / 3.0).abs() < 1e-9);
        assert_eq!(axis.ticks().len(), 4);
        assert_eq!(axis.place(0.0), 0.0, "what cannot be shown is at the low end");
    }

    #[test]
    fn a_chart_escapes_names_and_has_a_path_for_each_series() {
        let series = |name: &str| Series {
            name: name.into(),
            points: vec![(1.0, 100.0), (10.0, 50.0)],
            strong: false,
        };
        let chart = Chart {
            title: "a < b".into(),
            x: ("queries", Scale::Logarithmic),
            y: ("bytes", Scale::Linear),
            series: vec![series("x&y"), series("z")],
        };
        let svg = chart.svg();
        assert_eq!(svg.matches("<path").count(), 2);
        assert!(svg.contains("a &lt; b") && svg.contains("x&amp;y") && !svg.contains("x&y<"), "{svg}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }

    #[test]
    fn an_empty_chart_is_still_a_picture() {
        let chart = Chart {
            title: String::new(),
            x: ("", Scale::Logarithmic),
            y: ("", Scale::Linear),
            series: Vec::new(),
        };
        let svg = chart.svg();
        assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN"), "{svg}");
    }
}
