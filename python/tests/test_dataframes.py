"""``docs/dataframes.md``: its examples run, and each verdict that they give is that of ``pack.is_allowed``."""

import collections
import doctest
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import ray
from dask.tokenize import TokenizationError
from test_docs import FLAGS

from robotsieve import InvalidOrigin, Pack, Verdicts

PAGE = Path(__file__).parents[1] / "docs/dataframes.md"
CRAWLERS = ["GPTBot", "CCBot"]
Urls = list[str | None]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("dataframes")


class OfThePage(doctest.OutputChecker):
    """What Ray prints of itself, such as that workers start slowly on a busy machine, is no output of the page."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        lines = got.splitlines(keepends=True)
        return super().check_output(want, "".join(line for line in lines if "(raylet)" not in line), optionflags)


@pytest.fixture(scope="module")
def made(folder: Path) -> dict[str, Any]:
    """What the page's examples define. Their files are in the folder."""
    text = PAGE.read_text()
    modules = re.findall(r"^```python\n# (\w+\.py)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert [name for name, _ in modules] == ["robots_verdicts.py"]
    for name, source in modules:
        (folder / name).write_text(source)
    examples = doctest.DocTestParser().get_doctest(text, {"__name__": "__main__"}, PAGE.name, str(PAGE), 0)
    runner = doctest.DocTestRunner(checker=OfThePage(), optionflags=FLAGS)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.syspath_prepend(folder)
        runner.run(examples, clear_globs=False)
    assert runner.summarize(verbose=False).failed == 0
    return examples.globs


@pytest.fixture(scope="module")
def pack(made: dict[str, Any], folder: Path) -> Pack:
    return Pack.open(folder / "sites.pack")


@pytest.fixture(scope="module")
def urls(made: dict[str, Any], folder: Path) -> Urls:
    urls: Urls = pq.read_table(folder / "urls.parquet")["url"].to_pylist()
    assert len(urls) == 4005
    return urls


def verdict(pack: Pack, url: str | None, crawler: str) -> bool | None:
    if url is None:
        return None
    try:
        return pack.is_allowed(url, crawler)
    except InvalidOrigin:
        return None


def table_of(made: dict[str, Any], folder: Path, name: str) -> pa.Table:
    """What an example has made: a variable, a file or a folder of files."""
    if name in made:
        return pa.table(made[name])
    return pq.read_table(folder / name)


def counted(rows: Iterable[object]) -> collections.Counter[str]:
    """Some engines change the order of the rows."""
    return collections.Counter(map(repr, rows))


@pytest.mark.parametrize(
    "name",
    [
        "polars_annotated",
        "polars_annotated.parquet",
        "duckdb_annotated.parquet",
        "ray_annotated",
        "dask_annotated",
        "dask_processes",
    ],
)
def test_annotated(made: dict[str, Any], folder: Path, pack: Pack, urls: Urls, name: str) -> None:
    expected = [(url, {crawler: verdict(pack, url, crawler) for crawler in CRAWLERS}) for url in urls]
    table = table_of(made, folder, name)
    assert counted(zip(table["url"].to_pylist(), table["allowed"].to_pylist())) == counted(expected)


@pytest.mark.parametrize(
    "name",
    [
        "polars_filtered",
        "polars_filtered.parquet",
        "duckdb_filtered.parquet",
        "ray_filtered",
        "dask_filtered",
    ],
)
def test_filtered(made: dict[str, Any], folder: Path, pack: Pack, urls: Urls, name: str) -> None:
    expected = [url for url in urls if verdict(pack, url, "GPTBot")]
    assert 1000 < len(expected) < 4000
    assert counted(table_of(made, folder, name)["url"].to_pylist()) == counted(expected)
    if name == "dask_filtered":
        assert table_of(made, folder, name)["allowed"].to_pylist() == [True] * len(expected)


def addresses(column: Any) -> list[int]:
    chunks = pa.chunked_array(column).chunks
    return [buffer.address for chunk in chunks for buffer in chunk.buffers() if buffer and buffer.size]


def test_what_is_not_copied(made: dict[str, Any], pack: Pack) -> None:
    """A column that is passed by reference is at the same address each time, while both are alive."""
    for column in (made["frame"]["url"], made["dask_processes"]["url"]):
        first, second = pa.chunked_array(column), pa.chunked_array(column)
        assert addresses(first) == addresses(second) != []
    verdicts = pa.array(pack.verdicts(made["frame"]["url"], crawler="GPTBot"))
    for column in (pl.Series(verdicts), pd.Series(pd.arrays.ArrowExtensionArray(verdicts))):
        assert addresses(column) == addresses(pa.chunked_array([verdicts]))


def test_parts_of_polars(folder: Path, pack: Pack) -> None:
    sizes = []

    def judged(urls: pl.Series) -> pl.Series:
        sizes.append(len(urls))
        return pl.Series(pack.verdicts_by_crawler(urls))

    kind = pl.Struct(dict.fromkeys(CRAWLERS, pl.Boolean))
    for is_elementwise in (True, False):
        sizes.clear()
        allowed = pl.col("url").map_batches(judged, return_dtype=kind, is_elementwise=is_elementwise)
        lazy = pl.scan_parquet(folder / "urls.parquet").with_columns(allowed=allowed)
        lazy.sink_parquet(folder / "parts.parquet")
        assert (max(sizes), sum(sizes)) == (1000 if is_elementwise else 4005, 4005)


def test_parts_of_duckdb(folder: Path, pack: Pack) -> None:
    sizes = []

    def judged(urls: pa.ChunkedArray) -> Verdicts:
        sizes.append(len(urls))
        return pack.verdicts(urls, crawler="CCBot")

    with duckdb.connect() as db:
        db.create_function("judged", judged, ["VARCHAR"], "BOOLEAN", type="arrow", null_handling="special")
        db.create_function("default", judged, ["VARCHAR"], "BOOLEAN", type="arrow")
        query = f"FROM '{folder}/urls.parquet' SELECT"
        db.execute(f"{query} judged(url)").fetchall()
        assert sum(sizes) == 4005 and max(sizes) <= 2048
        with pytest.raises(duckdb.InvalidInputException, match="SPECIAL"):
            db.execute(f'{query} "default"(url)').fetchall()


def test_ray_and_dask(made: dict[str, Any], folder: Path) -> None:
    assert ray.data.DataContext.get_current().target_max_block_size == 128 << 20
    dask_urls = made["urls"]
    assert dask_urls.npartitions == 5 and dask_urls["url"].dtype == pd.StringDtype("pyarrow")
    # The threads of this process opened the pack once.
    assert sys.modules["robots_verdicts"].open_pack.cache_info().misses == 1
    script: dict[str, Any] = {"__name__": "__main__"}
    exec((folder / "robots_verdicts.py").read_text(), script)
    with_verdicts, path = script["with_verdicts"], made["path"]
    with pytest.raises(TokenizationError):
        meta = with_verdicts(dask_urls._meta, path)
        dask_urls.map_partitions(with_verdicts, path, meta=meta).to_parquet(folder / "never")
