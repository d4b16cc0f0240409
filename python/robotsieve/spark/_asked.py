"""What is asked about each URL, and the type of the column that answers it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql import functions as F
from pyspark.sql.types import (
    BooleanType,
    DataType,
    IntegerType,
    LongType,
    StringType,
    StructType,
)

from robotsieve import Pack, PolicySet, Profile
from robotsieve._columns import check_what, is_one
from robotsieve._robotsieve import answer_bits

if TYPE_CHECKING:
    from pyspark.sql import Column

    from robotsieve.typing import AnyCrawler, AnyProfile, OneOrManyCrawlers, What

_DECISION = (
    StructType()
    .add("answer", StringType())
    .add("reason", StringType())
    .add("line", IntegerType())
    .add("rule", StringType())
    .add("profile", StringType())
)


@dataclass(frozen=True)
class Asked:
    """Which crawlers, by which rules, and what is to be said of each URL."""

    crawlers: tuple[AnyCrawler, ...]
    #: What each is called.
    names: tuple[str, ...]
    #: One crawler: its answer alone, not a struct.
    is_single: bool
    #: None: RFC 9309, or that of the pack.
    profile: AnyProfile | None
    what: What

    @classmethod
    def of(
        cls, crawlers: OneOrManyCrawlers, profile: AnyProfile | None, what: What
    ) -> Asked:
        check_what(what)
        if not is_one(crawlers) and not isinstance(crawlers, Iterable):
            raise TypeError(f"crawlers must be crawlers, not {type(crawlers).__name__}")
        many: Any = crawlers
        given: tuple[AnyCrawler, ...] = (many,) if is_one(crawlers) else tuple(many)
        if not given:
            raise ValueError("no crawlers: name at least one")
        # Errors now, and not on a worker an hour later.
        names = tuple(PolicySet(given, profile).verdicts_by_crawler([]))
        seen: dict[str, str] = {}
        for name in names:
            # The same crawler, and for Spark the same column.
            folded = name.casefold()
            if folded in seen:
                raise ValueError(f"crawler '{name}' is there twice, as '{seen[folded]}'")
            seen[folded] = name
        return cls(given, names, is_one(crawlers), profile, what)

    @property
    def _one_type(self) -> DataType:
        """The type of what is said for one crawler."""
        if self.what == "verdicts":
            return BooleanType()
        return StringType() if self.what == "answers" else _DECISION

    @property
    def type(self) -> DataType:
        """The type of the column that was asked for."""
        if self.is_single:
            return self._one_type
        columns = StructType()
        for name in self.names:
            columns = columns.add(name, self._one_type)
        return columns

    @property
    def raw_type(self) -> DataType:
        """The type of what Python computes for :meth:`shown`."""
        if self.is_single or self.what == "decisions":
            return self.type
        words = StructType()
        for word in range((len(self.crawlers) + 31) // 32):
            words = words.add(f"w{word}", LongType(), False)
        return words

    def shown(self, raw: Column) -> Column:
        """The column that was asked for, from what Python computed."""
        if self.is_single or self.what == "decisions":
            return raw
        return F.struct(
            *(self._of_bits(raw, number).alias(name) for number, name in enumerate(self.names))
        )

    def _of_bits(self, raw: Column, number: int) -> Column:
        # See `answer_bits`.
        word = raw[f"w{number // 32}"]
        if number == 0 and len(self.crawlers) > 8:
            # Spark's code for many columns becomes one method, too long for Java to compile: 10 times slower.
            # With a function that it has no code for, here one that changes nothing, it makes short methods.
            seldom = F.when(word == -1, F.array(word))
            word = F.coalesce(F.zip_with(seldom, seldom, lambda same, _: same)[0], word)
        bits = F.shiftrightunsigned(word, number % 32 * 2).bitwiseAND(F.lit(3))
        in_words = self.what == "answers"
        disallow, allow, invalid = ("disallow", "allow", "invalid") if in_words else (
            False, True, None
        )
        shown = F.when(bits == 2, F.lit(allow)).when(bits == 1, F.lit(disallow))
        if in_words:
            shown = shown.when(bits == 3, F.lit(invalid)).otherwise(F.lit("unknown"))
        return shown

    def policy_set(self) -> PolicySet:
        """A set for these crawlers."""
        return PolicySet(self.crawlers, self.profile)

    def check(self, pack: Pack, name: str) -> None:
        """Raises an error if a pack can't answer."""
        missing = []
        for crawler, called in zip(self.crawlers, self.names, strict=True):
            try:
                pack.verdicts([], crawler=crawler)
            except ValueError:
                missing.append(called)
        if missing:
            known = ", ".join(pack.verdicts_by_crawler([]))
            raise ValueError(
                f"pack '{name}' was not made for {', '.join(missing)}, but for {known}: make one "
                "for all that you ask about"
            )
        if self.profile is not None:
            wanted = Profile(self.profile).name if isinstance(self.profile, str) else self.profile.name
            if pack.profile_name != wanted:
                raise ValueError(
                    f"pack '{name}' was made with the profile {pack.profile_name}, not {wanted}"
                )

    def raw(self, sites: Pack | PolicySet, urls: pa.Array) -> pa.Array:
        """What Python computes of some URLs for :meth:`shown`."""
        if self.is_single or self.what == "decisions":
            return self.answer(sites, urls)
        return pa.array(answer_bits(sites.answers_by_crawler(urls, crawlers=self.crawlers)))

    def answer(self, sites: Pack | PolicySet, urls: pa.Array) -> pa.Array:
        """What was asked for, of some URLs."""
        judge: Any = sites
        if self.is_single:
            (crawler,) = self.crawlers
            return _plain(pa.array(getattr(judge, self.what)(urls, crawler=crawler)))
        said = getattr(judge, f"{self.what}_by_crawler")(urls, crawlers=self.crawlers)
        columns = [_plain(pa.array(column)) for column in said.values()]
        return pa.StructArray.from_arrays(columns, names=list(self.names))


def _plain(column: pa.Array) -> pa.Array:
    """The column in types that Spark has."""
    kind = column.type
    if pa.types.is_struct(kind):
        fields = [_plain(field) for field in column.flatten()]
        return pa.StructArray.from_arrays(fields, names=[field.name for field in kind])
    if pa.types.is_dictionary(kind):
        return column.cast(pa.string())
    return column.cast(pa.int32()) if kind == pa.uint32() else column
