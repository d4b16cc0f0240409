"""Speed beside Protego, urllib.robotparser, three native peers and the Rust library, in one run. Needs the corpus.

    python -m pip install -r conformance/requirements.txt   # the peers, pinned
    python -m pytest python/benches -q

Every benchmark asserts how many URLs are allowed. The figure of each is its best round.
"""

import os
import subprocess
import sys
import threading
import time
import timeit
from pathlib import Path
from urllib.robotparser import RobotFileParser

import fastrobots
import pyarrow as pa
import pytest
import robotstxt  # fast-robotstxt: google/robotstxt, in C++
from conftest import AGENT, BARS, REPOSITORY, SECONDS, Site, google_verdicts, took
from jwm.robotstxt import googlebot  # The same, by another binding.
from protego import Protego

import robotsieve
import robotsieve.protego as dropin
from robotsieve import Pack, PackWriter, PolicySet, Robots

#: Of the versions in conformance/requirements.txt. Their files are text, so bytes that are no UTF-8 are lost.
DIFFERING = {"fastrobots": 303, "fast-robotstxt": 3, "jwm-robotstxt": 0}
ROUNDS = {"rounds": 7, "warmup_rounds": 2}
FEW = {"rounds": 3, "warmup_rounds": 0}


def test_is_allowed(benchmark, sites: list[Site]) -> None:
    asked = [(Robots(site.body).policy(AGENT), site.urls) for site in sites]
    for policy, _ in asked:
        policy.compile()

    def run() -> int:
        allowed = 0
        for policy, urls in asked:
            is_allowed = policy.is_allowed
            for url in urls:
                allowed += is_allowed(url)
        return allowed

    assert benchmark.pedantic(run, **ROUNDS) == 59_988
    each = took("is_allowed", benchmark, 60_795)
    BARS.append(("policy.is_allowed(str)", "<= 200 ns", f"{each * 1e9:.0f} ns"))


def test_protego_can_fetch(benchmark, sites: list[Site]) -> None:
    asked = [(Protego.parse(site.text), site.urls) for site in sites]

    def run() -> int:
        return sum(parser.can_fetch(url, AGENT) for parser, urls in asked for url in urls)

    assert benchmark.pedantic(run, **FEW) > 50_000
    each = took("Protego.can_fetch", benchmark, 60_795)
    ratio = each / SECONDS["is_allowed"]
    BARS.append(("… beside Protego's can_fetch", ">= 25 x", f"{ratio:.1f} x ({each * 1e9:.0f} ns)"))


def test_urllib_can_fetch(benchmark, sites: list[Site]) -> None:
    asked = []
    for site in sites[::10]:
        parser = RobotFileParser()
        parser.parse(site.text.splitlines())
        asked.append((parser, site.urls))
    items = sum(len(urls) for _, urls in asked)

    def run() -> int:
        return sum(parser.can_fetch(AGENT, url) for parser, urls in asked for url in urls)

    assert benchmark.pedantic(run, **FEW) > items // 2
    each = took("urllib can_fetch", benchmark, items)
    ratio = each / SECONDS["is_allowed"]
    BARS.append(("… beside urllib's can_fetch", "", f"{ratio:.1f} x ({each * 1e9:.0f} ns)"))


def test_dropin_can_fetch(benchmark, sites: list[Site]) -> None:
    asked = [(dropin.Protego.parse(site.text), site.urls) for site in sites]

    def run() -> int:
        return sum(parser.can_fetch(url, AGENT) for parser, urls in asked for url in urls)

    assert benchmark.pedantic(run, **ROUNDS) > 50_000
    each = took("drop-in can_fetch", benchmark, 60_795)
    ratio = SECONDS["Protego.can_fetch"] / each
    BARS.append(("the drop-in's can_fetch beside Protego's", "", f"{ratio:.1f} x ({each * 1e9:.0f} ns)"))


def first_urls(sites: list[Site]) -> list[tuple[bytes, str, str]]:
    return [(site.body, site.text, site.urls[-1]) for site in sites]


def test_parse_and_first_verdict(benchmark, sites: list[Site]) -> None:
    asked = first_urls(sites)

    def run() -> int:
        return sum(Robots(body).policy(AGENT).is_allowed(url) for body, _, url in asked)

    assert benchmark.pedantic(run, **ROUNDS) > 500
    each = took("first", benchmark, len(asked))
    BARS.append(("parse and first verdict", "", f"{each * 1e6:.1f} µs"))


def test_protego_parse_and_first_verdict(benchmark, sites: list[Site]) -> None:
    asked = first_urls(sites)

    def run() -> int:
        return sum(Protego.parse(text).can_fetch(url, AGENT) for _, text, url in asked)

    assert benchmark.pedantic(run, **FEW) > 500
    each = took("Protego first", benchmark, len(asked))
    ratio = each / SECONDS["first"]
    BARS.append(("… beside Protego", ">= 20 x", f"{ratio:.1f} x ({each * 1e6:.0f} µs)"))


def test_dropin_parse_and_first_verdict(benchmark, sites: list[Site]) -> None:
    asked = first_urls(sites)

    def run() -> int:
        return sum(dropin.Protego.parse(text).can_fetch(url, AGENT) for _, text, url in asked)

    assert benchmark.pedantic(run, **ROUNDS) > 500
    each = took("drop-in first", benchmark, len(asked))
    ratio = SECONDS["Protego first"] / each
    shown = f"{ratio:.1f} x ({each * 1e6:.1f} µs)"
    BARS.append(("the drop-in's parse and first verdict beside Protego's", "", shown))


def test_first_verdict(benchmark, sites: list[Site]) -> None:
    """Of ``is_allowed``, which builds nothing for later questions."""
    asked = first_urls(sites)

    def run() -> int:
        return sum(robotsieve.is_allowed(body, AGENT, url) for body, _, url in asked)

    assert benchmark.pedantic(run, **ROUNDS) > 500
    each = took("once", benchmark, len(asked))
    BARS.append(("first verdict (is_allowed)", "", f"{each * 1e6:.1f} µs"))


#: How a peer answers one question: about a file, for a crawler, on a URL. They take `str`.
PEERS = {
    "fastrobots": lambda text, url: fastrobots.Robots.parse(text).allowed(fastrobots.url_path(url), AGENT),
    "fast-robotstxt": lambda text, url: robotstxt.RobotsMatcher().is_allowed(text, AGENT, url),
    "jwm-robotstxt": lambda text, url: googlebot.RobotsMatcher().OneAgentAllowedByRobots(text, AGENT, url),
}


@pytest.mark.parametrize("peer", PEERS)
def test_peers_first_verdict(benchmark, sites: list[Site], peer: str) -> None:
    asked, ask = first_urls(sites), PEERS[peer]

    def run() -> int:
        return sum(ask(text, url) for _, text, url in asked)

    assert benchmark.pedantic(run, **ROUNDS) > 500
    each = took(f"{peer} first", benchmark, len(asked))
    ratio = each / SECONDS["once"]
    BARS.append((f"… beside {peer}", ">= 3 x", f"{ratio:.1f} x ({each * 1e6:.1f} µs)"))


def test_fastrobots_allowed(benchmark, sites: list[Site]) -> None:
    """Its way to ask often: the rules of one agent, and the paths of the URLs cut out beforehand."""
    asked = [
        (fastrobots.Robots.parse(site.text).agent(AGENT), [fastrobots.url_path(url) for url in site.urls])
        for site in sites
    ]

    def run() -> int:
        return sum(agent.allowed(path) for agent, paths in asked for path in paths)

    assert benchmark.pedantic(run, **FEW) > 50_000
    each = took("fastrobots allowed", benchmark, 60_795)
    ratio = each / SECONDS["is_allowed"]
    BARS.append(("policy.is_allowed beside fastrobots", ">= 3 x", f"{ratio:.1f} x ({each * 1e9:.0f} ns)"))


def test_three_rules() -> None:
    """The least that a call costs: the best of many short rounds, taken in turn."""
    body, url = b"User-agent: *\nDisallow: /search\nAllow: /search/about\nDisallow: /*.pdf$\n", "/search/about?q=1"
    text, policy = body.decode(), robotsieve.policy(body, "MyCrawler")
    policy.compile()
    agent = fastrobots.Robots.parse(text).agent("MyCrawler")
    names = {
        **{"body": body, "text": text, "url": url, "name": "MyCrawler", "ask": policy.is_allowed},
        **{"policy": robotsieve.policy, "once": robotsieve.is_allowed},
        **{"parse": fastrobots.Robots.parse, "allowed": agent.allowed},
    }
    contests = [
        ("parse and policy, 3 rules", ">= 1.2 x", "policy(body, name)", "parse(text)"),
        ("the same, and a verdict", "", "policy(body, name).is_allowed(url)", "parse(text).allowed(url, name)"),
        ("first verdict (is_allowed), 3 rules", "", "once(body, name, url)", "parse(text).allowed(url, name)"),
        ("a call, 3 rules", ">= 1.3 x", "ask(url)", "allowed(url)"),
    ]
    for what, bar, *asks in contests:
        timers = [timeit.Timer(ask, globals=names) for ask in asks]
        best = [float("inf")] * 2
        for _ in range(500):
            for contestant, timer in enumerate(timers):
                best[contestant] = min(best[contestant], timer.timeit(500) / 500)
        own, others = best
        BARS.append((f"{what}, beside fastrobots", bar, f"{others / own:.2f} x ({own * 1e9:.0f}, {others * 1e9:.0f} ns)"))


def test_verdicts_that_differ(sites: list[Site]) -> None:
    """From google/robotstxt's."""
    verdicts = google_verdicts()
    differing = dict.fromkeys(PEERS, 0)
    for site in sites:
        policy = Robots(site.body, "google").policy(AGENT)
        for url in site.urls:
            right = verdicts[site.host, url]
            assert policy.is_allowed(url) == right
            for peer, ask in PEERS.items():
                try:
                    differing[peer] += ask(site.text, url) != right
                except UnicodeError:
                    differing[peer] += 1
    for peer, count in differing.items():
        BARS.append((f"{peer}: verdicts that differ from google/robotstxt's", "", f"{count} of 60,795"))
    assert differing == DIFFERING


@pytest.fixture(scope="module")
def buffer(million: list[str]) -> pa.Array:
    return pa.array([url.encode("utf-8", "surrogateescape") for url in million], pa.binary())


def test_verdicts_of_one_policy(benchmark, buffer: pa.Array, middle: Site, tmp_path: Path) -> None:
    policy = Robots(middle.body).policy(AGENT)
    policy.compile()
    verdicts = benchmark.pedantic(lambda: policy.verdicts(buffer), **ROUNDS)
    each = took("verdicts", benchmark, len(buffer))
    rate = 1e-6 / each
    what = f"verdicts on 1,000,000 URLs, {len(policy.rules)} rules, one thread"
    BARS.append((what, ">= 12 million/s", f"{rate:.1f} million/s"))

    robots, urls = tmp_path / "robots.txt", tmp_path / "urls.txt"
    robots.write_bytes(middle.body)
    urls.write_bytes(b"\n".join(buffer.to_pylist()))
    command = ["cargo", "bench", "-q", "-p", "robotsieve-benches", "--bench", "buffer", "--"]
    done = subprocess.run(
        [*command, str(robots), AGENT, str(urls)],
        cwd=REPOSITORY,
        check=True,
        capture_output=True,
        text=True,
    )
    allowed, nanoseconds = done.stdout.split()
    assert int(allowed) == verdicts.allowed_count
    share = float(nanoseconds) * 1e-9 / each
    BARS.append(
        ("… of what Rust does on the same buffer", ">= 60 %", f"{share:.0%} ({nanoseconds} ns in Rust)")
    )


def test_verdicts_of_a_list(benchmark, million: list[str], middle: Site) -> None:
    policy = Robots(middle.body).policy(AGENT)
    policy.compile()
    verdicts = benchmark.pedantic(lambda: policy.verdicts(million), **FEW)
    assert verdicts.undecided_count == 0
    each = took("verdicts of a list", benchmark, len(million))
    BARS.append(("… from a list of str", "", f"{1e-6 / each:.1f} million/s"))


@pytest.fixture(scope="module")
def many(sites: list[Site]) -> PolicySet:
    many = PolicySet([AGENT])
    for site in sites:
        for origin in {"/".join(url.split("/", 3)[:3]) for url in site.urls}:
            many.add(origin, site.body)
    return many


def test_set_at_random(benchmark, buffer: pa.Array, many: PolicySet) -> None:
    verdicts = benchmark.pedantic(lambda: many.verdicts(buffer), **ROUNDS)
    assert verdicts.undecided_count == 0
    SECONDS["allowed at random"] = verdicts.allowed_count
    each = took("set", benchmark, len(buffer))
    what = f"PolicySet.verdicts, 668 hosts ({len(many)} origins), at random"
    BARS.append((what, ">= 4 million/s", f"{1e-6 / each:.1f} million/s"))


def test_pack_at_random(benchmark, buffer: pa.Array, sites: list[Site], tmp_path: Path) -> None:
    path = tmp_path / "sites.pack"
    with PackWriter(path, [AGENT]) as writer:
        for site in sites:
            for origin in {"/".join(url.split("/", 3)[:3]) for url in site.urls}:
                writer.add(origin, site.body)
    pack = Pack.open(path)
    verdicts = benchmark.pedantic(lambda: pack.verdicts(buffer), **ROUNDS)
    assert verdicts.allowed_count == SECONDS["allowed at random"]
    each = took("pack", benchmark, len(buffer))
    BARS.append(("Pack.verdicts, the same", "", f"{1e-6 / each:.1f} million/s"))


def test_verdicts_of_a_lazy_policy(benchmark, buffer: pa.Array, sites: list[Site]) -> None:
    """Of those too large for a DFA, the one with the most rules."""
    policies = [Robots(site.body).policy(AGENT) for site in sites]
    for policy in policies:
        policy.compile()
    lazy = [policy for policy in policies if policy.engine == "lazy"]
    policy = max(lazy, key=lambda policy: len(policy.rules))
    verdicts = benchmark.pedantic(lambda: policy.verdicts(buffer), **ROUNDS)
    assert verdicts.undecided_count == 0
    each = took("verdicts, lazy", benchmark, len(buffer))
    what = f"the same, engine lazy, as {len(lazy)} of {len(policies)} policies have ({len(policy.rules)} rules)"
    BARS.append((what, "", f"{1e-6 / each:.1f} million/s"))


def test_decisions_in_columns(benchmark, buffer: pa.Array, middle: Site) -> None:
    policy = Robots(middle.body).policy(AGENT)
    policy.compile()
    table = benchmark.pedantic(lambda: pa.table(policy.decisions(buffer)), **ROUNDS)
    each = took("decisions", benchmark, len(buffer))
    BARS.append(("policy.decisions as an Arrow table", "", f"{1e-6 / each:.1f} million/s"))

    some = buffer[:50_000].to_pylist()
    begin = time.perf_counter()
    loop = [policy.decide(url) for url in some]
    in_a_loop = (time.perf_counter() - begin) / len(some)
    lines = [decision.line for decision in loop]
    assert table["line"][: len(some)].to_pylist() == lines
    ratio = in_a_loop / each
    BARS.append(("… beside a loop over decide", "", f"{ratio:.0f} x ({1e-6 / in_a_loop:.1f} million/s)"))


def test_decisions_of_a_set(benchmark, buffer: pa.Array, many: PolicySet) -> None:
    benchmark.pedantic(lambda: pa.table(many.decisions(buffer)), **ROUNDS)
    each = took("decisions of a set", benchmark, len(buffer))
    BARS.append(("PolicySet.decisions, 668 hosts, at random", "", f"{1e-6 / each:.1f} million/s"))


def test_rows_of_pandas(benchmark, buffer: pa.Array, middle: Site) -> None:
    """The README's way to the rows that are allowed."""
    policy = Robots(middle.body).policy(AGENT)
    verdicts = policy.verdicts(buffer)
    kept = benchmark.pedantic(lambda: verdicts.mask(undecided=False), **ROUNDS)
    assert kept.sum() == verdicts.allowed_count
    each = took("a mask for pandas", benchmark, len(buffer))
    BARS.append(("verdicts.mask(undecided=False), 1,000,000", "", f"{each * len(buffer) * 1e3:.0f} ms"))


def test_two_threads(buffer: pa.Array, many: PolicySet, middle: Site) -> None:
    if (os.cpu_count() or 1) < 2:
        pytest.skip("needs two cores")
    policy = Robots(middle.body).policy(AGENT)
    policy.compile()
    half = len(buffer) // 2
    halves = [buffer[:half], buffer[half:]]

    def in_turn(ask) -> float:
        begin = time.perf_counter()
        for part in halves:
            ask(part)
        return time.perf_counter() - begin

    def together(ask) -> float:
        threads = [threading.Thread(target=ask, args=(part,)) for part in halves]
        begin = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return time.perf_counter() - begin

    for name, ask in (("one policy", policy.verdicts), ("a set", many.verdicts)):
        one = two = own = float("inf")
        for _ in range(7):
            one = min(one, in_turn(ask))
            two = min(two, together(ask))
            begin = time.perf_counter()
            ask(buffer, threads=2)
            own = min(own, time.perf_counter() - begin)
        BARS.append(
            (
                f"two threads of Python, {name}; threads=2",
                ">= 1.8 x",
                f"{one / two:.2f} x; {one / own:.2f} x",
            )
        )


def test_import() -> None:
    code = (
        "import time; begin = time.perf_counter(); import robotsieve;"
        "print(time.perf_counter() - begin)"
    )
    times = []
    for _ in range(15):
        done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
        times.append(float(done.stdout))
    BARS.append(("import", "<= 10 ms", f"{sorted(times)[7] * 1e3:.1f} ms (median of 15)"))
