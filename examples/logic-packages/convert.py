#!/usr/bin/env python3
"""Writes the installed Debian packages as items, and their dependencies as clauses.

    convert.py [ITEMS.json MODEL.cnf]        default: packages.json packages.cnf

An item is a package, its weight the installed size in KiB; essential packages are required. A dependency on
`a | b` is satisfied by any installed package that is, or provides, a or b. Versions are not compared: what is
installed satisfied them once, and leaving packages out changes no version.
"""
import json
import re
import subprocess
import sys

FIELDS = ["Package", "db:Status-Abbrev", "Installed-Size", "Essential", "Provides", "Pre-Depends", "Depends"]


def names(text):
    """The package names in a comma-separated field, without versions and architectures."""
    return [re.split(r"[\s(:\[]", part.strip(), maxsplit=1)[0] for part in text.split(",") if part.strip()]


def main():
    items_path, model_path = sys.argv[1:3] if len(sys.argv) > 2 else ("packages.json", "packages.cnf")
    query = "\\t".join("${%s}" % field for field in FIELDS) + "\\n"
    listing = subprocess.run(["dpkg-query", "-W", "-f", query], check=True, capture_output=True, text=True).stdout
    packages, providers = {}, {}
    for line in listing.splitlines():
        name, status, size, essential, provides, *depends = line.split("\t")
        if not status.startswith("ii") or name in packages:
            continue
        packages[name] = (max(1, int(size or 0)), essential == "yes", ",".join(filter(None, depends)))
        for provided in [name, *names(provides)]:
            providers.setdefault(provided, []).append(name)

    number = {name: index for index, name in enumerate(sorted(packages), start=1)}
    clauses, unmet = [], 0
    for name in number:
        for group in filter(str.strip, packages[name][2].split(",")):
            able = {number[p] for option in group.split("|") for o in names(option) for p in providers.get(o, [])}
            if not able:
                unmet += 1
            elif number[name] not in able:
                clauses.append([-number[name], *sorted(able)])

    with open(items_path, "w", encoding="utf-8") as out:
        items = [{"name": n, "weight": packages[n][0], **({"required": True} if packages[n][1] else {})} for n in number]
        json.dump({"items": items}, out, indent=1)
    with open(model_path, "w", encoding="utf-8") as out:
        for name, index in number.items():
            print("c", index, name, file=out)
        print("p cnf", len(number), len(clauses), file=out)
        for clause in clauses:
            print(*clause, 0, file=out)
    print(f"{len(number)} packages, {len(clauses)} clauses, {unmet} dependencies that nothing installed satisfies")


if __name__ == "__main__":
    main()
