#!/bin/sh
# Interesting: the configuration in $1 (crates and features, one a line) still has all that $WANTED matches.
WANTED=${WANTED:-^regex-syntax@[^/]*/unicode-perl$ ^libc@[^/]*$}
for pattern in $WANTED; do
    grep -q "$pattern" "$1" || exit 1
done
