#!/bin/sh
# One stage of a test for the programs beside this script: check.sh STAGE PROGRAM
stage=$1 program=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
case $(basename "$program") in
    calendar*) wrong='1900-Feb-29' ;;
    terms*) wrong='10 - 3 - 2 = 9' ;;
    table*) wrong='lost: owt is -1' ;;
esac
strict='-std=c11 -Werror=implicit-function-declaration -Werror=return-type -Werror=uninitialized -Werror=int-conversion'
case $stage in
    gcc) gcc $strict -Wmaybe-uninitialized -O1 -c "$program" -o "$work/o" 2>/dev/null ;;
    clang)
        clang=$(command -v clang || command -v clang-19 || command -v clang-14) &&
            "$clang" $strict -fsyntax-only "$program" 2>/dev/null
        ;;
    sane)
        gcc -w -std=c11 -fsanitize=undefined -fsanitize-undefined-trap-on-error "$program" -o "$work/sane" 2>/dev/null &&
            timeout 2 "$work/sane" >/dev/null 2>&1
        ;;
    wrong) gcc -w -std=c11 "$program" -o "$work/plain" 2>/dev/null && timeout 2 "$work/plain" | grep -q -- "$wrong" ;;
esac
