"""One table of answers, ``corpora/answers.json``, through every path of Python: a server by our fetcher and
by sessions, an archive, and the bytes of a file. The command's tests read the same table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from robotsieve.aio import Sieve
from site_server import Sites, answer
from test_captures import record, rows
from test_sessions import KINDS

from robotsieve import Robots
from robotsieve._robotsieve import said_of

TABLE = Path(__file__).parents[2] / "corpora" / "answers.json"
CASES: list[dict[str, Any]] = json.loads(TABLE.read_text("utf-8"))
RULES = b"User-agent: *\nDisallow: /private\n"
PATHS = {"/private": "private", "/": "root"}


def data(case: dict[str, Any], name: str) -> bytes | None:
    if name in case:
        return str(case[name]).encode()
    digits = case.get(f"{name}_hex")
    return None if digits is None else bytes.fromhex(digits)


def parts(case: dict[str, Any], other: str) -> tuple[str, list[str], bytes]:
    """Status, headers and body."""
    headers = [header.replace("{other}", other) for header in case.get("headers", [])]
    body = data(case, "body")
    if body is not None:
        times, text = case.get("repeat", (0, ""))
        body += text.encode() * times
        headers.append(f"Content-Length: {case.get('length', len(body))}")
    return case["status"], headers, body or b""


def wire(case: dict[str, Any], other: str) -> bytes:
    status, headers, body = parts(case, other)
    head = "\r\n".join([f"HTTP/1.1 {status}", "Connection: close", *headers, "", ""])
    return case.get("before", "").encode() + head.encode() + body


def elsewhere(path: str) -> bytes:
    if path in ("/robots.txt", "/rules.txt"):
        return answer(200, RULES)
    return answer(503 if path == "/broken" else 404)


@pytest.fixture(scope="module")
def sites() -> Iterator[Sites]:
    sites = Sites()
    yield sites
    sites.close()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.asyncio
async def test_from_servers(kind: str, sites: Sites) -> None:
    other = sites.add(lambda path, headers: elsewhere(path))

    def add(case: dict[str, Any]) -> str:
        sent = wire(case, other)
        return sites.add(
            lambda path, headers: sent if path == "/robots.txt" else elsewhere(path)
        )

    origins = [add(case) for case in CASES]
    differences = []
    async with KINDS[kind]() as fetcher, Sieve("FooBot", fetcher=fetcher) as sieve:
        for case, origin in zip(CASES, origins):
            site = await sieve.site(origin)
            wanted = {"absent": "absent", "unreachable": "unreachable"}.get(case["kind"], "present")
            found = [site.is_allowed(path) for path in PATHS]
            if not site.outcome.startswith(wanted) or found != [
                case[name] == "allow" for name in PATHS.values()
            ]:
                differences.append((case["id"], site.outcome, *found))
            # A mocked transport decodes all bodies before anyone asks, and says what is wrong with them.
            elif kind != "mocked httpx" and case.get("why", "") not in site.outcome:
                differences.append((case["id"], site.outcome, case["why"]))
    assert differences == [], kind


def test_from_archives() -> None:
    """What the rows of a WARC file say. Redirects are followed by those who have all rows."""
    for case in CASES:
        status, headers, body = parts(case, "http://other.example")
        block = record("\r\n".join([status, *headers]), body)
        (row,) = rows(block, "w.warc")
        said = said_of(row["url"], row["status"], row["location"], error=row["error"])[0]
        kind = "parsed" if "archive_root" in case else case["kind"]
        if case.get("archive") == "unknown":
            wanted = {"nothing"}
        elif status.startswith("304"):
            wanted = {"unchanged"}
        elif "Location" in str(headers) and case["kind"] != "absent":
            wanted = {"redirect"}
        elif kind in ("absent", "unreachable"):
            wanted = {"status", "no-target", "redirect", "failed"}
        else:
            wanted = {"file"}
        assert said in wanted, (case["id"], said, row["error"])
        if said == "file":
            policy = Robots(row["body"]).policy("FooBot")
            for path, name in PATHS.items():
                verdict = case.get("archive_root", case[name]) if path == "/" else case[name]
                assert policy.is_allowed(path) is (verdict == "allow"), case["id"]


def test_from_files() -> None:
    for case in CASES:
        file = data(case, "file")
        if file is None:
            continue
        policy = Robots(file).policy("FooBot")
        for path, name in PATHS.items():
            assert policy.is_allowed(path) is (case[name] == "allow"), (case["id"], path)
