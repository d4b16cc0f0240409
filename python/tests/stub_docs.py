"""Puts the docstrings of the native modules into their stubs, where editors look for them.

    python python/tests/stub_docs.py

``test_types.py`` tests that they are current.
"""

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import robotsieve
import robotsieve.aio

PYTHON = Path(__file__).resolve().parents[1]
#: Each stub, and the package from which what it describes is imported.
STUBS = {
    PYTHON / "robotsieve/_robotsieve.pyi": robotsieve,
    PYTHON / "fetch/robotsieve_fetch.pyi": robotsieve.aio,
}
#: A definition, what it is of, and its indentation.
Place = tuple["ast.ClassDef | ast.FunctionDef", Any, str]


def places(stub: ast.Module, package: ModuleType) -> Iterator[Place]:
    """What is public and has a docstring, from the last to the first. Methods that Python calls are left out."""
    for definition in reversed(stub.body):
        if not isinstance(definition, (ast.ClassDef, ast.FunctionDef)) or definition.name not in package.__all__:
            continue
        thing = getattr(package, definition.name)
        if isinstance(definition, ast.ClassDef):
            for member in reversed(definition.body):
                if isinstance(member, ast.FunctionDef) and not member.name.startswith("_") and not is_setter(member):
                    yield member, inspect.getattr_static(thing, member.name), "    "
        yield definition, thing, ""


def is_setter(member: ast.FunctionDef) -> bool:
    return any(isinstance(mark, ast.Attribute) and mark.attr == "setter" for mark in member.decorator_list)


def docstring(text: str, indent: str) -> list[str]:
    lines = inspect.cleandoc(text).splitlines()
    quotes = 'r"""' if "\\" in text else '"""'
    lines[0] = quotes + lines[0]
    if len(lines) == 1:
        lines[0] += '"""'
    else:
        lines.append('"""')
    return [f"{indent}{line}".rstrip() for line in lines]


def with_docs(source: str, package: ModuleType) -> str:
    """The stub with the docstrings that the native module has now."""
    lines = source.splitlines()
    for definition, thing, indent in places(ast.parse(source), package):
        text = thing.__doc__
        assert text, f"{definition.name} has no docstring"
        inner = indent + "    "
        first = definition.body[0]
        # `...`, or the docstring that is there.
        is_filler = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
        doc = docstring(text, inner)
        if is_filler:
            begin, end = first.lineno - 1, first.end_lineno
            before = lines[begin][: first.col_offset].rstrip()
            lines[begin:end] = ([before] if before else []) + doc
        else:
            begin = min([first.lineno, *(mark.lineno for mark in getattr(first, "decorator_list", []))]) - 1
            lines[begin:begin] = [*doc, ""]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for path, of in STUBS.items():
        path.write_text(with_docs(path.read_text(), of))
