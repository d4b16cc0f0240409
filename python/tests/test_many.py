"""Many URLs at once: whatever holds them, on however many threads."""

import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping

import duckdb
import nanoarrow as na
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from robotsieve import (
    Answers,
    Crawler,
    CrawlerVerdicts,
    InvalidName,
    PackWriter,
    Policy,
    PolicySet,
    Robots,
    UserAgent,
    Verdicts,
)

URLS = ["https://e.com/", "https://e.com/search", None, "no URL", "https://e.com/é/search"]
EXPECTED = [True, False, None, None, True]
WORDS = ["allow", "disallow", "invalid", "invalid", "allow"]


@pytest.fixture(scope="module")
def policy() -> Policy:
    return Robots("User-agent: *\nDisallow: /search").policy("MyCrawler")


BYTES = [url and url.encode() for url in URLS]
SOURCES = {
    "list": URLS,
    "tuple": tuple(BYTES),
    "generator": lambda: (url for url in URLS),
    "set of one": {"https://e.com/"},
    "numpy of objects": np.array(URLS, dtype=object),
    "numpy of objects with nan": np.array([URLS[0], URLS[1], float("nan"), *URLS[3:]], dtype=object),
    "numpy U": np.array([url or "" for url in URLS]),
    "numpy S": np.array([url or b"" for url in BYTES]),
    "numpy StringDType": np.array(
        URLS, dtype=np.dtypes.StringDType(na_object=None)
    ),
    "pandas": pd.Series(URLS),
    "pandas objects": pd.Series(URLS, dtype=object),
    "pandas string": pd.Series(URLS, dtype="string"),
    "pandas NA": [URLS[0], URLS[1], pd.NA, *URLS[3:]],
    "pandas categorical": pd.Series(URLS, dtype="category"),
    "polars": pl.Series(URLS),
    "polars binary": pl.Series(BYTES),
    "polars categorical": pl.Series(URLS, dtype=pl.Categorical),
    "polars frame of one column": pl.DataFrame({"url": URLS}),
    "nanoarrow": na.Array(URLS, na.string()),
    "chunked": pa.chunked_array([URLS[:2], [], URLS[2:]]),
    "a table of one column": pa.table({"url": URLS}),
    "a reader": lambda: pa.table({"url": URLS}).to_reader(max_chunksize=2),
    "sliced": pa.array(["x", None, *URLS, "y"])[2:-1],
    "dictionary": pa.array(URLS).dictionary_encode(),
    "dictionary of binary": pa.array(BYTES).dictionary_encode(),
    "sliced dictionary": pa.array(["x", None, *URLS, "y"]).dictionary_encode()[2:-1],
    "dictionary with a null value": pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 2, 3, 4], pa.int8()), pa.array(URLS)
    ),
    "duckdb": lambda: duckdb.from_arrow(pa.table({"url": URLS})).select("url"),
    **{
        str(kind): pa.array(URLS if "string" in str(kind) else BYTES, kind)
        for kind in (
            pa.string(),
            pa.large_string(),
            pa.string_view(),
            pa.binary(),
            pa.large_binary(),
            pa.binary_view(),
        )
    },
}


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("threads", [1, 3, None])
def test_sources(policy: Policy, name: str, threads: int | None) -> None:
    source = SOURCES[name]
    verdicts = policy.verdicts(source() if callable(source) else source, threads=threads)
    if name == "set of one":
        assert list(verdicts) == [True]
        return
    assert list(verdicts) == EXPECTED
    assert list(policy.answers(source() if callable(source) else source)) == WORDS


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.binary(), pa.string_view()], ids=str)
def test_empty_slices(policy: Policy, kind: pa.DataType) -> None:
    """Their offsets lead into values that they do not have."""
    array = pa.array(["/search", "/x"], kind)
    for empty in (array.slice(2), array.slice(1, 0), array.slice(0, 0)):
        assert policy.verdicts(empty).to_pylist() == []
        assert policy.verdicts(pa.chunked_array([empty, array])).to_pylist() == [False, True]
        keys = pa.array([None], pa.int8())
        assert policy.verdicts(pa.DictionaryArray.from_arrays(keys, empty)).to_pylist() == [None]


@pytest.mark.parametrize("rows", [4, 1000], ids=["few", "many"])
@pytest.mark.parametrize(
    "form",
    [
        list,
        pa.array,
        lambda urls: pa.array(urls, pa.string_view()),
        lambda urls: pa.array(urls).dictionary_encode(),
        lambda urls: pa.array(urls).dictionary_encode("encode"),
    ],
    ids=["list", "array", "view", "null keys", "null value"],
)
def test_null_is_not_the_empty_url(form: Callable[[list[str | None]], object], rows: int) -> None:
    """The bytes of a null are empty, and for Google an empty URL has a verdict."""
    urls = ["", None, "/search", None] * (rows // 4)
    robots = Robots("User-agent: *\nDisallow: /search", "google")
    expected = [True, None, False, None] * (rows // 4)
    assert robots.policy("MyCrawler").verdicts(form(urls)).to_pylist() == expected
    both = robots.policies(["MyCrawler", "Other"]).verdicts_by_crawler(form(urls))
    assert both.to_pydict() == {"MyCrawler": expected, "Other": expected}


def test_without_threads(policy: Policy) -> None:
    """If the system starts no threads, the one that asks does all the work."""
    code = """if True:
        import resource
        import pyarrow as pa
        from robotsieve import Robots
        policy = Robots("User-agent: *\\nDisallow: /search").policy("x")
        urls = pa.array(["/search", "/x"] * 200_000)
        policy.verdicts(urls)
        with open("/proc/self/statm") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + (12 << 20), resource.RLIM_INFINITY))
        print(policy.verdicts(urls, threads=200).disallowed_count)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "200000", done.stderr


def test_interrupting() -> None:
    """Ctrl-C ends a batch that takes long, on one thread and on several."""
    code = """if True:
        import os, signal, sys, threading, time
        import pyarrow as pa
        from robotsieve import Robots
        body = "User-agent: *\\n" + "".join(f"Disallow: /*{'a*' * 12}{n}x\\n" for n in range(3000))
        policy = Robots(body).policy("x")
        urls = pa.array(["/" + "a" * 900] * 400_000)
        policy.verdicts(urls[:300])
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        begin = time.monotonic()
        try:
            policy.verdicts(urls, threads=int(sys.argv[1]))
            print("not interrupted")
        except KeyboardInterrupt:
            print(time.monotonic() - begin)
    """
    for threads in ("1", "2"):
        command = [sys.executable, "-c", code, threads]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert float(done.stdout) < 3, done.stderr


@pytest.mark.parametrize("kind", ["chunked", "stream", "list", "dictionary"])
def test_interrupting_parts(kind: str) -> None:
    """Ctrl-C ends it too if no part of the URLs takes long."""
    code = """if True:
        import itertools, os, signal, sys, threading, time
        import pyarrow as pa
        from robotsieve import Robots
        policy = Robots("User-agent: *\\nDisallow: /x").policy("x")
        chunk = pa.array(["https://example.com/page"] * 10_000)
        keys = pa.DictionaryArray.from_arrays(pa.array([0] * 10_000, pa.int32()), pa.array(["/x"]))
        schema = pa.schema({"url": chunk.type})
        batches = itertools.repeat(pa.record_batch({"url": chunk}), 50_000)
        urls = {
            "chunked": lambda: pa.chunked_array([chunk] * 50_000),
            "stream": lambda: pa.RecordBatchReader.from_batches(schema, batches),
            "list": lambda: itertools.repeat("https://example.com/page", 500_000_000),
            "dictionary": lambda: pa.chunked_array([keys] * 50_000),
        }[sys.argv[1]]()
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        begin = time.monotonic()
        try:
            policy.verdicts(urls)
            print("not interrupted")
        except KeyboardInterrupt:
            print(time.monotonic() - begin)
    """
    done = subprocess.run([sys.executable, "-c", code, kind], capture_output=True, text=True, timeout=120)
    assert float(done.stdout) < 3, done.stderr


def test_only_values_that_rows_have_are_judged(policy: Policy) -> None:
    """A dictionary is not judged whole for a slice of it, nor again for each array that shares it."""
    values = pa.array([f"https://e.com/search/{n}" if n % 2 else f"https://e.com/{n}" for n in range(200_000)])
    whole = pa.DictionaryArray.from_arrays(pa.array(range(200_000), pa.int32()), values)
    shared = pa.chunked_array([whole[n * 2_000 : (n + 1) * 2_000] for n in range(100)])

    def seconds(urls: object) -> float:
        begin = time.monotonic()
        judged = policy.verdicts(urls)  # type: ignore[arg-type]
        assert judged.to_pylist() == [n % 2 == 0 for n in range(len(judged))]
        return time.monotonic() - begin

    plain = min(seconds(values) for _ in range(3))
    assert seconds(shared) < 5 * plain + 0.1
    assert seconds(whole[:10]) < plain + 0.1


@pytest.mark.parametrize("type", [pa.int8(), pa.uint8(), pa.int16(), pa.int32(), pa.int64(), pa.uint64()])
def test_invalid_keys(policy: Policy, type: pa.DataType) -> None:
    values = pa.array(["/search", "/x"])
    for key, is_valid in ((1, True), (2, False), (100, False), (-1, False)):
        if key < 0 and "u" in str(type):
            continue
        urls = pa.DictionaryArray.from_arrays(pa.array([0, None, key], type), values, safe=False)
        if is_valid:
            assert policy.verdicts(urls).to_pylist() == [False, None, True]
        else:
            with pytest.raises(ValueError, match=r"urls\[2\] is invalid: its dictionary of 2 values has none"):
                policy.verdicts(urls)


def test_what_is_missing(policy: Policy) -> None:
    for none in (None, float("nan"), np.float32("nan"), np.float64("nan"), pd.NA, pd.NaT, np.datetime64("NaT")):
        assert list(policy.verdicts(["/search", none])) == [False, None]
    for other in (np.float32(1), 1.5, pd.Timestamp(0)):
        with pytest.raises(TypeError, match=r"urls\[0\] must be str, bytes or None"):
            policy.verdicts([other])  # type: ignore[list-item]


def test_an_iterable_that_cannot_be_iterated(policy: Policy) -> None:
    class Broken:
        def __iter__(self):
            raise TypeError("the cursor is closed")

    with pytest.raises(TypeError, match="the cursor is closed"):
        policy.verdicts(Broken())


def test_an_unknown_crawler_is_told_before_anything_is_read() -> None:
    sites = PolicySet(["a", "b"])
    sites.add("https://e.com", "")
    urls = iter(["https://e.com/"])
    for ask in (sites.verdicts, sites.answers):
        with pytest.raises(ValueError, match="no such crawler"):
            ask(urls, crawler="Nope")
    assert list(urls) == ["https://e.com/"]


def test_nothing(policy: Policy) -> None:
    for none in ([], pa.array([], pa.string()), pa.chunked_array([], pa.string()), iter(())):
        assert policy.verdicts(none).to_pylist() == []
    assert policy.verdicts(pa.nulls(3)).to_pylist() == [None] * 3
    empty = pa.DictionaryArray.from_arrays(pa.array([None, None], pa.int8()), pa.array([], pa.string()))
    assert policy.verdicts(empty).to_pylist() == [None, None]


@pytest.mark.parametrize(
    ("urls", "message"),
    [
        ("https://e.com/", "not one str: put it into brackets"),
        (b"https://e.com/", "not one bytes: put it into brackets"),
        (memoryview(b"x"), "not one memoryview"),
        (3, "not int"),
        (None, "not NoneType"),
        (["https://e.com/", 3], r"urls\[1\] must be str, bytes or None, not int"),
        ([["https://e.com/"]], r"urls\[0\] must be str, bytes or None, not list"),
        (np.array([1, 2]), r"urls\[0\] must be"),
        (np.array([["a", "b"]]), r"urls\[0\] must be"),
        (pa.array([1]), "not Arrow's Int64"),
        (pa.array([["x"]]), "not Arrow's List"),
        (pa.array([1]).dictionary_encode(), "not Arrow's Dictionary"),
        (pa.table({"a": ["x"], "b": ["y"]}), "pass the column with the URLs"),
        (pl.DataFrame({"a": ["x"], "b": ["y"]}), "pass the column with the URLs"),
    ],
    ids=str,
)
def test_wrong_types(policy: Policy, urls: object, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        policy.verdicts(urls)  # type: ignore[arg-type]


def test_threads_are_counted(policy: Policy) -> None:
    with pytest.raises(ValueError, match="threads must be 1 or more"):
        policy.verdicts(["x"], threads=0)
    with pytest.raises(ValueError, match="threads must be 1 or more"):
        policy.verdicts(["x"], threads=-1)


def test_a_source_that_raises(policy: Policy) -> None:
    def broken():
        yield "https://e.com/"
        raise RuntimeError("the disk is gone")

    with pytest.raises(RuntimeError, match="the disk is gone"):
        policy.verdicts(broken())

    def batches():
        yield pa.record_batch({"url": ["https://e.com/"]})
        raise RuntimeError("the disk is gone")

    schema = pa.schema({"url": pa.string()})
    with pytest.raises(Exception, match="the disk is gone"):
        policy.verdicts(pa.RecordBatchReader.from_batches(schema, batches()))


def test_into_libraries(policy: Policy) -> None:
    verdicts, answers = policy.verdicts(URLS), policy.answers(URLS)
    assert pa.array(verdicts).type == pa.bool_() and pa.array(verdicts).to_pylist() == EXPECTED
    assert pa.chunked_array([pa.array(verdicts)]).null_count == 2
    assert pl.Series(verdicts).to_list() == EXPECTED
    assert pl.Series(answers).cast(pl.String).to_list() == WORDS
    assert na.Array(verdicts).to_pylist() == EXPECTED
    assert pa.array(answers).type == pa.dictionary(pa.int8(), pa.string())
    assert pa.array(answers).to_pylist() == WORDS
    frame = pd.DataFrame({"url": URLS})
    frame["allowed"] = pd.array(verdicts.to_pylist(), dtype="boolean")
    assert list(frame[frame["allowed"].fillna(False)]["url"]) == [URLS[0], URLS[4]]
    assert list(frame[np.equal(policy.verdicts(frame["url"]), True)]["url"]) == [URLS[0], URLS[4]]
    table = pa.table({"url": URLS})
    assert table.filter(pa.array(verdicts))["url"].to_pylist() == [URLS[0], URLS[4]]
    assert pc.sum(pa.array(verdicts)).as_py() == verdicts.allowed_count == 2
    lazy = pl.DataFrame({"url": URLS}).filter(pl.Series(verdicts))
    assert lazy["url"].to_list() == [URLS[0], URLS[4]]
    allowed = pa.table({"url": URLS, "allowed": pa.array(verdicts)})
    rows = duckdb.sql("select url from allowed where allowed").fetchall()
    assert rows == [(URLS[0],), (URLS[4],)]
    assert np.asarray(verdicts).tolist() == EXPECTED
    mask = np.asarray(verdicts[:2])
    assert mask.dtype == np.bool_ and mask.tolist() == [True, False] and mask.flags.writeable
    assert np.asarray(verdicts[:2], dtype="u1").tolist() == [1, 0]
    with pytest.raises(ValueError, match="always a copy"):
        np.array(verdicts, copy=False)
    assert np.asarray(answers).tolist() == WORDS


def test_polars_map_batches(policy: Policy) -> None:
    frame = pl.LazyFrame({"url": URLS}).with_columns(
        allowed=pl.col("url").map_batches(
            lambda urls: pl.Series(policy.verdicts(urls)), return_dtype=pl.Boolean
        )
    )
    assert frame.collect()["allowed"].to_list() == EXPECTED


def test_sequences(policy: Policy) -> None:
    verdicts = policy.verdicts(URLS)
    assert len(verdicts) == 5 and verdicts[0] is True and verdicts[-2] is None
    assert isinstance(verdicts[1:4], Verdicts) and list(verdicts[1:4]) == EXPECTED[1:4]
    assert list(verdicts[::-2]) == EXPECTED[::-2]
    assert True in verdicts and list(reversed(verdicts)) == EXPECTED[::-1]
    assert (verdicts.allowed_count, verdicts.disallowed_count, verdicts.undecided_count) == (2, 1, 2)
    for index in (5, -6, 2**70):
        with pytest.raises(IndexError, match=f"index {index} is out of range: there are 5"):
            verdicts[index]
    with pytest.raises(TypeError):
        verdicts["x"]  # type: ignore[call-overload]
    # What has no verdict is equal whatever the cause; in words it is not.
    sites = [policy.answers(["no URL"]), policy.answers([None])]
    assert sites[0] == sites[1] and isinstance(sites[0], Answers)


def test_several_crawlers() -> None:
    robots = Robots("User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /search")
    policies = robots.policies(["GPTBot", ["Googlebot-News", "Googlebot"]])
    assert policies.ask("https://e.com/") == {"GPTBot": "disallow", "Googlebot-News": "allow"}
    assert len(policies) == 2 and policies[-1].crawler.names == ("Googlebot-News", "Googlebot")
    verdicts = policies.verdicts_by_crawler(URLS)
    columns = {"GPTBot": [False, False, None, None, False], "Googlebot-News": EXPECTED}
    assert isinstance(verdicts, CrawlerVerdicts) and verdicts.to_pydict() == columns
    assert pa.table(verdicts).to_pydict() == columns
    assert pa.array(verdicts).type.num_fields == 2
    assert pa.record_batch(verdicts).num_rows == verdicts.row_count == 5
    # A mapping, from crawlers to columns.
    assert isinstance(verdicts, Mapping) and len(verdicts) == 2
    assert list(verdicts) == list(verdicts.keys()) == list(columns) and "GPTBot" in verdicts and 3 not in verdicts
    assert {name: list(column) for name, column in verdicts.items()} == columns
    assert {name: list(column) for name, column in dict(verdicts).items()} == columns
    assert [list(column) for column in verdicts.values()] == list(columns.values())
    assert verdicts.get("GPTBot") == verdicts["GPTBot"] and verdicts.get("Bingbot") is verdicts.get("x", None) is None
    match verdicts:
        case {"GPTBot": column}:
            assert column == verdicts["GPTBot"]
        case _:
            raise AssertionError("not a mapping")
    # One of them, whichever way it is named.
    for crawler in ("googlebot-news", ["Googlebot-News", b"Googlebot"], Crawler("googlebot-news", "Googlebot")):
        assert list(policies.verdicts(URLS, crawler=crawler)) == EXPECTED
    gpt = UserAgent("Mozilla/5.0 (compatible; GPTBot/1.1; +https://openai.com/gptbot)")
    assert list(policies.verdicts(URLS, crawler=gpt)) == columns["GPTBot"]
    assert list(policies.verdicts(URLS, crawler=b"GPTBot")) == columns["GPTBot"]
    with pytest.raises(ValueError, match="no such crawler"):
        policies.verdicts(URLS, crawler=Crawler("Googlebot-News"))
    assert list(policies.answers_by_crawler(URLS, crawlers=["Googlebot-News"])) == ["Googlebot-News"]
    with pytest.raises(ValueError, match="which crawler"):
        policies.verdicts(URLS)
    with pytest.raises(ValueError, match='crawler "GPTBot" is there twice'):
        policies.verdicts_by_crawler(URLS, crawlers=["GPTBot", "gptbot"])
    with pytest.raises(TypeError, match="must be a list of crawlers"):
        policies.verdicts_by_crawler(URLS, crawlers="GPTBot")
    assert policies.verdicts_by_crawler(URLS, crawlers=[]).row_count == 5
    assert pl.DataFrame(verdicts).to_dict(as_series=False) == columns
    assert list(verdicts["GPTBot"]) == columns["GPTBot"]
    assert duckdb.from_arrow(pa.table(verdicts)).columns == list(columns)
    with pytest.raises(KeyError, match="the crawlers are GPTBot, Googlebot-News"):
        verdicts["Bingbot"]
    with pytest.raises(TypeError, match="must be str"):
        verdicts[0]  # type: ignore[index]
    assert pa.table(policies.answers_by_crawler(URLS))["GPTBot"].to_pylist()[3] == "invalid"
    with pytest.raises(ValueError, match="two crawlers have the name"):
        robots.policies(["a", "a"])
    with pytest.raises(TypeError, match="brackets"):
        robots.policies("GPTBot")
    assert list(robots.policies(["a", ["a", "b"]]).verdicts_by_crawler(URLS)) == ["a", "a+b"]
    for make in (robots.policies, PolicySet, lambda crawlers: PackWriter("p", crawlers)):
        with pytest.raises(InvalidName, match="at least one crawler"):
            make([])
        with pytest.raises(InvalidName, match="a crawler needs a name"):
            make([""])
    assert pickle.loads(pickle.dumps(policies)).verdicts_by_crawler(URLS) == verdicts


def test_large_batches_agree_with_single_questions(policy: Policy) -> None:
    urls = [f"https://e.com/{'search' if n % 3 == 0 else n}" for n in range(150_000)]
    urls[77_777] = None  # type: ignore[call-overload]
    expected = [None if url is None else policy.is_allowed(url) for url in urls]
    for threads in (1, 2, 7):
        assert policy.verdicts(urls, threads=threads).to_pylist() == expected
        assert policy.verdicts(pa.array(urls), threads=threads).to_pylist() == expected


def test_many_threads_ask_the_same_policy() -> None:
    body = "User-agent: *\n" + "".join(f"Disallow: /{n}/*/x\n" for n in range(300))
    policy = Robots(body).policy("x")
    urls = pa.array([f"/{n % 400}/a/x" for n in range(20_000)])
    expected = Robots(body).policy("x").verdicts(urls)
    wrong = []

    def ask() -> None:
        for _ in range(20):
            if policy.verdicts(urls) != expected or policy.is_allowed("/5/a/x"):
                wrong.append(1)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_masks() -> None:
    policy = Robots("User-agent: *\nDisallow: /search").policy("MyCrawler")
    urls = ["https://e.com/", None, "https://e.com/search", "not a URL"]
    pandas, table = pd.DataFrame({"url": urls}), pa.table({"url": urls})
    for undecided, rows in ((False, urls[:1]), (True, [urls[0], urls[1], urls[3]])):
        for said in (policy.verdicts(urls), policy.answers(urls)):
            mask = said.mask(undecided=undecided)
            assert mask.dtype == bool
            assert [urls[row] for row in pandas[mask].index] == rows
            assert pl.DataFrame(table).filter(mask)["url"].to_list() == rows
            assert table.filter(mask)["url"].to_pylist() == rows
    with pytest.raises(TypeError, match="undecided"):
        policy.verdicts(urls).mask()  # type: ignore[call-arg]
