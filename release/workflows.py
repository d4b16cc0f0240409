#!/usr/bin/env python3
"""Checks the workflows and the action: every file that they mention exists, and each action is pinned by commit.

    release/workflows.py
"""

import re
import sys
from pathlib import Path

from version import tracked

ROOT = Path(__file__).resolve().parent.parent
# What a workflow writes before it reads it.
MADE = re.compile(r"(files|dist|sdists|context|target|web/dist|web/page/dist)\b|web/\*\.tgz")
# A path has a folder, and begins with one of ours.
PATH = re.compile(r"(?<![\w./@:-])((?:\.ci|\.github|action|capi|cli|client|docs|python|release|web)/[\w./*-]*\w)")
PIN = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+(?:\.\d+)?")


def exists(path, files):
    if "*" in path:
        folder = path.split("*")[0].rpartition("/")[0]
        return any(name.startswith(folder + "/") for name in files)
    return any(name == path or name.startswith(path + "/") for name in files)


def main():
    files = [path.as_posix() for path in tracked()]
    wrong, paths = [], 0
    sources = sorted((ROOT / ".github/workflows").glob("*.yml"))
    sources += [ROOT / name for name in ("action.yml", ".github/dependabot.yml", ".pre-commit-hooks.yaml")]
    for source in sources:
        name = source.relative_to(ROOT)
        for number, line in enumerate(source.read_text().splitlines(), 1):
            uses = re.match(r"\s*(?:- )?uses: (.*)", line)
            if uses and not uses[1].startswith("./") and not PIN.fullmatch(uses[1]):
                wrong.append(f"{name}:{number}: '{uses[1]}' is not pinned: OWNER/NAME@COMMIT # vVERSION")
            # hashFiles() asks whether a file is there.
            for path in [] if uses or "hashFiles(" in line else PATH.findall(line):
                if not MADE.match(path):
                    paths += 1
                    if not exists(path, files):
                        wrong.append(f"{name}:{number}: '{path}' is not in the repository")
            folder = re.match(r"\s*working-directory: (\S+)$", line)
            if folder and not exists(folder[1], files):
                wrong.append(f"{name}:{number}: '{folder[1]}' is not in the repository")
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{len(sources)} files for GitHub: {paths} paths exist, all actions are pinned")


main()
