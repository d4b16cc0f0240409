"""Lays the packages out in a folder of modules, as their wheels do: ``lay_out.py BUILT SITE``.

``BUILT`` has the native modules, in the profile of the tests, and what their build scripts made.
"""

import shutil
import sys
from pathlib import Path

PYTHON = Path(__file__).resolve().parents[1]


def made(built: Path, crate: str, name: str) -> Path:
    """The newest file of this name that the build script of a crate made."""
    found = built.glob(f"build/{crate}-*/out/{name}")
    return max(found, key=lambda path: path.stat().st_mtime)


def main(built: Path, site: Path) -> None:
    package, fetch = site / "robotsieve", site / "robotsieve_fetch"
    for folder in (package, fetch):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(PYTHON / "robotsieve", package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(built / "lib_robotsieve.so", package / "_robotsieve.abi3.so")
    shutil.copy(made(built, "robotsieve-python", "_robotsieve.pyi"), package)
    fetch.mkdir()
    (fetch / "__init__.py").write_text(
        "from .robotsieve_fetch import *\n\n"
        "__doc__ = robotsieve_fetch.__doc__\n"
        'if hasattr(robotsieve_fetch, "__all__"):\n    __all__ = robotsieve_fetch.__all__\n'
    )
    shutil.copy(built / "librobotsieve_fetch.so", fetch / "robotsieve_fetch.abi3.so")
    for name in ("__init__.pyi", "py.typed"):
        shutil.copy(made(built, "robotsieve-python-fetch", name), fetch)


main(*map(Path, sys.argv[1:]))
