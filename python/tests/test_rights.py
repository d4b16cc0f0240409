"""What may be done with a page: the cases of every language, and columns that say what single calls say."""

import gc
import json
import os
import pickle
import subprocess
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import duckdb
import httpx
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robotsieve import (
    Answers,
    InvalidName,
    InvalidOrigin,
    InvalidUrl,
    Rights,
    RightsColumns,
    RightsLicence,
    RightsReader,
    RightsStatement,
    Robots,
)

ROOT = Path(__file__).resolve().parents[2]
CORPUS = Path(os.environ.get("ROBOTSIEVE_CORPUS", ROOT / "../shared/corpus")).resolve()
COMMAND = Path(os.environ.get("ROBOTSIEVE_COMMAND", ROOT / "target/debug/robotsieve"))
PUBLISHED = CORPUS / "../rights/cases.json"
PURPOSES = ["crawl", "index", "snippet", "ai-input", "ai-train", "ai-index"]
WORDS = ["crawl", "index", "snippet", "ai_input", "ai_train", "ai_index"]


def cases() -> list[Any]:
    own = json.loads((ROOT / "tests/it/rights_cases.json").read_text("utf-8"))
    return own + (json.loads(PUBLISHED.read_text("utf-8")) if PUBLISHED.is_file() else [])


CASES = [pytest.param(case, id=case["id"]) for case in cases()]


def reader_of(asked: dict[str, Any]) -> RightsReader:
    now = datetime.fromisoformat(asked["now"].replace("Z", "+00:00")) if "now" in asked else None
    return RightsReader(
        [name.strip() for name in asked["crawler"].split(",")],
        reading=asked.get("reading", "generic"),
        vocabulary=asked.get("versions", {}).get("aipref-vocab", "08"),
        now=now,
    )


def rights_of(asked: dict[str, Any]) -> Rights:
    given = {name: asked.get(name) for name in ("robots", "headers", "html", "files")}
    return reader_of(asked).rights(asked["url"], **given)


def without_order(value: Any) -> Any:
    """What is empty is left out, and lists are sets."""
    if isinstance(value, dict):
        all_ = {name: without_order(of) for name, of in value.items()}
        return {name: of for name, of in all_.items() if of not in (None, [], {})}
    if isinstance(value, list):
        return sorted((without_order(of) for of in value), key=repr)
    return value


def test_there_are_cases() -> None:
    assert len(CASES) in (42, 42 + 133)


@pytest.mark.parametrize("case", CASES)
def test_cases(case: dict[str, Any]) -> None:
    found = without_order(rights_of(case["input"]).to_dict())
    expected = without_order(case["expect"])
    assert set(expected.pop("notes", [])) <= set(found.pop("notes", []))
    assert found == expected


def row_of(rights: Rights) -> dict[str, Any]:
    """What the columns say of a URL with these rights."""
    limits = rights.limits
    return {
        **{purpose: getattr(rights, word) for purpose, word in zip(PURPOSES, WORDS, strict=True)},
        "by": [
            {"purpose": purpose, "place": one.place, "version": one.version}
            for purpose, by in rights.by.items()
            for one in by
        ],
        "licences": [
            {"kind": one.kind, "url": one.url, "via": one.via, "state": one.state} for one in rights.licences
        ],
        "licensable": rights.licensable,
        "conditions": [
            {"purpose": purpose, "condition": one} for purpose, all_ in rights.conditions.items() for one in all_
        ],
        "limits": {
            "max-snippet": limits.get("max-snippet"),
            "index": limits.get("index"),
            "ai-input": limits.get("ai-input"),
        },
        "use": rights.use,
        "notes": rights.notes,
        "invalid": None,
    }


def invalid_row(why: str) -> dict[str, Any]:
    return {**dict.fromkeys(row_of(RightsReader("a").rights("/"))), **dict.fromkeys(PURPOSES, "invalid"), "invalid": why}


def rows(columns: RightsColumns) -> list[dict[str, Any]]:
    table: list[dict[str, Any]] = pa.table(columns).to_pylist()
    return table


@pytest.mark.parametrize("case", CASES)
def test_cases_in_columns(case: dict[str, Any]) -> None:
    asked = case["input"]
    files = {
        # For many sites there is no site that a path could be of.
        (f"https://example.com{address}" if address.startswith("/") and "tdmrep" not in address else address): file
        for address, file in asked.get("files", {}).items()
    }
    reader = reader_of(asked)
    columns = reader.columns(
        [asked["url"]],
        robots=[asked.get("robots")],
        headers=[asked.get("headers")],
        html=[asked.get("html")],
        files=files,
    )
    assert rows(columns) == [row_of(rights_of(asked))]


#: What the cases have, to be mixed.
URLS = ["https://example.com/a", "https://example.com/open/1", "/b?x=1", "not a URL", "http://e.org/a", None]
HEADERS = [None, [], *(case["input"]["headers"] for case in cases() if "headers" in case["input"])]
PAGES = [None, *(case["input"]["html"] for case in cases() if "html" in case["input"])]
FILES = [None, "", *(case["input"]["robots"] for case in cases() if "robots" in case["input"])]
ROW = st.tuples(
    st.sampled_from(URLS), st.sampled_from(HEADERS), st.sampled_from(PAGES), st.sampled_from(FILES)
)
READER = RightsReader(["ExampleBot", "Googlebot"], reading="google", now=1_790_000_000)
PAIR = pa.struct([("name", pa.string()), ("value", pa.binary())])


def one_by_one(all_: list[tuple[Any, Any, Any, Any]]) -> list[dict[str, Any]]:
    said = []
    for url, headers, html, robots in all_:
        try:
            if url is None:
                raise InvalidUrl
            said.append(row_of(READER.rights(url, robots=robots, headers=headers, html=html)))
        except InvalidUrl:
            said.append(invalid_row("url"))
    return said


def as_text(headers: list[list[str]] | None) -> str | None:
    return None if headers is None else "HTTP/1.1 200 OK\r\n" + "".join(f"{a}: {b}\r\n" for a, b in headers) + "\r\n"


def in_two(array: pa.Array) -> pa.ChunkedArray:
    """The same in two parts, the second of which has an offset."""
    middle = len(array) // 3
    return pa.chunked_array([array[:middle], array[middle:]], array.type)


@settings(deadline=None, max_examples=60)
@given(st.lists(ROW, max_size=12))
def test_columns_say_what_single_calls_say(all_: list[tuple[Any, Any, Any, Any]]) -> None:
    expected = one_by_one(all_)
    urls, headers, html, robots = ([row[part] for row in all_] for part in range(4))
    assert rows(READER.columns(urls, robots=robots, headers=headers, html=html)) == expected
    pairs = [None if of is None else [(name, value.encode()) for name, value in of] for of in headers]
    by_name = [None if of is None else _grouped(of) for of in headers]
    in_order = all(of is None or _grouped_again(of) == of for of in headers)
    forms: list[Any] = [
        pa.array(pairs, pa.map_(pa.string(), pa.binary())),
        pa.array([None if of is None else [dict(zip(("name", "value"), one)) for one in of] for of in pairs], pa.list_(PAIR)),
        pa.array(list(map(as_text, headers)), pa.large_string()).dictionary_encode(),
        list(map(as_text, headers)),
    ]
    # Lines of a field that stand apart come together.
    if in_order:
        forms += [pa.array(by_name, pa.map_(pa.string(), pa.list_(pa.string()))), [None if of is None else dict(of) for of in by_name]]
    for number, form in enumerate(forms):
        files: Any = pa.array(robots, pa.string_view() if number % 2 else pa.string())
        if number == 2:
            files = files.dictionary_encode()
        pages = pa.array(html, pa.large_binary())
        found = READER.columns(
            in_two(pa.array(urls, pa.string())),
            robots=files,
            headers=form if isinstance(form, list) else in_two(form),
            html=pages,
        )
        assert rows(found) == expected, number
    series = READER.columns(
        pl.Series(urls, dtype=pl.String),
        robots=pl.Series(robots, dtype=pl.Categorical),
        headers=pl.Series([None if of is None else [{"n": a, "v": b} for a, b in of] for of in headers], dtype=pl.List(pl.Struct({"n": pl.String, "v": pl.String}))),
        html=pl.Series(html, dtype=pl.String),
    )
    assert rows(series) == expected


def _grouped(headers: list[list[str]]) -> list[tuple[str, list[str]]]:
    names: dict[str, list[str]] = {}
    for name, value in headers:
        names.setdefault(name, []).append(value)
    return list(names.items())


def _grouped_again(headers: list[list[str]]) -> list[list[str]]:
    return [[name, value] for name, values in _grouped(headers) for value in values]


def test_robots_by_origin() -> None:
    files: dict[Any, Any] = {
        "https://e.com/x": "User-agent: *\nDisallow: /a",
        "http://e.com": Robots("User-agent: a\nContent-Usage: train-ai=n\nAllow: /"),
        "https://none.example": None,
    }
    urls = ["https://E.com:443/a", "http://e.com/a", "https://none.example/", "https://f.com/", "/a", "x"]
    columns = RightsReader("a").columns(urls, robots=files)
    assert list(columns.crawl) == ["disallow", "allow", "unknown", "unknown", "unknown", "invalid"]
    assert list(columns.ai_train) == ["unknown", "disallow", "unknown", "unknown", "unknown", "invalid"]
    # A site whose file is not among them may say no in it; one without a file has an empty one.
    yes = {"Content-Signal": "ai-train=yes"}
    columns = RightsReader("a").columns(urls[2:4], robots={"https://f.com": ""}, headers=[yes, yes])
    assert list(columns.ai_train) == ["unknown", "allow"]
    assert pa.table(columns)["notes"].to_pylist() == [["robots-not-read"], []]
    with pytest.raises(InvalidOrigin):
        RightsReader("a").columns(urls, robots={"e.com": ""})


def test_a_part_of_a_page() -> None:
    headers = {"Content-Signal": "ai-train=yes", "Content-Range": "bytes 0-9/10"}
    reader = RightsReader("a")
    assert reader.rights("/", headers=headers).ai_train == "allow"
    headers["Content-Range"] = "bytes 0-9/11"
    rights = reader.rights("/", headers=headers)
    assert (rights.ai_train, rights.notes) == ("unknown", ["page-cut"])
    for form in ([headers], ["\r\n".join(map(": ".join, headers.items()))], pa.array([list(headers.items())], pa.map_(pa.string(), pa.string()))):
        assert list(reader.columns(["/"], headers=form).ai_train) == ["unknown"]


def test_a_file_behind_the_limit() -> None:
    yes = "User-agent: *\nContent-Signal: ai-train=yes\n"
    reader = RightsReader("a")
    rights = reader.rights("/", robots=yes + "#\n" * 256_000)
    assert (rights.ai_train, rights.notes) == ("unknown", ["robots-not-read"])
    assert list(reader.columns(["/"], robots=[yes + "#\n" * 256_000]).ai_train) == ["unknown"]


def test_one_robots_for_all() -> None:
    robots = Robots("User-agent: *\nDisallow: /a*b$", "original-1994")
    for file in (robots, robots.body, robots.body.decode(), bytearray(robots.body)):
        said = list(RightsReader("a").columns(["/a*b$", "/aXb"], robots=file).crawl)
        assert said == (["disallow", "allow"] if file is robots else ["allow", "disallow"])
    # The profile of the reader is that of files without one.
    old = RightsReader("a", profile="original-1994")
    assert old.rights("/a*b$", robots=robots.body) == old.rights("/a*b$", robots=robots)
    assert old.rights("/a*b$", robots=robots).crawl == "disallow"


def test_invalid_rows() -> None:
    reader = RightsReader("a")
    headers = ["X-Robots-Tag: noai", "no header", None, "no header", b"\xff"]
    columns = reader.columns(["/a", "/b", None, "x", b"/\xff"], headers=headers, html=["<p>"] * 5)
    found = rows(columns)
    assert found[0]["ai-train"] == "disallow" and found[0]["invalid"] is None
    assert found[1:] == [invalid_row("headers"), invalid_row("url"), invalid_row("url"), invalid_row("headers")]
    texts = pa.array(headers, pa.binary())
    assert rows(reader.columns(["/a", "/b", None, "x", b"/\xff"], headers=texts, html=pa.nulls(5))) == found


def test_many_threads_and_nothing() -> None:
    urls = [f"https://e.com/{number}" for number in range(50_000)]
    headers = pa.array(["X-Robots-Tag: noai" if number % 3 else None for number in range(len(urls))])
    reader = RightsReader("a")
    one, two = (reader.columns(urls, headers=headers, threads=threads) for threads in (1, None))
    assert len(one) == 50_000 and pa.table(one) == pa.table(two)
    assert isinstance(one.ai_train, Answers) and one.ai_train.disallowed_count == 33_333
    assert len(one.crawl) == len(one.index) == len(one.snippet) == len(one.ai_input) == 50_000
    assert repr(one) == "<robotsieve.RightsColumns of 50000 URLs>"
    none = reader.columns([], headers=[], html=[], robots=[])
    assert len(none) == 0 and pa.table(none).schema == pa.table(one).schema
    assert pa.schema(none) == pa.table(one).schema
    assert pl.DataFrame(none).height == 0


def test_into_libraries(tmp_path: Path) -> None:
    columns = READER.columns(["https://e.com/a", "x"], headers=[{"X-Robots-Tag": "noai"}, None])
    frame = pl.DataFrame(columns)
    assert frame["ai-train"].cast(pl.String).to_list() == ["disallow", "invalid"]
    assert frame["by"].to_list()[0] == row_of(READER.rights("/", headers={"X-Robots-Tag": "noai"}))["by"]
    frame.write_parquet(tmp_path / "polars.parquet")
    pq.write_table(pa.table(columns), tmp_path / "arrow.parquet")
    with duckdb.connect() as db:
        db.register("said", pa.table(columns))
        asked = 'SELECT "ai-train", "by"[1].place FROM {} ORDER BY 1'
        expected = [("disallow", "header:x-robots-tag:1"), ("invalid", None)]
        for source in ("said", f"'{tmp_path}/arrow.parquet'", f"'{tmp_path}/polars.parquet'"):
            assert db.execute(asked.format(source)).fetchall() == expected


def test_headers_of_other_programs() -> None:
    reader = RightsReader("a")
    expected = ["header:x-robots-tag:1", "header:x-robots-tag:2"]
    lines = [("X-Robots-Tag", "a: noindex"), ("X-Robots-Tag", "noindex"), ("Server", "x")]
    forms: list[Any] = [
        lines,
        iter(lines),
        {"x-robots-tag": ["a: noindex", "noindex"], "other": 3},
        {b"X-Robots-Tag": (b"a: noindex", memoryview(b"noindex"))},
        httpx.Headers(lines),
        "".join(f"{name}: {value}\r\n" for name, value in lines),
        b"HTTP/1.1 301\r\nX-Robots-Tag: noai\r\n\r\nHTTP/2 200\r\nx-robots-tag: a: noindex\r\nx-robots-tag: noindex\r\n",
    ]
    for headers in forms:
        assert [by.place for by in reader.rights("/", headers=headers).by["index"]] == expected


@pytest.mark.parametrize(
    ("headers", "error", "message"),
    [
        (3, TypeError, "headers must be a mapping of names and values, .*, not int"),
        ([3], TypeError, "not int"),
        (["ab"], TypeError, "not str"),
        ([("a", "b", "c")], TypeError, "not tuple"),
        ({"Content-Usage": 3}, TypeError, "the value of a header field must be .* not int"),
        ({3: "a"}, TypeError, "the name of a header field must be .* not int"),
        ("A: b\nno header", ValueError, "headers, line 2: expected 'Name: value', found 'no header'"),
    ],
)
def test_wrong_headers(headers: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        RightsReader("a").rights("/", headers=headers)
    if error is TypeError:
        with pytest.raises(TypeError, match=f"row 1: .*{message}"):
            RightsReader("a").columns(["/", "/"], headers=[None, headers])


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        ({"headers": [None]}, ValueError, "headers has fewer rows than urls"),
        ({"html": [None] * 3}, ValueError, "urls has fewer rows than html"),
        ({"robots": [None]}, ValueError, "robots has fewer rows than urls"),
        ({"robots": pa.nulls(3)}, ValueError, "urls has fewer rows than robots"),
        ({"headers": "A: b"}, TypeError, "headers must be .*, not one str: put it into brackets"),
        ({"html": b"<p>"}, TypeError, "html must be .*, not one bytes"),
        ({"html": [3, 4]}, TypeError, r"html\[0\] must be str, bytes or None, not int"),
        ({"headers": pa.array([1, 2])}, TypeError, "headers must be .*, not Arrow's Int64"),
        ({"headers": pa.array([["a"], []])}, TypeError, "headers must be .*, not Arrow's List"),
        ({"headers": pa.array([[(1, "b")], []], pa.map_(pa.int8(), pa.string()))}, TypeError, "Int8"),
        ({"robots": 3}, TypeError, "robots must be .*, not int"),
        ({"files": {"/l.xml": ""}}, ValueError, '"/l.xml" is not an address: give it in full'),
        ({"files": []}, TypeError, "files must be a mapping from addresses to files, not list"),
        ({"threads": 0}, ValueError, "threads must be 1 or more"),
    ],
    ids=str,
)
def test_wrong_columns(columns: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        RightsReader("a").columns(["/", "/"], **columns)


def test_wrong_readers() -> None:
    for wrong, message in (
        ({"reading": "x"}, 'there is no reading "x"; those there are: generic, google, bing, yandex, amazon'),
        ({"vocabulary": "09"}, 'there is no vocabulary "09"'),
        ({"policy_tokens": ["GPTBot"]}, 'there is no policy token "GPTBot"; .*: Google-Extended, Applebot-Extended'),
        ({"now": float("nan")}, "now must be a finite number"),
    ):
        with pytest.raises(ValueError, match=message):
            RightsReader("a", **wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="policy_tokens must be a list of names"):
        RightsReader("a", policy_tokens="Google-Extended")
    with pytest.raises(TypeError, match="now must be a datetime or seconds since 1970, not str"):
        RightsReader("a", now="2026-01-01")  # type: ignore[arg-type]
    with pytest.raises(InvalidName):
        RightsReader("GPTBot/1.0")
    with pytest.raises(InvalidUrl):
        RightsReader("a").rights("x")


def test_the_time() -> None:
    headers = {"X-Robots-Tag": "unavailable_after: 2026-06-01"}
    then = datetime(2026, 6, 2, tzinfo=timezone.utc)
    assert RightsReader("a", now=then).rights("/", headers=headers).index == "disallow"
    assert RightsReader("a", now=then - timedelta(days=2)).rights("/", headers=headers).index == "unknown"
    assert RightsReader("a", now=then.timestamp() + 0.5).now == int(then.timestamp())
    # The time is that of the call, so that it is judged in any case.
    assert abs(RightsReader("a").now - datetime.now(timezone.utc).timestamp()) < 60


def test_policy_tokens() -> None:
    robots = "User-agent: Google-Extended\nDisallow: /\n"
    reader = RightsReader("Googlebot", policy_tokens=["google-extended"])
    assert reader.rights("/", robots=robots).ai_train == "disallow"
    assert reader.policy_tokens == ["Google-Extended"]
    assert RightsReader("Googlebot").rights("/", robots=robots).ai_train == "unknown"


def test_values() -> None:
    reader = RightsReader(["a", "b"], reading="bing", vocabulary="aipref-vocab-4", now=3, policy_tokens=["Applebot-Extended"], profile="google")
    assert repr(reader) == (
        "RightsReader(Crawler('a', 'b'), reading='bing', vocabulary='04', now=3, "
        "policy_tokens=['Applebot-Extended'], profile=Profile('google'))"
    )
    assert (reader.reading, reader.vocabulary, reader.now, reader.profile.name) == ("bing", "04", 3, "google")
    assert reader.crawler.names == ("a", "b")
    again = pickle.loads(pickle.dumps(reader))
    assert again == reader and hash(again) == hash(reader) and again != RightsReader(["a", "b"], now=3)

    headers = {"tdm-reservation": "1", "tdm-policy": "https://e.com/p", "Other": "x"}
    files = {"https://e.com/l.xml": bytearray(b"<rsl/>")}
    robots = Robots("License: https://e.com/l.xml\nUser-agent: *\nContent-Signal: use=full\nAllow: /\n")
    rights = reader.rights("https://e.com/", robots=robots, headers=headers, html=memoryview(b"<p>"), files=files)
    assert set(rights.licences) == {
        RightsLicence("rsl", "https://e.com/l.xml", "robots.txt:1", "invalid"),
        RightsLicence("tdm-policy", "https://e.com/p", "header:tdm-policy"),
    }
    assert rights.licensable == ["ai-input", "ai-train"] and rights.use == "full"
    assert rights.by["crawl"] == [RightsStatement("robots.txt:4", "rfc9309")]
    assert "licence-invalid" in rights.notes and rights.conditions == {} and rights.limits == {}
    assert repr(rights).startswith("<robotsieve.Rights: crawl allow, index unknown")
    report = rights.report()
    assert report.purposes[0].reasons == ["robots.txt:4: Allow: / [rfc9309]"] and str(report) == str(rights)
    assert [of.purpose for of in report.purposes] == PURPOSES[:5]
    assert any("not a valid RSL document" in sentence for sentence in report.sentences)
    for value in (rights, report, report.purposes[0], rights.licences[0], rights.by["crawl"][0]):
        same = pickle.loads(pickle.dumps(value))
        assert same == value and str(same) == str(value)
    # What can change was copied.
    files["https://e.com/l.xml"][:] = b""
    assert pickle.loads(pickle.dumps(rights)) == rights


def test_a_file_is_compiled_once() -> None:
    """The objects that files were given as are kept, but not for ever."""
    reader = RightsReader("a")
    lines = "".join(f"Content-Usage: /{number}/*x train-ai=n\n" for number in range(2_000))
    robots = Robots(f"User-agent: *\n{lines}Allow: /\n")
    large = robots.body
    for _ in range(5_000):
        assert reader.rights("/7/x", robots=robots).ai_train == "disallow"
        assert reader.rights("/7/", robots=large).ai_train == "unknown"
    for number in range(1_000):
        file = f"User-agent: *\nDisallow: /{number}$"
        assert reader.rights(f"/{number}", robots=file).crawl == "disallow"
        del file
        gc.collect(0)
    bodies = pa.array([large, b""] * 100, pa.binary())
    for column in (bodies, bodies.dictionary_encode()):
        assert reader.columns(["/7/x"] * 200, robots=column).ai_train.disallowed_count == 100


@pytest.mark.skipif(not COMMAND.is_file(), reason=f"there is no {COMMAND}: ROBOTSIEVE_COMMAND names one")
def test_rights_are_those_of_the_command(tmp_path: Path) -> None:
    for case in cases()[::3]:
        asked = case["input"]
        arguments = ["rights", "--agent", asked["crawler"], "--reading", asked.get("reading", "generic")]
        arguments += ["--now", asked.get("now", "2026-11-26")]
        if "versions" in asked:
            arguments += ["--vocabulary", asked["versions"]["aipref-vocab"]]
        for name, content in (("robots", asked.get("robots")), ("html", asked.get("html"))):
            if content is not None:
                (tmp_path / name).write_text(content, "utf-8", newline="")
                arguments += [f"--{name}", str(tmp_path / name)]
        if "headers" in asked:
            text = "".join(f"{name}: {value}\n" for name, value in asked["headers"])
            (tmp_path / "headers").write_text(text, "utf-8", newline="")
            arguments += ["--headers", str(tmp_path / "headers")]
        for number, (address, file) in enumerate(asked.get("files", {}).items()):
            (tmp_path / f"file{number}").write_text(file, "utf-8", newline="")
            arguments += ["--file", f"{address}={tmp_path}/file{number}"]

        def said(*more: str, arguments: list[str] = arguments, url: str = asked["url"]) -> str:
            command = [COMMAND, *arguments, *more, "--", url]
            return subprocess.run(command, check=True, capture_output=True, text=True).stdout

        rights = rights_of({"now": "2026-11-26T00:00:00Z", **asked})
        assert rights.to_dict() == json.loads(said("--format", "json")), case["id"]
        assert str(rights) == said().partition("\n")[2].rstrip("\n"), case["id"]


def records_of(archive: Path, agent: str) -> list[dict[str, Any]]:
    """What the command says of the responses of an archive, each with the members of its basis."""
    asked = [COMMAND, "-q", "rights", "--agent", agent, "--warc", archive]
    bases: dict[str, dict[str, Any]] = {}
    records = []
    for line in subprocess.run(asked, check=True, stdout=subprocess.PIPE).stdout.splitlines():
        record = json.loads(line)
        if "digest" in record:
            bases[record.pop("digest")] = record
        else:
            basis = bases[record.pop("basis")]
            records.append({**record, **basis})
    return records


def responses_of(archive: Path) -> dict[int, tuple[str, bytes]]:
    """The headers and bodies of a plain archive, by the offset of their record."""
    rest, at, found = archive.read_bytes(), 0, {}
    while rest:
        head, _, after = rest.partition(b"\r\n\r\n")
        (length,) = (int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
        header, _, body = after[:length].partition(b"\r\n\r\n")
        found[at] = (header.decode("latin-1"), body)
        size = len(head) + 4 + length + 4
        rest, at = rest[size:], at + size
    return found


def test_records_are_those_of_the_command() -> None:
    schema = json.loads((ROOT / "cli/src/schema/rights.json").read_text("utf-8"))["$defs"]
    names = {*schema["record"]["properties"], *schema["basis"]["properties"]} - {"digest", "basis"}
    archive = ROOT / "corpora/archives/pages.warc"
    responses, compared = responses_of(archive), 0
    of_capture = ("captured", "status", "file", "offset", "sha256", "robots", "page", "age_seconds", "documents")
    for wanted in records_of(archive, "ExampleBot"):
        if wanted["page"] != "read" or "\r\nContent-Encoding" in responses[wanted["offset"]][0]:
            continue
        header, body = responses[wanted["offset"]]
        documents = {document["url"]: responses[document["offset"]][1] for document in wanted.get("documents", []) if "offset" in document}
        robots = next((body for url, body in documents.items() if url.endswith("/robots.txt")), None)
        files = {url: body for url, body in documents.items() if not url.endswith("/robots.txt")}
        reader = RightsReader("ExampleBot", now=datetime(2026, 3, 1, tzinfo=timezone.utc))
        rights = reader.rights(wanted["url"], robots=robots, headers=header, html=body, files=files)
        record = rights.to_record(**{name: wanted[name] for name in of_capture if name in wanted})
        assert set(record) <= names
        # That of the command is the time of its call.
        assert ("now" in record) == ("now" in wanted)
        assert {**record, "now": ""} == {**wanted, "now": ""}
        compared += 1
    assert compared >= 5


def test_captures_make_columns_of_records() -> None:
    reader = RightsReader("a")
    rights = reader.rights("/a", robots="User-agent: *\nContent-Signal: ai-train=yes\n", html="<p>")
    fits = '[{"fit": "later"}]'
    captures = {
        "captured": ["2026-03-01T09:03:00Z"] * 3,
        "age_seconds": ["[60]"] * 3,
        "status": [200] * 3,
        "file": ["a.warc"] * 3,
        "offset": [7, 8, 9],
        "sha256": ["00"] * 3,
        "robots": ["rules", "unknown", None],
        "page": [None, "read", "cut"],
        "documents": [None, fits, "no JSON"],
        "notes": [None, '["tdm-not-read"]', None],
    }
    robots, html = ["User-agent: *\nContent-Signal: ai-train=yes\n"] * 3, ["<p>"] * 3
    table = pa.table(reader.columns(["/a", "/a", "x"], robots=robots, html=html, captures=pa.table(captures)))
    rows = table.to_pylist()
    assert [row["ai-train"] for row in rows] == ["allow", "unknown", "invalid"]
    assert rows[1]["notes"] == ["document-later", "robots-not-read", "tdm-not-read"]
    record = rights.to_record(**{name: column[0] for name, column in captures.items() if column[0] is not None})
    of_record = [name for name in table.column_names if name in record]
    assert of_record == [name for name in record if name not in ("versions", "quotes")]
    texts = (name for name in of_record if isinstance(record[name], (str, int)))
    assert all(rows[0][name] == record[name] for name in texts if name != "page")
    assert rows[0]["url"] == "/a" and rows[0]["now"] is None
    with pytest.raises(ValueError, match="no 'digest'; it has captured, age_seconds"):
        reader.columns(["/"], captures=pa.table({"digest": ["x"]}))
    with pytest.raises(TypeError, match="captures must be an Arrow table"):
        reader.columns(["/"], captures=[{}])
    with pytest.raises(ValueError, match="captures has fewer rows than urls"):
        reader.columns(["/", "/"], captures=pa.table({"offset": [1]}))


def test_captures_whose_lists_are_damaged_permit_nothing() -> None:
    reader = RightsReader("a")
    for name in ("documents", "notes"):
        values = [None, "[]", "[", "no JSON", '{"fit": "later"}']
        captures = pa.table({"robots": ["rules"] * 5, name: values})
        robots = ["User-agent: *\nContent-Signal: ai-train=yes\n"] * 5
        table = pa.table(reader.columns(["/a"] * 5, robots=robots, html=["<p>"] * 5, captures=captures))
        assert table["ai-train"].to_pylist() == ["allow", "allow", "unknown", "unknown", "unknown"]
        assert table["notes"].to_pylist()[2:] == [["file-not-read"]] * 3


def test_records_permit_nothing_that_was_not_read() -> None:
    rights = RightsReader("a").rights("/", robots=b"User-agent: *\nContent-Signal: ai-train=yes\n", html="<p>")
    assert rights.to_record()["ai-train"] == "allow"
    older = [{"url": "https://e.com/robots.txt", "fit": "older"}]
    for capture, note, ruling in (
        ({"page": "cut"}, "page-cut", "unknown"),
        ({"page": "unreadable"}, "page-not-read", "unknown"),
        ({"robots": "disallow-all"}, "robots-not-read", "unknown"),
        ({"documents": older}, "document-older", "allow"),
        ({"notes": ["documents-differ"]}, "documents-differ", "unknown"),
        ({"notes": ["tdm-not-read"]}, "tdm-not-read", "unknown"),
    ):
        record = rights.to_record(**capture)  # type: ignore[arg-type]
        assert (record["ai-train"], record["notes"]) == (ruling, [note])
    # That something was read is true only of what was given.
    reader, yes = RightsReader("a"), {"Content-Signal": "ai-train=yes"}
    alone = reader.rights("/", headers=yes).to_record(robots="rules", page="read")
    assert (alone["ai-train"], alone["notes"]) == ("unknown", ["page-not-read", "robots-not-read"])
    words = pa.table({"robots": ["rules", "allow-all"], "page": ["read", "not-html"]})
    table = pa.table(reader.columns(["/", "/"], headers=[yes] * 2, captures=words))
    assert table["ai-train"].to_pylist() == ["unknown", "allow"]
    assert table["notes"].to_pylist()[0] == ["page-not-read", "robots-not-read"]
    with pytest.raises(TypeError, match="no 'url'; it has captured, age_seconds"):
        rights.to_record(url="/")  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="there is no note 'x'"):
        rights.to_record(notes=["x"])
    with pytest.raises(ValueError, match="page must be one of read, not-html"):
        rights.to_record(page="all")
    for documents in [{"fit": "later"}, ["later"]]:
        with pytest.raises(TypeError, match="documents must be a list of mappings"):
            rights.to_record(documents=documents)  # type: ignore[arg-type]


def test_columns_say_what_they_cut() -> None:
    headers = [[("X-Robots-Tag", "noindex, noai")] * 1_001]
    (row,) = pa.table(RightsReader("a").columns(["/"], headers=headers)).to_pylist()
    assert "cut" in row["notes"]
    assert {"index", "ai-train"} <= {one["purpose"] for one in row["by"]}


def test_xmp() -> None:
    packet = (
        b'<?xpacket begin="" id="x"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF '
        b'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description '
        b'xmlns:plus="http://ns.useplus.org/ldf/xmp/1.0/" plus:DataMining="http://ns.useplus.org/ldf/vocab/DMI-PROHIBITED"/>'
        b'</rdf:RDF></x:xmpmeta><?xpacket end="w"?>'
    )
    reader = RightsReader("a")
    rights = reader.rights("/a.gif", xmp=b"GIF89a\0\0\0\0\0\0\0;" + packet)
    assert [one.place for one in rights.by["ai-train"]] == ["xmp:plus:DataMining:1"]
    assert "xmp:plus:DataMining:1: plus:DataMining: http" in str(rights)
    assert pickle.loads(pickle.dumps(rights)) == rights
    assert rights.to_record(robots="allow-all")["page"] == "metadata"
    column = [b"GIF89a\0\0\0\0\0\0\0;" + packet, None]
    captures = pa.table({"robots": ["allow-all"] * 2})
    table = pa.table(reader.columns(["/a.gif", "/b"], xmp=column, captures=captures)).to_pylist()
    assert [(row["ai-train"], row["notes"]) for row in table] == [("disallow", rights.notes), ("unknown", ["page-not-read"])]
    assert reader.rights("/a.gif", xmp=b"GIF89a\0\0\0\0\0\0\0;").notes == ["xmp-silent"]
    assert reader.rights("/a.gif", xmp=b"").notes == ["xmp-not-read"]
    with pytest.raises(ValueError, match="give html or xmp, not both"):
        reader.rights("/", html="", xmp=b"")
