#!/bin/sh
# Runs every test. Fetches what the tests need beyond Rust, a C compiler and Python, where apt and the right to use it
# are there; a test whose tool is missing says so and is skipped.
set -eu
cd "$(dirname "$0")"

missing=
command -v bwrap >/dev/null || missing="$missing bubblewrap"
command -v javac >/dev/null || missing="$missing default-jdk-headless"
# Real jars, for the reader and the model of class files.
ls /usr/share/java/commons-cli*.jar >/dev/null 2>&1 || missing="$missing libcommons-cli-java libjcommander-java libplexus-utils2-java"
if [ -n "$missing" ] && command -v apt-get >/dev/null; then
    sudo=
    [ "$(id -u)" = 0 ] || sudo="sudo -n"
    # shellcheck disable=SC2086
    { $sudo apt-get update -q && $sudo apt-get install -q -y --no-install-recommends $missing; } >/dev/null 2>&1 ||
        echo "test.sh: could not install$missing; the tests that need it are skipped" >&2
fi

exec cargo test --workspace --locked "$@"
