"""What explanations, findings, comparisons and records have in common.

All of them are values: frozen, hashable, comparable, picklable, and made for ``match``. They are
made of the JSON of the native module. Spans are pairs of byte offsets: the first byte, and the one
after the last; those of a file given as ``str`` count the bytes of its UTF-8. Bytes that are not UTF-8
are surrogate escapes in texts.

``to_dict()`` is ready for JSON, and has the form in which the command ``robotsieve`` writes the same,
where it does. There such a text has its bad bytes replaced, and a second member, ``…_base64``, has all
of the bytes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from ._report import shown as shown
from .typing import Span

def as_text(value: str | list[int]) -> str:
    """A text of the native module: numbers if the bytes are not UTF-8."""
    return value if isinstance(value, str) else bytes(value).decode("utf-8", "surrogateescape")


def as_maybe_text(value: str | list[int] | None) -> str | None:
    return None if value is None else as_text(value)


def as_texts(values: Iterable[str | list[int]]) -> tuple[str, ...]:
    return tuple(map(as_text, values))


def as_span(value: Any) -> Span:
    return (value["start"], value["end"]) if isinstance(value, dict) else (value[0], value[1])


def tagged(value: Any) -> tuple[str, Any]:
    """The name and the content of a variant."""
    return (value, None) if isinstance(value, str) else next(iter(value.items()))


def _base64(text: str) -> str | None:
    """The bytes of a text that is not UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        import base64

        return base64.b64encode(text.encode("utf-8", "surrogateescape")).decode()
    return None


def _replaced(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def member(name: str, text: str | None) -> dict[str, Any]:
    """A text as a member of a JSON object, or as two."""
    encoded = None if text is None else _base64(text)
    if text is None or encoded is None:
        return {name: text}
    return {name: _replaced(text), f"{name}_base64": encoded}


def members(name: str, texts: tuple[str, ...]) -> dict[str, Any]:
    """Texts as a member of a JSON object, or as two."""
    encoded = [_base64(text) for text in texts]
    if not any(encoded):
        return {name: list(texts)}
    import base64

    every = [
        one or base64.b64encode(text.encode()).decode() for one, text in zip(encoded, texts)
    ]
    return {name: list(map(_replaced, texts)), f"{name}_base64": every}


def listed(items: Iterable[str], most: int = 8) -> str:
    """``a, b, … 3 more``."""
    texts = list(items)
    more = [f"… {len(texts) - most} more"] if len(texts) > most else []
    return ", ".join(texts[:most] + more)


def counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


class Short:
    """A ``repr`` without the fields that have their defaults."""

    __slots__ = ()

    def __repr__(self) -> str:
        said = (
            f"{field.name}={getattr(self, field.name)!r}"
            for field in fields(self)  # type: ignore[arg-type]
            if field.default != getattr(self, field.name)
        )
        return f"{type(self).__name__}({', '.join(said)})"
