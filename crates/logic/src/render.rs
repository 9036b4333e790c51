//! What the test sees of a set of items: a list of names, or the items' own files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use dwindle_core::{Candidate, File, Files, Fingerprint, Variant, fingerprint_of_file};

use crate::item::Items;
use crate::set::ItemSet;

/// How items become files.
#[derive(Clone, Debug)]
pub struct Rendering {
    /// The file that lists the names of the kept items, one a line.
    names: Option<NameList>,
    /// For each item the file that stands for it, if it has one, with its fingerprint.
    files: Vec<Option<(File, Fingerprint)>>,
    weights: Vec<u64>,
}

#[derive(Clone, Debug)]
struct NameList {
    path: PathBuf,
    lines: Vec<String>,
    prints: Vec<Fingerprint>,
}

impl Rendering {
    /// The names of the kept items go to `path`, one a line, in declaration order.
    pub fn names(items: &Items, path: impl Into<PathBuf>) -> Self {
        let lines: Vec<String> = items.iter().map(|(_, item)| format!("{}\n", item.name)).collect();
        let prints = lines.iter().map(|line| Fingerprint::of(line.as_bytes())).collect();
        Rendering {
            names: Some(NameList { path: path.into(), lines, prints }),
            files: vec![None; items.len()],
            weights: items.iter().map(|(_, item)| item.weight).collect(),
        }
    }

    /// Each kept item brings its file. `content` reads the file that an item names.
    ///
    /// # Errors
    /// Whatever `content` says.
    pub fn files<E>(items: &Items, mut content: impl FnMut(&Path) -> Result<File, E>) -> Result<Self, E> {
        let mut rendering = Self::names(items, "");
        rendering.names = None;
        for (id, item) in items.iter() {
            if let Some(path) = &item.file {
                let file = content(Path::new(path))?;
                let print = fingerprint_of_file(&file.path, Fingerprint::of(&file.bytes));
                rendering.files[id.index()] = Some((file, print));
            }
        }
        Ok(rendering)
    }

    /// Adds the list of names to the files.
    #[must_use]
    pub fn and_names(mut self, items: &Items, path: impl Into<PathBuf>) -> Self {
        self.names = Self::names(items, path).names;
        self
    }

    /// The candidate that keeps these items.
    #[must_use]
    pub fn candidate(self: &Arc<Self>, kept: ItemSet) -> Candidate {
        Candidate::new(Kept { rendering: Arc::clone(self), kept })
    }
}

/// A candidate that is a set of items.
#[derive(Clone, Debug)]
pub struct Kept {
    rendering: Arc<Rendering>,
    kept: ItemSet,
}

impl Kept {
    /// Which items it keeps.
    #[must_use]
    pub fn items(&self) -> &ItemSet {
        &self.kept
    }
}

impl Variant for Kept {
    fn fingerprint(&self) -> Fingerprint {
        let mut print = Fingerprint::EMPTY;
        if let Some(names) = &self.rendering.names {
            let text =
                self.kept.iter().fold(Fingerprint::EMPTY, |all, item| all.then(names.prints[item.index()]));
            print = fingerprint_of_file(&names.path, text);
        }
        let files = self.kept.iter().filter_map(|item| self.rendering.files[item.index()].as_ref());
        files.fold(print, |all, (_, print)| all.then(*print))
    }

    /// The weight of the items, which is what is to be made small.
    fn size(&self) -> u64 {
        self.kept.iter().map(|item| self.rendering.weights[item.index()]).sum()
    }

    fn render(&self) -> Files {
        let names = self.rendering.names.iter().map(|names| {
            let text: String = self.kept.iter().map(|item| names.lines[item.index()].as_str()).collect();
            File::new(names.path.clone(), text.into_bytes())
        });
        let files = self.kept.iter().filter_map(|item| self.rendering.files[item.index()].as_ref());
        Files::new(names.chain(files.map(|(file, _)| file.clone())))
    }
}
