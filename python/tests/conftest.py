"""Where the tests find what they need."""

import gzip
import json
import os
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
CORPUS = Path(os.environ.get("ROBOTSIEVE_CORPUS", REPOSITORY / "../shared/corpus")).resolve()
VERDICTS = 600_347


@pytest.fixture(scope="session")
def repository() -> Path:
    return REPOSITORY


@pytest.fixture(scope="session")
def programs() -> Path:
    """The folder of the command and of the generator: built as ``.ci/run`` does, or one given."""
    if given := os.environ.get("ROBOTSIEVE_PROGRAMS"):
        return Path(given)
    build = ["cargo", "test", "--workspace", "--all-features", "--no-run", "--quiet"]
    done = subprocess.run(
        [*build, "--message-format=json"], cwd=REPOSITORY, stdout=subprocess.PIPE, check=True
    )
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    (program,) = [
        message["executable"]
        for message in messages
        if message.get("executable")
        and message["target"]["name"] == "robotsieve"
        and not message["profile"]["test"]
    ]
    return Path(program).parent


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder with real files, which are not part of the repository."""
    if not CORPUS.is_dir():
        pytest.skip(f"needs the corpus of real files, which is not in {CORPUS}")
    return CORPUS


@pytest.fixture(scope="session")
def reference(corpus: Path) -> dict[bytes, dict[bytes, list[tuple[bytes, bool]]]]:
    """What google/robotstxt answered: host, agent, and URLs with their verdicts."""
    hosts: dict[bytes, dict[bytes, list[tuple[bytes, bool]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    with gzip.open(corpus / "verdicts.google.tsv.gz") as lines:
        for line in lines:
            host, agent, verdict, url = line.rstrip(b"\n").split(b"\t", 3)
            hosts[host][agent].append((url, verdict == b"1"))
    return hosts
