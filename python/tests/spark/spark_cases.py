"""Sites and URLs, as odd as they come, and what the package says of them one by one."""

import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

from robotsieve import InvalidUrl, Pack, PackWriter, PolicySet
from robotsieve._robotsieve import shard_name
from robotsieve import Origin

#: Java compiles for long runs by default. In short ones, that takes longer than what it saves.
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
CRAWLERS = ["GPTBot", "CCBot", "Googlebot"]
MANY_CRAWLERS = [*CRAWLERS, *(f"bot-{'abcdefghijklmnopqrst'[n % 20] * (n // 20 + 1)}" for n in range(40))]
HOT = "hot.example"
#: The same xxhash64, so each pair is in the same place of the sort.
COLLIDING = [
    (
        "pbpms2te-the-first-colliding.domaaoom16q.whose-hash-is-same.test",
        "146wkza2-the-first-colliding.domfmkl28sf.whose-hash-is-same.test",
    ),
    (
        "p4db3m4v-the-first-colliding.dom802lcdjh.whose-hash-is-same.test",
        "wxzr461x-the-first-colliding.dom0pcp7o9r.whose-hash-is-same.test",
    ),
]
#: As they may be written in URLs.
HOSTS = [
    HOT, *(host for pair in COLLIDING for host in pair), *(f"h{n}.example.{tld}" for n in range(12) for tld in ("com", "co.uk")),
    "bücher.example", "xn--bcher-kva.example", "straße.example", "日本.example", "a--b.example", "_x.example",
    "127.0.0.1", "0x7f.1", "2130706433", "127.1", "[::1]", "[0:0:0:0:0:0:0:1]", "[::ffff:7f00:1]", "1.2.3.a",
    "e.example:8080", "e.example:80", "e.example:443", "dot.example.", "-a-.example", "a..b", "localhost", f"{'l' * 63}.example",
]  # fmt: skip
#: No URLs of a site.
NO_URLS = [
    None, "", " ", "nonsense", "mailto:a@e.com", "//h0.example.com/p", "https://", "https:///", "http://ex ample.com/",
    "https://[::1", "https://1.2.3.256/", "https://a.0x/", "https://h0.example.com:99999/", "\N{BYTE ORDER MARK}https://x.com",
    "h0.example.com", "javascript:0", "https://%zz.com/", "https://xn--a/", "http:/\\?", "file:///p",
]  # fmt: skip
PIECES = ["p", "a", "x y", "%70", "%zz", "ü", "\U0001f600", "..", ".", "q?p=1", "z#p", ";s", "robots.txt", "\\", "\t", "P"]


def spelt(random: random.Random, url: str) -> str:
    """A URL of the same site, mostly."""
    scheme, rest = url.split("://", 1)
    host, slash, path = rest.partition("/")
    match random.randrange(16):
        case 0:
            return url.upper()
        case 1:
            return f"{scheme}://{host.upper()}{slash}{path}"
        case 2:
            return f"{scheme}://u:p@{host}{slash}{path}"
        case 3:
            return f"{scheme}://{host}.{slash}{path}"
        case 4:
            return url.replace("/", "\\")
        case 5:
            return f" {url}\n"
        case 6:
            return "\t".join([url[:3], url[3:12], url[12:]])
        case 7:
            return f"{scheme}://{host}:{ {'http': 80, 'https': 443, 'ftp': 21}[scheme] }{slash}{path}"
        case 8:
            return f"{scheme}://{host}{random.choice(['', '?p', '#p', '/' * 9])}"
        case 9:
            return f"{scheme}:{host}{slash}{path}"
        case 10:
            return f"{scheme}://%{ord(host[0]):02x}{host[1:]}{slash}{path}" if host[0] < "\x7f" else url
    return url


def generated_urls(count: int, seed: int) -> list[str | None]:
    """30 % of the URLs are of one host."""
    chosen = random.Random(seed)
    urls: list[str | None] = [*NO_URLS, f"https://{HOT}/{'p' * 100_000}", "https://h0.example.com/" + "a/" * 9_999]
    while len(urls) < count:
        scheme = chosen.choice(["https", "https", "http", "ftp"])
        path = "/".join(chosen.choices(PIECES, k=chosen.randrange(4)))
        if chosen.random() < 0.3:
            urls.append(f"https://{HOT}/{path}{len(urls)}")
        else:
            urls.append(spelt(chosen, f"{scheme}://{chosen.choice(HOSTS)}/{path}"))
    chosen.shuffle(urls)
    return urls


def generated_sites(seed: int) -> list[dict[str, Any]]:
    """What is in force: rows as those of ``in_force``."""
    chosen = random.Random(seed)
    sites: dict[str, dict[str, Any]] = {}
    for host in HOSTS:
        for scheme in ["https", "http", "ftp"]:
            outcome = chosen.choice(["rules"] * 5 + ["allow-all", "disallow-all", "unknown", None])
            if host == HOT and scheme == "https":
                outcome = "rules"
            if outcome is None:
                continue
            groups = []
            for crawler in ["*", *chosen.sample(MANY_CRAWLERS, 5), "GPTBot"]:
                rules = [
                    f"{chosen.choice(['Allow', 'Disallow'])}: /{chosen.choice(['', 'p', 'a', '*x', 'z$', '%70', 'ü'])}"
                    for _ in range(chosen.randrange(3))
                ]
                groups.append("\n".join([f"User-agent: {crawler}", *rules]))
            body = "\n\n".join(groups).encode()
            origin = Origin(f"{scheme}://{host}/")
            is_rules = outcome == "rules"
            # Not twice: what is in force has one row for each.
            sites.setdefault(
                origin.key,
                {"url": origin.robots_url, "outcome": outcome, "body": body if is_rules else None, "captured": 1_760_000_000},
            )  # fmt: skip
    return list(sites.values())


def policy_set(sites: Iterable[dict[str, Any]], crawlers: list[str], profile: Any = None) -> PolicySet:
    known = PolicySet(crawlers, profile)
    for site in sites:
        known.add(site["url"], site["body"], outcome=site["outcome"])
    return known


def write_packs(folder: Path, sites: list[dict[str, Any]], crawlers: list[str], shards: int, profile: Any = None) -> Path:
    """A pack of so many shards; of one, a file."""
    folder.mkdir()
    for shard in range(shards):
        with PackWriter(folder / shard_name(shard, shards), crawlers, profile, shard=(shard, shards)) as writer:
            for site in sites:
                if Origin(site["url"]).shard(shards) == shard:
                    outcome = None if site["outcome"] == "rules" else site["outcome"]
                    writer.add(site["url"], site["body"], outcome=outcome)
    return folder if shards > 1 else folder / shard_name(0, 1)


def one_by_one(known: PolicySet | Pack, urls: Iterable[str | bytes | None], crawlers: list[str], words: bool = False) -> list[list[Any]]:
    """What ``is_allowed`` says of each URL, for each crawler."""
    spoken = {True: "allow", False: "disallow", None: "unknown"}

    def said(url: str | bytes | None, crawler: str) -> Any:
        if url is None:
            return "invalid" if words else None
        try:
            allowed = known.is_allowed(url, crawler)
        except InvalidUrl:
            return "invalid" if words else None
        return spoken[allowed] if words else allowed

    return [[said(url, crawler) for crawler in crawlers] for url in urls]


def frame_of(spark: SparkSession, path: Path, columns: dict[str, Any], row_group: int = 500) -> DataFrame:
    """A table in a Parquet file of several row groups."""
    path.mkdir(parents=True)
    table = pa.table(columns)
    for begin in range(0, len(table), row_group):
        pq.write_table(table.slice(begin, row_group), path / f"{begin}.parquet")
    return spark.read.parquet(str(path))


def urls_frame(spark: SparkSession, path: Path, urls: list[Any], kind: pa.DataType | None = None) -> DataFrame:
    return frame_of(spark, path, {"id": list(range(len(urls))), "url": pa.array(urls, kind or pa.string())})


def sites_frame(spark: SparkSession, path: Path, sites: list[dict[str, Any]]) -> DataFrame:
    columns = {name: [site[name] for site in sites] for name in sites[0]}
    columns["body"] = pa.array(columns["body"], pa.binary())
    return frame_of(spark, path, columns)


def answers(out: DataFrame, column: str = "allowed") -> list[Any]:
    """The new column in the order of ``id``, each struct as a list."""
    table = out.select("id", column).toArrow().sort_by("id")
    assert table["id"].to_pylist() == list(range(len(table)))
    found = table[column].to_pylist()
    return [list(row.values()) if isinstance(row, dict) else [row] for row in found]
