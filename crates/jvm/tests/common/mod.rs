//! What the tests share: jars and tools that happen to be on the machine, random solutions, small programs.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::io::{BufRead, BufReader, Cursor, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use dwindle_jvm::{Archive, BadArchive, Detail, Libraries, Limits, Program};
use dwindle_logic::{Clause, ItemId, ItemSet, Model};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Says visibly that a test had nothing to work on.
pub(crate) fn skipped(why: &str) {
    eprintln!("SKIPPED: {why}");
}

/// Jars of the system, the smallest first; links left out.
pub(crate) fn jars() -> Vec<PathBuf> {
    let Ok(directory) = std::fs::read_dir(Path::new("/usr/share/java")) else {
        return Vec::new();
    };
    let mut jars: Vec<(u64, PathBuf)> = directory
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .map(|entry| (entry.metadata().map_or(0, |data| data.len()), entry.path()))
        .filter(|(_, path)| path.extension().is_some_and(|end| end == "jar"))
        .collect();
    jars.sort();
    jars.into_iter().map(|(_, path)| path).collect()
}

/// A jar of these entries.
pub(crate) fn jar(entries: &[(&str, &[u8])]) -> Arc<[u8]> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        zip.start_file(*name, SimpleFileOptions::default()).expect("a good name");
        zip.write_all(bytes).expect("room in memory");
    }
    zip.finish().expect("room in memory").into_inner().into()
}

pub(crate) fn open(bytes: &Arc<[u8]>) -> Result<Archive, BadArchive> {
    Archive::of_bytes("test.jar", bytes, Limits::default())
}

/// A compiler that stays: starting one takes longer than compiling a small file.
struct Compiler {
    input: ChildStdin,
    answers: BufReader<ChildStdout>,
}

fn compiler() -> Option<MutexGuard<'static, Compiler>> {
    static COMPILER: OnceLock<Option<Mutex<Compiler>>> = OnceLock::new();
    let compiler = COMPILER.get_or_init(|| {
        Command::new("javac").arg("-version").stdout(Stdio::null()).status().ok()?;
        // It ends when its input does, which is when this process ends.
        let mut child = Command::new("java")
            .args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"])
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/common/Compile.java"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        Some(Mutex::new(Compiler {
            input: child.stdin.take()?,
            answers: BufReader::new(child.stdout.take()?),
        }))
    });
    compiler.as_ref().map(|compiler| compiler.lock().expect("nobody panics with it"))
}

/// The classes of some Java source as a jar; nothing without a compiler.
pub(crate) fn compile(source: &str, release: &str) -> Option<Arc<[u8]>> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("Source.java");
    std::fs::write(&file, source).expect("the source can be written");
    let classes = directory.path().join("classes");
    let mut answer = String::new();
    {
        let mut compiler = compiler()?;
        writeln!(compiler.input, "{}\t{}\t{release}", file.display(), classes.display()).expect("it listens");
        compiler.answers.read_line(&mut answer).expect("it answers");
    }
    assert_eq!(answer.trim(), "0", "the source compiles");
    let archive = Archive::open(&classes, Limits::default()).expect("javac writes good classes");
    let entries: Vec<(&str, &[u8])> =
        archive.entries.iter().map(|entry| (entry.name.as_str(), &*entry.bytes)).collect();
    Some(jar(&entries))
}

pub(crate) fn program(bytes: &Arc<[u8]>) -> Arc<Program> {
    program_in(bytes, Detail::Standard)
}

pub(crate) fn program_in(bytes: &Arc<[u8]>, detail: Detail) -> Arc<Program> {
    let archive = open(bytes).unwrap_or_else(|why| panic!("{why}"));
    Arc::new(
        Program::new(archive, "test.jar", &Libraries::of_java(), detail)
            .unwrap_or_else(|why| panic!("{why}")),
    )
}

/// A small generator of numbers, so that a failure can be repeated.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).expect("below a usize")
    }
}

/// Picks items at random, then follows the rules, choosing at random where they leave a choice.
pub(crate) fn random_solution(model: &Model, dice: &mut Dice, one_in: usize) -> ItemSet {
    let start: Vec<usize> = (0..model.items().len()).filter(|_| dice.below(one_in) == 0).collect();
    solution_with(model, start, dice)
}

/// A solution that keeps these items, chosen at random where the rules leave a choice.
pub(crate) fn solution_with(model: &Model, start: Vec<usize>, dice: &mut Dice) -> ItemSet {
    let mut is_true = vec![false; model.vars()];
    let mut watching: Vec<Vec<u32>> = vec![Vec::new(); model.vars()];
    for (number, clause) in model.clauses().iter().enumerate() {
        for need in clause.needs() {
            watching[need.index()].push(u32::try_from(number).expect("few clauses"));
        }
    }
    let mut open = start;
    for item in &open {
        is_true[*item] = true;
    }
    let answer = |clause: &Clause, is_true: &mut Vec<bool>, open: &mut Vec<usize>, dice: &mut Dice| {
        if !clause.holds(|var| is_true[var.index()]) {
            let choice = clause.gives()[dice.below(clause.gives().len())].index();
            is_true[choice] = true;
            open.push(choice);
        }
    };
    for clause in model.clauses() {
        if clause.needs().is_empty() {
            answer(clause, &mut is_true, &mut open, dice);
        }
    }
    while let Some(var) = open.pop() {
        for number in &watching[var] {
            answer(&model.clauses()[*number as usize], &mut is_true, &mut open, dice);
        }
    }
    assert!(
        model.clauses().iter().all(|clause| clause.holds(|var| is_true[var.index()])),
        "a closed set obeys the model"
    );
    ItemSet::of(model.items().len(), (0..model.items().len()).filter(|item| is_true[*item]).map(ItemId::new))
}

/// Java with a bit of everything.
pub(crate) const BUSY: &str = r#"
    import java.util.*; import java.util.function.*;
    interface Shape { double area(); default String label() { return "shape " + area(); } static Shape unit() { return new Square(1); } }
    sealed interface Node permits Leaf, Pair {} record Leaf(int value) implements Node {} record Pair(Node left, Node right) implements Node {}
    abstract class Base<T extends Comparable<T>> implements Shape { protected T key; Base(T key) { this.key = key; } abstract T twice(); }
    final class Square extends Base<Integer> { final double side; Square(double s) { super((int) s); side = s; }
        public double area() { return side * side; } Integer twice() { return key * 2; } }
    enum Op implements IntBinaryOperator { ADD { public int applyAsInt(int a, int b) { return a + b; } }, MUL { public int applyAsInt(int a, int b) { return a * b; } };
        static final Map<String, Op> BY = new HashMap<>(); static { for (Op op : values()) BY.put(op.name(), op); } }
    class Trouble extends Exception { Trouble(String m, Throwable t) { super(m, t); } }
    @interface Mark { String value() default "x"; Op op() default Op.ADD; Class<?> type() default Square.class; }
    @Mark(value = "y", op = Op.MUL) class Main {
        private int secret; private static long count;
        class Inner { int get() { return secret; } class Deep { long c() { return count++; } } }
        static int eval(Node n) { if (n instanceof Leaf l) return l.value(); Pair p = (Pair) n; return eval(p.left()) + eval(p.right()); }
        int run(String[] args) throws Trouble {
            try (AutoCloseable c = () -> System.out.println("closed")) {
                Supplier<Shape> s = args.length > 0 ? Shape::unit : () -> new Square(3);
                Base<Integer> b = args.length > 1 ? new Square(1) : new Square(2);
                Shape shape = s.get(); Object o = args.length == 0 ? shape : b;
                switch (String.valueOf(o)) { case "a": return 1; case "b": return 2; default: }
                for (Op op : Op.values()) switch (op) { case ADD: secret += op.applyAsInt(1, 2); break; default: secret--; }
                long total = 0; double d = 0; for (int i = 0; i < 10; i++) { total += i; d += total; }
                Runnable r = new Runnable() { public void run() { secret += (int) 3L; } }; r.run();
                synchronized (this) { return new Inner().get() + new Inner().new Deep().hashCode() + b.twice(); }
            } catch (IllegalStateException | UnsupportedOperationException e) { throw new Trouble("a", e);
            } catch (Exception e) { throw new Trouble("b" + e, e); } finally { count++; }
        }
    }"#;
