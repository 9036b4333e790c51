//! Random solutions of the model, written as jars, load and verify in a real virtual machine.
//!
//! `DWINDLE_JVM_JARS` and `DWINDLE_JVM_VARIANTS` make the test larger than it is by default.

mod common;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use common::{Dice, random_solution};
use dwindle_jvm::{Libraries, Limits, Program};
use dwindle_logic::ItemSet;

fn setting(name: &str, default: usize) -> usize {
    std::env::var(name)
        .ok()
        .and_then(|value| value.parse().ok())
        .unwrap_or(default)
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
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let mut failures: HashMap<String, Vec<(String, String)>> = HashMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let parts: Vec<&str> = line.split('\t').collect();
        let [jar, class, message] = parts[..] else {
            panic!("{line}")
        };
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

#[test]
fn random_solutions_of_real_jars_load_and_verify() {
    let harness = tempfile::tempdir().expect("a temporary directory");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/common/Verify.java");
    let compiled = Command::new("javac")
        .arg("-d")
        .arg(harness.path())
        .arg(source)
        .status();
    if !compiled.is_ok_and(|status| status.success()) {
        return common::skipped("no Java compiler is installed");
    }
    let wanted = std::env::var("DWINDLE_JVM_ONLY").unwrap_or_default();
    // Middling ones first: the smallest have nothing to choose from.
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
    let (mut good, mut total) = (0, 0);
    for jar in jars {
        let started = std::time::Instant::now();
        let program = Arc::new(
            Program::open(&jar, "x.jar", &Libraries::of_java(), Limits::default())
                .unwrap_or_else(|why| panic!("{why}")),
        );
        let model = program.model();
        let built = started.elapsed();
        let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
        let original = harness.path().join("original.jar");
        std::fs::copy(&jar, &original).expect("the jar can be copied");
        let mut paths = vec![original.clone()];
        for number in 0..variants {
            let one_in = [400, 100, 20, 4][number % 4];
            let kept = random_solution(model, &mut dice, one_in);
            assert!(number > 2 || model.allows(&kept));
            let path = harness.path().join(format!("{number}.jar"));
            let files = program.render(&kept);
            std::fs::write(&path, &files[0].bytes).expect("the jar can be written");
            paths.push(path);
        }
        // Sets that only keep parts with their wholes: the machine must object, or it looks at nothing.
        let mut loose = Vec::new();
        for number in 0..4 {
            let path = harness.path().join(format!("loose{number}.jar"));
            let files = program.render(&parents_only(model, &mut dice));
            std::fs::write(&path, &files[0].bytes).expect("the jar can be written");
            loose.push(path.display().to_string());
            paths.push(path);
        }
        let mut failures = verify(harness.path(), &paths);
        let known: HashSet<String> = failures
            .remove(&original.display().to_string())
            .expect("it was looked at")
            .into_iter()
            .map(|(class, _)| class)
            .collect();
        let objections = loose
            .iter()
            .filter(|path| !failures.remove(*path).expect("it was looked at").is_empty());
        assert!(objections.count() > 0, "sets that break the rules verify as well");
        let mut bad = 0;
        for (variant, of_jar) in &failures {
            let new: Vec<_> = of_jar
                .iter()
                .filter(|(class, _)| !known.contains(class))
                .collect();
            if let Some((class, message)) = new.first() {
                bad += 1;
                if bad <= setting("DWINDLE_JVM_SHOW", 3) {
                    eprintln!("  {variant}: {class}: {message}");
                }
            }
        }
        eprintln!(
            "{}: {} items, {} clauses, {:?}: {} of {variants} variants verify ({} classes fail to begin with)",
            jar.display(),
            model.items().len(),
            model.clauses().len(),
            built,
            variants - bad,
            known.len()
        );
        good += variants - bad;
        total += variants;
    }
    eprintln!("{good} of {total} variants verify");
    assert!(good * 1000 >= total * 995, "{good} of {total} variants verify");
}
