//! Jars, directories of classes and single classes as a list of entries in stored order.

use std::collections::HashSet;
use std::fmt;
use std::io::{Cursor, Read, Write};
use std::path::Path;
use std::sync::Arc;

use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use crate::class::ClassFile;
use crate::error::BadArchive;

/// What an archive may be like at most; larger ones are taken for attacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes after unpacking, jars inside jars included. The largest jar in the Debian archive unpacks to a third of
    /// the default, 1 GiB.
    pub bytes: u64,
    /// How deep jars inside jars are opened; deeper ones are plain files.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { bytes: 1 << 30, depth: 3 }
    }
}

/// Something the user should know about how the input was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// The archive was signed; what is left of it cannot be, so these files were dropped.
    SignatureDropped(Vec<String>),
    /// This class cannot be read and is kept or dropped as a plain file.
    Opaque(String, crate::error::BadClass),
    /// This link was not followed.
    LinkSkipped(String),
    /// This class file is an exact or partial double of one that comes before it, and is kept or dropped whole.
    SecondClass(String),
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Notice::SignatureDropped(files) => {
                write!(f, "the jar is signed, which no reduced jar can be: {} left out", files.join(", "))
            }
            Notice::Opaque(name, why) => {
                write!(f, "{name} cannot be read ({why}) and is kept or dropped whole")
            }
            Notice::LinkSkipped(name) => write!(f, "{name} is a link and was left out"),
            Notice::SecondClass(name) => {
                write!(f, "{name} is a second form of a class and is kept or dropped whole")
            }
        }
    }
}

/// What an entry holds.
#[derive(Clone, Debug)]
pub enum Content {
    /// A directory of its own, as zip files may have.
    Directory,
    /// A class.
    Class(Box<ClassFile>),
    /// A jar, opened.
    Jar(Box<Archive>),
    /// Anything else.
    Other,
}

/// One entry of an archive.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its path inside the archive, with slashes.
    pub name: String,
    /// Its bytes, unpacked.
    pub bytes: Arc<[u8]>,
    /// What these bytes are.
    pub content: Content,
    /// How the zip file stored it: method, time, permissions.
    options: SimpleFileOptions,
}

/// What the input is as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A zip file.
    Jar,
    /// A directory.
    Directory,
    /// A single class file.
    Class,
}

/// A list of entries.
#[derive(Clone, Debug)]
pub struct Archive {
    /// What it was read from.
    pub shape: Shape,
    /// Its entries, in stored order; of a directory sorted by path.
    pub entries: Vec<Entry>,
    /// What was noticed while reading.
    pub notices: Vec<Notice>,
    comment: Box<[u8]>,
    /// The bytes it was read from, as long as nothing was left out.
    original: Option<Arc<[u8]>>,
}

impl Archive {
    /// Reads a jar, a class file or a directory.
    ///
    /// # Errors
    /// If it cannot be read, or is not what it should be.
    pub fn open(path: &Path, limits: Limits) -> Result<Self, BadArchive> {
        let read = |why| BadArchive::Read { path: path.to_owned(), why };
        let name = path.display().to_string();
        let mut budget = limits.bytes;
        if path.is_dir() {
            let mut archive = Self::empty(Shape::Directory);
            let mut reader = Reading { archive: &name, limits, budget: &mut budget };
            reader.directory(path, "", &mut archive)?;
            return Ok(archive);
        }
        let bytes: Arc<[u8]> = std::fs::read(path).map_err(read)?.into();
        Self::of_bytes(&name, &bytes, limits)
    }

    /// Takes the bytes of a jar or class file; `name` is for messages.
    ///
    /// # Errors
    /// If they are neither.
    pub fn of_bytes(name: &str, bytes: &Arc<[u8]>, limits: Limits) -> Result<Self, BadArchive> {
        let mut budget = limits.bytes;
        let mut reader = Reading { archive: name, limits, budget: &mut budget };
        if bytes.starts_with(&[0xCA, 0xFE, 0xBA, 0xBE]) {
            let class = ClassFile::read(bytes).map_err(|why| BadArchive::Class {
                archive: name.to_owned(),
                entry: "the class".to_owned(),
                why,
            })?;
            let mut archive = Self::empty(Shape::Class);
            archive.entries.push(Entry {
                name: Path::new(name)
                    .file_name()
                    .map_or_else(|| "input.class".to_owned(), |file| file.to_string_lossy().into_owned()),
                bytes: Arc::clone(bytes),
                content: Content::Class(Box::new(class)),
                options: SimpleFileOptions::default(),
            });
            archive.original = Some(Arc::clone(bytes));
            return Ok(archive);
        }
        reader.jar(bytes, 0)
    }

    /// Takes the files of a directory, each with its path inside it; `name` is for messages.
    ///
    /// # Errors
    /// If a path leads outside, or there is too much.
    pub fn of_files(
        name: &str,
        files: impl IntoIterator<Item = (String, Arc<[u8]>)>,
        limits: Limits,
    ) -> Result<Self, BadArchive> {
        let mut budget = limits.bytes;
        let mut reader = Reading { archive: name, limits, budget: &mut budget };
        let mut archive = Self::empty(Shape::Directory);
        for (path, bytes) in files {
            if !is_inside(&path) {
                return Err(BadArchive::Traversal { archive: name.to_owned(), name: path });
            }
            reader.spend(bytes.len())?;
            reader.add(&mut archive, path, bytes, SimpleFileOptions::default(), 0)?;
        }
        Ok(archive)
    }

    fn empty(shape: Shape) -> Self {
        Archive { shape, entries: Vec::new(), notices: Vec::new(), comment: Box::default(), original: None }
    }

    /// The bytes it was read from, if nothing was left out while reading.
    #[must_use]
    pub fn original(&self) -> Option<&Arc<[u8]>> {
        self.original.as_ref()
    }

    /// A zip file of some of the entries, each with the bytes given, in the order given; how they were stored stays.
    /// Directories stay where something in them does.
    ///
    /// # Panics
    /// If the entries together are larger than a zip file may be.
    #[must_use]
    pub fn pack(&self, kept: &[(usize, Arc<[u8]>)]) -> Vec<u8> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let mut kept_bytes: Vec<Option<&Arc<[u8]>>> = vec![None; self.entries.len()];
        let mut parents = HashSet::new();
        for (entry, bytes) in kept {
            kept_bytes[*entry] = Some(bytes);
            let name = self.entries[*entry].name.as_str();
            parents.extend(name.match_indices('/').map(|(at, _)| &name[..=at]));
        }
        const FITS: &str = "what is packed is no larger than what was unpacked";
        for (entry, bytes) in self.entries.iter().zip(kept_bytes) {
            if let Some(bytes) = bytes {
                zip.start_file(&*entry.name, entry.options).expect(FITS);
                zip.write_all(bytes).expect(FITS);
            } else if matches!(entry.content, Content::Directory) && parents.contains(entry.name.as_str()) {
                zip.add_directory(&*entry.name, entry.options).expect(FITS);
            }
        }
        zip.set_raw_comment(self.comment.clone()).expect("it was a comment before");
        zip.finish().expect(FITS).into_inner()
    }
}

/// Whether these bytes are those of a class file. Universal binaries of other systems start alike, with a small number
/// where the version is.
#[must_use]
pub fn is_class(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xCA, 0xFE, 0xBA, 0xBE])
        && matches!(bytes.get(6..8), Some(&[high, low]) if u16::from_be_bytes([high, low]) >= 45)
}

/// Whether these bytes are those of a zip file that holds classes, by the names of its entries.
#[must_use]
pub fn is_jar(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04")
        && ZipArchive::new(Cursor::new(bytes)).is_ok_and(|zip| {
            let is_class = |name: &str| name.ends_with(".class");
            zip.file_names().any(|name| name.is_ok_and(|name| is_class(&name)))
        })
}

/// Whether an entry of this name stays inside the directory it is unpacked to.
fn is_inside(name: &str) -> bool {
    let drive = name.as_bytes().get(1) == Some(&b':');
    !name.is_empty()
        && !drive
        && !name.starts_with('/')
        && !name.contains(['\\', '\0'])
        && name.split('/').all(|part| part != "..")
}

fn is_signature(name: &str) -> bool {
    let Some(file) = name.strip_prefix("META-INF/") else {
        return false;
    };
    let upper = file.to_ascii_uppercase();
    !file.contains('/')
        && ([".SF", ".RSA", ".DSA", ".EC"].iter().any(|end| upper.ends_with(end))
            || upper.starts_with("SIG-"))
}

struct Reading<'a> {
    archive: &'a str,
    limits: Limits,
    budget: &'a mut u64,
}

impl Reading<'_> {
    fn zip_error(&self, why: impl fmt::Display) -> BadArchive {
        BadArchive::Zip { archive: self.archive.to_owned(), why: why.to_string() }
    }

    fn too_large(&self) -> BadArchive {
        BadArchive::TooLarge { archive: self.archive.to_owned(), limit: self.limits.bytes }
    }

    fn jar(&mut self, bytes: &Arc<[u8]>, depth: usize) -> Result<Archive, BadArchive> {
        let mut zip = ZipArchive::new(Cursor::new(&**bytes)).map_err(|why| self.zip_error(why))?;
        if zip.has_duplicate_names() {
            return Err(BadArchive::Duplicate {
                archive: self.archive.to_owned(),
                name: "see `unzip -l`".to_owned(),
            });
        }
        let mut archive = Archive::empty(Shape::Jar);
        archive.comment = zip.comment().into();
        let mut signature = Vec::new();
        for index in 0..zip.len() {
            let mut file = zip.by_index(index).map_err(|why| self.zip_error(why))?;
            let name = file.name().map_err(|why| self.zip_error(why))?.into_owned();
            if !is_inside(&name) {
                return Err(BadArchive::Traversal { archive: self.archive.to_owned(), name });
            }
            let options = file.options();
            if name.ends_with('/') {
                archive.entries.push(Entry {
                    name,
                    bytes: Arc::default(),
                    content: Content::Directory,
                    options,
                });
                continue;
            }
            let mut content = Vec::new();
            // The size an entry claims is not to be trusted: read to the limit and see.
            (&mut file)
                .take(*self.budget + 1)
                .read_to_end(&mut content)
                .map_err(|why| self.zip_error(format!("{name}: {why}")))?;
            self.spend(content.len())?;
            if is_signature(&name) {
                signature.push(name);
                continue;
            }
            self.add(&mut archive, name, content.into(), options, depth)?;
        }
        if signature.is_empty() {
            archive.original = Some(Arc::clone(bytes));
        } else {
            archive.notices.push(Notice::SignatureDropped(signature));
        }
        Ok(archive)
    }

    fn spend(&mut self, bytes: usize) -> Result<(), BadArchive> {
        *self.budget = self.budget.checked_sub(bytes as u64).ok_or_else(|| self.too_large())?;
        Ok(())
    }

    fn add(
        &mut self,
        archive: &mut Archive,
        name: String,
        bytes: Arc<[u8]>,
        options: SimpleFileOptions,
        depth: usize,
    ) -> Result<(), BadArchive> {
        let mut content = Content::Other;
        if name.ends_with(".class") {
            match ClassFile::read(&bytes) {
                Ok(class) => content = Content::Class(Box::new(class)),
                Err(why) => archive.notices.push(Notice::Opaque(name.clone(), why)),
            }
        } else if name.ends_with(".jar") && depth < self.limits.depth && bytes.starts_with(b"PK") {
            let inner = format!("{} in {}", name, self.archive);
            let mut reader = Reading { archive: &inner, limits: self.limits, budget: self.budget };
            let mut jar = reader.jar(&bytes, depth + 1)?;
            archive.notices.append(&mut jar.notices);
            content = Content::Jar(Box::new(jar));
        }
        archive.entries.push(Entry { name, bytes, content, options });
        Ok(())
    }

    fn directory(&mut self, path: &Path, prefix: &str, archive: &mut Archive) -> Result<(), BadArchive> {
        let read = |why| BadArchive::Read { path: path.to_owned(), why };
        let mut children =
            std::fs::read_dir(path).and_then(Iterator::collect::<std::io::Result<Vec<_>>>).map_err(read)?;
        children.sort_by_key(std::fs::DirEntry::file_name);
        for child in children {
            let name = format!("{prefix}{}", child.file_name().to_string_lossy());
            let kind = child.file_type().map_err(read)?;
            if kind.is_symlink() {
                archive.notices.push(Notice::LinkSkipped(name));
            } else if kind.is_dir() {
                self.directory(&child.path(), &format!("{name}/"), archive)?;
            } else if kind.is_file() {
                let mut bytes = Vec::new();
                std::fs::File::open(child.path())
                    .and_then(|file| file.take(*self.budget + 1).read_to_end(&mut bytes))
                    .map_err(read)?;
                self.spend(bytes.len())?;
                self.add(archive, name, bytes.into(), SimpleFileOptions::default(), 0)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_outside_are_known() {
        for bad in ["../x", "a/../../x", "/etc/x", "C:/x", "a\\..\\x", "", "a\0b"] {
            assert!(!is_inside(bad), "{bad}");
        }
        for good in ["a/b.class", "a..b/c", "META-INF/"] {
            assert!(is_inside(good), "{good}");
        }
    }

    #[test]
    fn signature_files_are_told_from_other_metadata() {
        assert!(
            is_signature("META-INF/X.SF") && is_signature("META-INF/x.rsa") && is_signature("META-INF/SIG-A")
        );
        assert!(
            !is_signature("META-INF/MANIFEST.MF")
                && !is_signature("META-INF/a/X.SF")
                && !is_signature("X.SF")
        );
    }
}
