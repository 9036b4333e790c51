//! Grammars that users bring: a tree-sitter grammar folder, or a parser compiled from one.

use crate::language::{Entry, FrontEnd, Language};
use dwindle_grammar::{Grammar, LoadError, Rules};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use tree_sitter_loader::Loader;

/// Why a grammar of the user's cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum GrammarError {
    /// A file that must be there is not, or cannot be read.
    #[error(
        "cannot read {path}: {error}; give a folder with src/grammar.json and src/parser.c (`tree-sitter generate` makes them)"
    )]
    File {
        /// Which file.
        path: PathBuf,
        /// Why not.
        error: std::io::Error,
    },
    /// The rules have a mistake.
    #[error("{path}: {error}")]
    Rules {
        /// The file with the rules.
        path: PathBuf,
        /// The mistake.
        error: LoadError,
    },
    /// The C compiler could not be started.
    #[error(
        "cannot run the C compiler `{compiler}`: {error}; install one, set CC, or give a compiled parser"
    )]
    NoCompiler {
        /// What was tried.
        compiler: String,
        /// Why it did not start.
        error: std::io::Error,
    },
    /// The parser does not compile.
    #[error("the parser in {path} does not compile:\n{messages}")]
    Compile {
        /// The folder.
        path: PathBuf,
        /// What the compiler said.
        messages: String,
    },
    /// The compiled parser cannot be loaded.
    #[error(
        "cannot load {path}: {problem}; give a tree-sitter grammar folder, or a parser compiled from one"
    )]
    Load {
        /// The library.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
}

/// The language of a tree-sitter grammar folder. The parser is compiled with the local C compiler (`CC`, else `cc`)
/// into `cache`, unless it is there already.
pub fn language_from_folder(folder: &Path, cache: &Path) -> Result<Language, GrammarError> {
    let source =
        if folder.join("src/grammar.json").exists() { folder.join("src") } else { folder.to_owned() };
    let rules = read_rules(&source.join("grammar.json"))?;
    let library = compile(&source, &rules.name, cache)?;
    load(&library, rules)
}

/// The language of a compiled parser. Its rules are looked for beside it, as `grammar.json` or under the parser's own
/// name; without them every node is free.
pub fn language_from_library(library: &Path) -> Result<Language, GrammarError> {
    // The loader's own message does not say why.
    if let Err(error) = std::fs::File::open(library) {
        return Err(GrammarError::File { path: library.to_owned(), error });
    }
    let stem = library.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let name = stem.trim_start_matches("lib").trim_start_matches("tree-sitter-").replace('-', "_");
    let beside = [library.with_extension("json"), library.with_file_name("grammar.json")];
    let rules = match beside.iter().find(|path| path.exists()) {
        Some(path) => read_rules(path)?,
        None => Rules { name, ..Rules::default() },
    };
    load(library, rules)
}

fn read(path: &Path) -> Result<Vec<u8>, GrammarError> {
    std::fs::read(path).map_err(|error| GrammarError::File { path: path.to_owned(), error })
}

fn read_rules(path: &Path) -> Result<Rules, GrammarError> {
    let text = String::from_utf8_lossy(&read(path)?).into_owned();
    Rules::from_json(&text, &BTreeMap::new())
        .map_err(|error| GrammarError::Rules { path: path.to_owned(), error })
}

/// Compiles a parser and gives the library's path; the content of its sources is in the name, so a changed grammar is
/// compiled anew.
fn compile(source: &Path, name: &str, cache: &Path) -> Result<PathBuf, GrammarError> {
    let parser = source.join("parser.c");
    let mut hasher = DefaultHasher::new();
    read(&parser)?.hash(&mut hasher);
    let scanner = source.join("scanner.c");
    let mut files = vec![parser];
    if scanner.exists() {
        read(&scanner)?.hash(&mut hasher);
        files.push(scanner);
    }
    let library = cache.join(format!("{name}-{:016x}.{}", hasher.finish(), std::env::consts::DLL_EXTENSION));
    if library.exists() {
        return Ok(library);
    }
    std::fs::create_dir_all(cache).map_err(|error| GrammarError::File { path: cache.to_owned(), error })?;
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let unfinished = library.with_extension(format!("{}.tmp", std::process::id()));
    let output = Command::new(&compiler)
        .args(["-shared", "-fPIC", "-O1", "-w", "-I"])
        .arg(source)
        .arg("-o")
        .arg(&unfinished)
        .args(&files)
        .output()
        .map_err(|error| GrammarError::NoCompiler { compiler, error })?;
    if !output.status.success() {
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(GrammarError::Compile { path: source.to_owned(), messages });
    }
    std::fs::rename(&unfinished, &library)
        .map_err(|error| GrammarError::File { path: library.clone(), error })?;
    Ok(library)
}

fn load(library: &Path, rules: Rules) -> Result<Language, GrammarError> {
    let problem = |problem: String| GrammarError::Load { path: library.to_owned(), problem };
    let function = format!("tree_sitter_{}", rules.name.replace('-', "_"));
    // A bare name would be looked for where the system keeps its libraries.
    let place = std::path::absolute(library).unwrap_or_else(|_| library.to_owned());
    let parser = Loader::load_language(&place, &function).map_err(|error| problem(error.to_string()))?;
    tree_sitter::Parser::new().set_language(&parser).map_err(|error| problem(error.to_string()))?;
    // One small table for each grammar a process loads; languages live as long as the process.
    let name: &'static str = Box::leak(rules.name.clone().into_boxed_str());
    let entry: &'static Entry = Box::leak(Box::new(Entry {
        name,
        title: name,
        package: "your grammar",
        version: "",
        aliases: &[],
        extensions: &[],
        filenames: &[],
        shebangs: &[],
        layout: &[],
        apart: &[],
        needed: &[],
        identifiers: &[],
        literals: &[],
        // Nobody said whether line ends count, so they are kept.
        newline: true,
        directives: false,
        front_end: FrontEnd::Loaded,
        rules: &[],
        tags: "",
        locals: "",
    }));
    Ok(Language::loaded(entry, parser, Arc::new(Grammar::new(rules))))
}
