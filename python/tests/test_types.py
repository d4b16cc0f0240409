"""The types: mypy, pyright and mypy's stubtest accept them, and wrong calls are refused."""

import ast
import doctest
import importlib
import inspect
import re
import subprocess
import sys
import typing
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import robotsieve
from robotsieve import Config, Profile
from robotsieve.typing import ConfigFields, EngineLimits, ProfileSwitches

PACKAGE = Path(robotsieve.__file__).parent
#: The native modules, whose stubs `python/stubs` makes.
MODULES = ["robotsieve._robotsieve", "robotsieve_fetch"]
USE = """\
from typing import assert_type

import polars as pl
import robotsieve
from robotsieve import Decision, Pack, Policy, PolicySet, Robots, Rule, Verdicts

robots = Robots(b"User-agent: *", "google")
policy = robots.policy("MyCrawler")
assert_type(policy, Policy)
assert_type(policy.is_allowed("https://e.com/"), bool)
assert_type(policy.decide(b"https://e.com/").rule, Rule | None)
assert_type(policy.verdicts(["https://e.com/", None]), Verdicts)
assert_type(list(policy.verdicts(iter([b"https://e.com/"]))), list[bool | None])
assert_type(robots.crawl_delay(["a", "b"]), float | None)
assert_type(PolicySet(["a"]).decide("https://e.com/"), Decision | None)
assert_type(PolicySet(["a"]).verdicts([]), Verdicts)
assert_type(Pack.open("p").answers([], crawler=robotsieve.UserAgent("a")), robotsieve.Answers)
assert_type(list(Pack.open("p").verdicts(["https://e.com/"])), list[bool | None])
assert_type(policy.decisions([])[0], Decision | None)
by_crawler = Pack.open("p").verdicts_by_crawler([], crawlers=["a", ["b", "c"]])
assert_type(by_crawler, robotsieve.CrawlerVerdicts)
assert_type([column for name, column in by_crawler.items()], list[Verdicts])
assert_type(by_crawler.get("a"), Verdicts | None)
assert_type(robots.policies(["a"]).decisions_by_crawler([])["a"], robotsieve.Decisions)
assert_type(Pack.open("p").is_allowed("https://e.com/"), bool | None)
policy.verdicts(pl.Series(["https://e.com/"]), threads=None)
own = robotsieve.Profile("google", wildcards=False, high_bytes_encoded="both", size_limit=None)
assert_type(robotsieve.Profile(**own.to_dict()), robotsieve.Profile)
assert_type(robotsieve.Config(**robotsieve.Config(keep_rules=False).to_dict()), robotsieve.Config)
assert_type(robots.explain("a", "/").winner, robotsieve.MatchedRule | None)
assert_type(robots.diagnostics, list[robotsieve.Diagnostic])
assert_type(robotsieve.lint(robots, profiles=["google"])[0].fix, robotsieve.Fix | None)
assert_type(robotsieve.fix(b"", apply="all").body, bytes)
assert_type(robotsieve.diff(b"", robots, ["a"]).crawlers[0].is_equal, bool)
assert_type(robots.records(["a"]).records[0].clean_param, robotsieve.CleanParam | None)
assert_type(robots.crawlers(purposes=["ai-training"]).policies[0].text, str)
reader = robotsieve.RightsReader(["a", "b"], reading="bing", now=0.5)
rights = reader.rights("/", robots=robots, headers={"A": "b"}, files={"https://e.com/l": b""})
assert_type(rights, robotsieve.Rights)
assert_type(rights.by["ai-train"][0].place, str)
reader.rights(b"/", robots="", headers=[("A", ["b"]), ("C", b"d")], html="<p>")
columns = reader.columns(pl.Series(["/"]), robots={"https://e.com": robots}, headers=["A: b", None])
assert_type(columns.ai_train, robotsieve.Answers)
pl.DataFrame(columns)
"""
WRONG = [
    'Robots("", "googel")',
    "Robots(3)",
    'Robots("").policy(3)',
    'Robots("").policy("a").is_allowed(None)',
    'Robots("").policy("a").verdicts([1])',
    'Robots("").policy("a").verdicts(["a"], threads="2")',
    'PolicySet("a", "google", 3)',
    "robotsieve.Profile(foo=3)",
    'robotsieve.Profile("google", wildcards="yes")',
    "robotsieve.Config(foo=3)",
    'Robots("").policies(["a"]).verdicts([], crawlers=["a"])',
    'PolicySet(["a"]).add("https://e.com", outcome="maybe")',
    'Robots("").explain("a", "/").verdict == 3 and Robots("").explain("a")',
    'robotsieve.lint("", profile="google")',
    'robotsieve.fix("", apply="some")',
    'robotsieve.lnt("")',
    'robotsieve.RightsReader("a", reading="x")',
    'robotsieve.RightsReader("a").rights("/", robots=3)',
    'robotsieve.RightsReader("a").columns(["/"], html="<p>", headers=3)',
]


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *command], capture_output=True, text=True, cwd=folder, check=False
    )


@pytest.fixture(scope="module")
def mypy(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Mypy, which reads each package once for all of these tests."""
    return ["mypy", "--strict", "--cache-dir", str(tmp_path_factory.mktemp("mypy"))]


def check_uses(done: subprocess.CompletedProcess[str]) -> None:
    """All that is wrong was found, and nothing else."""
    found = re.findall(r"^\s*(\S+\.pyi?):(\d+):(?:\d+ -)? error", done.stdout, re.MULTILINE)
    refused = {(Path(file).name, int(line)) for file, line in found}
    assert refused == {("wrong.py", number) for number in range(2, len(WRONG) + 2)}, done.stdout + done.stderr


@pytest.fixture
def uses(tmp_path: Path) -> list[str]:
    """Files that use the package, rightly and wrongly."""
    (tmp_path / "use.py").write_text(USE)
    lines = ["import robotsieve; from robotsieve import PolicySet, Robots", *WRONG]
    (tmp_path / "wrong.py").write_text("\n".join(lines) + "\n")
    return ["use.py", "wrong.py"]


def test_mypy(mypy: list[str], uses: list[str], tmp_path: Path) -> None:
    done = run(tmp_path, *mypy, "-p", "robotsieve")
    assert done.returncode == 0, done.stdout + done.stderr
    check_uses(run(tmp_path, *mypy, *uses))


def test_pyright(uses: list[str], tmp_path: Path) -> None:
    check_uses(run(tmp_path, "pyright", "--pythonpath", sys.executable, str(PACKAGE), *uses))


#: Not where the package is: a wheel has no pages.
PYTHON = Path(__file__).parents[1]
#: The blocks of `asyncio.md` are programs of their own.
PAGES = [PYTHON / "README.md", *(PYTHON / f"docs/{page}.md" for page in ("dataframes", "migration", "rights"))]
#: Programs that have no types of their own.
UNTYPED = ["dask", "pandas", "pyarrow"]


def code_of(page: Path) -> str:
    """The code of a page: its examples, and its blocks that are not examples, in the page's order."""
    code = []
    for block in re.findall(r"^```python\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE):
        examples = doctest.DocTestParser().get_examples(block)
        code += [example.source for example in examples if example.exc_msg is None] or [block]
    return "\n".join(code)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_the_code_of_the_pages(page: Path, mypy: list[str], tmp_path: Path) -> None:
    """It is as strict as its readers may be."""
    for name, source in re.findall(r"^```python\n# (\w+)\.py\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE):
        (tmp_path / f"{name}.py").write_text(source)
    (tmp_path / "page.py").write_text(code_of(page))
    ignored = "".join(f"[mypy-{name}.*]\nignore_missing_imports = True\n" for name in UNTYPED)
    (tmp_path / "mypy.ini").write_text(f"[mypy]\n{ignored}")
    done = run(tmp_path, *mypy, "page.py")
    assert done.returncode == 0, done.stdout + done.stderr


def docstrings(stub: Path, module: ModuleType) -> Iterator[tuple[str, str | None, str | None]]:
    """What a stub describes, with its docstring there and in the module."""
    for of in ast.parse(stub.read_text()).body:
        if not isinstance(of, (ast.ClassDef, ast.FunctionDef)):
            continue
        thing = getattr(module, of.name)
        yield of.name, ast.get_docstring(of), thing.__doc__ and inspect.cleandoc(thing.__doc__)
        for member in of.body:
            if isinstance(member, ast.FunctionDef) and not member.name.startswith("_"):
                is_setter = any(getattr(mark, "attr", "") == "setter" for mark in member.decorator_list)
                static = inspect.getattr_static(thing, member.name)
                # A static method has the docstring of its kind.
                doc = (getattr(thing, member.name) if isinstance(static, staticmethod) else static).__doc__
                expected = None if is_setter or not doc else inspect.cleandoc(doc)
                yield f"{of.name}.{member.name}", ast.get_docstring(member), expected


@pytest.mark.parametrize("module", MODULES)
def test_stubs_have_the_docstrings_of_the_module(module: str) -> None:
    native = importlib.import_module(module)
    stub = Path(str(native.__file__)).with_name("__init__.pyi" if "." not in module else "_robotsieve.pyi")
    found = list(docstrings(stub, native))
    assert [of for of in found if of[1] != of[2]] == []
    assert sum(doc is not None for _, doc, _ in found) > 30


def test_keywords_are_those_there_are() -> None:
    for value, fields in ((Profile(), ProfileSwitches), (Config(), ConfigFields)):
        assert list(fields.__annotations__) == list(value.to_dict())
    assert list(EngineLimits.__annotations__) == list(Config().to_dict()["limits"])
    hints = typing.get_type_hints(ProfileSwitches)
    for name in Profile.names():
        for switch, value in Profile(name).to_dict().items():
            words = typing.get_args(hints[switch])
            assert type(value) in (hints[switch], *words) or value in words, switch
    # Each word is one that the library reads.
    for switch, hint in hints.items():
        for word in typing.get_args(hint):
            if isinstance(word, str):
                assert Profile(**{switch: word}).to_dict()[switch] == word  # type: ignore[misc]


@pytest.mark.parametrize("module", MODULES)
def test_stubs_are_true(module: str, tmp_path: Path) -> None:
    # maturin puts the native module into a package, which has all that it has.
    (tmp_path / "allowed").write_text("robotsieve_fetch.robotsieve_fetch\n")
    allowed = ["--allowlist", "allowed", "--ignore-unused-allowlist"]
    done = run(tmp_path, "mypy.stubtest", *allowed, module)
    assert done.returncode == 0, done.stdout + done.stderr
