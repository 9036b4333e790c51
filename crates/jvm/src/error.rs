//! What can be wrong with a class file or an archive, and what to do about it.

use std::path::PathBuf;

use thiserror::Error;

/// Why bytes are not a class file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BadClass {
    /// The bytes end in the middle of something.
    #[error("the class file ends at byte {end}, in the middle of {what}")]
    Truncated {
        /// What was being read.
        what: &'static str,
        /// How many bytes there are.
        end: usize,
    },
    /// It does not start with `CAFEBABE`.
    #[error("this is no class file: it starts with {0:08X} and not with CAFEBABE")]
    Magic(u32),
    /// A constant is of an unknown kind.
    #[error("constant {index} has the unknown tag {tag}")]
    Tag {
        /// Its index.
        index: u16,
        /// Its tag.
        tag: u8,
    },
    /// An index leads to nothing, or to a constant of another kind.
    #[error("index {index} does not lead to a {wanted} constant")]
    Index {
        /// The index.
        index: u16,
        /// What should be there.
        wanted: &'static str,
    },
    /// Something follows the end of the class.
    #[error("{0} bytes follow the end of the class")]
    Trailing(usize),
    /// A descriptor cannot be read.
    #[error("`{0}` is no descriptor")]
    Descriptor(String),
    /// The instructions of a method cannot be read.
    #[error("the code cannot be read at offset {at}: {why}")]
    Code {
        /// Offset of the instruction.
        at: usize,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The inside of an attribute does not fit its length.
    #[error("the attribute `{0}` does not fit its length")]
    Attribute(String),
    /// There would be more than 65,535 constants.
    #[error("the constant pool is full")]
    PoolFull,
}

/// Why an archive cannot be taken as input.
#[derive(Debug, Error)]
pub enum BadArchive {
    /// The file cannot be read.
    #[error("cannot read {path}: {why}")]
    Read {
        /// Its path.
        path: PathBuf,
        /// What the system said.
        why: std::io::Error,
    },
    /// It is no zip file, or a damaged one.
    #[error("{archive} is not a jar that can be read: {why}")]
    Zip {
        /// The archive, as given.
        archive: String,
        /// What is wrong.
        why: String,
    },
    /// Two entries have the same name, so tools disagree on which one counts.
    #[error("{archive} has two entries of the same name ({name}); pack it anew, so that one is left")]
    Duplicate {
        /// The archive, as given.
        archive: String,
        /// The name, or what is known of it.
        name: String,
    },
    /// An entry would be unpacked outside its directory.
    #[error("{archive} has an entry that leads outside of it: `{name}`; such jars are not reduced")]
    Traversal {
        /// The archive, as given.
        archive: String,
        /// The name of the entry.
        name: String,
    },
    /// Unpacked it is larger than allowed.
    #[error("{archive} unpacks to more than {limit} bytes (a zip bomb?); raise the limit if that is right")]
    TooLarge {
        /// The archive, as given.
        archive: String,
        /// The limit in bytes.
        limit: u64,
    },
    /// A class in it cannot be read.
    #[error("{archive}: {entry}: {why}")]
    Class {
        /// The archive, as given.
        archive: String,
        /// Name of the entry.
        entry: String,
        /// What is wrong.
        why: BadClass,
    },
}
