//! How numbers, times and paths are written for people.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt;
use std::time::Duration;

/// A count with its thousands set apart: `12,345`.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A count and its noun: `1 query`, `2,000 queries`.
pub(crate) fn plural(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// A count and a noun that takes an `s`: `1 hit`, `2 hits`.
pub(crate) fn counted(number: u64, noun: &str) -> String {
    plural(number, noun, &format!("{noun}s"))
}

/// How much of `whole` a part is. Small shares keep a second digit: the end of a good reduction is far below 1 %.
pub(crate) fn percent(part: u64, whole: u64) -> String {
    let share = if whole == 0 { 100.0 } else { part as f64 * 100.0 / whole as f64 };
    match share {
        _ if part == 0 && whole > 0 => "0 %".to_owned(),
        share if share < 0.01 => "<0.01 %".to_owned(),
        share if share < 1.0 => format!("{share:.2} %"),
        share => format!("{share:.1} %"),
    }
}

/// A rate per second, with digits where they tell something.
pub(crate) fn per_second(rate: f64) -> String {
    match rate {
        rate if rate >= 1000.0 => format!("{}/s", count(to_count(rate))),
        rate if rate >= 100.0 => format!("{rate:.0}/s"),
        rate if rate >= 1.0 => format!("{rate:.1}/s"),
        rate => format!("{rate:.2}/s"),
    }
}

fn to_count(rate: f64) -> u64 {
    rate.round() as u64
}

/// A span of time: `0.42 s`, `12.3 s`, `3 min 05 s`, `2 h 07 min`.
pub(crate) fn time(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let whole = time.as_secs();
    match whole {
        // What would be rounded up to 10.00 or 60.0 is left to the next form.
        _ if seconds < 9.995 => format!("{seconds:.2} s"),
        _ if seconds < 59.95 => format!("{seconds:.1} s"),
        ..3600 => format!("{} min {:02} s", whole.max(60) / 60, whole.max(60) % 60),
        _ => format!("{} h {:02} min", whole / 3600, whole / 60 % 60),
    }
}

/// Text from elsewhere (paths, messages of tools) that cannot steer the terminal.
pub(crate) fn harmless(text: &str) -> String {
    let replace = |c: char| {
        if c.is_control() && c != '\n' && c != '\t' { char::REPLACEMENT_CHARACTER } else { c }
    };
    text.chars().map(replace).collect()
}

/// A path as one word of a shell command, whatever bytes it has.
pub(crate) fn shell_word(path: &OsStr) -> String {
    let bytes = path.as_bytes();
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-+,:=@%".contains(byte);
    match std::str::from_utf8(bytes) {
        Ok(text) if !bytes.is_empty() && bytes.iter().all(is_plain) => text.to_owned(),
        Ok(text) if !text.chars().any(char::is_control) => format!("'{}'", text.replace('\'', r"'\''")),
        _ => {
            let mut word = String::from("$'");
            for &byte in bytes {
                match byte {
                    b'\'' | b'\\' => word.extend(['\\', byte.into()]),
                    b' '..=b'~' => word.push(byte.into()),
                    _ => write!(word, "\\x{byte:02x}").expect("a string takes everything"),
                }
            }
            word + "'"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_their_thousands_set_apart() {
        let table = [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")];
        for (number, text) in table {
            assert_eq!(count(number), text);
        }
        assert_eq!(plural(1, "query", "queries"), "1 query");
        assert_eq!(plural(2000, "query", "queries"), "2,000 queries");
        assert_eq!(counted(0, "time-out"), "0 time-outs");
    }

    #[test]
    fn small_shares_keep_their_digits() {
        let table = [
            (0, 10, "0 %"),
            (1, 1_000_000, "<0.01 %"),
            (1, 300, "0.33 %"),
            (1, 3, "33.3 %"),
            (3, 3, "100.0 %"),
            (0, 0, "100.0 %"),
        ];
        for (part, whole, text) in table {
            assert_eq!(percent(part, whole), text);
        }
    }

    #[test]
    fn times_change_their_unit_without_a_seam() {
        let table = [
            (0, "0.00 s"),
            (9_994, "9.99 s"),
            (9_995, "10.0 s"),
            (59_949, "59.9 s"),
            (59_950, "1 min 00 s"),
            (61_000, "1 min 01 s"),
            (3_599_999, "59 min 59 s"),
            (7_620_000, "2 h 07 min"),
        ];
        for (milliseconds, text) in table {
            assert_eq!(time(Duration::from_millis(milliseconds)), text);
        }
    }

    #[test]
    fn rates_keep_about_three_digits() {
        let table =
            [(0.0, "0.00/s"), (0.333, "0.33/s"), (12.34, "12.3/s"), (123.4, "123/s"), (1234.5, "1,235/s")];
        for (rate, text) in table {
            assert_eq!(per_second(rate), text);
        }
    }

    #[test]
    fn paths_become_one_shell_word() {
        let table: [(&[u8], &str); 6] = [
            (b"a/b.c", "a/b.c"),
            (b"", "''"),
            (b"my file", "'my file'"),
            (b"it's", r"'it'\''s'"),
            ("gr\u{f6}\u{df}e".as_bytes(), "'gr\u{f6}\u{df}e'"),
            (b"\xff\n'", r"$'\xff\x0a\''"),
        ];
        for (path, word) in table {
            assert_eq!(shell_word(OsStr::from_bytes(path)), word);
        }
    }

    #[test]
    fn escape_sequences_are_taken_out_of_text_from_elsewhere() {
        assert_eq!(harmless("a\x1b[2Jb\nc\td\r"), "a\u{fffd}[2Jb\nc\td\u{fffd}");
    }
}
