//! Random solutions of the model, written as jars, load and verify in a real virtual machine.
//!
//! `DWINDLE_JVM_JARS` and `DWINDLE_JVM_VARIANTS` make the test larger than it is by default.

mod common;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{Dice, random_solution};
use dwindle_jvm::{Detail, Libraries, Limits, Program};
use dwindle_logic::ItemSet;

fn setting(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// The classes that fail, by jar.
fn verify(harness: &Path, jars: &[PathBuf]) -> HashMap<String, Vec<(String, String)>> {
    let list = harness.join("list");
    let lines: String = jars.iter().map(|jar| format!("{}\n", jar.display())).collect();
    std::fs::write(&list, lines).expect("the list can be written");
    let output = Command::new("java")
        .args([
            "-Xlog:disable",
            "-Xverify:all",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Xmx1g",
            "-cp",
        ])
        .arg(harness)
        .arg("Verify")
        .arg(&list)
        .output()
        .expect("java can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut failures: HashMap<String, Vec<(String, String)>> = HashMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let parts: Vec<&str> = line.split('\t').collect();
        let [jar, class, message] = parts[..] else { panic!("{line}") };
        let of_jar = failures.entry(jar.to_owned()).or_default();
        if class != "DONE" {
            of_jar.push((class.to_owned(), message.to_owned()));
        }
    }
    failures
}

/// Half of the items, with what each is part of.
fn parents_only(model: &dwindle_logic::Model, dice: &mut Dice) -> ItemSet {
    let mut kept = ItemSet::empty(model.items().len());
    for (mut item, _) in model.items().iter().filter(|_| dice.below(2) == 0) {
        kept.insert(item);
        while let Some(parent) = model.items()[item].parent {
            kept.insert(parent);
            item = parent;
        }
    }
    kept
}

/// A directory with the compiled harness; nothing without a compiler.
fn harness() -> Option<tempfile::TempDir> {
    let harness = tempfile::tempdir().expect("a temporary directory");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/common/Verify.java");
    let mut javac = Command::new("javac");
    let compiled = javac.arg("-d").arg(harness.path()).arg(source).status();
    compiled.is_ok_and(|status| status.success()).then_some(harness)
}

/// How many of so many random variants of a jar verify.
fn good_variants(harness: &Path, jar: &Path, variants: usize) -> usize {
    let program = Program::open(jar, "x.jar", &Libraries::of_java(), Limits::default(), Detail::Fine)
        .unwrap_or_else(|why| panic!("{why}"));
    let model = program.model();
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let write = |name: String, kept: &ItemSet| {
        let path = harness.join(name);
        std::fs::write(&path, &program.render(kept)[0].bytes).expect("the jar can be written");
        path
    };
    let mut paths = vec![write("original.jar".to_owned(), &model.items().all())];
    for number in 0..variants {
        let one_in = [400, 100, 20, 4][number % 4];
        let kept = random_solution(model, &mut dice, one_in);
        assert!(number > 2 || model.allows(&kept));
        paths.push(write(format!("{number}.jar"), &kept));
    }
    // Sets that only keep parts with their wholes: the machine must object, or it looks at nothing.
    for number in 0..4 {
        paths.push(write(format!("loose{number}.jar"), &parents_only(model, &mut dice)));
    }
    let failures = verify(harness, &paths);
    let of = |path: &PathBuf| &failures[&path.display().to_string()];
    let known: HashSet<&String> = of(&paths[0]).iter().map(|(class, _)| class).collect();
    let loose = paths[variants + 1..].iter().filter(|path| !of(path).is_empty());
    assert!(loose.count() > 0, "sets that break the rules verify as well");
    let mut bad = 0;
    for path in &paths[1..=variants] {
        if let Some((class, message)) = of(path).iter().find(|(class, _)| !known.contains(class)) {
            bad += 1;
            eprintln!("  {}: {class}: {message}", path.display());
        }
    }
    eprintln!(
        "{}: {} items, {} clauses: {} of {variants} variants verify; {} classes fail to begin with",
        jar.display(),
        model.items().len(),
        model.clauses().len(),
        variants - bad,
        known.len()
    );
    variants - bad
}

#[test]
fn random_solutions_of_real_jars_load_and_verify() {
    let Some(harness) = harness() else {
        return common::skipped("no Java compiler is installed");
    };
    let wanted = std::env::var("DWINDLE_JVM_ONLY").unwrap_or_default();
    // The smallest jars have nothing to choose from.
    let jars: Vec<PathBuf> = common::jars()
        .into_iter()
        .filter(|jar| std::fs::metadata(jar).is_ok_and(|data| data.len() > 40_000))
        .filter(|jar| jar.to_string_lossy().contains(&wanted))
        .take(setting("DWINDLE_JVM_JARS", 3))
        .collect();
    if jars.is_empty() {
        return common::skipped("no jars are installed");
    }
    let variants = setting("DWINDLE_JVM_VARIANTS", 20);
    let total = variants * jars.len();
    let good: usize = jars.iter().map(|jar| good_variants(harness.path(), jar, variants)).sum();
    eprintln!("{good} of {total} variants verify");
    assert!(good * 1000 >= total * 995, "{good} of {total} variants verify");
}

#[test]
fn random_solutions_of_a_busy_program_load_and_verify() {
    let (Some(harness), Some(jar)) = (harness(), common::compile(common::BUSY, "17")) else {
        return common::skipped("no Java compiler is installed");
    };
    let path = harness.path().join("busy.jar");
    std::fs::write(&path, &jar).expect("the jar can be written");
    assert_eq!(good_variants(harness.path(), &path, 120), 120);
}
