//! How good the quantified trees of a language are, on real files.
//!
//! `cargo run --release --example validity -- [--trials N] [--show N] [--with COMMAND] [--all] LANGUAGE FILE_OR_FOLDER...`
//!
//! Prints one table row: files that read back byte for byte, share of inner nodes explained by their rule, and of N
//! random single deletions, N replacements by a descendant and N by a shortest text that the tree calls legal, the share
//! without a new syntax error; at last how often a variant has other errors when it is parsed from scratch.
//! With a command, the language's own front-end is the judge: the command reads the path of a variant a line and answers a
//! line, `0` if it is good. Only files that are good as they are take part.

use dwindle_syntax::{Edit, Kind, Language, NodeId, Reader, Role, Tree, detect, language};
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

/// Files beyond this size add time and no variety.
const LARGEST_FILE: usize = 40_000;
/// Files looked at per language.
const MOST_FILES: usize = 60;
/// Files tried, for each trial wanted, until one has a node of the sort that is looked for.
const PATIENCE: usize = 10;
/// One in this many variants is parsed from scratch, too, to see whether the quick parse is right.
const SAMPLED: usize = 10;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (mut trials, mut show, mut all, mut command, mut words) = (1000, 0, false, None, Vec::new());
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--trials" => trials = arguments.next().ok_or("--trials needs a number")?.parse()?,
            "--all" => all = true,
            "--with" => command = arguments.next(),
            "--show" => show = arguments.next().ok_or("--show needs a number")?.parse()?,
            _ => words.push(argument),
        }
    }
    let [name, paths @ ..] = words.as_slice() else {
        return Err("usage: validity LANGUAGE FILE_OR_FOLDER...".into());
    };
    let language = language(name).ok_or_else(|| format!("no language {name} in this build"))?;
    let mut files = Vec::new();
    for path in paths {
        collect(Path::new(path), (!all).then_some(&language), &mut files);
    }
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    dice.shuffle(&mut files);
    files.truncate(MOST_FILES);
    let folder = tempfile::tempdir()?;
    let judge = command.map(|command| Judge::start(&command, folder.path(), &language)).transpose()?;
    let mut table = Table { show, judge, ..Table::default() };
    let mut inputs = Vec::new();
    for (file, text) in &files {
        if let Some(judge) = &mut table.judge
            && !judge.accepts(text)?
        {
            continue;
        }
        let mut reader = Reader::new(&language);
        let tree = reader.read(text)?;
        table.files += 1;
        table.clean += usize::from(tree.errors() == 0);
        let same = tree.render(reader.lexicon(), tree.tokens().iter().copied()) == *text;
        table.round_trips += usize::from(same);
        if !same && table.round_trips + 3 > table.files {
            writeln!(std::io::stderr(), "{} does not read back", file.display())?;
        }
        let (explained, inner) = tree.explained();
        table.explained += explained;
        table.inner += inner;
        inputs.push((reader, tree));
    }
    for sort in [Table::deletion, Table::replacement, Table::shortest] {
        let mut found = 0;
        // A file can have nothing of the sort: then another is taken.
        for _ in 0..trials * PATIENCE {
            if inputs.is_empty() || found == trials {
                break;
            }
            let index = dice.below(inputs.len());
            let (reader, tree) = &mut inputs[index];
            found += usize::from(sort(&mut table, reader, tree, &mut dice)?);
        }
    }
    writeln!(std::io::stdout(), "{}", table.row(language.name()))?;
    Ok(())
}

/// All files below a path, or those whose name tells that they are in a language.
fn collect(path: &Path, language: Option<&Language>, files: &mut Vec<(PathBuf, Vec<u8>)>) {
    if files.len() >= MOST_FILES * 5 {
        return;
    }
    if path.is_dir() && !path.is_symlink() {
        let mut entries: Vec<_> =
            std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        entries.sort();
        for entry in entries {
            collect(&entry, language, files);
        }
    } else if path.is_file()
        && std::fs::metadata(path).is_ok_and(|data| data.len() < LARGEST_FILE as u64 && data.len() > 0)
        && language.is_none_or(|language| detect(path, b"").as_ref() == Some(language))
        && let Ok(text) = std::fs::read(path)
    {
        files.push((path.to_owned(), text));
    }
}

/// A language's own front-end.
struct Judge {
    file: PathBuf,
    questions: std::process::ChildStdin,
    answers: std::io::BufReader<std::process::ChildStdout>,
}

impl Judge {
    fn start(command: &str, folder: &Path, language: &Language) -> std::io::Result<Self> {
        use std::process::{Command, Stdio};
        let mut shell = Command::new("sh");
        let mut child = shell.args(["-c", command]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (Some(questions), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(std::io::ErrorKind::BrokenPipe.into());
        };
        let file = folder.join(format!("Input.{}", language.extensions().first().unwrap_or(&"txt")));
        Ok(Judge { file, questions, answers: std::io::BufReader::new(answers) })
    }

    fn accepts(&mut self, text: &[u8]) -> std::io::Result<bool> {
        std::fs::write(&self.file, text)?;
        writeln!(self.questions, "{}", self.file.display())?;
        let mut answer = String::new();
        if self.answers.read_line(&mut answer)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        Ok(answer.trim() == "0")
    }
}

#[derive(Default)]
struct Table {
    judge: Option<Judge>,
    show: usize,
    files: usize,
    clean: usize,
    round_trips: usize,
    explained: usize,
    inner: usize,
    deletions: (usize, usize),
    replacements: (usize, usize),
    shortest: (usize, usize),
    /// Variants that have other errors when parsed from scratch, and how many were looked at.
    unlike: (usize, usize),
    checked: usize,
}

impl Table {
    /// Tries a deletion; not if no legal one is found soon.
    fn deletion(&mut self, reader: &mut Reader, tree: &Tree, dice: &mut Dice) -> std::io::Result<bool> {
        for _ in 0..100 {
            let node = NodeId(dice.below(tree.len()) as u32);
            let legal = match (tree.role(node), tree.parent(node)) {
                (Role::Element, Some(list)) => tree.elements(list).nth(tree.min(list)).is_some(),
                (Role::Optional, _) => true,
                _ => false,
            };
            if legal {
                let good = self.check(reader, tree, &Edit::Delete(node))?;
                self.deletions.0 += usize::from(good);
                self.deletions.1 += 1;
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn replacement(&mut self, reader: &mut Reader, tree: &Tree, dice: &mut Dice) -> std::io::Result<bool> {
        for _ in 0..100 {
            let node = NodeId(dice.below(tree.len()) as u32);
            if !matches!(tree.kind(node), Kind::Rule) {
                continue;
            }
            let hoists = tree.hoists(node);
            if !hoists.is_empty() {
                let by = hoists[dice.below(hoists.len())];
                let good = self.check(reader, tree, &Edit::Hoist { node, by })?;
                self.replacements.0 += usize::from(good);
                self.replacements.1 += 1;
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn shortest(&mut self, reader: &mut Reader, tree: &Tree, dice: &mut Dice) -> std::io::Result<bool> {
        for _ in 0..100 {
            let node = NodeId(dice.below(tree.len()) as u32);
            if !matches!(tree.kind(node), Kind::Rule) {
                continue;
            }
            let alternatives = tree.alternatives(reader.lexicon_mut(), node);
            if !alternatives.is_empty() {
                let by = alternatives[dice.below(alternatives.len())].clone();
                let good = self.check(reader, tree, &Edit::Replace { node, by })?;
                self.shortest.0 += usize::from(good);
                self.shortest.1 += 1;
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn check(&mut self, reader: &mut Reader, tree: &Tree, edit: &Edit) -> std::io::Result<bool> {
        let text = tree.apply(reader.lexicon(), std::slice::from_ref(edit));
        let good = match &mut self.judge {
            Some(judge) => judge.accepts(&text)?,
            None => {
                let errors = reader.errors(&text);
                self.checked += 1;
                if self.checked.is_multiple_of(SAMPLED) {
                    let afresh = Reader::new(reader.language()).errors(&text);
                    self.unlike.0 += usize::from(afresh != errors);
                    self.unlike.1 += 1;
                }
                errors.is_some_and(|errors| errors <= tree.errors())
            }
        };
        if !good && self.show > 0 {
            self.show -= 1;
            let before = tree.render(reader.lexicon(), tree.tokens().iter().copied());
            let same = before.iter().zip(&text).take_while(|(a, b)| a == b).count();
            let around = |text: &[u8]| {
                String::from_utf8_lossy(&text[same.saturating_sub(60)..(same + 120).min(text.len())])
                    .into_owned()
            };
            let (Edit::Delete(node) | Edit::Hoist { node, .. } | Edit::Replace { node, .. }) = edit;
            let parent = tree.parent(*node).and_then(|parent| tree.name(parent));
            let by = if let Edit::Hoist { by, .. } = edit { tree.name(*by) } else { None };
            let _ = writeln!(
                std::io::stderr(),
                "--- {:?} {:?} in {parent:?} by {by:?}\n{}\n=>\n{}",
                tree.role(*node),
                tree.name(*node),
                around(&before),
                around(&text)
            );
        }
        Ok(good)
    }

    fn row(&self, name: &str) -> String {
        let share = |(part, whole): (usize, usize)| {
            if whole == 0 {
                "–".to_owned()
            } else {
                format!("{:.1} % of {whole}", 100.0 * part as f64 / whole as f64)
            }
        };
        let explained = 100.0 * self.explained as f64 / self.inner.max(1) as f64;
        format!(
            "| {name} | {} ({} clean) | {} | {:.3} % of {} | {} | {} | {} | {} of {} |",
            self.files,
            self.clean,
            self.round_trips,
            explained,
            self.inner,
            share(self.deletions),
            share(self.replacements),
            share(self.shortest),
            self.unlike.0,
            self.unlike.1
        )
    }
}

/// A small generator: the same files give the same table.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % limit
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for index in (1..items.len()).rev() {
            items.swap(index, self.below(index + 1));
        }
    }
}
