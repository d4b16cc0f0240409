"""Protego's own tests, run against ``robotsieve.protego``."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

VERSION = "0.7.0"
SHA256 = "2c032d9736a1f4f0c4318f3558353ae34da5cd038f1a5e064ded7548df315e5a"

# Why a test of Protego's fails here. SPEC is docs/specification.md.
TOKENS = "RFC 9309 §2.2.1: a group is for the crawler whose product token it names, not for longer ones"
PASSED_OVER = "RFC 9309 §2.2.4: other records do not end a group's beginning"
FIELDS = "RFC 9309 §2.2, SPEC 'misspelt fields' and 'missing colon': such a line is not a record"
RESERVED = "RFC 9309 §2.2.2, SPEC 'reserved characters': '=' and '%3D' differ"
SPECIAL = "RFC 9309 §2.2.3: '$' at the end and '*' are never plain characters as well"
PRIVATE = "a private function or attribute of Protego"

#: By name. A name without parameters stands for the test with each of them.
DIFFERENT = {
    "test_on_google_spec::test_user_agent_precedence[/group1-hedwig-news2]": TOKENS,
    "test_on_google_spec::test_user_agent_precedence[/group3-hedwig-new]": TOKENS,
    "test_on_google_spec::test_user_agent_precedence[/group3-hedwig-images]": TOKENS,
    "test_on_google_spec::test_user_agent_boundary_matching[googlebot-googlebot-news-True]": TOKENS,
    "test_on_google_spec::test_user_agent_boundary_matching[google-googlebot-mobile-True]": TOKENS,
    "test_protego.TestProtego::test_malformed_disallow": FIELDS,
    "test_protego.TestProtego::test_grouping_unknown_keys": PASSED_OVER,
    "test_protego.TestProtego::test_unicode_url_and_useragent": (
        "SPEC 'which group': a line's token is its leading run of letters, digits, '-', '_' and "
        "'.', so 'Jävla-Foobot' names 'j', which is what is left of 'jävla-fanbot' too"
    ),
    "test_protego.TestProtego::test_empty_user_agent_line": FIELDS,
    "test_protego.TestProtego::test_generosity": FIELDS,
    "test_protego.TestProtego::test_generosity_case_insensitivity": FIELDS,
    "test_protego.TestProtego::test_generosity_visit_time": FIELDS,
    "test_protego.TestProtego::test_generosity_sitemap": FIELDS,
    "test_protego.TestProtego::test_generosity_tab_separated": FIELDS,
    "test_protego.TestProtego::test_line_endings": PRIVATE,
    "test_protego.TestProtego::test_index_html_is_directory": (
        "RFC 9309 §2.2.2: a rule matches what begins with it; index.html is nothing special"
    ),
    "test_protego.TestProtego::test_special_symbols_dual_behaviour": SPECIAL,
    "test_protego.TestProtego::test_with_absolute_urls": (
        "RFC 9309 §2.2 (path-pattern), SPEC 'value without a leading /': it matches nothing"
    ),
    "test_protego.TestProtego::test_parse_time_period": PRIVATE,
    "test_protego::test_equal_sign_in_path[https://example.com/1/filter/page%3D5/-True]": RESERVED,
    "test_protego::test_quoting": PRIVATE,
    "test_unquote.TestUnquote::test_unquoting": PRIVATE,
    "test_unquote.TestUnquote::test_unquoting_badpercent": PRIVATE,
    "test_unquote.TestUnquote::test_unquoting_parts": PRIVATE,
    "test_unquote.TestUnquote::test_unquoting_plus": PRIVATE,
    "test_unquote.TestUnquote::test_unquote_with_unicode": PRIVATE,
    "test_unquote.TestUnquote::test_escape_sequence_uppercase": PRIVATE,
}


@pytest.fixture(scope="module")
def sources(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Protego's source distribution, unpacked. It is fetched once; without a network, an error."""
    assert pytestconfig.cache is not None
    folder: Path = pytestconfig.cache.mkdir("protego")
    archive = folder / f"protego-{VERSION}.tar.gz"
    if not archive.exists():
        wanted = tmp_path_factory.mktemp("pip") / "requirements.txt"
        wanted.write_text(f"protego=={VERSION} --hash=sha256:{SHA256}\n")
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary"]
        subprocess.run([*pip, "protego", "-d", str(folder), "-r", str(wanted)], check=True)
    unpacked = tmp_path_factory.mktemp("protego")
    with tarfile.open(archive) as tar:
        tar.extractall(unpacked)
    return unpacked / f"protego-{VERSION}"


def results(sources: Path, plugins: list[str]) -> dict[str, bool]:
    """Whether each of Protego's tests passes."""
    report = sources / "report.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, f"--rootdir={sources}"]
    command += ["-p", "no:cacheprovider", *plugins, f"--junitxml={report}", str(sources / "tests")]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    # 0: all passed; 1: some failed. Otherwise they did not run.
    assert done.returncode in (0, 1), done.stdout + done.stderr
    passed = {}
    for case in ElementTree.parse(report).iter("testcase"):
        name = f"{case.get('classname', '').removeprefix('tests.')}::{case.get('name')}"
        assert case.find("skipped") is None, name
        passed[name] = case.find("failure") is None and case.find("error") is None
    return passed


def listed(name: str) -> str | None:
    """The entry of the table for a test."""
    return next((key for key in (name, name.split("[", 1)[0]) if key in DIFFERENT), None)


def test_differences_are_those_listed(sources: Path) -> None:
    passed = results(sources, ["-p", "protego_stand_in"])
    unlisted = [name for name, ok in passed.items() if not ok and listed(name) is None]
    needless = [name for name, ok in passed.items() if ok and listed(name) is not None]
    assert (unlisted, needless) == ([], [])
    assert {listed(name) for name in passed} - {None} == set(DIFFERENT)
    assert sum(passed.values()) > 4_000
