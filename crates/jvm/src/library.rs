//! Classes the program uses but that are not part of it: those of the Java platform and of jars beside it.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::archive::{Archive, Content, Limits};
use crate::error::BadArchive;

/// Where classes outside the program are looked up.
#[derive(Debug, Default)]
pub struct Libraries {
    classes: HashMap<String, Arc<[u8]>>,
    platform: Option<Image>,
}

impl Libraries {
    /// Knows nothing: the model is then careful wherever a library may matter.
    #[must_use]
    pub fn none() -> Self {
        Libraries::default()
    }

    /// The platform of the Java that `JAVA_HOME` or the search path leads to, if there is one of version 9 or later.
    #[must_use]
    pub fn of_java() -> Self {
        Libraries {
            classes: HashMap::new(),
            platform: java_home().and_then(|home| Image::open(&home.join("lib/modules")).ok()),
        }
    }

    /// Whether the platform's classes are known.
    #[must_use]
    pub fn has_platform(&self) -> bool {
        self.platform.is_some() || self.classes.contains_key("java/lang/Object")
    }

    /// Adds the classes of a jar or directory.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn add(&mut self, path: &Path, limits: Limits) -> Result<(), BadArchive> {
        for entry in Archive::open(path, limits)?.entries {
            if let (Content::Class(_), Some(name)) = (&entry.content, entry.name.strip_suffix(".class")) {
                self.classes.entry(name.to_owned()).or_insert(entry.bytes);
            }
        }
        Ok(())
    }

    /// The class file of a class.
    #[must_use]
    pub fn class(&self, name: &str) -> Option<Arc<[u8]>> {
        if let Some(bytes) = self.classes.get(name) {
            return Some(Arc::clone(bytes));
        }
        self.platform.as_ref()?.class(name)
    }

    /// The names of the platform's classes in a module, `java.base` for example; sorted.
    #[must_use]
    pub fn platform_classes(&self, module: &str) -> Vec<String> {
        let Some(image) = &self.platform else {
            return Vec::new();
        };
        let mut names: Vec<String> = image
            .places
            .iter()
            .filter(|(_, place)| *image.modules[place.module] == *module)
            .map(|(name, _)| name.clone())
            .collect();
        names.sort();
        names
    }
}

/// The home of the Java that would be run.
fn java_home() -> Option<PathBuf> {
    if let Some(home) = std::env::var_os("JAVA_HOME").map(PathBuf::from)
        && home.join("lib/modules").is_file()
    {
        return Some(home);
    }
    let path = std::env::var_os("PATH")?;
    let java =
        std::env::split_paths(&path).map(|directory| directory.join("java")).find(|java| java.is_file())?;
    Some(java.canonicalize().ok()?.parent()?.parent()?.to_owned())
}

#[derive(Clone, Copy, Debug)]
struct Place {
    module: usize,
    offset: u64,
    size: u64,
}

/// The file of a Java platform (9 and later) that holds all its classes; read on demand.
#[derive(Debug)]
struct Image {
    file: Mutex<File>,
    places: HashMap<String, Place>,
    modules: Vec<String>,
}

/// Kinds of the attributes by which the image describes a file.
const MODULE: usize = 1;
const PARENT: usize = 2;
const BASE: usize = 3;
const EXTENSION: usize = 4;
const OFFSET: usize = 5;
const COMPRESSED: usize = 6;
const SIZE: usize = 7;

impl Image {
    fn open(path: &Path) -> std::io::Result<Self> {
        let bad = |why: &str| std::io::Error::new(std::io::ErrorKind::InvalidData, why.to_owned());
        let mut file = File::open(path)?;
        let mut header = [0u8; 28];
        file.read_exact(&mut header)?;
        // The file is in the byte order of the machine it was made for, which the first number tells.
        let little = header.starts_with(&0xCAFE_DADA_u32.to_le_bytes());
        if !little && !header.starts_with(&0xCAFE_DADA_u32.to_be_bytes()) {
            return Err(bad("no platform image"));
        }
        let number = |bytes: &[u8]| {
            let four: [u8; 4] = bytes[..4].try_into().expect("four bytes");
            if little { u32::from_le_bytes(four) } else { u32::from_be_bytes(four) }
        };
        let length = number(&header[16..]) as usize;
        let (locations, strings) = (number(&header[20..]) as usize, number(&header[24..]) as usize);
        let mut index = vec![0u8; 8 * length + locations + strings];
        if index.len() > 1 << 28 {
            return Err(bad("the index is too large"));
        }
        file.read_exact(&mut index)?;
        let data = 28 + index.len() as u64;
        let offsets = &index[4 * length..8 * length];
        let (locations, strings) = index[8 * length..].split_at(locations);
        let string = |at: u64| {
            let rest = strings.get(usize::try_from(at).ok()?..)?;
            std::str::from_utf8(&rest[..rest.iter().position(|byte| *byte == 0)?]).ok()
        };
        let mut image = Image { file: Mutex::new(file), places: HashMap::new(), modules: Vec::new() };
        for offset in offsets.chunks_exact(4) {
            let at = number(offset) as usize;
            let Some(values) = locations.get(at..).and_then(attributes) else {
                return Err(bad("a damaged entry"));
            };
            let (Some(module), Some(parent), Some(base)) =
                (string(values[MODULE]), string(values[PARENT]), string(values[BASE]))
            else {
                return Err(bad("a damaged name"));
            };
            // Compressed images are rare (jlink on request) and count as unknown.
            if string(values[EXTENSION]) != Some("class") || values[COMPRESSED] != 0 {
                continue;
            }
            let module = image.module(module);
            let name = if parent.is_empty() { base.to_owned() } else { format!("{parent}/{base}") };
            image.places.entry(name).or_insert(Place {
                module,
                offset: data + values[OFFSET],
                size: values[SIZE],
            });
        }
        Ok(image)
    }

    fn module(&mut self, name: &str) -> usize {
        self.modules.iter().position(|known| known == name).unwrap_or_else(|| {
            self.modules.push(name.to_owned());
            self.modules.len() - 1
        })
    }

    fn class(&self, name: &str) -> Option<Arc<[u8]>> {
        let place = self.places.get(name)?;
        let mut file = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        file.seek(SeekFrom::Start(place.offset)).ok()?;
        let mut bytes = Vec::new();
        (&mut *file).take(place.size).read_to_end(&mut bytes).ok()?;
        Some(bytes.into())
    }
}

/// The attributes of one file: a byte with kind and length each, then a big-endian number.
fn attributes(mut bytes: &[u8]) -> Option<[u64; 8]> {
    let mut values = [0u64; 8];
    loop {
        let (first, rest) = bytes.split_first()?;
        let (kind, length) = (usize::from(first >> 3), usize::from(first & 7) + 1);
        if kind == 0 {
            return Some(values);
        }
        let value = rest.get(..length)?;
        *values.get_mut(kind)? = value.iter().fold(0, |all, byte| all << 8 | u64::from(*byte));
        bytes = &rest[length..];
    }
}
