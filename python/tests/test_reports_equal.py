"""The package's reports are those of the command, byte for byte once members are sorted."""

import json
import os
import subprocess
from pathlib import Path

import pytest

import robotsieve
from robotsieve import Robots, UserAgent
from robotsieve.reports import Document

ROOT = Path(__file__).parents[2]
CORPUS = Path(os.environ.get("ROBOTSIEVE_CORPUS", ROOT / "../shared/corpus")) / "robots"
COMMAND = Path(os.environ.get("ROBOTSIEVE_COMMAND", ROOT / "target/debug/robotsieve"))
HEADER = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)"
# Each report starts the command. As with the library's own tests, ROBOTSIEVE_TESTS=all tries more: more files, and each
# in all profiles, not in one.
IS_ALL = os.environ.get("ROBOTSIEVE_TESTS") == "all"
#: Without a name, known crawlers read a file as their operators do.
NAMED = [None, *robotsieve.Profile.names()]
URLS = ["https://example.com/", "/search?q=%61&x=é", "/robots.txt"]


def files() -> list[Path]:
    """All of our own files, and some real ones, if they are there."""
    real = sorted(CORPUS.iterdir()) if CORPUS.is_dir() else []
    most = 50 if IS_ALL else 10
    step = max(1, len(real) // most)
    return sorted((ROOT / "corpora/robots").glob("*.txt")) + real[::step][:most]


def said(*args: "str | Path") -> object:
    """What the command prints as JSON. Its status says what it found."""
    ran = subprocess.run([COMMAND, *args], capture_output=True)
    assert ran.returncode in (0, 1), (args, ran)
    return json.loads(ran.stdout)


def read(path: Path, profile: str) -> bytes:
    """A file as the command asks about it: decoded. Bytes that are given to the profile google stay as they are."""
    body = path.read_bytes()
    is_utf16 = profile == "google" and body.startswith((b"\xff\xfe", b"\xfe\xff"))
    return body.decode("utf-16", "replace").encode() if is_utf16 else body


def as_json(document: Document) -> str:
    return json.dumps(document.to_dict(), sort_keys=True)


@pytest.mark.skipif(not COMMAND.is_file(), reason=f"there is no {COMMAND}: ROBOTSIEVE_COMMAND names one")
@pytest.mark.parametrize("named", NAMED)
def test_reports_are_those_of_the_command(named: str | None) -> None:
    paths = files() if IS_ALL else files()[NAMED.index(named) :: len(NAMED)]
    profile = named or "rfc9309"
    options = () if named is None else ("--profile", named)
    before = paths[-1]
    for number, path in enumerate(paths):
        robots = Robots(read(path, profile), named, name=str(path))
        old = Robots(read(before, profile), named, name=str(before))
        url = URLS[number % len(URLS)]

        def check(report: Document, kind: str, *args: "str | Path") -> None:
            printed = said(kind, *options, "--format", "json", *args)
            assert as_json(report) == json.dumps(printed, sort_keys=True), (kind, path)

        check(robots.explain("Googlebot", url), "explain", "--agent", "Googlebot", path, url)
        check(robots.explain(UserAgent(HEADER), url), "explain", "--user-agent", HEADER, path, url)
        every = said("explain", "--all-profiles", "--format", "json", "--agent", "a,b", path, url)
        assert as_json(robots.compare_profiles(["a", "b"], url)) == json.dumps(every, sort_keys=True)
        check(robotsieve.lint(Robots(path.read_bytes(), named, name=str(path))), "lint", path)
        check(robotsieve.diff(old, robots), "diff", before, path)
        check(robots.records(), "records", path)
        check(robots.crawlers(), "crawlers", path)
        before = path
