//! The ready test for decompilers, with a tool that just unpacks the source it finds in the jar.

mod common;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const TOOL: &str = r#"
    import java.io.*; import java.nio.file.*; import java.util.zip.*;
    public class Unpack { public static void main(String[] a) throws Exception {
        System.out.println("noise");
        try (ZipInputStream zip = new ZipInputStream(new FileInputStream(a[0]))) {
            for (ZipEntry e = zip.getNextEntry(); e != null; e = zip.getNextEntry()) {
                Path to = Path.of(a[1], e.getName()); Files.createDirectories(to.getParent()); Files.copy(zip, to); } } } }"#;

fn check(directory: &Path, options: &[&str]) -> Command {
    let mut java = Command::new("java");
    java.args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp"])
        .arg(directory)
        .args(["JvmCheck", "--main", "Unpack", "--arg", "{jar}", "--arg", "{out}"])
        .args(options)
        .stderr(Stdio::inherit());
    java
}

#[test]
fn the_check_for_decompilers_knows_its_errors_and_answers_line_by_line() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let at = directory.path();
    std::fs::write(at.join("Unpack.java"), TOOL).expect("a file can be written");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("check/JvmCheck.java");
    let mut javac = Command::new("javac");
    let compiled = javac.arg("-d").arg(at).arg(source).arg(at.join("Unpack.java")).status();
    if !compiled.is_ok_and(|status| status.success()) {
        return common::skipped("no Java compiler is installed");
    }
    let write = |name: &str, text: &str| {
        let path = at.join(name);
        std::fs::write(&path, common::jar(&[("p/A.java", text.as_bytes())])).expect("a file can be written");
        path
    };
    let good = write("good.jar", "package p; class A {}");
    let bad = write("bad.jar", "package p;\n\nclass A { int x = \"\"; }");
    // The same error on another line; another error.
    let moved = write("moved.jar", "package p; class A { int x = \"\"; }");
    let other = write("other.jar", "package p; class A { int x = y; }");
    let paths = [&good, &bad, &moved, &other];
    let bad_path = bad.display().to_string();
    for (options, answers) in [
        (&["--fails"][..], "1\n0\n0\n0\n"),
        (&["--error", "incompatible types"], "1\n0\n0\n1\n"),
        (&["--errors-of", &bad_path], "1\n0\n0\n1\n"),
    ] {
        let mut child = check(at, &[options, &["--persistent"]].concat())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("java can be started");
        let mut input = child.stdin.take().expect("a pipe");
        for path in paths {
            writeln!(input, "{}", path.display()).expect("it listens");
        }
        drop(input);
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(String::from_utf8_lossy(&output.stdout), answers, "{options:?}");
    }
    let status = check(at, &["--fails", &bad_path]).status().expect("java can be started");
    assert_eq!(status.code(), Some(0));
}
