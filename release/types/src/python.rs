//! The types as dataclasses of Python, in which lists are tuples and a member left out is `None`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::schema::{Kind, Member, Of, Type, wrapped};

/// What Python's classes have besides their members.
const PYTHON_METHODS: &[(&str, &str)] = &[
    (
        "ExplainReport",
        r#"
    def __bool__(self) -> bool:
        """Whether the verdict is ``allow``."""
        return self.verdict == "allow"

    @property
    def winner(self) -> MatchedRule | None:
        """The rule that decides, if one does."""
        return self.matches[0] if self.winner_line is not None else None

    @property
    def runner_up(self) -> MatchedRule | None:
        """The rule that would decide without the winner's line."""
        of_line = (rule for rule in self.matches if rule.line == self.runner_up_line)
        return next(of_line, None)

    def __str__(self) -> str:
        profile = f"(profile {self.profile or 'custom'})"
        first, *more = (one.text for one in self.sentences)
        selected = () if self.selection is None else self.selection.sentences
        compared = () if self.target is None else (self.target.label,)
        rules = (
            f"line {rule.line}: {rule} ({rule.label}: {rule.precedence_note})"
            for rule in self.matches
            if rule.label is not None
        )
        said = (one.text for one in selected)
        return "\n".join([f"{self.verdict}: {first} {profile}", *said, *compared, *more, *rules])
"#,
    ),
    (
        "MatchedRule",
        r#"
    def __str__(self) -> str:
        return f"{self.verdict.capitalize()}: {shown(self.value)}"
"#,
    ),
    (
        "CompareReport",
        r#"
    @property
    def verdicts(self) -> dict[str | None, ExplainVerdict]:
        """The verdict of each profile."""
        return {one.profile: one.verdict for one in self.explanations}

    def __str__(self) -> str:
        return "\n".join(one.text for one in self.sentences)
"#,
    ),
    (
        "Site",
        r#"
    def __str__(self) -> str:
        return "\n".join([f"{self.origin}: {self.condition}", *self.notes])
"#,
    ),
    (
        "Sentence",
        r#"
    def __str__(self) -> str:
        return self.text
"#,
    ),
    (
        "Fix",
        r#"
    def applied_to(self, body: Body) -> bytes:
        """The file with this change alone.

        >>> import robotsieve
        >>> file = "User-agent: *\\nDisallow: /shop/cart/\\nDisallow: /shop/\\n"
        >>> [finding] = robotsieve.lint(file)
        >>> finding.fix.applied_to(file)
        b'User-agent: *\\nDisallow: /shop/\\n'

        Raises ``ValueError`` if the file is shorter than the one that was linted.
        """
        file = body_bytes(body)
        start, end = self.file_span
        if end > len(file):
            raise ValueError(f"the file has {len(file)} bytes, the fix is for bytes {start} to {end}")
        return file[:start] + self.replacement.encode("utf-8", "surrogateescape") + file[end:]

    def __str__(self) -> str:
        return f"{self.what}; this {self.effect}"
"#,
    ),
    (
        "Finding",
        r#"
    def __str__(self) -> str:
        more = [str(part) for part in (self.help, self.fix) if part is not None]
        said = f"line {self.line}: {self.severity}[{self.code}]: {self.message}"
        return "; ".join([said, *more])
"#,
    ),
    (
        "LintReport",
        r#"
    def __len__(self) -> int:
        return len(self.findings)

    def __bool__(self) -> bool:
        """Always true: ``len()`` says whether something was found."""
        return True

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __getitem__(self, index: int) -> Finding:
        return self.findings[index]

    def __str__(self) -> str:
        return "\n".join([*map(str, first(self.findings)), *map(str, self.sentences)])
"#,
    ),
    (
        "FixReport",
        r#"
    def __str__(self) -> str:
        lines = tuple(f"line {fix.line}: {fix.what} [{fix.code}]" for fix in self.applied)
        return "\n".join([*map(str, self.sentences), *first(lines)])
"#,
    ),
    (
        "Flip",
        r#"
    def __str__(self) -> str:
        return f"{self.label}: {self.old_label} -> {self.new_label}"
"#,
    ),
    (
        "CrawlerDiff",
        r#"
    @property
    def is_equal(self) -> bool:
        """Whether it is proven that the same URLs are allowed."""
        return self.result == "equal"

    def __str__(self) -> str:
        headline = () if self.headline is None else (self.headline,)
        more = (self.more_disallowed_label, self.more_allowed_label)
        return "\n".join([
            *headline,
            *(f"disallowed now: {flip}" for flip in self.newly_disallowed),
            *(f"disallowed now: {label}" for label in more[:1] if label),
            *(f"allowed now: {flip}" for flip in self.newly_allowed),
            *(f"allowed now: {label}" for label in more[1:] if label),
            *self.notes,
        ])
"#,
    ),
    (
        "ChangedRecord",
        r#"
    def __str__(self) -> str:
        return self.label
"#,
    ),
    (
        "RecordDiff",
        r#"
    def __str__(self) -> str:
        removed = [f"removed: {one}" for one in self.removed]
        return "\n".join([*removed, *(f"added: {one}" for one in self.added)])
"#,
    ),
    (
        "DiffReport",
        r#"
    @property
    def is_equal(self) -> bool:
        """Whether it is proven that both files say the same to all the crawlers."""
        return self.result == "equal"

    def __str__(self) -> str:
        *first, last = map(str, self.sentences)
        changed = (same for same in self.crawlers if not same.is_equal)
        records = ((f"other records, {one.label}", one) for one in self.records)
        parts = [*((same.label, same) for same in changed), *records]
        drawn = (f"{label}:\n{indented(str(part))}" for label, part in parts)
        return "\n".join([*first, *drawn, last])
"#,
    ),
    (
        "TypedRecord",
        r#"
    def __str__(self) -> str:
        note = f" ({self.note})" if self.note else ""
        return f"line {self.line}: {shown(self.field)}: {shown(self.value)}{note}"
"#,
    ),
    (
        "VisitTime",
        r#"
    def contains(self, minute: int) -> bool:
        """Whether this minute of the day is within it.

        >>> from robotsieve import VisitTime
        >>> night = VisitTime(22 * 60, 4 * 60)
        >>> night.contains(23 * 60), night.contains(4 * 60)
        (True, False)
        """
        if self.from_minute <= self.to_minute:
            return self.from_minute <= minute < self.to_minute
        return minute >= self.from_minute or minute < self.to_minute
"#,
    ),
    (
        "RecordsReport",
        r#"
    def __str__(self) -> str:
        return "\n".join(map(str, [*self.records, *self.sentences]))
"#,
    ),
    (
        "ReachReport",
        r#"
    def __str__(self) -> str:
        summaries = (f"{one.title}: {one.summary}" for one in self.purposes)
        return "\n".join([*map(str, self.sentences), *summaries])
"#,
    ),
];

pub fn python(types: &BTreeMap<String, (String, Type)>) -> String {
    fn of(value: &Of) -> String {
        let kind = match &value.kind {
            Kind::Word(word) => format!("Literal[\"{word}\"]"),
            Kind::Text => "str".to_owned(),
            Kind::Number => "int".to_owned(),
            Kind::Truth => "bool".to_owned(),
            Kind::Span => "Span".to_owned(),
            Kind::Named(name) => name.clone(),
            Kind::List(items) => format!("tuple[{}, ...]", of(items)),
        };
        if value.or_null { format!("{kind} | None") } else { kind }
    }
    /// `from` is a keyword; `_report.py` knows the underscore.
    fn attribute(name: &str) -> &str {
        if name == "from" { "from_" } else { name }
    }
    fn doc(text: &str) -> String {
        let text = text.replace('`', "``");
        let one = format!("    \"\"\"{text}\"\"\"\n");
        if !text.contains('\n') && one.chars().count() <= 100 {
            return one;
        }
        let wrapped = wrapped(&text, "    ");
        let wrapped = format!("    \"\"\"{}", wrapped.trim());
        let fits = wrapped.lines().last().is_some_and(|last| last.chars().count() <= 97);
        let end = if fits { "" } else { "\n    " };
        format!("{wrapped}{end}\"\"\"\n")
    }
    let mut out = String::from(
        "\"\"\"The reports, as data: frozen, hashable, comparable, picklable, and made for ``match``.\n\n\
         Generated: cargo run -p robotsieve-types -- python python/robotsieve/reports.py\n\"\"\"\n\n\
         from __future__ import annotations\n\n\
         from collections.abc import Iterator\n\
         from dataclasses import dataclass\n\
         from typing import TYPE_CHECKING, Literal\n\n\
         from ._report import Document, Span, first, indented, shown\n\
         from ._robotsieve import body_bytes\n\n\
         if TYPE_CHECKING:\n    from .typing import Body\n",
    );
    for (name, (meaning, of_type)) in types {
        if let Type::Words(words) = of_type {
            let quoted: Vec<String> = words.iter().map(|(word, _)| format!("\"{word}\"")).collect();
            let line = format!("{name} = Literal[{}]\n", quoted.join(", "));
            out.push('\n');
            if line.len() <= 100 {
                out += &line;
            } else {
                let lines = wrapped(&quoted.join(", "), "    ");
                write!(out, "{name} = Literal[\n{lines}]\n").unwrap();
            }
            let mut all = wrapped(meaning, "");
            for (number, (word, meaning)) in words.iter().enumerate() {
                if number == 0 && words.iter().any(|(_, meaning)| !meaning.is_empty()) {
                    all.push('\n');
                }
                if !meaning.is_empty() {
                    let meaning = meaning.replace('`', "``");
                    // An item of a list, with what does not fit below its text.
                    let item = wrapped(&format!("``{word}``: {meaning}"), "  ");
                    write!(all, "- {}", &item[2..]).unwrap();
                }
            }
            writeln!(out, "\"\"\"{}\"\"\"", all.trim_end()).unwrap();
        }
    }
    for (name, (meaning, of_type)) in types {
        let Type::Object(members) = of_type else { continue };
        writeln!(out, "\n\n@dataclass(frozen=True, slots=True)\nclass {name}(Document):").unwrap();
        out += &doc(meaning);
        out.push('\n');
        let is_partner = |member: &Member| member.name.ends_with("_base64");
        let own = || members.iter().filter(|member| !is_partner(member));
        for member in own().filter(|member| !member.left_out) {
            writeln!(out, "    {}: {}", attribute(&member.name), of(&member.of)).unwrap();
            out += &doc(&member.meaning);
        }
        for member in own().filter(|member| member.left_out) {
            let (none, null) = match member.of.kind {
                Kind::List(_) => ("()", ""),
                _ => ("None", " | None"),
            };
            writeln!(out, "    {}: {}{null} = {none}", attribute(&member.name), of(&member.of))
                .unwrap();
            out += &doc(&member.meaning);
        }
        if let Some((_, methods)) = PYTHON_METHODS.iter().find(|(class, _)| class == name) {
            out += methods;
        }
    }
    out
}
