#!/bin/sh
# Makes the tables of the page on languages: measure.sh CORPUS [LANGUAGE...]
# CORPUS is a folder that corpus.py has filled. Front-ends that are not installed are named and left out.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
corpus=$1
shift
cd "$here/.."
cargo build --release -q -p dwindle-syntax --example validity --features all-languages
validity=${CARGO_TARGET_DIR:-target}/release/examples/validity
[ $# -gt 0 ] || set -- $(cd "$here" && ls ./*.toml | sed 's|.*/||; s|\.toml$||')
for language; do
    [ -d "$corpus/$language" ] && "$validity" --all "$language" "$corpus/$language" || echo "| $language | no files |"
done

judge() {
    language=$1
    tool=$2
    shift 2
    command -v "$tool" >/dev/null || { echo "| $language | $tool is not installed |"; return; }
    "$validity" --all --with "$*" "$language" "$corpus/$language"
}
each='while read -r f; do if'
answer='then echo 0; else echo 1; fi; done'
echo
judge c gcc "$each ! gcc -fsyntax-only -w \"\$f\" 2>&1 | grep -qE 'error: (expected|stray|missing terminating|unterminated|#)'; $answer"
judge rust rustc "$each RUSTC_BOOTSTRAP=1 rustc --edition 2021 --crate-type lib -Zparse-crate-root-only \"\$f\" 2>/dev/null; $answer"
judge java javac "java '$here/judges/Judge.java'"
judge python python3 "python3 '$here/judges/judge.py'"
judge go gofmt "$each gofmt -e \"\$f\" >/dev/null 2>&1; $answer"
judge javascript node "node '$here/judges/judge.cjs'"
