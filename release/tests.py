#!/usr/bin/env python3
"""Tests the scripts of a release with releases that are wrong: each must fail, and say what is wrong and where."""

import io
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class WrongReleases(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name) / "robotsieve"
        listed = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT, capture_output=True, text=True, check=True,
        )
        # The scripts, and the files in which they look.
        for name in listed.stdout.splitlines():
            if name.startswith(("corpora/", "fuzz/", "src/", "tests/")):
                continue
            if re.search(r"\.(toml|lock|json|md|yml|yaml|sh|py|txt)$|^release/|^\.ci/", name) and (ROOT / name).is_file():
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, self.root / name)
        subprocess.run(["git", "init", "--quiet", self.root], check=True)
        subprocess.run(["git", "add", "--all"], cwd=self.root, check=True)
        self.version = self.passes("version.py").strip()

    def run_script(self, *command):
        return subprocess.run(
            [sys.executable, self.root / "release" / command[0], *command[1:]],
            cwd=self.root, capture_output=True, text=True,
        )

    def passes(self, *command):
        ran = self.run_script(*command)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran.stdout

    def fails(self, *command):
        ran = self.run_script(*command)
        self.assertEqual(ran.returncode, 1, ran.stdout + ran.stderr)
        self.assertNotIn("Traceback", ran.stderr)
        return ran.stderr

    def edit(self, name, old, new):
        text = (self.root / name).read_text()
        self.assertIn(old, text)
        (self.root / name).write_text(text.replace(old, new, 1))

    def dated(self):
        text = (self.root / "CHANGELOG.md").read_text()
        text = re.sub(r"^## .*", f"## {self.version} - 2026-12-01", text, count=1, flags=re.MULTILINE)
        (self.root / "CHANGELOG.md").write_text(text)

    def test_as_it_is(self):
        self.passes("version.py", "check")
        self.passes("workflows.py")
        self.dated()
        self.passes("version.py", "check", f"v{self.version}")
        self.assertNotIn("## ", self.passes("version.py", "notes").split("\n")[0])

    def test_a_tag_of_another_version(self):
        self.dated()
        said = self.fails("version.py", "check", "v9.9.9")
        self.assertIn(f"the tag is 'v9.9.9', but Cargo.toml says {self.version}: its tag is 'v{self.version}'", said)
        self.assertIn("the tag is", self.fails("version.py", "check", self.version))

    def test_a_changelog_without_the_version(self):
        self.dated()
        self.edit("CHANGELOG.md", f"## {self.version} - 2026-12-01", "## Unreleased")
        said = self.fails("version.py", "check", f"v{self.version}")
        self.assertRegex(said, rf"CHANGELOG.md:\d+: the first heading is '## Unreleased'.*'## {self.version} - YYYY-MM-DD'")
        self.edit("CHANGELOG.md", "## Unreleased", "## 9.9.9 - 2026-12-01")
        self.assertIn("neither", self.fails("version.py", "check"))

    def test_a_version_bumped_in_one_place_only(self):
        places = [
            ("Cargo.toml", f'version = "{self.version}"'),
            ("Cargo.lock", f'name = "robotsieve-cli"\nversion = "{self.version}"'),
            ("cli/Cargo.toml", f'robotsieve-client = {{ path = "../client", version = "{self.version}"'),
            ("client/Cargo.toml", f'robotsieve = {{ path = "..", version = "{self.version}"'),
            ("python/pyproject.toml", f"robotsieve-fetch=={self.version}"),
            ("python/fetch/pyproject.toml", f"robotsieve=={self.version}"),
            ("pyproject.toml", f"robotsieve-cli=={self.version}"),
            ("web/Cargo.toml", f'version = "{self.version}"'),
            ("web/package.json", f'"version": "{self.version}"'),
            ("web/package-lock.json", f'"version": "{self.version}"'),
        ]
        for name, text in places:
            with self.subTest(name):
                before = (self.root / name).read_text()
                self.edit(name, text, text.replace(self.version, "9.9.9"))
                said = self.fails("version.py", "check")
                # The one in Cargo.toml counts, so then all others are wrong.
                wrong = f"version {self.version}, but Cargo.toml says 9.9.9"
                if name != "Cargo.toml":
                    wrong = f"version 9.9.9, but Cargo.toml says {self.version}"
                    self.assertRegex(said, rf"(?m)^{re.escape(name)}:\d+: {re.escape(wrong)}$")
                    self.assertEqual(said.count("but Cargo.toml says"), 1, said)
                self.assertIn(wrong, said)
                (self.root / name).write_text(before)

    def test_setting_the_version(self):
        for wanted in ("1.2.3", "2.0.0-rc.1"):
            self.passes("version.py", "set", wanted)
            self.assertIn(wanted, self.passes("version.py", "check"))
        self.assertIn("no version such as", self.fails("version.py", "set", "v1.2"))

    def test_a_file_that_slipped_in(self):
        package = self.root / f"robotsieve-{self.version}.crate"
        lines = (self.root / "release/contents/robotsieve.crate.txt").read_text().splitlines()
        names = [line.replace("*", "some/file") for line in lines]

        def pack(names):
            with tarfile.open(package, "w:gz") as archive:
                for name in names:
                    archive.addfile(tarfile.TarInfo(f"robotsieve-{self.version}/{name}"), io.BytesIO())

        pack(names)
        self.passes("contents.py", str(package))
        pack([*names, "tests/data/huge.bin"])
        said = self.fails("contents.py", str(package))
        self.assertIn(f"{package.name} has 'tests/data/huge.bin', which release/contents/robotsieve.crate.txt does not", said)
        pack(names[1:])
        self.assertIn(f"lacks '{lines[0]}'", self.fails("contents.py", str(package)))
        renamed = package.rename(package.with_name("robotsieve-9.9.9.crate"))
        self.assertIn("not the name of a package of version", self.fails("contents.py", str(renamed)))

    def test_a_path_that_is_not_there(self):
        self.edit(".github/workflows/release.yml", "release/publish-crates", "release/publish-all")
        said = self.fails("workflows.py")
        self.assertRegex(said, r"\.github/workflows/release\.yml:\d+: 'release/publish-all' is not in the repository")

    def test_an_action_that_is_not_pinned(self):
        text = (self.root / ".github/workflows/ci.yml").read_text()
        text = re.sub(r"checkout@[0-9a-f]{40} # \S+", "checkout@v7", text, count=1)
        (self.root / ".github/workflows/ci.yml").write_text(text)
        self.assertIn("'actions/checkout@v7' is not pinned", self.fails("workflows.py"))

    def test_archives_that_are_missing(self):
        said = self.fails("formulae.py", str(self.root))
        self.assertIn(f"robotsieve-{self.version}-source.tar.gz", said)


    def test_where_binstall_looks(self):
        crate = tomllib.loads((self.root / "cli/Cargo.toml").read_text())["package"]
        repository = tomllib.loads((self.root / "Cargo.toml").read_text())["workspace"]["package"]["repository"]
        binstall = crate["metadata"]["binstall"]
        for target, suffix, program in (
            ("x86_64-unknown-linux-musl", ".tar.gz", "robotsieve"),
            ("x86_64-pc-windows-msvc", ".zip", "robotsieve.exe"),
        ):
            packed = binstall["overrides"].get(target, {}).get("pkg-fmt", binstall["pkg-fmt"])
            self.assertEqual(packed, "zip" if suffix == ".zip" else "tgz")
            values = {
                "repo": repository, "version": self.version, "target": target, "archive-suffix": suffix,
                "bin": "robotsieve", "binary-ext": program.removeprefix("robotsieve"),
            }

            def filled(text):
                return re.sub(r"{ ([a-z-]+) }", lambda match: values[match[1]], text)

            # As release/archive.py names the archive and the folder in it, and the release its files.
            folder = f"robotsieve-{self.version}-{target}"
            self.assertEqual(filled(binstall["pkg-url"]), f"{repository}/releases/download/v{self.version}/{folder}{suffix}")
            self.assertEqual(filled(binstall["bin-dir"]), f"{folder}/{program}")


if __name__ == "__main__":
    unittest.main()
