#!/usr/bin/env python3
"""Writes the crates and features of a resolved Cargo workspace as items, and Cargo's rules as formulas.

    convert.py [MANIFEST_DIR [ITEMS.json MODEL.json]]     default: . features.json features-model.json

An item is a crate (`name@version`) or one of its enabled features (`name@version/feature`, part of the crate). What
is read from the resolved graph:
  a feature needs the features and the optional dependencies it lists;
  a crate needs its dependencies, with the features it asks of them;
  a crate, or a feature, is there only if somebody asks for it: one of several may do.
"""
import json
import subprocess
import sys


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else "."
    items_path, model_path = sys.argv[2:4] if len(sys.argv) > 3 else ("features.json", "features-model.json")
    command = ["cargo", "metadata", "--format-version", "1", "--offline"]
    metadata = json.loads(subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    members = set(metadata["workspace_members"])
    crate = {id: f"{packages[id]['name']}@{packages[id]['version']}" for id in nodes}
    enabled = {id: set(node["features"]) for id, node in nodes.items()}

    items, rules, askers = [], [], {}
    for id in sorted(nodes, key=crate.get):
        items.append({"name": crate[id]})
        items += [{"name": f"{crate[id]}/{feature}", "parent": crate[id]} for feature in sorted(enabled[id])]
    known = {item["name"] for item in items}

    def need(who, what, why):
        """`who` (one name, or several together) needs `what` and asks for it."""
        if what in known and what not in who:
            premise = who[0] if len(who) == 1 else {"all": who}
            rules.append({"if": premise, "then": what, "why": why})
            askers.setdefault(what, []).append(premise)

    for id, node in nodes.items():
        me, package = crate[id], packages[id]
        # The name by which the crate knows a dependency, and the package that was chosen for it.
        resolved = {}
        for dep in node["deps"]:
            resolved.setdefault(dep["name"].replace("-", "_"), dep["pkg"])
        for dependency in package["dependencies"]:
            alias = (dependency["rename"] or dependency["name"]).replace("-", "_")
            target = resolved.get(alias)
            if target is None or (dependency["kind"] == "dev" and id not in members):
                continue
            asked = list(dependency["features"]) + (["default"] if dependency["uses_default_features"] else [])
            if not dependency["optional"]:
                need([me], crate[target], f"{me} depends on it")
            for feature in asked:
                who = [me] if not dependency["optional"] else [me, crate[target]]
                need(who, f"{crate[target]}/{feature}", f"{me} asks for this feature")
        for feature in enabled[id]:
            mine = f"{me}/{feature}"
            for entry in package["features"].get(feature, []):
                if entry.startswith("dep:"):
                    target = resolved.get(entry[4:].replace("-", "_"))
                    if target:
                        need([mine], crate[target], "optional dependency")
                elif "/" in entry:
                    name, wanted = entry.split("/", 1)
                    target = resolved.get(name.rstrip("?").replace("-", "_"))
                    if target:
                        weak = name.endswith("?")
                        need([mine, crate[target]] if weak else [mine], f"{crate[target]}/{wanted}", "feature of a dependency")
                        if not weak:
                            need([mine], crate[target], "feature of a dependency")
                else:
                    need([mine], f"{me}/{entry}", "feature that includes it")

    roots = sorted(crate[id] for id in members)
    for name in sorted(known - set(roots)):
        if name in askers:
            rules.append({"if": name, "then": {"any": askers[name]}, "why": "somebody must ask for it"})

    with open(items_path, "w", encoding="utf-8") as out:
        json.dump({"items": items}, out, indent=1)
    with open(model_path, "w", encoding="utf-8") as out:
        json.dump({"rules": rules}, out, indent=1)
    print(f"{len(nodes)} crates, {len(items) - len(nodes)} features, {len(rules)} rules")


if __name__ == "__main__":
    main()
