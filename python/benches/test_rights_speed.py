"""Rights in columns, beside a loop of Python with ``html.parser``. Needs no corpus.

    python -m pytest python/benches/test_rights_speed.py -q

Every benchmark asserts how many pages may not be trained on. The figure of each is its best round.
"""

from html.parser import HTMLParser

import pyarrow as pa
import pytest
from conftest import BARS, SECONDS, took

from robotsieve import RightsReader, Robots

ROUNDS = {"rounds": 7, "warmup_rounds": 1}
FEW = {"rounds": 3, "warmup_rounds": 0}

URLS = 1_000_000
PAGES = 2_000
PAGE_BYTES = 50_000
READER = RightsReader("GPTBot", now=1_790_000_000)
#: As that of `benches/rights.rs`.
ROBOTS = Robots(
    "User-agent: *\nContent-Signal: search=yes,ai-train=no,use=reference\nAllow: /\n\n"
    "User-agent: *\nDisallow: /admin/\nDisallow: /*?sort=\nDisallow: /cart\n"
    "Content-Usage: train-ai=n, search=y\nContent-Usage: /open/ train-ai=y\nContent-Signal: /open/ ai-train=yes\n"
)
HEADER = [
    ("Date", "Wed, 25 Nov 2026 10:00:00 GMT"),
    ("Content-Type", "text/html; charset=utf-8"),
    ("Connection", "keep-alive"),
    ("Vary", "Accept-Encoding"),
    ("Cache-Control", "max-age=600, public"),
    ("Link", '<https://e.com/wp-json/>; rel="https://api.w.org/"'),
    ("Strict-Transport-Security", "max-age=31536000; includeSubDomains"),
    ("Server", "nginx"),
    ("Content-Encoding", "gzip"),
]
ABOUT_RIGHTS = [
    [("X-Robots-Tag", "noindex, nofollow")],
    [("Content-Usage", "train-ai=n, search=y")],
    [("Content-Signal", "search=yes, ai-train=no")],
    [("tdm-reservation", "1"), ("X-Robots-Tag", "max-snippet:50")],
]
#: In every eleventh something about rights.
HEADERS = [HEADER + (ABOUT_RIGHTS[number // 11] if number % 11 == 0 else []) for number in range(44)]
#: Of every 44 URLs, those that headers say may not be trained on: Content-Usage, Content-Signal, tdm-reservation.
BARRED = sum(number % 44 in (11, 22, 33) for number in range(URLS))


@pytest.fixture(scope="module")
def urls() -> pa.Array:
    folders = ["blog", "open", "admin", "a/b/c"]
    return pa.array([f"https://www.example.com/{folders[n % 4]}/article-{n}?page=2" for n in range(URLS)])


@pytest.fixture(scope="module")
def maps() -> pa.Array:
    return pa.array([HEADERS[n % 44] for n in range(URLS)], pa.map_(pa.string(), pa.string()))


@pytest.fixture(scope="module")
def texts() -> pa.Array:
    text = ["HTTP/1.1 200 OK\r\n" + "".join(f"{a}: {b}\r\n" for a, b in header) + "\r\n" for header in HEADERS]
    return pa.array([text[n % 44] for n in range(URLS)])


def bar(what: str, name: str, bar: str = "") -> None:
    BARS.append((what, bar, f"{1e-6 / SECONDS[name]:.2f} million/s"))


def test_headers_of_maps(benchmark, urls: pa.Array, maps: pa.Array) -> None:
    columns = benchmark.pedantic(lambda: READER.columns(urls, headers=maps), **ROUNDS)
    assert columns.ai_train.disallowed_count == BARRED
    took("rights, maps", benchmark, URLS)
    bar("rights of 1,000,000 URLs with headers, maps, one thread", "rights, maps", ">= 1 million/s")


def test_headers_of_text(benchmark, urls: pa.Array, texts: pa.Array) -> None:
    columns = benchmark.pedantic(lambda: READER.columns(urls, headers=texts), **ROUNDS)
    assert columns.ai_train.disallowed_count == BARRED
    took("rights, text", benchmark, URLS)
    bar("… headers as text", "rights, text", ">= 1 million/s")


def test_headers_and_robots(benchmark, urls: pa.Array, maps: pa.Array) -> None:
    columns = benchmark.pedantic(lambda: READER.columns(urls, headers=maps, robots=ROBOTS), **ROUNDS)
    # All but what is in /open/, of which headers bar some.
    in_open = sum(n % 4 == 1 and n % 44 not in (11, 22, 33) for n in range(URLS))
    assert columns.ai_train.disallowed_count == URLS - in_open
    took("rights, both", benchmark, URLS)
    bar("… maps, and a robots.txt with Content-Usage and Content-Signal", "rights, both")


def in_python(url: str, headers: list[tuple[str, str]]) -> bool:
    """Whether the headers bar training, as a loop of Python would say."""
    for name, value in headers:
        name = name.lower()
        if name == "content-usage" and "train-ai=n" in value.replace(" ", "").split(","):
            return True
        if name == "content-signal" and "ai-train=no" in value.replace(" ", "").split(","):
            return True
        if name == "tdm-reservation" and value.strip() == "1":
            return True
        if name == "x-robots-tag" and "noai" in [rule.strip() for rule in value.lower().split(",")]:
            return True
    return False


def test_headers_in_python(benchmark, urls: pa.Array) -> None:
    some = 100_000
    asked = [(url, HEADERS[n % 44]) for n, url in enumerate(urls[:some].to_pylist())]
    barred = benchmark.pedantic(lambda: sum(in_python(url, headers) for url, headers in asked), **FEW)
    assert barred == sum(n % 44 in (11, 22, 33) for n in range(some))
    took("rights, loop", benchmark, some)
    ratio = SECONDS["rights, loop"] / SECONDS["rights, maps"]
    BARS.append(
        ("… a loop of Python over lists, training alone", "", f"{1e-6 / SECONDS['rights, loop']:.2f} million/s (maps: {ratio:.1f} x)")
    )


def page(number: int) -> bytes:
    """A page as that of `benches/rights.rs`, of which every tenth may not be trained on."""
    head = [f'<!doctype html><html lang=en><head><meta charset="utf-8"><title>Article {number}</title>']
    for n in range(20):
        head.append(f'<link rel="stylesheet" href="/assets/{n}.css" media="all">\n')
        head.append(f'<meta property="og:x{n}" content="Some words &amp; more">\n')
    rules = "noindex, noai" if number % 10 == 0 else "noindex"
    head.append(f'<meta name="robots" content="{rules}">\n')
    code = "function f(a, b) { if (a < b && b > 1) { return a + '<p>' + b; } }\n" * 8
    head += [f'<script async src="/js/{n}.js"></script><script>{code}</script>\n' for n in range(10)]
    body = (
        '<div class="card wide" id="c"><a href="/blog/an-article" title="An article">An article</a>'
        "<p>Some text of an article that goes on for a while, as texts do, with <em>a word</em> or two.</p>"
        '<img src="/img/a.jpg" alt="A picture" width=300 height=200></div>\n'
    )
    text = "".join(head) + '</head><body class="single">'
    text += body * ((PAGE_BYTES - len(text)) // len(body)) + "</body></html>"
    return text.encode()


@pytest.fixture(scope="module")
def pages() -> pa.Array:
    return pa.array([page(number) for number in range(PAGES)], pa.binary())


class Metas(HTMLParser):
    """The rules of the robots meta tags of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.rules: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, "str | None"]]) -> None:
        if tag == "meta":
            all_ = dict(attrs)
            if (all_.get("name") or "").lower() == "robots":
                self.rules += [rule.strip().lower() for rule in (all_.get("content") or "").split(",")]


def test_pages(benchmark, pages: pa.Array) -> None:
    urls = [f"https://www.example.com/{number}" for number in range(PAGES)]
    columns = benchmark.pedantic(lambda: READER.columns(urls, html=pages), **ROUNDS)
    assert columns.ai_train.disallowed_count == PAGES // 10
    took("pages", benchmark, pages.nbytes)
    BARS.append(("rights of pages of 50 kB, one thread", ">= 200 MB/s", f"{1e-6 / SECONDS['pages']:.0f} MB/s"))


def test_pages_in_python(benchmark, pages: pa.Array) -> None:
    some = [html.decode() for html in pages[:100].to_pylist()]

    def run() -> int:
        barred = 0
        for html in some:
            parser = Metas()
            parser.feed(html)
            barred += "noai" in parser.rules
        return barred

    assert benchmark.pedantic(run, **FEW) == 10
    took("pages, html.parser", benchmark, sum(map(len, some)))
    ratio = SECONDS["pages, html.parser"] / SECONDS["pages"]
    BARS.append(
        ("… beside html.parser", "", f"{ratio:.0f} x ({1e-6 / SECONDS['pages, html.parser']:.1f} MB/s)")
    )
