"""What all reports have in common.

They are frozen dataclasses, generated in ``reports.py``, and read from the JSON that Rust writes. Spans
are pairs of byte offsets; those of a file given as ``str`` count the bytes of its UTF-8. In JSON a text
whose bytes are not UTF-8 has U+FFFD for those that are not, and a second member, ``…_base64``, has all
of the bytes. Here such a text has surrogate escapes, and there is no second member.
"""

from __future__ import annotations

import json
import sys
from base64 import b64decode, b64encode
from dataclasses import MISSING, fields
from re import findall
from typing import Any, TypeVar

#: The offset of the first byte, and of the one after the last.
Span = tuple[int, int]

#: How many characters of a text from a file a ``str()`` shows.
_SHOWN = 80

D = TypeVar("D", bound="Document")


def shown(text: str) -> str:
    """A text from a file, for people: short, on one line, and without control characters."""
    cut = text[:_SHOWN]
    cut = cut if cut.isprintable() else repr(cut)[1:-1]
    return cut + "…" if len(text) > _SHOWN else cut


def first(items: tuple[Any, ...], most: int = 20) -> list[Any]:
    """The first items, and a line that says how many more there are."""
    more = [f"… {len(items) - most} more"] if len(items) > most else []
    return [*items[:most], *more]


def indented(text: str) -> str:
    """The lines of a text, two columns to the right."""
    return "\n".join(f"  {line}" for line in text.split("\n"))


def html_of(text: str) -> str:
    """How a notebook shows a text."""
    from html import escape

    return f"<pre>{escape(text)}</pre>"


def html_of_policy(policy: Any) -> str:
    """How a notebook shows a policy: its lines of the file, the rules from highest to lowest precedence."""
    lines = [f"line {line}: User-agent: {shown(value)}" for line, value in policy.group]
    lines += [f"line {rule.line}: {rule.verdict.capitalize()}: {shown(rule.value)}" for rule in policy.rules]
    return html_of("\n".join([repr(policy), *first(tuple(lines))]))


class Document:
    """A report, or a part of one."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """How a notebook shows it: the sentences of ``str()``, escaped."""
        return html_of(str(self))

    def _repr_markdown_(self) -> str:
        """The same for what shows Markdown: a block of text, in which nothing is markup."""
        text = str(self)
        fence = "`" * max(3, *(len(ticks) + 1 for ticks in findall("`+", text)), 0)
        return f"{fence}text\n{text}\n{fence}"

    @classmethod
    def from_json(cls: type[D], text: str) -> D:
        """A document from its JSON, as the command ``robotsieve`` writes it with ``--format json``."""
        return cls.from_dict(json.loads(text))

    @classmethod
    def from_dict(cls: type[D], data: dict[str, Any]) -> D:
        """A document from what :meth:`to_dict` returns. Members that it does not know are ignored."""
        values: dict[str, Any] = {}
        for attribute, name, base64, made, may_miss in _plan(cls):
            if base64 in data:
                values[attribute] = _from_base64(data[base64])
            elif may_miss and name not in data:
                continue
            elif (value := data[name]) is None or made is None:
                values[attribute] = _frozen(value)
            elif isinstance(value, list):
                values[attribute] = tuple(map(made.from_dict, value))
            else:
                values[attribute] = made.from_dict(value)
        return cls(**values)

    def to_dict(self) -> dict[str, Any]:
        """The document as the command ``robotsieve`` writes it, ready for JSON."""
        data: dict[str, Any] = {}
        for attribute, name, base64, _, may_miss in _plan(type(self)):
            value: Any = getattr(self, attribute)
            if may_miss and not value and value is not False:
                continue
            data[name] = _plain(value)
            if isinstance(value, (str, tuple)) and _has_bytes(value):
                data[base64] = _base64(value)
        return data


_Plan = list[tuple[str, str, str, "type[Document] | None", bool]]
_PLANS: dict[type[Document], _Plan] = {}


def _plan(cls: type[Document]) -> _Plan:
    """Of each member its attribute, its name and its partner's in JSON, its class, and whether it may
    be left out. An attribute whose name would be a keyword, such as ``from``, ends in ``_``."""
    if (plan := _PLANS.get(cls)) is not None:
        return plan
    module = vars(sys.modules[cls.__module__])

    def made(annotation: str) -> type[Document] | None:
        """The class of a member that is a document or a list of documents."""
        named = (module.get(word) for word in findall(r"\w+", annotation))
        classes = (one for one in named if isinstance(one, type) and issubclass(one, Document))
        return next(classes, None)

    plan = _PLANS[cls] = [
        (
            field.name,
            name := field.name.removesuffix("_"),
            f"{name}_base64",
            made(str(field.type)),
            field.default is not MISSING,
        )
        for field in fields(cls)  # type: ignore[arg-type]
    ]
    return plan


def _from_base64(value: str | list[str]) -> str | tuple[str, ...]:
    if isinstance(value, str):
        return b64decode(value).decode("utf-8", "surrogateescape")
    return tuple(b64decode(one).decode("utf-8", "surrogateescape") for one in value)


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if isinstance(value, tuple):
        return list(map(_plain, value))
    return value.to_dict() if isinstance(value, Document) else value


def _has_bytes(value: Any) -> bool:
    """Whether a text, or one of a list of texts, is not UTF-8."""
    if isinstance(value, tuple):
        return any(isinstance(one, str) and _has_bytes(one) for one in value)
    if not isinstance(value, str) or value.isascii():
        return False
    return any("\udc80" <= character <= "\udcff" for character in value)


def _base64(value: str | tuple[str, ...]) -> str | list[str]:
    if isinstance(value, str):
        return b64encode(value.encode("utf-8", "surrogateescape")).decode()
    return [b64encode(one.encode("utf-8", "surrogateescape")).decode() for one in value]
