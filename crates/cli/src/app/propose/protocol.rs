//! What is said to a proposer and what it may say, one JSON object a line. Fields are explained in the book (page
//! *External proposers*).

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use dwindle::core::{File, Files};
use serde::{Deserialize, Serialize};

use super::base64;

/// The version of the protocol; it changes when a program that speaks the old one would misunderstand.
const VERSION: u32 = 1;

/// The best, as a line for the program.
pub(super) fn best(number: u64, files: &Files) -> String {
    let said = Best { dwindle: VERSION, best: number, files: files.iter().map(Said::from).collect() };
    serde_json::to_string(&said).expect("it is text and numbers") + "\n"
}

#[derive(Serialize)]
struct Best {
    dwindle: u32,
    best: u64,
    files: Vec<Said>,
}

/// A file on its way: bytes that are no UTF-8 travel as base64.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path_base64: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
}

impl From<&File> for Said {
    fn from(file: &File) -> Self {
        let mut said = Said::default();
        match file.path.to_str() {
            Some(path) => said.path = Some(path.to_owned()),
            None => said.path_base64 = Some(base64::encode(file.path.as_os_str().as_bytes())),
        }
        match std::str::from_utf8(&file.bytes) {
            Ok(text) => said.text = Some(text.to_owned()),
            Err(_) => said.base64 = Some(base64::encode(&file.bytes)),
        }
        said
    }
}

/// What a program says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reply {
    /// A candidate.
    Candidate(Files),
    /// It has no more for this best.
    Done,
    /// It is about an older best.
    Late,
    /// It is about this best, and makes no sense.
    Wrong(String),
    /// It is not in the protocol.
    Garbage(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    best: Option<u64>,
    #[serde(default)]
    done: bool,
    text: Option<String>,
    base64: Option<String>,
    files: Option<Vec<Said>>,
    #[serde(default)]
    drop: Vec<String>,
}

/// Understands a line that is about the best of this number, with these files.
pub(super) fn reply(line: &[u8], number: u64, now: &Files) -> Reply {
    let line: Line = match serde_json::from_slice(line) {
        Ok(line) => line,
        Err(problem) => return Reply::Garbage(problem.to_string()),
    };
    match line.best {
        None => Reply::Garbage("there is no `best`, the number of the best it is about".to_owned()),
        Some(about) if about != number => Reply::Late,
        Some(_) if line.done => Reply::Done,
        Some(_) => candidate(line, now).map_or_else(Reply::Wrong, Reply::Candidate),
    }
}

fn candidate(line: Line, now: &Files) -> Result<Files, String> {
    let mut files = now.to_vec();
    match (content(line.text, line.base64)?, &mut files[..]) {
        (Some(bytes), [file]) => file.bytes = bytes.into(),
        (Some(_), _) => {
            return Err("`text` stands for the only file, and there are several: give `files`".to_owned());
        }
        (None, _) if line.files.is_none() && line.drop.is_empty() => {
            return Err("there is no `text`, `base64`, `files`, `drop` or `done`".to_owned());
        }
        (None, _) => {}
    }
    for said in line.files.unwrap_or_default() {
        let path = path(&said)?;
        let bytes = content(said.text, said.base64)?.ok_or("a file has neither `text` nor `base64`")?;
        match files.iter_mut().find(|file| file.path == path) {
            Some(file) => file.bytes = bytes.into(),
            None => return Err(format!("the best has no file `{}`", path.display())),
        }
    }
    for dropped in line.drop {
        let before = files.len();
        files.retain(|file| file.path != Path::new(&dropped));
        if files.len() == before {
            return Err(format!("the best has no file `{dropped}`"));
        }
    }
    Ok(Files::new(files))
}

fn path(said: &Said) -> Result<PathBuf, String> {
    match (&said.path, &said.path_base64) {
        (Some(path), None) => Ok(PathBuf::from(path)),
        (None, Some(encoded)) => base64::decode(encoded)
            .map(|bytes| PathBuf::from(OsString::from_vec(bytes)))
            .ok_or_else(|| "`path_base64` is no base64".to_owned()),
        _ => Err("a file has no `path`".to_owned()),
    }
}

fn content(text: Option<String>, encoded: Option<String>) -> Result<Option<Vec<u8>>, String> {
    match (text, encoded) {
        (Some(_), Some(_)) => Err("`text` and `base64` are both there".to_owned()),
        (Some(text), None) => Ok(Some(text.into_bytes())),
        (None, Some(encoded)) => {
            base64::decode(&encoded).map(Some).ok_or_else(|| "`base64` is no base64".to_owned())
        }
        (None, None) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    fn two() -> Files {
        let odd = Path::new(OsStr::from_bytes(b"\xff"));
        Files::new([File::new("a.c", *b"int a;"), File::new(odd, *b"\xfe")])
    }

    #[test]
    fn the_best_is_one_line_and_loses_nothing() {
        let line = best(3, &two());
        assert_eq!(
            line,
            "{\"dwindle\":1,\"best\":3,\"files\":[{\"path\":\"a.c\",\"text\":\"int a;\"},{\"path_base64\":\"/w==\",\"base64\":\"/g==\"}]}\n"
        );
    }

    #[test]
    fn a_candidate_says_what_is_different() {
        let one = Files::single("a.c", *b"int a;");
        let said = |line: &str, now: &Files| match reply(line.as_bytes(), 1, now) {
            Reply::Candidate(files) => {
                files.iter().map(|file| String::from_utf8_lossy(&file.bytes).into_owned()).collect::<Vec<_>>()
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(said(r#"{"best":1,"text":"int;"}"#, &one), ["int;"]);
        assert_eq!(said(r#"{"best":1,"base64":"Zm9v"}"#, &one), ["foo"]);
        assert_eq!(said(r#"{"best":1,"files":[{"path":"a.c","text":""}]}"#, &two()), ["", "\u{fffd}"]);
        assert_eq!(
            said(r#"{"best":1,"files":[{"path_base64":"/w==","text":"x"}]}"#, &two()),
            ["int a;", "x"]
        );
        assert_eq!(said(r#"{"best":1,"drop":["a.c"]}"#, &two()), ["\u{fffd}"]);
        assert_eq!(reply(br#"{"best":4,"done":true}"#, 4, &one), Reply::Done);
        assert_eq!(reply(br#"{"best":3,"drop":["gone.c"]}"#, 4, &one), Reply::Late);
    }

    #[test]
    fn what_cannot_be_understood_is_said() {
        let odd = reply(b"{\"best\":1,\"text\":\"\xff\"}", 1, &Files::single("a.c", *b"int a;"));
        assert!(matches!(odd, Reply::Garbage(_)), "bytes that are no UTF-8 never become others: {odd:?}");
        for (line, problem) in [
            ("hello", "expected value"),
            ("{}", "no `best`"),
            (r#"{"best":1}"#, "there is no `text`"),
            (r#"{"best":1,"text":"x"}"#, "there are several"),
            (r#"{"best":1,"txt":"x"}"#, "unknown field"),
            (r#"{"best":1,"files":[{"path":"b.c","text":"x"}]}"#, "no file `b.c`"),
            (r#"{"best":1,"files":[{"text":"x"}]}"#, "no `path`"),
            (r#"{"best":1,"files":[{"path":"a.c"}]}"#, "neither"),
            (r#"{"best":1,"files":[{"path":"a.c","text":"x","base64":""}]}"#, "both"),
            (r#"{"best":1,"files":[{"path":"a.c","base64":"?"}]}"#, "no base64"),
            (r#"{"best":1,"drop":["b.c"]}"#, "no file `b.c`"),
        ] {
            match reply(line.as_bytes(), 1, &two()) {
                Reply::Wrong(said) | Reply::Garbage(said) => {
                    assert!(said.contains(problem), "{line}: {said}");
                }
                other => panic!("{line}: {other:?}"),
            }
        }
    }
}
