#!/usr/bin/env python3
"""Fills release/templates/ from the files of a release: the formula for Homebrew, the recipe for conda.

    release/formulae.py [--partial] FOLDER

Writes them into FOLDER, which has the archives. An archive that is missing is an error; with --partial its checksum
is the word MISSING, for a dry run on a machine that cannot make them all.
"""

import hashlib
import re
import sys
from pathlib import Path

from version import version as the_version

ROOT = Path(__file__).resolve().parent.parent
RELEASES = "https://github.com/robotsieve/robotsieve/releases/download"


def main(arguments):
    partial = arguments[:1] == ["--partial"]
    if len(arguments) != 1 + partial:
        sys.exit(__doc__.strip())
    folder = Path(arguments[-1])
    version = the_version()
    missing = set()

    def filled(match):
        if match[1] == "version":
            return version
        what, name = match[1].split()
        name = name.replace("VERSION", version)
        if what == "url":
            return f"{RELEASES}/v{version}/{name}"
        if not (folder / name).exists():
            missing.add(name)
            return "MISSING"
        return hashlib.sha256((folder / name).read_bytes()).hexdigest()

    for template in sorted((ROOT / "release/templates").iterdir()):
        text = re.sub(r"@(version|(?:url|sum) \S+)@", filled, template.read_text())
        if missing and not partial:
            sys.exit(f"{template.name}: these are not in {folder}: {', '.join(sorted(missing))}")
        (folder / template.name).write_text(text)
        print(folder / template.name)
    for name in sorted(missing):
        print(f"checksum MISSING: {name} was not made here")


main(sys.argv[1:])
