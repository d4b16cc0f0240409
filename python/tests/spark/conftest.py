"""A real Spark: two executors, which are processes of their own."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pyspark
import pytest
from pyspark.sql import SparkSession
from spark_cases import JAVA

import robotsieve

SETTINGS = {
    "spark.driver.extraJavaOptions": JAVA,
    "spark.executor.extraJavaOptions": JAVA,
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.sql.shuffle.partitions": "4",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    # An executor that a test kills isn't started anew within a job otherwise.
    "spark.deploy.maxExecutorRetries": "-1",
}


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What a process needs to run Spark with this Python and this package."""
    home = tmp_path_factory.mktemp("spark")
    # Executors log into SPARK_HOME/work, which shall not be where PySpark is installed.
    for part in Path(pyspark.__file__).parent.iterdir():
        if part.name != "work":
            (home / part.name).symlink_to(part)
    package = Path(robotsieve.__file__).resolve().parents[1]
    paths = [str(package), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        **os.environ,
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join(paths),
    }


@pytest.fixture(scope="session")
def spark(environment: dict[str, str]) -> Iterator[SparkSession]:
    os.environ.update(environment)
    master = os.environ.get("ROBOTSIEVE_SPARK_MASTER", "local-cluster[2,1,1024]")
    builder = SparkSession.builder.master(master)
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()
