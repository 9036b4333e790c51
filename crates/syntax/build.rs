//! Compiles the grammars of the enabled languages into the crate.
//!
//! Grammar crates carry their rules (`grammar.json`) but do not export them, so the file is read from the crate's
//! source folder, which cargo has unpacked to compile the parser. Versions are exact in our manifest: the rules always
//! fit the parser.

use dwindle_grammar::Rules;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// One file of `languages/`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Language {
    name: String,
    title: String,
    #[serde(rename = "crate")]
    package: Option<String>,
    feature: Option<String>,
    #[serde(default = "default_constant")]
    language: String,
    #[serde(default = "default_grammar")]
    grammar: String,
    #[serde(default)]
    aliases: Vec<String>,
    #[serde(default)]
    extensions: Vec<String>,
    #[serde(default)]
    filenames: Vec<String>,
    #[serde(default)]
    shebangs: Vec<String>,
    #[serde(default)]
    layout: Vec<String>,
    #[serde(default)]
    apart: Vec<String>,
    #[serde(default)]
    nonempty: Vec<String>,
    #[serde(default)]
    needed: Vec<String>,
    #[serde(default)]
    identifiers: Vec<String>,
    #[serde(default)]
    literals: Vec<String>,
    #[serde(default)]
    newline: bool,
    #[serde(default)]
    directives: bool,
    #[serde(default)]
    externals: BTreeMap<String, String>,
}

impl Language {
    /// The cargo feature it comes with.
    fn feature(&self) -> String {
        self.feature.clone().unwrap_or_else(|| self.name.replace('_', "-"))
    }
}

fn default_constant() -> String {
    "LANGUAGE".to_owned()
}

fn default_grammar() -> String {
    "src/grammar.json".to_owned()
}

fn main() {
    let manifest_dir = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
    let out_dir = PathBuf::from(variable("OUT_DIR"));
    let folder = manifest_dir.join("languages");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", folder.display());
    let sources = Sources::new(&manifest_dir);
    let mut registry = String::from("pub(crate) static ENTRIES: &[Entry] = &[\n");
    let mut absent = String::from("pub(crate) static ABSENT: &[Absent] = &[\n");
    for file in files(&folder, "toml") {
        println!("cargo::rerun-if-changed={}", file.display());
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let language: Language =
            toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        match entry(&language, &sources, &folder, &out_dir) {
            Some(entry) => registry.push_str(&entry),
            None => writeln!(
                absent,
                "Absent {{ name: {:?}, title: {:?}, origin: {:?}, feature: {:?}, aliases: &{:?}, extensions: &{:?}, filenames: &{:?} }},",
                language.name,
                language.title,
                language.package.as_deref().map_or(("", ""), |package| (package, sources.version(package))),
                language.feature(),
                language.aliases,
                language.extensions,
                language.filenames,
            )
            .expect("writing to a string"),
        }
    }
    registry.push_str("];\n");
    registry.push_str(&absent);
    registry.push_str("];\n");
    registry.push_str(&rewrites(&folder));
    fs::write(out_dir.join("registry.rs"), registry).expect("OUT_DIR is writable");
}

/// The table of the files of rewrite rules, as they are.
fn rewrites(folder: &Path) -> String {
    let mut table = String::from("static REWRITES: &[(&str, &str)] = &[\n");
    for path in files(folder, "rules") {
        println!("cargo::rerun-if-changed={}", path.display());
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let name = path.file_stem().expect("it has an extension").display().to_string();
        writeln!(table, "({name:?}, {text:?}),").expect("writing to a string");
    }
    table + "];\n"
}

/// The files with this extension, by name.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("cannot list {}: {error}", folder.display()));
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|found| found == extension)).collect();
    files.sort();
    files
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("cargo sets {name} for build scripts"))
}

/// The table entry of a language, after compiling its rules; nothing when its feature is off.
fn entry(language: &Language, sources: &Sources, folder: &Path, out_dir: &Path) -> Option<String> {
    let mut queries = [String::new(), String::new()];
    let (rules, version, front_end) = if let Some(package) = &language.package {
        env::var_os(format!("CARGO_FEATURE_{}", language.feature().to_uppercase().replace('-', "_")))?;
        let (version, source) = sources.find(package);
        for (query, name) in queries.iter_mut().zip(["tags", "locals"]) {
            *query = fs::read_to_string(source.join(format!("queries/{name}.scm"))).unwrap_or_default();
        }
        let path = source.join(&language.grammar);
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut rules = Rules::from_json(&text, &language.externals)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        rules.require_elements(&language.nonempty);
        let constant = format!("{}::{}", package.replace('-', "_"), language.language);
        (rules, version, format!("FrontEnd::TreeSitter({constant})"))
    } else {
        let path = folder.join(&language.grammar);
        println!("cargo::rerun-if-changed={}", path.display());
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let rules = Rules::from_notation(&language.name, &text)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        (rules, variable("CARGO_PKG_VERSION"), format!("FrontEnd::HandWritten({:?})", language.language))
    };
    let file = out_dir.join(format!("{}.rules", language.name));
    fs::write(&file, miniz_oxide::deflate::compress_to_vec(&rules.encode(), 8)).expect("OUT_DIR is writable");
    let mut entry = String::new();
    let name = &language.name;
    writeln!(
        entry,
        "Entry {{ name: {name:?}, title: {:?}, package: {:?}, version: {version:?}, aliases: &{:?}, extensions: &{:?}, \
         filenames: &{:?}, shebangs: &{:?}, layout: &{:?}, apart: &{:?}, needed: &{:?}, identifiers: &{:?}, literals: &{:?}, newline: {}, \
         directives: {}, front_end: {front_end}, rules: include_bytes!({:?}), tags: {:?}, locals: {:?} }},",
        language.title,
        language.package.as_deref().unwrap_or("dwindle"),
        language.aliases,
        language.extensions,
        language.filenames,
        language.shebangs,
        language.layout,
        language.apart,
        language.needed,
        language.identifiers,
        language.literals,
        language.newline,
        language.directives,
        file.display().to_string(),
        queries[0],
        queries[1],
    )
    .expect("writing to a string");
    Some(entry)
}

/// Where the sources of the grammar crates are.
struct Sources {
    manifest_dir: PathBuf,
    versions: BTreeMap<String, String>,
    roots: Vec<PathBuf>,
}

impl Sources {
    fn new(manifest_dir: &Path) -> Self {
        let path = manifest_dir.join("Cargo.toml");
        let text = fs::read_to_string(&path).expect("our own manifest is readable");
        let manifest: toml::Table = toml::from_str(&text).expect("our own manifest is valid");
        let versions = manifest["dependencies"]
            .as_table()
            .expect("our own manifest has dependencies")
            .iter()
            .filter_map(|(name, dependency)| {
                let version = dependency.get("version")?.as_str()?.strip_prefix('=')?;
                Some((name.clone(), version.trim().to_owned()))
            })
            .collect();
        // When we come from a registry ourselves the other crates lie beside us.
        let mut roots: Vec<PathBuf> = manifest_dir.parent().map(Path::to_owned).into_iter().collect();
        let home = env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| {
            let home = env::var_os("HOME").or_else(|| env::var_os("USERPROFILE"))?;
            Some(PathBuf::from(home).join(".cargo"))
        });
        if let Some(folders) = home.and_then(|home| fs::read_dir(home.join("registry/src")).ok()) {
            roots.extend(folders.filter_map(|entry| Some(entry.ok()?.path())));
        }
        Sources { manifest_dir: manifest_dir.to_owned(), versions, roots }
    }

    fn version(&self, package: &str) -> &str {
        self.versions.get(package).unwrap_or_else(|| {
            panic!("{package} must be a dependency with an exact version (\"=x.y.z\") in crates/syntax/Cargo.toml")
        })
    }

    /// Version and source folder of a grammar crate.
    fn find(&self, package: &str) -> (String, PathBuf) {
        let version = self.version(package);
        let folder = format!("{package}-{version}");
        let found = self.roots.iter().map(|root| root.join(&folder)).find(|path| path.is_dir());
        let found = found.or_else(|| self.ask_cargo(package, version)).unwrap_or_else(|| {
            panic!("the source of {package} {version} is neither in cargo's registry folder nor known to `cargo metadata`")
        });
        (version.to_owned(), found)
    }

    /// Vendored and replaced sources: cargo knows. Slower, so only where the registry folder does not have it.
    fn ask_cargo(&self, package: &str, version: &str) -> Option<PathBuf> {
        let output = Command::new(env::var_os("CARGO")?)
            .args(["metadata", "--format-version", "1", "--offline", "--manifest-path"])
            .arg(self.manifest_dir.join("Cargo.toml"))
            .output()
            .ok()?;
        let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).ok()?;
        let found = metadata["packages"]
            .as_array()?
            .iter()
            .find(|candidate| candidate["name"] == package && candidate["version"] == version)?;
        Some(Path::new(found["manifest_path"].as_str()?).parent()?.to_owned())
    }
}
