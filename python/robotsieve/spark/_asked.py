"""What is asked about each URL, and the type of the column that answers it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.types import BooleanType, DataType, StringType, StructType

from robotsieve import Pack, PolicySet, Profile

if TYPE_CHECKING:
    from robotsieve.typing import AnyProfile


@dataclass(frozen=True)
class Asked:
    """Which crawlers, by which rules, and how the answer is to look."""

    crawlers: tuple[str, ...]
    #: One crawler: its answer alone, not a struct.
    is_single: bool
    #: None: RFC 9309, or that of the pack.
    profile: AnyProfile | None
    column: str
    #: Words for booleans: an unknown origin is then told from what is not a URL.
    in_words: bool

    @classmethod
    def of(
        cls, crawlers: str | Iterable[str], profile: AnyProfile | None, column: str, in_words: bool
    ) -> Asked:
        names = (crawlers,) if isinstance(crawlers, str) else tuple(crawlers)
        for name in names:
            if not isinstance(name, str):
                raise TypeError(f"crawlers must be names, not {type(name).__name__}")
        asked = cls(names, isinstance(crawlers, str), profile, column, in_words)
        # Now, and not on a worker an hour later.
        asked.policy_set()
        if not names:
            raise ValueError("no crawlers: name at least one")
        return asked

    @property
    def data_type(self) -> DataType:
        of_one = StringType() if self.in_words else BooleanType()
        if self.is_single:
            return of_one
        columns = StructType()
        for crawler in self.crawlers:
            columns = columns.add(crawler, of_one)
        return columns

    def policy_set(self) -> PolicySet:
        """A set for these crawlers."""
        return PolicySet(self.crawlers, self.profile)

    def check(self, pack: Pack, name: str) -> None:
        """Raises an error if a pack can't answer."""
        known = pack.verdicts_by_crawler([]).names
        folded = {name.casefold() for name in known}
        missing = [crawler for crawler in self.crawlers if crawler.casefold() not in folded]
        if missing:
            raise ValueError(
                f"pack '{name}' was not made for {', '.join(missing)}, but for {', '.join(known)}: make one "
                "for all that you ask about"
            )
        if self.profile is not None:
            wanted = Profile(self.profile).name if isinstance(self.profile, str) else self.profile.name
            if pack.profile_name != wanted:
                raise ValueError(
                    f"pack '{name}' was made with the profile {pack.profile_name}, not {wanted}"
                )

    def answer(self, sites: Pack | PolicySet, urls: pa.Array) -> pa.Array:
        """The answers for some URLs, as Spark wants them."""
        ask: Any = sites.answers_by_crawler if self.in_words else sites.verdicts_by_crawler
        # A set has just these crawlers.
        named = {"crawlers": self.crawlers} if isinstance(sites, Pack) else {}
        columns = pa.array(ask(urls, **named)).flatten()
        if self.in_words:
            columns = [column.cast(pa.string()) for column in columns]
        if self.is_single:
            return columns[0]
        return pa.StructArray.from_arrays(columns, list(self.crawlers))
