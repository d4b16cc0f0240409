"""Every example in the documentation runs, and does what it says."""

import doctest
import importlib
import importlib.util
import pkgutil
import re
import shutil
from pathlib import Path

import pytest
import robotsieve_fetch

import robotsieve

PYTHON = Path(__file__).resolve().parents[1]
PAGES = sorted([PYTHON / "README.md", PYTHON / "PYPI.md", *(PYTHON / "docs").glob("*.md")])
# test_dataframes.py runs it, and compares what it makes.
PAGES.remove(PYTHON / "docs/dataframes.md")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def modules() -> list[str]:
    return ["robotsieve"] + [
        module.name for module in pkgutil.walk_packages(robotsieve.__path__, "robotsieve.")
    ]


@pytest.mark.parametrize("name", modules())
def test_docstrings(name: str) -> None:
    module = importlib.import_module(name)
    finder = doctest.DocTestFinder(exclude_empty=True)
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    for example in finder.find(module, name):
        runner.run(example)
    if name == "robotsieve":
        assert runner.summarize(verbose=False).attempted > 20
    assert runner.summarize(verbose=False).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_pages(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = doctest.testfile(str(page), module_relative=False, optionflags=FLAGS)
    assert result.failed == 0


def test_everything_public_has_a_docstring() -> None:
    missing = []
    for name in robotsieve.__all__:
        thing = getattr(robotsieve, name)
        if name.startswith("__") or not callable(thing):
            continue
        if not thing.__doc__:
            missing.append(name)
        for member, value in vars(thing).items() if isinstance(thing, type) else ():
            # The fields of values are described in the docstrings of their classes.
            is_field = member in getattr(thing, "__dataclass_fields__", ())
            if not member.startswith("_") and not is_field and not getattr(value, "__doc__", None):
                missing.append(f"{name}.{member}")
    assert missing == []


def test_reference(tmp_path: Path) -> None:
    """The book's pages on these packages have all that is public, with its docstring."""
    for package in (robotsieve, robotsieve_fetch):
        installed = Path(package.__file__).parent
        shutil.copytree(installed, tmp_path / installed.name, ignore=shutil.ignore_patterns("*.so", "*.pyd", "__pycache__"))
    spec = importlib.util.spec_from_file_location("reference", PYTHON.parent / "release/reference.py")
    assert spec is not None and spec.loader is not None
    reference = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reference)
    pages = reference.pages(tmp_path)
    assert set(pages) == {"README.md", *(f"{module}.md" for module in reference.MODULES)}
    for module in reference.MODULES:
        page = pages[f"{module}.md"]
        headings = re.findall(r"^##+ (\S+)$", page, re.MULTILINE)
        assert len(headings) == len(set(headings)) and headings, module
        assert page.count("\n```") % 2 == 0 and not re.search(":(class|meth|func|attr):", page), module
        public = getattr(importlib.import_module(module), "__all__", [])
        assert {name for name in public if name != "__version__"} <= set(headings), module
    main = pages["robotsieve.md"]
    assert "is_allowed(url: Text, /) -> bool\n```\n\nTrue if the crawler may fetch this URL" in main
    for member in [member for member in vars(robotsieve.Policy) if not member.startswith("_")]:
        assert f"\n### Policy.{member}\n" in main
    assert "AnyCrawler" in pages["robotsieve.typing.md"] and "decide_stream" in pages["robotsieve.aio.md"]
