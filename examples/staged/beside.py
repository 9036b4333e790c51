#!/usr/bin/env python3
"""Ways to run and to learn from checks, side by side on the programs beside this script:

    beside.py DWINDLE [--rounds N] [--only PROGRAM,...] [PRESET:MODE[:OPTION]...]

All take turns, and another one begins in each round. Prints a table with a row for each: queries, tokens left, runs of
checks, and processor and wall time by those of the first one on the same program in the same round (middle of all rounds).
"""

import json
import os
import pathlib
import statistics
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
STAGES = ["gcc", "clang", "sane", "wrong"]
DEFAULT = [f"{preset}:{mode}" for preset in ("probdd", "cov-probdd") for mode in ("sequential", "parallel", "dedup", "adaptive")]


def run(dwindle, contender, program):
    """What a contender did to a program, and what that took."""
    preset, mode, *options = contender.split(":")
    with tempfile.TemporaryDirectory() as folder:
        words = [dwindle, "reduce", "--preset", preset, "--checks", mode, "-j", "1", "--sandbox", "none", "--no-run-dir"]
        words += ["--quiet", "--json", "-o", f"{folder}/result.c", *options]
        for stage in STAGES:
            words += ["--check", f"{stage}={HERE}/check.sh {stage} {{}}"]
        if mode != "sequential":
            # Equal costs: the clock of a busy machine is no measure.
            words += ["--check-cost", "gcc=1"]
        words.append(f"{HERE}/{program}.c")
        begin = time.monotonic()
        child = os.posix_spawn(
            dwindle,
            words,
            os.environ,
            file_actions=[(os.POSIX_SPAWN_OPEN, 1, f"{folder}/json", os.O_WRONLY | os.O_CREAT, 0o644)],
        )
        _, status, used = os.wait4(child, 0)
        wall = time.monotonic() - begin
        if status != 0:
            sys.exit(f"{contender} failed on {program}")
        told = json.loads(pathlib.Path(folder, "json").read_text())
    checks = sum(check["executed"] for check in told["checks"])
    return {
        "counts": (told["queries"], told["output_tokens"], checks),
        "processor": used.ru_utime + used.ru_stime,
        "wall": wall,
    }


def main():
    dwindle, *words = sys.argv[1:]
    rounds, programs, contenders = 1, ["calendar", "table", "terms"], []
    while words:
        word = words.pop(0)
        if word == "--rounds":
            rounds = int(words.pop(0))
        elif word == "--only":
            programs = words.pop(0).split(",")
        else:
            contenders.append(word)
    contenders = contenders or DEFAULT
    print("| program | preset | `--checks` | queries | tokens | check runs | processor time | wall time |")
    print("|---|---|---|--:|--:|--:|--:|--:|")
    for program in programs:
        seen = {contender: [] for contender in contenders}
        for turn in range(rounds):
            first = turn % len(contenders)
            for contender in contenders[first:] + contenders[:first]:
                seen[contender].append(run(dwindle, contender, program))
        for contender in contenders:
            preset, mode, *options = contender.split(":")
            queries, tokens, checks = seen[contender][0]["counts"]
            ratios = [
                statistics.median(own[what] / base[what] for own, base in zip(seen[contender], seen[contenders[0]]))
                for what in ("processor", "wall")
            ]
            name = " ".join([f"`{preset}`", *options])
            print(f"| {program} | {name} | {mode} | {queries} | {tokens} | {checks} | {ratios[0]:.2f} × | {ratios[1]:.2f} × |", flush=True)


main()
