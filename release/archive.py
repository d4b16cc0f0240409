#!/usr/bin/env python3
"""Makes the archive of the command for one system: the program, manual pages, completions, JSON Schemas and licences.

    release/archive.py TARGET [--program FILE] [--deb] [--out FOLDER]

Builds the program with the profile `dist`, unless --program names one that is built. Writes
robotsieve-VERSION-TARGET.tar.gz (.zip for Windows) and its SHA-256 beside it; with --deb a package for Debian,
too. Pages and completions are printed by the program, so it must run here; qemu-aarch64 runs those for aarch64.

The same program and the same commit make the same bytes.
"""

import argparse
import gzip
import hashlib
import io
import json
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

import licences
from version import version

ROOT = Path(__file__).resolve().parent.parent
COMPLETIONS = {
    "bash": "robotsieve.bash",
    "zsh": "_robotsieve",
    "fish": "robotsieve.fish",
    "elvish": "robotsieve.elv",
    "powershell": "_robotsieve.ps1",
}
# Debian's names of processors.
DEBIAN = {"x86_64": "amd64", "aarch64": "arm64"}


def fail(text):
    sys.exit(f"release/archive.py: {text}")


def run(command, **options):
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, **options).stdout


def moment():
    """The time of all files: that of the commit, so that the archive does not depend on the clock."""
    return int(os.environ.get("SOURCE_DATE_EPOCH") or run(["git", "log", "-1", "--format=%ct"], text=True))


def build(target):
    command = ["build", "--locked", "--profile", "dist", "-p", "robotsieve-cli", "--features", "schema"]
    command += ["--message-format", "json-render-diagnostics"]
    host = next(line for line in run(["rustc", "-vV"], text=True).splitlines() if line.startswith("host: "))
    if target == host.removeprefix("host: "):
        # Without --target, so that what `maturin build --profile dist` compiles serves again.
        lines = run(["cargo", *command], text=True)
    elif sys.platform == "linux":
        lines = run(["release/cargo", target, *command], text=True)
    else:
        lines = run(["cargo", *command, "--target", target], text=True)
    for line in lines.splitlines():
        message = json.loads(line)
        if message.get("executable") and message["target"]["name"] == "robotsieve":
            return Path(message["executable"])
    return fail(f"cargo built no program for {target}")


def runner(target):
    """What runs programs for the target here, before the program."""
    if target.startswith("aarch64-unknown-linux") and platform.machine() == "x86_64":
        return ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"]
    return []


def tree(target, program, folder):
    """Lays out what the archive has."""
    command = [*runner(target), str(program)]
    said = run([*command, "--version"], text=True).split()
    if said[1:2] != [version()]:
        fail(f"{program} says '{' '.join(said)}', but the version is {version()}: build it again")
    for name in ("LICENSE-APACHE", "LICENSE-MIT", "CHANGELOG.md"):
        shutil.copy(ROOT / name, folder / name)
    shutil.copy(ROOT / "cli/README.md", folder / "README.md")
    (folder / "LICENSES-THIRD-PARTY.txt").write_text(licences.notices(target), newline="\n")
    installed = folder / ("robotsieve.exe" if "windows" in target else "robotsieve")
    shutil.copy(program, installed)
    installed.chmod(0o755)
    run([*command, "--quiet", "man", "--output", str(folder / "man")])
    (folder / "report.schema.json").write_bytes(run([*command, "schema"]))
    (folder / "fetch.schema.json").write_bytes(run([*command, "schema", "fetch"]))
    (folder / "rights.schema.json").write_bytes(run([*command, "schema", "rights"]))
    (folder / "completions").mkdir()
    for shell, name in COMPLETIONS.items():
        (folder / "completions" / name).write_bytes(run([*command, "completions", shell]))


def entries(folder):
    """The files below a folder, sorted, each with its name there and whether it is a program."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = path.relative_to(folder).as_posix()
        yield path, name, name in ("robotsieve", "robotsieve.exe")


def tar(folder, top, file):
    with open(file, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=moment()) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
            for path, name, program in entries(folder):
                info = tarfile.TarInfo(f"{top}/{name}")
                info.size, info.mtime = path.stat().st_size, moment()
                info.mode = 0o755 if program else 0o644
                archive.addfile(info, io.BytesIO(path.read_bytes()))


def zipped(folder, top, file):
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path, name, program in entries(folder):
            info = zipfile.ZipInfo(f"{top}/{name}", time.gmtime(moment())[:6])
            info.external_attr = (0o755 if program else 0o644) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, path.read_bytes())


def control(target, program, size):
    """The description of the Debian package."""
    linked = "" if target.endswith("-musl") else f"Depends: {needed(program)}\n"
    return f"""Package: robotsieve
Version: {version()}
Architecture: {DEBIAN[target.split("-")[0]]}
Maintainer: The robotsieve developers <robotsieve@users.noreply.github.com>
Installed-Size: {size}
{linked}Section: web
Priority: optional
Homepage: https://github.com/robotsieve/robotsieve
Description: decides which URLs a robots.txt allows, and says why
 robotsieve judges URLs by a robots.txt, one by one or by the million, by RFC
 9309, as Google does, or by the standard of 1994. It explains verdicts, finds
 mistakes in a file, compares versions, fetches and keeps the files of many
 sites, and writes configuration for web servers that holds crawlers to them.
"""


def needed(program):
    """The libraries that a linked program needs, as Debian's dependencies."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "debian").mkdir()
        (Path(folder) / "debian/control").write_text("Source: robotsieve\n\nPackage: robotsieve\nArchitecture: any\n")
        said = subprocess.run(
            ["dpkg-shlibdeps", "-O", str(program.resolve())], cwd=folder, capture_output=True, text=True
        )
    if said.returncode != 0:
        fail(f"dpkg-shlibdeps (Debian's package dpkg-dev) cannot say what {program} needs: {said.stderr.strip()}")
    return said.stdout.strip().removeprefix("shlibs:Depends=")


def deb(target, folder, file):
    with tempfile.TemporaryDirectory() as root:
        root = Path(root)
        root.chmod(0o755)
        doc = root / "usr/share/doc/robotsieve"
        places = {
            folder / "robotsieve": "usr/bin/robotsieve",
            folder / "completions/robotsieve.bash": "usr/share/bash-completion/completions/robotsieve",
            folder / "completions/_robotsieve": "usr/share/zsh/vendor-completions/_robotsieve",
            folder / "completions/robotsieve.fish": "usr/share/fish/vendor_completions.d/robotsieve.fish",
        }
        for source, name in places.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, root / name)
        doc.mkdir(parents=True)
        (root / "usr/share/man/man1").mkdir(parents=True)
        pressed = {page: root / f"usr/share/man/man1/{page.name}.gz" for page in (folder / "man").iterdir()}
        pressed[folder / "CHANGELOG.md"] = doc / "NEWS.gz"
        pressed[folder / "LICENSES-THIRD-PARTY.txt"] = doc / "third-party.txt.gz"
        for source, name in pressed.items():
            name.write_bytes(gzip.compress(source.read_bytes(), 9, mtime=0))
        date = time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(moment()))
        changes = f"""robotsieve ({version()}) unstable; urgency=medium

  * The version {version()}: NEWS.gz says what is new.

 -- The robotsieve developers <robotsieve@users.noreply.github.com>  {date}
"""
        (doc / "changelog.gz").write_bytes(gzip.compress(changes.encode(), 9, mtime=0))
        mit = "\n".join(f" {line}" if line else " ." for line in (ROOT / "LICENSE-MIT").read_text().splitlines())
        (doc / "copyright").write_text(f"""Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: robotsieve
Source: https://github.com/robotsieve/robotsieve

Files: *
Copyright: the robotsieve developers
License: MIT or Apache-2.0
Comment: third-party.txt.gz has the licences of what is compiled into the program.

License: Apache-2.0
 On Debian, /usr/share/common-licenses/Apache-2.0 has the text.

License: MIT
{mit}
""")
        overrides = root / "usr/share/lintian/overrides/robotsieve"
        overrides.parent.mkdir(parents=True)
        overrides.write_text(
            "# It runs on every Debian, so it brings its C library.\n"
            "robotsieve: statically-linked-binary [usr/bin/robotsieve]\n"
            "# Not one of Debian's own packages: nothing there asked for it.\n"
            "robotsieve: initial-upload-closes-no-bugs *\n"
        )
        for path in root.rglob("*"):
            path.chmod(0o755 if path.is_dir() or path.name == "robotsieve" and path.parent.name == "bin" else 0o644)
        (root / "DEBIAN").mkdir(0o755)
        size = sum(path.stat().st_size for path in root.rglob("*") if path.is_file()) // 1024
        (root / "DEBIAN/control").write_text(control(target, folder / "robotsieve", size))
        sums = [
            f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(root)}\n"
            for path in sorted(root.rglob("*")) if path.is_file() and "DEBIAN" not in path.parts
        ]
        (root / "DEBIAN/md5sums").write_text("".join(sums))
        environment = {**os.environ, "SOURCE_DATE_EPOCH": str(moment())}
        run(["dpkg-deb", "--root-owner-group", "--build", "-Zxz", str(root), str(file)], env=environment)


def finished(file):
    total = hashlib.sha256(file.read_bytes()).hexdigest()
    file.with_name(file.name + ".sha256").write_text(f"{total}  {file.name}\n", newline="\n")
    print(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target")
    parser.add_argument("--program", type=Path)
    parser.add_argument("--deb", action="store_true")
    parser.add_argument("--out", type=Path, default=ROOT / "target/release-files")
    options = parser.parse_args()
    program = options.program or build(options.target)
    options.out.mkdir(parents=True, exist_ok=True)
    top = f"robotsieve-{version()}-{options.target}"
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        tree(options.target, program, folder)
        if "windows" in options.target:
            file = options.out / f"{top}.zip"
            zipped(folder, top, file)
        else:
            file = options.out / f"{top}.tar.gz"
            tar(folder, top, file)
        finished(file)
        if options.deb:
            processor = DEBIAN[options.target.split("-")[0]]
            file = options.out / f"robotsieve_{version()}_{processor}.deb"
            deb(options.target, folder, file)
            finished(file)


if __name__ == "__main__":
    main()
