#!/usr/bin/env python3
"""The version, which stands in many files.

    release/version.py               prints it
    release/version.py check         fails unless all files agree; CI runs this
    release/version.py check v1.2.3  for a tag: they agree with it, and the changelog has a heading of that version
    release/version.py set 1.2.3     writes it into all of them
    release/version.py notes         prints what the changelog says of it

The one in Cargo.toml ([workspace.package]) counts; the others are compared with it.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NUMBER = r"\d+\.\d+\.\d+(?:-[0-9A-Za-z.]+)?"
SOURCE = ("Cargo.toml", r'^\[workspace\.package\]\nversion = "(@)"')

# Files by pattern, and where a version stands in them. '@' is the version. A file that the pattern
# finds must have at least one; those in OPTIONAL may have none.
PLACES = [
    SOURCE,
    ("web/Cargo.toml", r'^version = "(@)"'),
    ("web/bindgen/Cargo.toml", r'^version = "(@)"'),
    ("web/package.json", r'^  "version": "(@)"'),
    # Its own, twice: the packages below stand deeper.
    ("web/package-lock.json", r'^ {2,6}"version": "(@)",\n(?: *"lockfileVersion"| *"license": "MIT OR Apache-2\.0")'),
    # What pre-commit installs.
    ("pyproject.toml", r'"robotsieve-cli==(@)"'),
]
OPTIONAL = [
    # Crates that depend on one of the others, with a version because they are published.
    ("**/Cargo.toml", r'^robotsieve[-\w]* = \{ path = "[^"]*", version = "=?(@)"'),
    ("**/pyproject.toml", r'"robotsieve[-\w]*(?:\[[-\w,]*\])?==(@)"'),
    # The lock files, and what has a version of its own because it is never published.
    ("**/Cargo.lock", r'^name = "robotsieve(?!-(?:fuzz|corpora|side-by-side)")[-\w]*"\nversion = "(@)"'),
    # Examples in the documents: of output, of the action and of the hooks.
    ("**/*.md", r'"tool_version": ?"(@)"'),
    ("**/*.md", r"robotsieve/robotsieve@v(@)"),
    ("**/*.md", r"repo: https://github\.com/robotsieve/robotsieve\n +rev: v(@)"),
]


def fail(*lines):
    for line in lines:
        print(line, file=sys.stderr)
    sys.exit(1)


def tracked():
    """The files that git knows, or would take, from the top of the repository."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )
    return [Path(name) for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def places():
    """Yields each file, a compiled pattern, and whether the file must match."""
    files = tracked()
    for group, needed in ((PLACES, True), (OPTIONAL, False)):
        for name, pattern in group:
            pattern = re.compile(pattern.replace("@", NUMBER), re.MULTILINE)
            if name.startswith("**/"):
                found = [path for path in files if path.match(name[3:])]
            else:
                found = [Path(name)]
            for path in found:
                yield path, pattern, needed


def version():
    text = (ROOT / SOURCE[0]).read_text()
    found = re.search(SOURCE[1].replace("@", NUMBER), text, re.MULTILINE)
    return found[1] if found else fail("Cargo.toml: no version under [workspace.package]")


def heading(lines):
    """The first heading of the changelog: its line number, and its text."""
    for number, line in enumerate(lines, 1):
        if line.startswith("## "):
            return number, line[3:].strip()
    fail("CHANGELOG.md: no heading '## Unreleased' or '## VERSION - DATE'")


def check(tag):
    wanted = version()
    problems = []
    for path, pattern, needed in places():
        if not (ROOT / path).exists():
            problems.append(f"{path}: the file is missing; release/version.py says what stands in it")
            continue
        text = (ROOT / path).read_text()
        matches = list(pattern.finditer(text))
        if needed and not matches:
            problems.append(f"{path}: no version found; release/version.py looks for {pattern.pattern!r}")
        for match in matches:
            if match[1] != wanted:
                line = text.count("\n", 0, match.start(1)) + 1
                problems.append(f"{path}:{line}: version {match[1]}, but Cargo.toml says {wanted}")
    number, title = heading((ROOT / "CHANGELOG.md").read_text().splitlines())
    dated = re.fullmatch(rf"({NUMBER}) - \d{{4}}-\d\d-\d\d", title)
    if tag is not None:
        if tag != f"v{wanted}":
            problems.append(f"the tag is '{tag}', but Cargo.toml says {wanted}: its tag is 'v{wanted}'")
        if not dated or dated[1] != wanted:
            problems.append(
                f"CHANGELOG.md:{number}: the first heading is '## {title}'; a release needs '## {wanted} - YYYY-MM-DD'"
            )
    elif title != "Unreleased" and not (dated and dated[1] == wanted):
        problems.append(f"CHANGELOG.md:{number}: '## {title}' is neither '## Unreleased' nor '## {wanted} - YYYY-MM-DD'")
    if problems:
        # A place that two patterns find is named once.
        fail(*dict.fromkeys(problems), f"'release/version.py set {wanted}' writes the version of Cargo.toml into all files")
    print(f"version {wanted}: all files agree" + (f", and with the tag {tag}" if tag else ""))


def set_version(wanted):
    if not re.fullmatch(NUMBER, wanted):
        fail(f"'{wanted}' is no version such as 1.2.3")
    for path, pattern, _ in places():
        text = (ROOT / path).read_text()

        def replaced(match):
            start, end = match.start(1) - match.start(), match.end(1) - match.start()
            return match[0][:start] + wanted + match[0][end:]

        changed = pattern.sub(replaced, text)
        if changed != text:
            (ROOT / path).write_text(changed)
            print(path)


def notes():
    lines = (ROOT / "CHANGELOG.md").read_text().splitlines()
    number, _ = heading(lines)
    below = lines[number:]
    end = next((at for at, line in enumerate(below) if line.startswith("## ")), len(below))
    print("\n".join(below[:end]).strip())


if __name__ == "__main__":
    match sys.argv[1:]:
        case []:
            print(version())
        case ["check"]:
            check(None)
        case ["check", tag]:
            check(tag)
        case ["set", wanted]:
            set_version(wanted)
        case ["notes"]:
            notes()
        case _:
            fail(__doc__.strip())
