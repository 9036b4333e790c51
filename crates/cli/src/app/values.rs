//! The values of options: how they are written, and what is said when they are not.

use std::time::Duration;

use dwindle_logic::Strategy;

use super::args::ToolArg;

/// `10`, `10s`, `500ms`, `2m`, `1h`, `1.5h`; a bare number is seconds.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        other => return Err(format!("`{other}` is no unit of time: use ms, s, m or h")),
    };
    let number: f64 =
        digits.parse().map_err(|_| format!("`{text}` is no time: write 10s, 500ms, 2m or 1h"))?;
    Duration::try_from_secs_f64(number * unit).map_err(|error| format!("`{text}`: {error}"))
}

/// `4096`, `512K`, `300M`, `2G`.
pub(super) fn bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = &text[digits.len()..];
    let shift = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        _ => return Err(format!("`{unit}` is no unit of size: use K, M or G")),
    };
    let number: u64 = digits.parse().map_err(|_| format!("`{text}` is no size: write 512M or 2G"))?;
    number.checked_mul(1 << shift).ok_or_else(|| format!("`{text}` is too large"))
}

pub(super) fn tool(text: &str) -> Result<ToolArg, String> {
    match text.split_once('=') {
        Some((name, command)) if !name.is_empty() => {
            Ok(ToolArg { name: name.to_owned(), command: command.to_owned() })
        }
        _ => Err("write NAME=COMMAND, such as gcc='./check.sh gcc {}'".to_owned()),
    }
}

pub(super) fn weight(text: &str) -> Result<(String, f64), String> {
    let (name, weight) = text.split_once('=').ok_or("write NAME=WEIGHT, such as gcc=2")?;
    match weight.parse() {
        Ok(weight) if f64::is_finite(weight) && weight > 0.0 => Ok((name.to_owned(), weight)),
        _ => Err(format!("the weight of `{name}` must be a number above 0")),
    }
}

pub(super) fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("a number from 0 to 1 is needed, such as 0.75".to_owned()),
    }
}

pub(super) fn probability(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(p) if 0.0 < p && p < 1.0 => Ok(p),
        _ => Err("a number between 0 and 1 is needed, such as 0.1".to_owned()),
    }
}

pub(super) fn granularity(text: &str) -> Result<dwindle::Granularity, String> {
    let found = dwindle::Granularity::ALL.into_iter().find(|(name, _)| *name == text);
    found
        .map(|(_, granularity)| granularity)
        .ok_or_else(|| "use char, line, two-pass, token or bracket".to_owned())
}

pub(super) fn effort(text: &str) -> Result<dwindle::Effort, String> {
    let found = dwindle::Effort::ALL.into_iter().find(|(name, _)| *name == text);
    found.map(|(_, effort)| effort).ok_or_else(|| "use fast, normal or max".to_owned())
}

pub(super) fn cache_name(text: &str) -> Result<String, String> {
    let known = dwindle::core::cache::SCHEMES;
    if known.iter().any(|scheme| scheme.name == text) {
        return Ok(text.to_owned());
    }
    let names: Vec<_> = known.iter().map(|scheme| scheme.name).collect();
    Err(format!("use one of {}", names.join(", ")))
}

/// The help of `--strategy`, with all names.
pub(super) fn strategies() -> String {
    let names: Vec<_> = Strategy::named().map(|(name, ..)| name).collect();
    format!("The strategy: {} (`dwindle presets` says what they do)", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_have_units() {
        let table = [("10", 10_000), ("1.5s", 1500), ("500ms", 500), ("2m", 120_000), ("1h", 3_600_000)];
        for (text, millis) in table {
            assert_eq!(duration(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for text in ["", "s", "-1", "1d", "1e999", "ten"] {
            assert!(duration(text).is_err(), "{text}");
        }
        assert_eq!(bytes("2G"), Ok(2 << 30));
        assert_eq!(bytes("512k"), Ok(512 << 10));
        assert!(bytes("1T").is_err());
        assert!(bytes("99999999999G").is_err());
    }
}
