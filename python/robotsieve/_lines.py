"""A file line by line: as written, and what is odd about it."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import Any, Literal

from ._report import shown
from .typing import Span


def _as_text(value: str | list[int]) -> str:
    """A text of the native module: numbers if the bytes are not UTF-8."""
    return value if isinstance(value, str) else bytes(value).decode("utf-8", "surrogateescape")


def _as_span(value: Any) -> Span:
    return (value["start"], value["end"]) if isinstance(value, dict) else (value[0], value[1])


@dataclass(frozen=True, slots=True, repr=False)
class Diagnostic:
    """Something odd in a file: its line, where it is, what it is, and that in words.

    The other fields say more about some kinds: ``limit`` in bytes; the ``field`` that was probably
    meant, or that is read; the ``first_line`` that names a token; and whether the profile ``skipped``
    a byte order mark, ``ignored`` a record, ``merged`` groups or ``assumed`` a slash.
    """

    line: int
    file_span: Span
    kind: Literal[
        "byte-order-mark",
        "utf16",
        "html",
        "size-limit",
        "line-limit",
        "control-character",
        "nul-ends-line",
        "no-record",
        "missing-colon",
        "misspelt-field",
        "misspelling-accepted",
        "rule-outside-group",
        "names-nobody",
        "after-token",
        "token-outside-grammar",
        "repeated-token",
        "no-leading-slash",
        "dollar-inside",
        "normalised",
    ]
    message: str
    limit: int | None = None
    field: str | None = None
    first_line: int | None = None
    skipped: bool | None = None
    ignored: bool | None = None
    merged: bool | None = None
    assumed: bool | None = None

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}"

    def __repr__(self) -> str:
        every = ((field.name, getattr(self, field.name)) for field in fields(self))
        said = (f"{name}={value!r}" for name, value in every if value is not None)
        return f"Diagnostic({', '.join(said)})"

    def to_dict(self) -> dict[str, Any]:
        """Its fields; those that say nothing are left out."""
        every = ((field.name, getattr(self, field.name)) for field in fields(self))
        said = {name: value for name, value in every if value is not None}
        return {**said, "file_span": list(self.file_span)}


def diagnostics(text: str) -> list[Diagnostic]:
    return [_diagnostic(one, message) for one, message in json.loads(text)]


def _tagged(value: Any) -> tuple[Any, dict[str, Any]]:
    """The name and the content of a variant."""
    if isinstance(value, str):
        return value, {}
    [(name, more)] = value.items()
    return name, more


def _diagnostic(one: Any, message: str) -> Diagnostic:
    kind, more = _tagged(one["kind"])
    if "likely" in more:
        more["field"] = more.pop("likely")
    return Diagnostic(one["line"], _as_span(one["span"]), kind, message, **more)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the form ``field: value``, as written. Made by :meth:`Robots.lines`.

    ``field`` is what the profile takes ``name`` for, and ``value_span`` where the value is.
    """

    line: int
    field: Literal["user-agent", "allow", "disallow", "sitemap", "other"]
    name: str
    value: str
    value_span: Span

    def __str__(self) -> str:
        return f"line {self.line}: {shown(self.name)}: {shown(self.value)}"

    def to_dict(self) -> dict[str, Any]:
        """Its fields; bytes that are not UTF-8 become U+FFFD."""
        name, value = (text.encode("utf-8", "surrogateescape") for text in (self.name, self.value))
        return {
            "line": self.line,
            "field": self.field,
            "name": name.decode("utf-8", "replace"),
            "value": value.decode("utf-8", "replace"),
            "value_span": list(self.value_span),
        }


def lines(text: str) -> list[Line]:
    return [_line(one) for one in json.loads(text)]


def _line(one: Any) -> Line:
    value, span = _as_text(one["value"]), _as_span(one["value_span"])
    return Line(one["line"], one["field"], _as_text(one["name"]), value, span)
