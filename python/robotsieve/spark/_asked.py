"""What is asked about each URL, and the type of the column that answers it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql import functions as F
from pyspark.sql.types import BooleanType, DataType, LongType, StringType, StructType

from robotsieve import Pack, PolicySet, Profile
from robotsieve._robotsieve import answer_bits

if TYPE_CHECKING:
    from pyspark.sql import Column

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
        if not isinstance(crawlers, Iterable):
            raise TypeError(f"crawlers must be names, not {type(crawlers).__name__}")
        names = (crawlers,) if isinstance(crawlers, str) else tuple(crawlers)
        seen: dict[str, str] = {}
        for name in names:
            if not isinstance(name, str):
                raise TypeError(f"crawlers must be names, not {type(name).__name__}")
            # The same crawler, and for Spark the same column.
            folded = name.casefold()
            if folded in seen:
                raise ValueError(f"crawler '{name}' is there twice, as '{seen[folded]}'")
            seen[folded] = name
        asked = cls(names, isinstance(crawlers, str), profile, column, in_words)
        if not names:
            raise ValueError("no crawlers: name at least one")
        # Errors now, and not on a worker an hour later.
        asked.policy_set()
        return asked

    @property
    def raw_type(self) -> DataType:
        """The type of what Python computes."""
        if self.is_single:
            return StringType() if self.in_words else BooleanType()
        words = StructType()
        for word in range((len(self.crawlers) + 31) // 32):
            words = words.add(f"w{word}", LongType(), False)
        return words

    def shown(self, raw: Column) -> Column:
        """The column that was asked for, from what Python computed."""
        if self.is_single:
            return raw
        return F.struct(
            *(self._of_bits(raw, number).alias(name) for number, name in enumerate(self.crawlers))
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
        disallow, allow, invalid = ("disallow", "allow", "invalid") if self.in_words else (
            False, True, None
        )
        shown = F.when(bits == 2, F.lit(allow)).when(bits == 1, F.lit(disallow))
        if self.in_words:
            shown = shown.when(bits == 3, F.lit(invalid)).otherwise(F.lit("unknown"))
        return shown

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
        """What Python computes for some URLs."""
        if self.is_single:
            (crawler,) = self.crawlers
            if self.in_words:
                return pa.array(sites.answers(urls, crawler=crawler)).cast(pa.string())
            return pa.array(sites.verdicts(urls, crawler=crawler))
        # A set has just these crawlers.
        named: Any = {"crawlers": self.crawlers} if isinstance(sites, Pack) else {}
        return pa.array(answer_bits(sites.answers_by_crawler(urls, **named)))
