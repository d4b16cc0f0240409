#!/usr/bin/env python3
"""Prints the licences of the crates that are compiled into the command: their texts have to go with it.

    release/licences.py [TARGET]
"""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LICENCE = re.compile(r"(?:LICEN[CS]E|COPYING|COPYRIGHT|NOTICE|UNLICENSE)", re.IGNORECASE)


def crates(target):
    """The crates that the command links, without those of this repository."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked"]
    if target:
        command += ["--filter-platform", target]
    metadata = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    seen = set()
    ahead = [next(id for id, package in packages.items() if package["name"] == "robotsieve-cli")]
    while ahead:
        id = ahead.pop()
        if id in seen:
            continue
        seen.add(id)
        for dependency in nodes[id]["deps"]:
            if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                ahead.append(dependency["pkg"])
    found = [packages[id] for id in seen if packages[id]["source"]]
    # A macro runs in the compiler.
    found = [p for p in found if not any("proc-macro" in target["kind"] for target in p["targets"])]
    return sorted(found, key=lambda package: (package["name"], package["version"]))


def notices(target=None):
    texts, without = {}, []
    for package in crates(target):
        label = f"{package['name']} {package['version']} ({package['license'] or 'see its text'})"
        folder = Path(package["manifest_path"]).parent
        files = sorted(path for path in folder.iterdir() if path.is_file() and LICENCE.match(path.name))
        if not files:
            without.append(label)
        for path in files:
            text = path.read_text(errors="replace").strip()
            texts.setdefault(" ".join(text.split()), (text, []))[1].append(label)
    parts = ["robotsieve has in it the work of others. Their licences:\n"]
    for text, labels in sorted(texts.values(), key=lambda entry: entry[1]):
        parts.append("-" * 80 + "\n" + "\n".join(labels) + "\n\n" + text + "\n")
    if without:
        parts.append("-" * 80 + "\nThe packages of these have no text of their licence:\n" + "\n".join(without) + "\n")
    return "\n".join(parts)


if __name__ == "__main__":
    sys.stdout.write(notices(*sys.argv[1:]))
