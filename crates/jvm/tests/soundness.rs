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
        let one_in = [400, 100, 20, 4, 2][number % 5];
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

/// Statements of every form, with all kinds of locals.
const STATEMENTS: &str = r#"
    class Trouble extends Exception { Trouble(String m) { super(m); } }
    class Statements {
        final int size; long total; static final String NAME; static { String s = "a"; for (int i = 0; i < 3; i++) s += i; NAME = s; }
        Statements(int n) { super(); int m = n; while (m > 3) { m /= 2; total += m; } size = m; }
        long loops(int n, String[] names) {
            long sum = 0; double d = 1.5; float f = 2; String last = null;
            for (int i = 0; i < n; i++) { if (i % 3 == 0) continue; sum += i; d *= 2; if (sum > 100) break; }
            do { f += 1; Object o = names; last = o.toString(); } while (f < 10);
            for (String name : names) { switch (name) { case "a": sum++; break; case "b": sum += 2; default: sum--; } }
            outer: while (true) { for (long j = sum; ; j++) { if (j > 7) break outer; sum += j; } }
            int[][] grid = new int[3][4]; grid[1][2] = (int) sum; grid[0] = null;
            return last == null ? sum : (long) (d + f);
        }
        int handlers(Object o) throws Trouble {
            int count = 0; String text;
            try { count = o.hashCode(); text = "x" + count; if (count == 3) throw new Trouble(text); }
            catch (NullPointerException | IllegalStateException e) { text = e.getMessage(); count++; }
            catch (RuntimeException e) { text = "r"; try { count /= count; } catch (ArithmeticException a) { return -1; } }
            finally { count += 5; total++; }
            synchronized (this) { if (text != null) total += text.length(); else total = 0; }
            try (java.io.StringReader r = new java.io.StringReader(text)) { count += r.read(); } catch (java.io.IOException e) { throw new Trouble("io"); }
            return count;
        }
        static Object chooses(boolean b, Object a) {
            Object x; if (b) { x = "s"; } else { x = 1; }
            StringBuilder s = new StringBuilder(b ? "yes" : "no"); s.append(x == null ? 1 : 2);
            Runnable r = () -> { int i = 3; while (i-- > 0) System.out.println(i); }; r.run();
            switch (s.length()) { case 1 -> x = a; case 2 -> { return null; } default -> { x = b ? x : a; } }
            assert x != null : "none"; return x;
        }
    }"#;

/// All that can stay when an item goes.
fn without(model: &dwindle_logic::Model, item: usize) -> ItemSet {
    let mut is_true = vec![true; model.vars()];
    is_true[item] = false;
    while let Some(clause) = model.clauses().iter().find(|clause| !clause.holds(|var| is_true[var.index()])) {
        is_true[clause.needs().last().expect("an item can go").index()] = false;
    }
    let left = (0..model.items().len()).filter(|item| is_true[*item]);
    ItemSet::of(model.items().len(), left.map(dwindle_logic::ItemId::new))
}

#[test]
fn every_statement_and_every_handler_can_go_alone() {
    for source in [STATEMENTS, common::BUSY] {
        let (Some(harness), Some(jar)) = (harness(), common::compile(source, "17")) else {
            return common::skipped("no Java compiler is installed");
        };
        let program = common::program_in(&jar, Detail::Fine);
        let items = program.model().items();
        let cuts = items
            .iter()
            .filter(|(_, item)| item.name.contains("!statement ") || item.name.contains("!handler "));
        let (mut paths, mut names) = (Vec::new(), Vec::new());
        for (id, item) in cuts {
            let path = harness.path().join(format!("{}.jar", id.index()));
            let bytes = program.render(&without(program.model(), id.index()))[0].bytes.clone();
            std::fs::write(&path, bytes).expect("the jar can be written");
            paths.push(path);
            names.push(&item.name);
        }
        assert!(names.len() > 30 && names.iter().any(|name| name.contains("!handler ")), "{names:#?}");
        let failures = verify(harness.path(), &paths);
        for (path, name) in paths.iter().zip(names) {
            let failed = &failures[&path.display().to_string()];
            assert!(failed.is_empty(), "{name}: {failed:?}");
        }
    }
}
