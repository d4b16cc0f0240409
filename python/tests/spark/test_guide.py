"""``docs/guide-scale.md``: its commands and examples run, in the page's order, and print what it shows.

``UPDATE_DOCS=1 pytest python/tests/spark/test_guide.py`` updates what the page shows.
"""

import difflib
import doctest
import json
import os
import re
import runpy
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from spark_cases import JAVA

import robotsieve

PAGE = Path(__file__).parents[3] / "docs/guide-scale.md"
PACKAGE = Path(robotsieve.__file__).parents[1]

#: Two shuffle partitions: the example is small.
SETTINGS = f"""\
spark.master local[2]
spark.ui.enabled false
spark.ui.showConsoleProgress false
spark.log.level OFF
spark.sql.shuffle.partitions 2
spark.sql.session.timeZone UTC
spark.driver.extraJavaOptions {JAVA}
"""
#: What Java and Spark say before they read the settings for logs.
NOISE = re.compile(r"WARNING: |Using Spark's default|Setting (default|Spark) log level|To adjust logging|\d\d/\d\d/\d\d ")
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", re.DOTALL | re.MULTILINE)

#: Runs examples, a line of JSON each, and answers with what they print, errors too.
RUNNER = """
import contextlib, io, json, sys
names = {"__name__": "__main__"}
for line in sys.stdin:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(json.loads(line), "<page>", "single"), names)
        except Exception as error:
            print(f"{type(error).__name__}: {error}"[:2000])
    print(json.dumps(printed.getvalue()), flush=True)
"""


@pytest.fixture
def folder(tmp_path: Path, programs: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the archive that the page says how to generate."""
    settings = tmp_path / "settings"
    settings.mkdir()
    (settings / "spark-defaults.conf").write_text(SETTINGS)
    monkeypatch.setenv("SPARK_CONF_DIR", str(settings))
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("PYTHONPATH", str(PACKAGE))
    monkeypatch.setenv("PYTHONWARNINGS", "ignore")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("TZ", "UTC")
    path = [str(Path(sys.executable).parent), str(programs), os.environ["PATH"]]
    monkeypatch.setenv("PATH", os.pathsep.join(path))
    for name in ("SPARK_REMOTE", "SPARK_LOCAL_REMOTE", "SPARK_CONNECT_MODE_ENABLED"):
        monkeypatch.delenv(name, raising=False)
    work = tmp_path / "work"
    work.mkdir()
    generate = ["robotsieve-corpora", "warc", "--captures", "10000"]
    subprocess.run([*generate, "--files", "4", "--out", "archive"], cwd=work, check=True)
    subprocess.run([*generate, "--expect", "expected", "--index", "20000"], cwd=work, check=True)
    return work


class Examples:
    """A Python that runs the page's examples, beside the tests' own Spark."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", RUNNER],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def printed(self, source: str) -> str:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps(source) + "\n")
        self.process.stdin.flush()
        text: str = json.loads(self.process.stdout.readline())
        return text

    def close(self) -> None:
        self.process.communicate(timeout=60)


def shown(text: str, folder: Path) -> str:
    """What the page shows of what was printed: the folder and the machine have names of their own."""
    lines = [line.rstrip() for line in text.splitlines() if not NOISE.match(line)]
    text = "\n".join(line for line in lines if line)
    text = text.replace(str(folder), "/data")
    return re.sub(rf"\b(on the machine ){re.escape(socket.gethostname())}\b", r"\1node7", text)


def of_console(block: str, folder: Path) -> str:
    """A block of commands, with what they print."""
    made = []
    for command in re.findall(r"^\$ (.*(?:\n> .*)*)", block, re.MULTILINE):
        done = subprocess.run(
            ["sh", "-c", "exec 2>&1\n" + command.replace("\n> ", "\n")],
            cwd=folder, stdout=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL,
        )
        made += [f"$ {command}", shown(done.stdout, folder)]
    return "".join(f"{part}\n" for part in made if part)


def untimed(text: str) -> str:
    """The text with a dash for each number that is a time, a pace or the size of a file."""
    text = re.sub(r"\b(seconds|urls_per_second|bytes) [\d.]+", r"\1 -", text)
    # The seed of a pack moves its size a little.
    return re.sub(r"[\d,]+ (bytes in \d+ files|bytes, sent)", r"- \1", text)


def of_python(block: str, folder: Path, examples: Examples) -> str:
    """A block of examples, with what they print."""
    made = []
    for example in doctest.DocTestParser().get_examples(block):
        first, *more = example.source.splitlines()
        made += [f">>> {first}", *(f"... {line}".rstrip() for line in more)]
        made.append(shown(examples.printed(example.source), folder))
    return "".join(f"{part}\n" for part in made if part) + "\n"


def test_the_page_shows_what_is_printed(folder: Path) -> None:
    page = PAGE.read_text()
    examples = Examples(folder)
    kinds = []

    def made(match: re.Match[str]) -> str:
        kind, block = match.groups()
        if name := re.match(r"# (\w+\.py)\n", block):
            (folder / name[1]).write_text(block)
            return match[0]
        kinds.append(kind)
        if kind == "console":
            return f"```console\n{of_console(block, folder)}```"
        return f"```python\n{of_python(block, folder, examples)}```"

    try:
        real = BLOCK.sub(made, page)
    finally:
        examples.close()
    assert kinds.count("console") >= 4 and kinds.count("python") >= 8
    if os.environ.get("UPDATE_DOCS"):
        PAGE.write_text(real)
    else:
        expected, found = (untimed(text).splitlines() for text in (page, real))
        changes = "\n".join(difflib.unified_diff(expected, found, PAGE.name, "printed", lineterm=""))
        assert not changes, f"update it with UPDATE_DOCS=1 pytest {Path(__file__).name}\n{changes}"


@pytest.fixture
def reckon(repository: Path) -> dict[str, Any]:
    return runpy.run_path(str(repository / "python/benches/spark/reckon.py"))


def test_the_reckoning(reckon: dict[str, Any]) -> None:
    given = reckon["with_defaults"](dict.fromkeys(reckon["MEASURED"], 100.0))
    found = reckon["stages"](given)
    joined = reckon["seconds"](found["joined"], given)
    # 10^10 URLs at 100 a second, by 1600 cores.
    assert joined["processors"] == 62_500
    shuffled = (10**10 + 60 * 10**6) * 100
    assert joined["disks"] == (2 * shuffled + shuffled + 2 * 10**12) / (100 * 5 * 10**8)
    assert joined["network"] == pytest.approx(shuffled * 0.99 / (100 * 1.25 * 10**9))
    # Each machine fetches the pack.
    assert reckon["seconds"](found["packs"], given)["network"] == 6 * 10**9 / (1.25 * 10**9)
    made = reckon["tables"](given)
    assert "| packs, one crawler | 100 B | 6.0 GB |" in made["memory"]
    assert "| 1,041.7 min | processors |" in made["stages"]
    page = PAGE.read_text()
    filled = reckon["filled"](page, made)
    assert made["plans"] in filled
    assert reckon["filled"](filled, made) == filled


@pytest.mark.parametrize("change", ["missing", "unknown"])
def test_the_reckoning_takes_no_guess(reckon: dict[str, Any], change: str) -> None:
    measured = dict.fromkeys(reckon["MEASURED"], 1.0)
    if change == "missing":
        del measured["url_bytes"]
    else:
        measured["url_byte"] = 1.0
    with pytest.raises(ValueError, match="url_byte"):
        reckon["with_defaults"](measured)
