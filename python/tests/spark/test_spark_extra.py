"""What the extra ``spark`` brings."""

import subprocess
import sys
from importlib.metadata import requires

from packaging.requirements import Requirement


def test_pyspark_accepts_what_the_extra_brings() -> None:
    """PySpark warns of pandas 3, in each session and on each worker."""
    extra = [Requirement(text) for text in requires("robotsieve") or []]
    extra = [one for one in extra if one.marker is not None and one.marker.evaluate({"extra": "spark"})]
    (pandas,) = [one for one in extra if one.name == "pandas"]
    assert not pandas.specifier.contains("3.0.0") and pandas.specifier.contains("2.3.3")
    check = (
        "import pyspark.sql.pandas.utils as utils; utils.require_minimum_pandas_version();"
        "utils.require_minimum_pyarrow_version()"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", check], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
