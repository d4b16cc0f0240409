"""A job on Spark Connect, in a process of its own: no process can have both kinds of sessions.

Prints what it found as JSON.
"""

import json
import sys
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from spark_cases import CRAWLERS, JAVA, answers

from robotsieve.spark import (
    build_packs,
    in_force,
    read_robots_warc,
    register,
    summarise,
    verdicts,
    with_answers,
    with_verdicts,
)
from robotsieve.typing import Plan


def main(folder: Path) -> dict[str, Any]:
    spark = SparkSession.builder.remote("local[2]").config("spark.driver.extraJavaOptions", JAVA).getOrCreate()
    assert "connect" in type(spark).__module__
    spark.conf.set("spark.sql.shuffle.partitions", 4)
    urls = spark.read.parquet(str(folder / "urls"))
    sites = spark.read.parquet(str(folder / "sites"))
    found: dict[str, Any] = {}
    plans: list[tuple[str, Any, Plan]] = [("packs", str(folder / "packs"), "auto"), ("sent", sites, "packs"), ("joined", sites, "joined")]
    for name, robots, plan in plans:
        out = with_answers(urls, crawlers=CRAWLERS, robots=robots, plan=plan, skew=1.0)
        found[name] = answers(out, "answer")
    column = verdicts("url", crawlers="GPTBot", robots=str(folder / "packs"))
    found["function"] = answers(urls.select("id", column.alias("allowed")))
    register(spark, "gptbot", crawlers="GPTBot", robots=str(folder / "packs"))
    urls.createOrReplaceTempView("urls")
    found["sql"] = answers(spark.sql("SELECT id, gptbot(url) AS allowed FROM urls"))
    out = with_verdicts(urls, crawlers="GPTBot", robots=sites, plan="joined", skew={"hot.example": 0.3})
    found["one"] = answers(out)
    for by in ["crawler", "host", "country"]:
        rows = summarise(out, by=by).collect()  # type: ignore[arg-type]
        found[by] = [sum(row.urls for row in rows), sum(row.allowed for row in rows)]
    shards = build_packs(sites, folder / "built", crawlers=CRAWLERS, shards=3, seed=1)
    found["built"] = [shard.origins for shard in shards]
    captures = read_robots_warc(spark, str(folder / "warc"))
    rows = in_force(captures).toArrow().to_pylist()
    found["force"] = {row["url"].removesuffix("/robots.txt"): [row["outcome"], row["captured"] or 0] for row in rows}
    try:
        with_verdicts(urls, crawlers=CRAWLERS, robots=str(folder / "none.pack")).count()
    except Exception as error:
        found["error"] = str(error)
    spark.stop()
    return found


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]))))
