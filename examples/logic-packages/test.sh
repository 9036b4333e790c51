#!/bin/sh
# Interesting: the kept packages still ship every file in $WANTED. $1 lists the packages, one a line.
WANTED=${WANTED:-/usr/bin/git /usr/bin/gcc}
files=$(xargs -r dpkg-query -L < "$1" 2>/dev/null)
for file in $WANTED; do
    echo "$files" | grep -qxF "$file" || exit 1
done
