#!/bin/sh
# What presets and ways of running checks cost on the programs beside this script, as rows of a table:
#   measure.sh DWINDLE PRESET MODE PROGRAM [OPTION...]
here=$(cd "$(dirname "$0")" && pwd)
dwindle=$1 preset=$2 mode=$3 program=$4
shift 4
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
cd "$out" || exit 1
set -- "$@" --preset "$preset" --checks "$mode" -j 1 --sandbox none --no-run-dir --quiet --json -o "$out/result.c"
for stage in gcc clang sane wrong; do
    set -- "$@" --check "$stage=$here/check.sh $stage {}"
done
# Equal costs: the clock of a busy machine is no measure.
[ "$mode" = sequential ] || set -- "$@" --check-cost gcc=1
"$dwindle" reduce "$@" "$here/$program.c" >"$out/json" || exit 1
python3 - "$out/json" "$preset" "$mode" "$program" <<'PYTHON'
import json, sys
run = json.load(open(sys.argv[1]))
checks = run["checks"]
cells = sys.argv[4:] + sys.argv[2:4] + [run["queries"], run["output_tokens"], run["output_bytes"]]
cells += [" ".join(str(check["executed"]) for check in checks), sum(check["executed"] for check in checks)]
cells += [" ".join(str(check["failed_alone"]) for check in checks), round(sum(check["seconds"] for check in checks), 1)]
print("|", " | ".join(map(str, cells)), "|")
PYTHON
