"""The expressions for Polars and the function for DuckDB say what the methods say."""

from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pytest

import robotsieve.duckdb
import robotsieve.polars
from robotsieve import Pack, PackWriter, PolicySet, Robots
from robotsieve.typing import Sites, What

FILE = "User-agent: a b\nDisallow: /private\n\nUser-agent: *\nDisallow: /search"
URLS = ["https://e.com/", "https://e.com/search", "https://o.example/", "not a URL", None] * 600
WHAT: list[What] = ["verdicts", "answers", "decisions"]


@pytest.fixture(scope="module", params=["policy", "policies", "set", "pack"])
def sites(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Sites:
    if request.param == "policy":
        return Robots(FILE).policy("GPTBot")
    if request.param == "policies":
        return Robots(FILE).policies(["GPTBot", "CCBot"])
    known = PolicySet(["GPTBot", "CCBot"])
    known.add("https://e.com", FILE)
    if request.param == "set":
        return known
    path = tmp_path_factory.mktemp("packs") / "p"
    with PackWriter(path, ["GPTBot", "CCBot"]) as writer:
        writer.add("https://e.com", FILE)
    return Pack.open(path)


def expected(sites: Any, what: What, crawlers: Any) -> list[Any]:
    """What the method of this name says, as Arrow has it."""
    if not hasattr(sites, "verdicts_by_crawler"):
        said = getattr(sites, what)(URLS)
    elif isinstance(crawlers, str):
        said = getattr(sites, what)(URLS, crawler=crawlers)
    else:
        said = getattr(sites, f"{what}_by_crawler")(URLS, crawlers=crawlers)
    rows: list[Any] = pa.array(said).to_pylist()
    return rows


def asked(sites: Sites) -> list[Any]:
    return ["gptbot", ["CCBot", "GPTBot"], None] if hasattr(sites, "verdicts_by_crawler") else [None]


@pytest.mark.parametrize("what", WHAT)
def test_polars(sites: Sites, what: What, tmp_path: Path) -> None:
    frame = pl.DataFrame({"url": URLS, "n": range(len(URLS))})
    frame.write_parquet(tmp_path / "urls.parquet", row_group_size=700)
    for crawlers in asked(sites):
        rows = expected(sites, what, crawlers)
        column = getattr(robotsieve.polars, what)(sites, crawlers=crawlers).alias("said")
        assert frame.select(column)["said"].to_list() == rows
        of_expression = getattr(robotsieve.polars, what)(sites, pl.col("url"), crawlers=crawlers).alias("said")
        lazy = pl.scan_parquet(tmp_path / "urls.parquet").select("n", of_expression)
        # What it says its type is.
        assert lazy.collect().schema == lazy.collect_schema()
        lazy.sink_parquet(tmp_path / "said.parquet")
        assert pl.read_parquet(tmp_path / "said.parquet").sort("n")["said"].to_list() == rows


@pytest.mark.parametrize("what", WHAT)
def test_duckdb(sites: Sites, what: What) -> None:
    table = pa.table({"url": URLS, "n": range(len(URLS))})
    with duckdb.connect() as db:
        db.register("urls", table)
        for number, crawlers in enumerate(asked(sites)):
            robotsieve.duckdb.register(db, f"said{number}", sites, crawlers=crawlers, what=what)
            found = db.execute(f"SELECT said{number}(url) FROM urls ORDER BY n").fetchall()
            assert [value for (value,) in found] == expected(sites, what, crawlers)


def test_names_of_columns() -> None:
    """A crawler may be called anything that a robots.txt can name."""
    policies = Robots(FILE).policies(["a-b", "SELECT_"])
    with duckdb.connect() as db:
        robotsieve.duckdb.register(db, "said", policies)
        found = db.execute("SELECT said('/x')").fetchall()
        assert found == [({"a-b": True, "SELECT_": True},)]


def test_what_is_asked_wrongly(sites: Sites) -> None:
    with pytest.raises(ValueError, match="what must be 'verdicts', 'answers' or 'decisions', not 'words'"):
        robotsieve.duckdb.register(duckdb.connect(), "x", sites, what="words")  # type: ignore[arg-type]
    if hasattr(sites, "verdicts_by_crawler"):
        with pytest.raises(ValueError, match="no such crawler"):
            robotsieve.polars.verdicts(sites, crawlers="Bingbot")
    else:
        with pytest.raises(TypeError, match="a Policy is for one crawler"):
            robotsieve.polars.verdicts(sites, crawlers="GPTBot")
