"""The reckoning of docs/guide-scale.md: from what was measured to ten billion URLs on a cluster.

    python python/benches/spark/reckon.py measured.json                             # prints the tables
    python python/benches/spark/reckon.py measured.json --fill docs/guide-scale.md  # and writes them into the page

measured.json has a number for each name of `MEASURED`, and may have others than the defaults of `CLUSTER`. The
tables stand in the page between `<!-- reckon: NAME -->` and `<!-- end -->`.
"""

from __future__ import annotations

import argparse
import json
import re
from dataclasses import dataclass
from pathlib import Path

#: What is reckoned for, and what stands in no measurement: round numbers to replace by one's own.
CLUSTER = {
    "urls": (10_000_000_000, "URLs"),
    "origins": (60_000_000, "origins with a robots.txt"),
    "captures": (70_000_000, "captures of them, with redirects and repetitions"),
    "machines": (100, "machines"),
    "cores": (16, "cores of each"),
    "disk_bytes_per_s": (500_000_000, "of each machine: read and written, local or from the store"),
    "network_bytes_per_s": (1_250_000_000, "of each machine: 10 Gbit/s"),
    "machine_price_per_hour": (0.80, "dollars"),
}

#: Rates are for one core.
MEASURED = {
    "warc_bytes_per_capture": "`.warc.gz`, compressed",
    "warc_captures_per_s": "`read_robots_warc` to Parquet",
    "capture_bytes": "a capture in Parquet",
    "in_force_captures_per_s": "`in_force`, from Parquet to Parquet",
    "in_force_reads": "how often `in_force` reads the table of captures",
    "in_force_shuffle_bytes_per_capture": "all of its shuffles",
    "site_bytes": "an origin in Parquet, as `in_force` gives it",
    "pack_origins_per_s": "`build_packs`, from what is in force",
    "pack_bytes_per_origin": "one crawler",
    "pack_50_bytes_per_origin": "50 crawlers",
    "url_bytes": "a URL in Parquet",
    "verdict_bytes": "what a verdict adds to it",
    "packs_urls_per_s": "one crawler, Parquet to Parquet",
    "packs_50_urls_per_s": "50 crawlers, Parquet to Parquet",
    "packs_worker_bytes": "a Python worker's own memory, without the pack",
    "skew_urls_per_s": "counting 1 % of the URLs by host",
    "joined_urls_per_s": "one crawler, Parquet to Parquet",
    "shuffle_bytes_per_url": "a URL in a shuffle file, compressed",
    "joined_worker_bytes": "a Python worker's memory",
}


@dataclass(frozen=True)
class Stage:
    """What the whole cluster does in a stage."""

    name: str
    read: float
    shuffled: float
    written: float
    core_seconds: float
    #: What each machine fetches on its own, beside that.
    fetched: float = 0.0


def stages(given: dict[str, float]) -> dict[str, Stage]:
    """The stages, each from its own measurements."""
    urls, origins, captures = given["urls"], given["origins"], given["captures"]
    table, column = captures * given["capture_bytes"], urls * given["url_bytes"]
    in_force, out = origins * given["site_bytes"], column + urls * given["verdict_bytes"]
    pack, pack_50 = (
        origins * given[name] for name in ("pack_bytes_per_origin", "pack_50_bytes_per_origin")
    )

    def verdicts(name: str, rate: str, fetched: float) -> Stage:
        return Stage(name, column, 0, out, urls / given[rate], fetched)

    return {
        "captures": Stage(
            "WARC files to a table of captures",
            captures * given["warc_bytes_per_capture"], 0, table,
            captures / given["warc_captures_per_s"],
        ),
        "in_force": Stage(
            "what is in force",
            table * given["in_force_reads"],
            captures * given["in_force_shuffle_bytes_per_capture"],
            in_force,
            captures / given["in_force_captures_per_s"],
        ),
        "pack": Stage("a pack", in_force, in_force, pack, origins / given["pack_origins_per_s"]),
        "packs": verdicts("verdicts by packs, one crawler", "packs_urls_per_s", pack),
        "packs_50": verdicts("verdicts by packs, 50 crawlers", "packs_50_urls_per_s", pack_50),
        "skew": Stage(
            "joined: hosts with many URLs", column, 0, 0, urls / given["skew_urls_per_s"]
        ),
        "joined": Stage(
            "joined: shuffle, sort, verdicts, one crawler",
            column + in_force,
            urls * given["shuffle_bytes_per_url"] + in_force,
            out,
            urls / given["joined_urls_per_s"],
        ),
    }


def seconds(stage: Stage, given: dict[str, float]) -> dict[str, float]:
    """How long processors, disks and network would take, each alone. The longest is the stage's time."""
    machines = given["machines"]
    # What is shuffled is written to local disks and read from there; 1 of so many parts stays where it is.
    on_disks = stage.read + stage.written + 2 * stage.shuffled
    on_network = stage.shuffled * (machines - 1) / machines + machines * stage.fetched
    return {
        "processors": stage.core_seconds / (machines * given["cores"]),
        "disks": on_disks / (machines * given["disk_bytes_per_s"]),
        "network": on_network / (machines * given["network_bytes_per_s"]),
    }


def tables(given: dict[str, float]) -> dict[str, str]:
    """Each table of the page, by its name there."""
    found = stages(given)
    times = {name: seconds(stage, given) for name, stage in found.items()}
    rows = []
    for name, stage in found.items():
        bound = max(times[name], key=lambda by: times[name][by])
        rows.append((
            stage.name, size(stage.read), size(stage.shuffled), size(stage.written),
            f"{stage.core_seconds / 3600:,.1f}", f"{times[name][bound] / 60:,.1f} min", bound,
        ))
    price = given["machines"] * given["machine_price_per_hour"] / 3600
    plans = []
    for plan, parts in {
        "packs": ("captures", "in_force", "pack", "packs"),
        "joined": ("captures", "in_force", "skew", "joined"),
    }.items():
        total = sum(max(times[name].values()) for name in parts)
        plans.append((plan, f"{total / 60:,.1f} min", f"{total * price:,.2f} dollars"))
    pack, pack_50 = (
        given["origins"] * given[name]
        for name in ("pack_bytes_per_origin", "pack_50_bytes_per_origin")
    )
    memory = [
        (plan, size(worker), size(worker * given["cores"] + mapped))
        for plan, worker, mapped in (
            ("packs, one crawler", given["packs_worker_bytes"], pack),
            ("packs, 50 crawlers", given["packs_worker_bytes"], pack_50),
            ("joined", given["joined_worker_bytes"], 0.0),
        )
    ]
    return {
        "cluster": table(
            ("assumed", "", ""),
            [(f"`{name}`", plain(given[name]), what) for name, (_, what) in CLUSTER.items()],
        ),
        "measured": table(
            ("measured", "", ""),
            [(f"`{name}`", plain(given[name]), what) for name, what in MEASURED.items()],
        ),
        "stages": table(
            ("stage", "read", "shuffled", "written", "core hours", "time", "bound by"), rows
        ),
        "plans": table(("all stages, one crawler", "time", "cost"), plans),
        "memory": table(("plan", "a Python worker", "a machine's workers, with the pack"), memory),
    }


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    rule = ("---", *("---:" for _ in head[1:]))
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *rows))


def size(count: float) -> str:
    for unit, name in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB")):
        if count >= unit:
            return f"{count / unit:,.1f} {name}"
    return f"{count:,.0f} B" if count else "-"


def plain(number: float) -> str:
    return f"{number:,.0f}" if number == int(number) or number >= 1000 else f"{number:,.2f}"


def filled(page: str, made: dict[str, str]) -> str:
    """The page with the tables in their places."""
    for name, text in made.items():
        place = re.compile(rf"(<!-- reckon: {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        page, count = place.subn(lambda found: f"{found[1]}{text}\n{found[2]}", page)
        if count != 1:
            raise ValueError(f"the page has {count} places for the table '{name}', not 1")
    return page


def with_defaults(measured: dict[str, float]) -> dict[str, float]:
    """The measurements with the cluster, all of them known."""
    if unknown := measured.keys() - MEASURED.keys() - CLUSTER.keys():
        raise ValueError(f"no such input: {', '.join(sorted(unknown))}")
    if missing := MEASURED.keys() - measured.keys():
        raise ValueError(f"not measured: {', '.join(sorted(missing))}")
    return {name: number for name, (number, _) in CLUSTER.items()} | measured


def main() -> None:
    parser = argparse.ArgumentParser(description="Reckons what a cluster would take.")
    parser.add_argument("measured", type=Path, help="a JSON object: a number for each name")
    parser.add_argument("--fill", type=Path, metavar="PAGE", help="write the tables into this page")
    options = parser.parse_args()
    made = tables(with_defaults(json.loads(options.measured.read_text())))
    print("\n\n".join(made.values()))
    if options.fill is not None:
        options.fill.write_text(filled(options.fill.read_text(), made))


if __name__ == "__main__":
    main()
