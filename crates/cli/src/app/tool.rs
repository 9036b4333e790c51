//! A tool given as one word of the command line: a command with `{}` for the input, split as a shell would.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use anyhow::Result;
use dwindle_exec::{Invocation, preflight};

use super::UsageError;
use super::test::located;

/// What is run for `command`, on the input at `subject`.
pub(crate) fn invocation(command: &str, subject: &Path) -> Result<Invocation> {
    let words = split(command).map_err(UsageError::new)?;
    let Some((program, rest)) = words.split_first() else {
        return Err(UsageError::new("a tool has no command: give a program, with `{}` for the input"));
    };
    Ok(command_line(program, rest)?.subject(subject))
}

/// A program and its arguments, found from here since they run elsewhere.
pub(crate) fn command_line(program: &OsString, rest: &[OsString]) -> Result<Invocation> {
    // `{}` itself may be what is run.
    let program = match program.as_bytes().windows(2).any(|pair| pair == b"{}") {
        true => program.clone(),
        false => preflight::find_command(program).map_err(UsageError::new)?.into(),
    };
    Ok(Invocation::command(program, rest.iter().map(|word| located(word))))
}

/// Words at blanks; quotes and backslashes keep blanks together. Nothing is expanded.
pub(crate) fn split(text: &str) -> Result<Vec<OsString>, String> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match (byte, quote) {
            (b'\\', None | Some(b'"')) => {
                let next = bytes.next().ok_or_else(|| format!("`{text}` ends in a backslash"))?;
                word.get_or_insert_default().push(next);
            }
            (b'\'' | b'"', None) => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            (byte, Some(open)) if byte == open => quote = None,
            (byte, None) if byte.is_ascii_whitespace() => words.extend(word.take().map(OsString::from_vec)),
            (byte, _) => word.get_or_insert_default().push(byte),
        }
    }
    if quote.is_some() {
        return Err(format!("`{text}` has a quote that is not closed"));
    }
    words.extend(word.map(OsString::from_vec));
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_a_shell_does() {
        let table: [(&str, &[&str]); 6] = [
            ("", &[]),
            ("  cc  -O2 {} ", &["cc", "-O2", "{}"]),
            ("sh -c 'cc \"$1\" | x' sh", &["sh", "-c", "cc \"$1\" | x", "sh"]),
            (r#"a\ b "c d"'e' "" "\"""#, &["a b", "c de", "", "\""]),
            (r"'\'", &["\\"]),
            ("größe 'ä ö'", &["größe", "ä ö"]),
        ];
        for (text, words) in table {
            let wanted: Vec<OsString> = words.iter().map(OsString::from).collect();
            assert_eq!(split(text), Ok(wanted), "{text}");
        }
        assert!(split("a 'b").is_err());
        assert!(split("a\\").is_err());
    }
}
