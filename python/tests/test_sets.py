"""The policies of many origins: sets and packs."""

import gc
import os
import pickle
import random
import subprocess
import sys
import threading
from pathlib import Path

import pyarrow as pa
import pytest

from robotsieve import (
    Config,
    Crawler,
    CrawlerVerdicts,
    InvalidOrigin,
    InvalidUrl,
    Origin,
    Pack,
    PackError,
    PackWriter,
    PolicySet,
    RequestRate,
    UserAgent,
    Verdicts,
)

FILE = b"User-agent: *\nDisallow: /search\nCrawl-delay: 2\nRequest-rate: 1/5\nSitemap: /s.xml"
NO_GPT = "User-agent: GPTBot\nDisallow: /"
URLS = [
    "https://example.com/search",
    "https://example.com/",
    "https://example.org/",
    "https://example.net/",
    "no URL",
    None,
]
ONE = [False, True, True, None, None, None]
WORDS = ["disallow", "allow", "allow", "unknown", "invalid", "invalid"]
GPT = [False, True, False, None, None, None]


def filled(crawlers: list[str], **more: object) -> PolicySet:
    sites = PolicySet(crawlers, **more)  # type: ignore[arg-type]
    sites.add("https://example.com/any/page", FILE)
    sites.add(Origin("https://example.org"), NO_GPT)
    return sites


def written(path: Path, crawlers: list[str], **more: object) -> Pack:
    with PackWriter(path, crawlers, **more) as writer:  # type: ignore[arg-type]
        writer.add("https://example.com/any/page", FILE, captured=1_700_000_000)
        writer.add(Origin("https://example.org"), NO_GPT)
    return Pack.open(path)


@pytest.fixture(params=["set", "pack"])
def one(request: pytest.FixtureRequest, tmp_path: Path) -> PolicySet | Pack:
    crawlers = ["MyCrawler"]
    return filled(crawlers) if request.param == "set" else written(tmp_path / "p", crawlers)


@pytest.fixture(params=["set", "pack"])
def two(request: pytest.FixtureRequest, tmp_path: Path) -> PolicySet | Pack:
    crawlers = ["MyCrawler", "GPTBot"]
    return filled(crawlers) if request.param == "set" else written(tmp_path / "p", crawlers)


def test_one_crawler(one: PolicySet | Pack) -> None:
    verdicts = one.verdicts(URLS)
    assert isinstance(verdicts, Verdicts) and list(verdicts) == ONE
    assert list(one.verdicts(pa.array(URLS), threads=2)) == ONE
    assert list(one.answers(URLS)) == WORDS
    assert one.verdicts_by_crawler(URLS).to_pydict() == {"MyCrawler": ONE}
    assert one.answers_by_crawler(URLS).to_pydict() == {"MyCrawler": WORDS}
    assert one.min_interval("https://example.com/") == 5.0
    assert one.min_interval("https://example.net/") is None
    for url in (" https://example.com/", "https:example.com/", "example.com", b""):
        with pytest.raises(InvalidUrl):
            one.is_allowed(url)
    assert one.is_allowed("https://example.com/search") is False
    assert one.is_allowed("https://example.net/") is None
    with pytest.raises(InvalidOrigin):
        one.is_allowed("no URL")
    decision = one.decide("https://example.com/search")
    assert decision is not None and (decision.verdict, decision.line) == ("disallow", 2)
    assert one.decide("https://example.net/") is None
    assert one.ask("https://example.net/") == {"MyCrawler": "unknown"}
    assert one.crawl_delay("https://example.com/") == 2.0
    assert one.request_rate("https://example.com/") == RequestRate(1, 5.0)
    assert one.crawl_delay("https://example.org/") is None
    assert len(one) == 2 and "https://example.com/x" in one and "http://example.com" not in one
    assert sorted(origin.key for origin in one.origins()) == [
        "https://example.com",
        "https://example.org",
    ]
    assert one.crawlers == [Crawler("MyCrawler")]
    assert "2 origins" in repr(one)


def test_two_crawlers(two: PolicySet | Pack) -> None:
    verdicts = two.verdicts_by_crawler(URLS)
    assert isinstance(verdicts, CrawlerVerdicts)
    assert verdicts.to_pydict() == {"MyCrawler": ONE, "GPTBot": GPT}
    assert pa.table(verdicts)["GPTBot"].to_pylist() == GPT
    assert two.is_allowed("https://example.org/", "gptbot") is False
    only = two.verdicts(URLS, crawler="gptbot")
    assert isinstance(only, Verdicts) and list(only) == GPT
    assert list(two.answers(URLS, crawler=Crawler("MyCrawler"))) == WORDS
    with pytest.raises(ValueError, match="no such crawler"):
        two.verdicts(URLS, crawler="Googlebot")
    assert two.is_allowed("https://example.org/", Crawler("MyCrawler")) is True
    assert two.ask("https://example.org/") == {"MyCrawler": "allow", "GPTBot": "disallow"}
    with pytest.raises(ValueError, match="which crawler"):
        two.is_allowed("https://example.org/")
    with pytest.raises(ValueError, match="the crawlers are MyCrawler, GPTBot"):
        two.decide("https://example.org/", "Googlebot")
    for crawler in (UserAgent("Mozilla/5.0 (compatible; GPTBot/1.1)"), ["GPTBot"], b"gptbot"):
        assert two.is_allowed("https://example.org/", crawler) is False
        assert list(two.verdicts(URLS, crawler=crawler)) == GPT
    for method in (two.verdicts, two.answers, two.decisions):
        with pytest.raises(ValueError, match="which crawler\\? one of MyCrawler, GPTBot"):
            method(URLS)
    some = two.verdicts_by_crawler(URLS, crawlers=["gptbot"])
    assert some.to_pydict() == {"GPTBot": GPT}
    reversed_ = two.answers_by_crawler(URLS, crawlers=["GPTBot", "MyCrawler"])
    assert list(reversed_) == ["GPTBot", "MyCrawler"] and list(reversed_["MyCrawler"]) == WORDS
    with pytest.raises(TypeError, match="a name, a list of names, a Crawler or a UserAgent, not int"):
        two.crawl_delay("https://example.org/", 0)  # type: ignore[arg-type]


def test_changing_a_set() -> None:
    sites = filled(["MyCrawler"])
    sites.add("https://example.com", "")
    assert sites.is_allowed("https://example.com/search") is True
    assert sites.remove("https://example.com") is True
    assert sites.remove("https://example.com") is False
    assert sites.is_allowed("https://example.com/search") is None
    with pytest.raises(InvalidOrigin):
        sites.add("example.com", FILE)
    assert (sites.file_count, len(sites)) == (1, 1) and sites.memory_usage > 0
    with pytest.raises(TypeError, match="write a pack with PackWriter"):
        pickle.dumps(sites)


def test_what_is_kept(tmp_path: Path) -> None:
    config = Config(keep_rules=False, keep_sitemaps=True)
    sites = filled(["MyCrawler"], config=config)
    assert sites.sitemaps("https://example.com") == ["/s.xml"]
    assert sites.sitemaps("https://example.net") == []
    kept = sites.decide("https://example.com/search")
    assert kept is not None and (kept.verdict, kept.reason) == ("disallow", "rules-not-kept")
    assert sites.decide("https://example.net/") is None
    pack = written(tmp_path / "p", ["MyCrawler"], config=config)
    assert pack.sitemaps("https://example.com") == ["/s.xml"]
    decision = pack.decide("https://example.com/search")
    assert decision is not None and decision.reason == "rules-not-kept" and not decision
    assert pack.keeps_sitemaps and not pack.keeps_rules


def test_a_set_that_changes_while_it_is_asked() -> None:
    sites = filled(["MyCrawler"])
    urls = pa.array(URLS * 500)
    stop = threading.Event()

    def change() -> None:
        number = 0
        while not stop.is_set():
            sites.add(f"https://h{number % 50}.example", FILE + b"\n#" + b"x" * (number % 3_000))
            number += 1

    changing = threading.Thread(target=change)
    changing.start()
    try:
        for _ in range(100):
            assert list(sites.verdicts(urls, threads=2))[: len(ONE)] == ONE
            assert sites.is_allowed("https://example.com/search") is False
    finally:
        stop.set()
        changing.join()


def test_packs(tmp_path: Path) -> None:
    path = tmp_path / "sites.pack"
    with PackWriter(path, ["MyCrawler"], "google", seed=7) as writer:
        writer.add("https://a.example", FILE)
        writer.add("https://b.example", outcome="allow-all")
        writer.add("https://c.example", outcome="disallow-all", captured=5)
        writer.add("https://d.example", outcome="unknown")
        with pytest.raises(TypeError, match="not both"):
            writer.add("https://e.example", FILE, outcome="unknown")
        with pytest.raises(TypeError, match="'allow-all', 'disallow-all' or 'unknown'"):
            writer.add("https://e.example", outcome="404")  # type: ignore[arg-type]
        assert writer.file_count == 1
        assert not path.exists()
    pack = Pack.open(path)
    assert (pack.profile_name, pack.seed, len(pack), pack.keeps_rules) == ("google", 7, 4, True)
    urls = [f"https://{letter}.example/search" for letter in "abcdef"]
    assert list(pack.verdicts(urls)) == [False, True, False, None, None, None]
    assert [pack.outcome(url) for url in urls[:5]] == [
        "rules",
        "allow-all",
        "disallow-all",
        "unknown",
        None,
    ]
    reasons = [pack.decide(url) for url in urls]
    assert [None if decision is None else decision.reason for decision in reasons] == [
        "rule",
        "allow-all",
        "disallow-all",
        None,
        None,
        None,
    ]
    assert pack.captured(urls[2]) == 5 and pack.captured(urls[0]) is None
    pack.verify()
    again = pickle.loads(pickle.dumps(pack))
    assert again.paths == pack.paths == [path] and list(again.verdicts(urls)) == list(pack.verdicts(urls))
    of_bytes = Pack(path.read_bytes())
    assert of_bytes.paths == [] and len(pickle.loads(pickle.dumps(of_bytes))) == 4
    assert oct(path.stat().st_mode & 0o777) == oct(0o666 & ~_umask())


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_a_pack_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "sites.pack"
    path.write_bytes(b"what was there")
    with pytest.raises(RuntimeError), PackWriter(path, ["MyCrawler"]) as writer:
        writer.add("https://a.example", FILE)
        raise RuntimeError
    writer = PackWriter(path, ["MyCrawler"])
    writer.add("https://a.example", FILE)
    writer.abandon()
    with pytest.raises(ValueError, match="closed"):
        writer.add("https://a.example", FILE)
    writer = PackWriter(path, ["MyCrawler"])
    del writer
    gc.collect()
    assert path.read_bytes() == b"what was there"
    assert os.listdir(tmp_path) == ["sites.pack"]
    writer = PackWriter(path, ["MyCrawler"])
    writer.close()
    writer.close()
    assert len(Pack.open(path)) == 0


def test_a_disk_that_fills_up(tmp_path: Path) -> None:
    """What could be written in part only is given up, also if the caller goes on."""
    path = tmp_path / "sites.pack"
    written(path, ["a"])
    before = path.read_bytes()
    code = """if True:
        import resource, signal, sys
        from robotsieve import PackWriter
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        failed = 0
        try:
            with PackWriter(sys.argv[1], ["a"]) as writer:
                for number in range(40_000):
                    if number == 20_000:
                        resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, resource.RLIM_INFINITY))
                    if number == 39_000:
                        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
                    try:
                        body = f"User-agent: *\\nDisallow: /{number}" + "x" * 100
                        writer.add(f"https://h{number}.example", body)
                    except OSError as error:
                        assert error.errno == 27 and error.filename == sys.argv[1], error
                        failed += 1
                    except ValueError as error:
                        assert "given up" in str(error)
                        failed += 1
        except ValueError as error:
            print(failed > 0, error)
    """
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "True the pack was given up, because writing it failed"
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["sites.pack"]


def test_what_a_pack_replaces(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="not a regular file"):
        PackWriter(pipe, ["a"])
    with pytest.raises(IsADirectoryError):
        PackWriter(tmp_path, ["a"])
    with pytest.raises(PackError, match="has no files named shard-NNNN-of-NNNN.pack"):
        Pack.open(tmp_path)
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    target.chmod(0o600)
    link.symlink_to(target)
    written(link, ["a"])
    assert link.is_symlink() and target.stat().st_mode & 0o777 == 0o600
    assert len(Pack.open(target)) == 2


def test_forked_writers(tmp_path: Path) -> None:
    """A copy in another process neither removes nor writes the file."""
    path = tmp_path / "sites.pack"
    writer = PackWriter(path, ["a"])
    writer.add("https://a.example", FILE)
    child = os.fork()
    if child == 0:
        try:
            writer.add("https://b.example", FILE)
        except ValueError:
            del writer
            gc.collect()
            os._exit(7)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    writer.add("https://c.example", FILE)
    writer.close()
    assert sorted(origin.host for origin in Pack.open(path).origins()) == ["a.example", "c.example"]


def test_times_of_captures(tmp_path: Path) -> None:
    with PackWriter(tmp_path / "p", ["a"]) as writer:
        with pytest.raises(ValueError, match="in seconds since 1970"):
            writer.add("https://a.example", FILE, captured=1_700_000_000_000)


def test_what_an_update_has_not_completed(tmp_path: Path) -> None:
    """A pack with something behind it is opened without that, as the command does."""
    whole = written(tmp_path / "p", ["x"])
    body = Path(whole.paths[0]).read_bytes()
    for tail in [b"x", bytes(500), random.Random(1).randbytes(500), body[12:]]:
        (tmp_path / "p").write_bytes(body + tail)
        for pack in [Pack.open(tmp_path / "p"), Pack.open([tmp_path / "p"]), Pack(body + tail)]:
            assert list(pack.origins()) == list(whole.origins())
            pack.verify()


def test_files_that_are_no_packs(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as missing:
        Pack.open(tmp_path / "none")
    assert missing.value.filename == str(tmp_path / "none")
    with pytest.raises(FileNotFoundError):
        PackWriter(tmp_path / "no folder" / "p", ["x"])
    path = tmp_path / "p"
    path.write_bytes(b"something else")
    with pytest.raises(PackError, match=f"{path}: not a pack"):
        Pack.open(path)
    with pytest.raises(TypeError, match="Pack.open"):
        Pack(str(path))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no paths"):
        Pack.open([])
    empty = tmp_path / "empty"
    empty.touch()
    with pytest.raises(PackError, match="not a pack"):
        Pack.open(empty)
    whole = written(tmp_path / "whole", ["x"])
    body = Path(whole.paths[0]).read_bytes()
    for cut in range(0, len(body), 7):
        with pytest.raises(PackError):
            Pack(body[:cut])
    for place in range(0, len(body), 11):
        hurt = bytearray(body)
        hurt[place] ^= 0x40
        try:
            pack = Pack(hurt)
            pack.verify()
            pack.verdicts(URLS)
        except PackError:
            continue
        # A byte that nobody reads.
        assert list(pack.verdicts(URLS)) == ONE


def test_workers_open_the_same_file(tmp_path: Path) -> None:
    pack = written(tmp_path / "p", ["MyCrawler"])
    code = (
        "import pickle, sys; pack = pickle.load(sys.stdin.buffer);"
        "print(list(pack.verdicts(['https://example.com/search'])))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=pickle.dumps(pack), capture_output=True, check=True
    )
    assert done.stdout.strip() == b"[False]"


@pytest.mark.parametrize("keep_rules", [True, False])
@pytest.mark.parametrize("kind", ["set", "pack"])
def test_outcomes(kind: str, keep_rules: bool, tmp_path: Path) -> None:
    """What is known of a site that is not a file, the same in sets and packs."""
    config = Config(keep_rules=keep_rules)
    sites: PolicySet | PackWriter
    sites = PolicySet(["a"], None, config) if kind == "set" else PackWriter(tmp_path / "p", ["a"], None, config)
    outcomes = ["allow-all", "disallow-all", "unknown"]
    for outcome in outcomes:
        sites.add(f"https://{outcome}.example", outcome=outcome)  # type: ignore[arg-type]
    sites.add("https://rules.example", "User-agent: *\nDisallow: /", outcome="rules")
    for body, outcome in (("", "allow-all"), (None, None), (None, "rules"), (None, "maybe")):
        with pytest.raises(TypeError, match="give a body"):
            sites.add("https://rules.example", body, outcome=outcome)  # type: ignore[arg-type]
    if isinstance(sites, PackWriter):
        sites.close()
    known = sites if isinstance(sites, PolicySet) else Pack.open(tmp_path / "p")
    urls = [f"https://{name}.example/x" for name in (*outcomes, "rules", "none")]
    assert [known.outcome(url) for url in urls] == [*outcomes, "rules", None]
    assert list(known.answers(urls)) == ["allow", "disallow", "unknown", "disallow", "unknown"]
    decisions = [known.decide(url) for url in urls]
    assert decisions == known.decisions(urls).to_pylist()
    reasons = [None if decision is None else decision.reason for decision in decisions]
    assert reasons == ["allow-all", "disallow-all", None, "rule" if keep_rules else "rules-not-kept", None]
    assert [decision.line for decision in decisions if decision is not None] == [None, None, 2 if keep_rules else None]
    robots_txt = known.decide("https://disallow-all.example/robots.txt")
    assert robots_txt is not None and robots_txt.is_allowed and robots_txt.reason == "robots-txt"
