#!/bin/sh
# Makes the tables of the page on languages: measure.sh CORPUS [LANGUAGE...]
# CORPUS is a folder that corpus.py has filled. Front-ends that are not installed are named and left out.
# Ends with status 1 if a file does not read back, fewer than 99.5 % of the nodes are explained, or fewer than 99 % (in twelve languages) or
# 95 % (in the others) of the deletions or replacements are valid; each is named on standard error.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
corpus=$1
shift
cd "$here/.."
cargo build --release -q -p dwindle-syntax --example validity --features all-languages
validity=${CARGO_TARGET_DIR:-target}/release/examples/validity
[ $# -gt 0 ] || set -- $(cd "$here" && ls ./*.toml | sed 's|.*/||; s|\.toml$||')
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT
for language; do
    [ -d "$corpus/$language" ] && "$validity" --all "$language" "$corpus/$language" || echo "| $language | no files |"
done | tee "$rows"

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

awk -F' *[|] *' '
    BEGIN { split("c cpp rust java javascript typescript python go json smtlib solidity css", best); for (i in best) high[best[i]] = 1 }
    function below(what, text, bound) { if (text ~ /^[0-9]/ && text + 0 < bound) { print $2 ": " what " " text ", wanted " bound > "/dev/stderr"; failed = 1 } }
    NF > 6 {
        least = $2 in high ? 99 : 95
        below("read back", $4, $3 + 0)
        if ($5 !~ / of 0$/) below("explained", $5, 99.5)
        below("deletions", $6, least)
        below("replacements", $7, least)
    }
    END { exit failed }
' "$rows"
