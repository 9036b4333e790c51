#!/bin/sh
# Builds a fuzz target for coverage-guided fuzzing and runs it: run.sh TARGET SECONDS. `cargo fuzz run TARGET` does the same
# where it and a nightly compiler are installed; this needs neither. Starts from the classes of the jars of the system.
set -eu
cd "$(dirname "$0")"
target=$1
seconds=$2

RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table -Ccodegen-units=1" \
    cargo build --release --bin "$target" --target "$(rustc -vV | sed -n 's/^host: //p')"
corpus=corpus/$target
mkdir -p "$corpus" artifacts
if [ -z "$(ls "$corpus")" ]; then
    # Small classes: what matters is their forms.
    for jar in $(ls -S -r /usr/share/java/*.jar 2>/dev/null | head -60); do
        unzip -qqo "$jar" '*.class' -d seeds 2>/dev/null || true
    done
    find seeds -name '*.class' -size -4k 2>/dev/null | sort | awk 'NR % 7 == 0' | head -600 | while read -r class; do
        name=$(printf '%s' "$class" | cksum | cut -d' ' -f1)
        # The program target takes a byte of its own first.
        { [ "$target" = program ] && printf 'x'; cat "$class"; } > "$corpus/$name" || true
    done
    rm -rf seeds
fi
binary=$(find "${CARGO_TARGET_DIR:-target}" -path "*/release/$target" -type f | head -1)
exec "$binary" "$corpus" -max_total_time="$seconds" -max_len=6000 -rss_limit_mb=2048 -artifact_prefix=artifacts/ -print_final_stats=1
