#!/usr/bin/env python3
"""Compares what is in a package with the list in release/contents/.

    release/contents.py FILE...            fails unless each has what its list says, no more and no less
    release/contents.py --record FILE...   writes the lists anew; look at the difference before you commit it

Takes crates, wheels, source distributions, npm packages, archives of the command, of the C library and of the
cases for other parsers, and packages for Debian. A line of a list is the name of a file, or a pattern: '*' stands for anything, folders too.
Each file must fit a line, and each line must fit a file. VERSION stands for the version. --record keeps the
patterns that fit.
"""

import re
import subprocess
import sys
import tarfile
import zipfile
from fnmatch import fnmatchcase
from pathlib import Path

from version import version

ROOT = Path(__file__).resolve().parent.parent
VERSION = version()
# As Python writes versions.
PYTHON_VERSION = re.sub(r"-(a|b|rc)[a-z]*\.?", r"\1", VERSION)


def title(name):
    """The name of a package's list."""
    versions = f"(?:{re.escape(VERSION)}|{re.escape(PYTHON_VERSION)})"
    for pattern, made in (
        (rf"(.+)-{versions}\.crate", r"\1.crate"),
        (rf"(.+)-{versions}-[^-]+-[^-]+-[^-]+\.whl", r"\1.whl"),
        # It has a version of its own.
        (r"(robots-txt-cases)-\d+\.\d+\.\d+\.tar\.gz", r"\1.suite"),
        (rf"(.+)-{versions}\.tar\.gz", r"\1.sdist"),
        (rf"(.+)-{versions}\.tgz", r"\1.npm"),
        # By system: a program or a library has other files there.
        (rf"(.+)-{versions}-.*windows.*\.(?:zip|tar\.gz)", r"\1.windows"),
        (rf"(.+)-{versions}-.*apple.*\.tar\.gz", r"\1.macos"),
        (rf"(.+)-{versions}-.*musl\.tar\.gz", r"\1.musl"),
        (rf"(.+)-{versions}-.*\.tar\.gz", r"\1.linux"),
        (rf"(.+)_{versions}_[^_]+\.deb", r"\1.deb"),
    ):
        if re.fullmatch(pattern, name):
            return re.sub(pattern, made, name)
    return None


def files(path):
    """The names in a package, without the folder that all others are in."""
    if path.suffix == ".deb":
        listed = subprocess.run(["dpkg-deb", "--fsys-tarfile", path], capture_output=True, check=True)
        listed = subprocess.run(["tar", "--list"], input=listed.stdout, capture_output=True, check=True)
        names = [name.removeprefix("./") for name in listed.stdout.decode().splitlines()]
    elif path.suffix in (".whl", ".zip"):
        names = zipfile.ZipFile(path).namelist()
    else:
        with tarfile.open(path) as archive:
            names = [entry.name for entry in archive if not entry.isdir()]
    names = [name for name in names if name and not name.endswith("/")]
    if path.suffix not in (".deb", ".whl"):
        tops = {name.split("/")[0] for name in names}
        if len(tops) != 1:
            sys.exit(f"{path.name}: all must be in one folder, but it has {', '.join(sorted(tops))}")
        names = [name.split("/", 1)[1] for name in names]
    return sorted(name.replace(VERSION, "VERSION").replace(PYTHON_VERSION, "VERSION") for name in names)


def compare(path, lines, shown):
    """What is wrong, as sentences."""
    names = files(path)
    unused = [line for line in lines if not any(fnmatchcase(name, line) for name in names)]
    extra = [name for name in names if not any(fnmatchcase(name, line) for line in lines)]
    said = [f"{path.name} has '{name}', which {shown} does not list" for name in extra]
    return said + [f"{path.name} lacks '{line}', which {shown} lists" for line in unused]


def main(arguments):
    record = arguments[:1] == ["--record"]
    paths = [Path(name) for name in arguments[record:]]
    if not paths:
        sys.exit(__doc__.strip())
    wrong = []
    for path in paths:
        name = title(path.name)
        if name is None:
            wrong.append(f"{path.name}: not the name of a package of version {VERSION}")
            continue
        file = ROOT / "release/contents" / f"{name}.txt"
        shown = file.relative_to(ROOT)
        lines = file.read_text().split("\n")[:-1] if file.exists() else None
        if record:
            names = files(path)
            patterns = [line for line in lines or [] if "*" in line and any(fnmatchcase(n, line) for n in names)]
            plain = [n for n in names if not any(fnmatchcase(n, pattern) for pattern in patterns)]
            file.write_text("".join(f"{line}\n" for line in sorted(patterns + plain)))
            print(shown)
        elif lines is None:
            wrong.append(f"{path.name}: there is no list {shown}; 'release/contents.py --record {path}' writes it")
        else:
            found = compare(path, lines, shown)
            wrong += found
            if not found:
                print(f"{path.name}: as {shown} says")
    if wrong:
        sys.exit("\n".join([*wrong, "if that is meant: 'release/contents.py --record FILE', and commit the list"]))


main(sys.argv[1:])
