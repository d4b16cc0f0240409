//! The JSON Schema of the reports, the types made of it for TypeScript and Python, and documents that
//! fit it.
//!
//! `UPDATE_REPORTS=1 cargo test -p robotsieve-tests reports::` writes the files.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use robotsieve::audit::AuditReport;
use robotsieve::compose::BuildReport;
use robotsieve::expect::TestReport;
use robotsieve::explain::compare_profiles;
use robotsieve::report::reach::{KnownReport, ReachReport};
use robotsieve::report::{
    Asked, CompareReport, DiffReport, ExplainReport, FixReport, LintReport, RecordsReport, SCHEMA,
};
use robotsieve::{Crawler, Profile, Robots};
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::{Value, json};

use schema_check::Schema;

/// The command's tests use it too.
#[path = "../../cli/tests/it/command/schema.rs"]
mod schema_check;

/// The types of the documents. Everything else that they have follows.
fn add_roots(generator: &mut SchemaGenerator) -> Vec<Value> {
    macro_rules! roots {
        ($($root:ty),* $(,)?) => { vec![$(generator.subschema_for::<$root>().into()),*] };
    }
    roots![
        ExplainReport,
        CompareReport,
        LintReport,
        FixReport,
        DiffReport,
        RecordsReport,
        ReachReport,
        KnownReport,
        BuildReport,
        TestReport,
        AuditReport,
    ]
}

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
        lines = (f"line {fix.line}: {fix.what} [{fix.code}]" for fix in first(self.applied))
        return "\n".join([*map(str, self.sentences), *lines])
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

/// The schema of all documents.
fn schema() -> Value {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let roots = add_roots(&mut generator);
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": SCHEMA,
        "description": "The reports of robotsieve: what the command prints with --format json, what \
            to_dict() returns in Python, and the objects of the npm package. A span has the offset of \
            the first byte and that of the one after the last. Where the bytes of a member X are not \
            UTF-8, X has U+FFFD for those that are not, and a second member X_base64 has all of them. \
            Members may be added without a new version.",
        "oneOf": roots,
        "$defs": Value::Object(generator.take_definitions(true)),
    });
    tidy(&mut schema);
    schema
}

/// Removes what only says how Rust holds a number, and what only rustdoc reads.
fn tidy(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.remove("format");
            if let Some(Value::String(text)) = members.get_mut("description") {
                let links = text.replace("[`", "`").replace("`]", "`");
                let paragraphs = links.split("\n\n").map(|text| text.replace('\n', " "));
                *text = paragraphs.collect::<Vec<_>>().join("\n\n");
            }
            members.values_mut().for_each(tidy);
        }
        Value::Array(all) => all.iter_mut().for_each(tidy),
        _ => {}
    }
}

/// A type of the schema.
enum Type {
    Object(Vec<Member>),
    /// A list of words, each with its meaning.
    Words(Vec<(String, String)>),
}

struct Member {
    name: String,
    meaning: String,
    of: Of,
    /// Whether it is left out if it has no value.
    left_out: bool,
}

/// What a member holds.
struct Of {
    kind: Kind,
    or_null: bool,
}

enum Kind {
    Word(String),
    Text,
    Number,
    Truth,
    Span,
    Named(String),
    List(Box<Of>),
}

fn text_of(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_default().to_owned()
}

fn types(schema: &Value) -> BTreeMap<String, (String, Type)> {
    let all = schema["$defs"].as_object().unwrap();
    let of = |(name, def): (&String, &Value)| {
        (name.clone(), (text_of(def, "description"), type_of(name, def)))
    };
    all.iter().map(of).collect()
}

fn type_of(name: &str, def: &Value) -> Type {
    let words = def["oneOf"].as_array().cloned().or_else(|| Some(vec![def.clone()]));
    let words = words.filter(|words| words[0].get("const").or(words[0].get("enum")).is_some());
    if let Some(words) = words {
        let word = |of: &Value| (text_of(of, "const"), text_of(of, "description"));
        let plain = |of: &Value| of["enum"].as_array().cloned();
        return Type::Words(
            words
                .iter()
                .flat_map(|of| match plain(of) {
                    Some(all) => {
                        all.iter().map(|w| (w.as_str().unwrap().into(), String::new())).collect()
                    }
                    None => vec![word(of)],
                })
                .collect(),
        );
    }
    let properties = def["properties"].as_object().unwrap_or_else(|| panic!("{name}: {def}"));
    let empty = Vec::new();
    let required = def["required"].as_array().unwrap_or(&empty);
    let required: Vec<&str> = required.iter().map(|name| name.as_str().unwrap()).collect();
    let mut left_out: Vec<&str> = properties.keys().map(String::as_str).collect();
    left_out.retain(|name| !required.contains(name));
    // In the order of the struct, which only `required` has.
    let mut names = Vec::new();
    for name in required {
        names.push((name, false));
        let base64 = format!("{name}_base64");
        if let Some(at) = left_out.iter().position(|name| *name == base64) {
            names.push((left_out.remove(at), true));
        }
    }
    names.extend(left_out.into_iter().map(|name| (name, true)));
    let member = |(member, left_out): (&str, bool)| {
        let of = &properties[member];
        let meaning = text_of(of, "description");
        assert!(!meaning.is_empty(), "{name}.{member} has no meaning");
        let mut of = of_value(of).unwrap_or_else(|| panic!("{name}.{member}: {of}"));
        of.or_null &= !left_out;
        Member { name: member.to_owned(), meaning, of, left_out }
    };
    Type::Object(names.into_iter().map(member).collect())
}

fn of_value(value: &Value) -> Option<Of> {
    let of = |kind| Some(Of { kind, or_null: false });
    if let Some(word) = value["const"].as_str() {
        return of(Kind::Word(word.to_owned()));
    }
    if let Some(name) = value["$ref"].as_str() {
        return of(Kind::Named(name.strip_prefix("#/$defs/")?.to_owned()));
    }
    if let Some([one, null]) = value["anyOf"].as_array().map(Vec::as_slice) {
        assert_eq!(null["type"], "null");
        return Some(Of { or_null: true, ..of_value(one)? });
    }
    let (kind, or_null) = match &value["type"] {
        Value::Array(kinds) => (kinds[0].as_str()?, kinds[1] == "null"),
        kind => (kind.as_str()?, false),
    };
    let kind = match kind {
        "string" => Kind::Text,
        "integer" => Kind::Number,
        "boolean" => Kind::Truth,
        "array" if value["maxItems"] == 2 => Kind::Span,
        "array" => Kind::List(Box::new(of_value(&value["items"])?)),
        _ => return None,
    };
    Some(Of { kind, or_null })
}

const NOTICE: &str = "Generated from docs/report.schema.json: \
                      UPDATE_REPORTS=1 cargo test -p robotsieve-tests reports::";

/// Text in lines of at most this many characters, each with this before it.
fn wrapped(text: &str, before: &str) -> String {
    let mut out = String::new();
    for (at, paragraph) in text.split("\n\n").enumerate() {
        if at > 0 {
            out.push_str(before.trim_end());
            out.push('\n');
        }
        let mut line = String::from(before);
        for word in paragraph.split(' ') {
            if line.len() > before.len() && line.chars().count() + word.chars().count() >= 98 {
                out.push_str(line.trim_end());
                out.push('\n');
                line = String::from(before);
            }
            line.push_str(word);
            line.push(' ');
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// A comment as TypeScript has it.
fn remark(text: &str, indent: &str) -> String {
    let one = format!("{indent}/** {text} */\n");
    if text.is_empty() {
        String::new()
    } else if !text.contains('\n') && one.chars().count() <= 100 {
        one
    } else {
        format!("{indent}/**\n{}{indent} */\n", wrapped(text, &format!("{indent} * ")))
    }
}

fn typescript(types: &BTreeMap<String, (String, Type)>) -> String {
    fn of(value: &Of) -> String {
        let kind = match &value.kind {
            Kind::Word(word) => format!("\"{word}\""),
            Kind::Text => "string".to_owned(),
            Kind::Number => "number".to_owned(),
            Kind::Truth => "boolean".to_owned(),
            Kind::Span => "Span".to_owned(),
            Kind::Named(name) => name.clone(),
            Kind::List(items) if items.or_null => format!("({})[]", of(items)),
            Kind::List(items) => format!("{}[]", of(items)),
        };
        if value.or_null { format!("{kind} | null") } else { kind }
    }
    let mut out = format!("/** The reports, as data. {NOTICE} */\n\n");
    out += "/** The offset of the first byte, and of the one after the last. */\n";
    out += "export type Span = [start: number, end: number];\n";
    for (name, (meaning, of_type)) in types {
        out.push('\n');
        out += &remark(meaning, "");
        match of_type {
            Type::Words(words) => {
                write!(out, "export type {name} =").unwrap();
                for (word, meaning) in words {
                    write!(out, "\n{}  | \"{word}\"", remark(meaning, "  ")).unwrap();
                }
                out += ";\n";
            }
            Type::Object(members) => {
                writeln!(out, "export interface {name} {{").unwrap();
                for member in members {
                    out += &remark(&member.meaning, "  ");
                    let may = if member.left_out { "?" } else { "" };
                    writeln!(out, "  {}{may}: {};", member.name, of(&member.of)).unwrap();
                }
                out += "}\n";
            }
        }
    }
    out
}

fn python(types: &BTreeMap<String, (String, Type)>) -> String {
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
    /// The name of a type that has a class.
    fn class<'t>(of: &'t Of, types: &BTreeMap<String, (String, Type)>) -> Option<&'t str> {
        match &of.kind {
            Kind::Named(name) => matches!(types[name].1, Type::Object(_)).then_some(name),
            Kind::List(items) => class(items, types),
            _ => None,
        }
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
        let (first, rest) = wrapped.split_once('\n').unwrap();
        format!("    \"\"\"{}\n{rest}    \"\"\"\n", first.trim_start())
    }
    let mut out = format!(
        "\"\"\"The reports, as data: frozen, hashable, comparable, picklable, and made for ``match``.\n\n\
         {NOTICE}\n\"\"\"\n\n\
         from __future__ import annotations\n\n\
         from collections.abc import Iterator\n\
         from dataclasses import dataclass\n\
         from typing import TYPE_CHECKING, ClassVar, Literal\n\n\
         from ._report import Document, Span, first, indented, shown\n\
         from ._robotsieve import body_bytes\n\n\
         if TYPE_CHECKING:\n    from .typing import Body\n"
    );
    for (name, (meaning, of_type)) in types {
        if let Type::Words(words) = of_type {
            write!(out, "\n{name} = Literal[\n").unwrap();
            words.iter().for_each(|(word, _)| writeln!(out, "    \"{word}\",").unwrap());
            out += "]\n";
            let mut all = meaning.clone();
            for (word, meaning) in words.iter().filter(|(_, meaning)| !meaning.is_empty()) {
                write!(all, "\n\n``{word}``: {}", meaning.replace('`', "``")).unwrap();
            }
            writeln!(out, "\"\"\"{}\"\"\"", wrapped(&all, "").trim_end()).unwrap();
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
        let of_class = |member: &Member| {
            class(&member.of, types).map(|class| format!("\"{}\": \"{class}\"", member.name))
        };
        let classes: Vec<String> = own().filter_map(of_class).collect();
        if !classes.is_empty() {
            let classes: String =
                classes.iter().map(|class| format!("\n        {class},")).collect();
            writeln!(out, "\n    _classes: ClassVar[dict[str, str]] = {{{classes}\n    }}")
                .unwrap();
        }
        if let Some((_, methods)) = PYTHON_METHODS.iter().find(|(class, _)| class == name) {
            out += methods;
        }
    }
    out
}

/// The schema and the types made of it are those of the Rust types.
#[test]
fn published_types_are_current() {
    let schema = schema();
    let types = types(&schema);
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    for (path, wanted) in [
        ("docs/report.schema.json", serde_json::to_string_pretty(&schema).unwrap() + "\n"),
        ("web/package/reports.ts", typescript(&types)),
        ("python/robotsieve/reports.py", python(&types)),
    ] {
        let file = root.join(path);
        if env::var_os("UPDATE_REPORTS").is_some() {
            fs::write(file, wanted).unwrap();
        } else {
            let is_current = fs::read_to_string(file).is_ok_and(|text| text == wanted);
            assert!(
                is_current,
                "{path}: update it with UPDATE_REPORTS=1 cargo test -p robotsieve-tests reports::"
            );
        }
    }
}

/// The schema, but members that it does not name are wrong.
fn strict() -> Schema {
    fn close(value: &mut Value) {
        match value {
            Value::Object(members) => {
                members.values_mut().for_each(close);
                if members.contains_key("required") {
                    members.insert("additionalProperties".into(), false.into());
                }
            }
            Value::Array(all) => all.iter_mut().for_each(close),
            _ => {}
        }
    }
    let mut schema = schema();
    close(&mut schema);
    Schema::of(&schema.to_string())
}

/// A document of a report, which must fit the schema.
#[track_caller]
fn document(report: &impl Serialize, schema: &Schema) -> Value {
    let document = serde_json::to_value(report).unwrap();
    assert_eq!(schema.errors(&document), [""; 0], "{document}");
    document
}

/// Every reason, with bytes that are no UTF-8.
#[test]
fn explanations_fit_the_schema() {
    let schema = strict();
    let mut reasons = Vec::new();
    for (file, url, reason) in [
        (&b"user-agent: a\ndisallow: /"[..], &b"/"[..], "rule"),
        (b"user-agent: a\ndisallow: /x*\xE9$\nallow: /", b"/x%7e\xE9", "rule"),
        (b"user-agent: b\xE9\nuser-agent: c\xE9d\ndisallow: /", b"/", "no-group"),
        (b"user-agent: a\ndisallow: /x", b"/", "no-match"),
        (b"user-agent: a", b"/", "no-match"),
        (b"user-agent: a\ndisallow:", b"/", "empty-rule"),
        (b"user-agent: a\ndisallow: /", b"/robots.txt", "robots-txt"),
        (b"user-agent: a\ndisallow: /", b"e.com", "invalid-url"),
    ] {
        for names in [&[&b"a"[..]][..], &[b"x\xE9", b"a"], &[]] {
            let crawler = Crawler::names(names);
            let mut asked = Asked::new(&crawler, url);
            asked.robots = Some(b"r\xE9");
            let compared = asked.compared(&compare_profiles(file, &crawler, url));
            document(&compared, &schema);
            let first = document(&compared.explanations[0], &schema);
            if names.len() == 1 {
                assert_eq!(first["reason"], reason);
                reasons.push(first["reason"].clone());
            }
        }
    }
    // Those of stores and answers are the command's.
    reasons.extend([json!("site"), json!("unknown-site")]);
    let schema = self::schema();
    let known = schema["$defs"]["ExplainReason"]["oneOf"].as_array().unwrap();
    assert!(known.iter().all(|known| reasons.contains(&known["const"])), "{known:?}");
}

/// The files of the corpora and their URLs.
#[test]
fn corpora_fit_the_schema() {
    let schema = strict();
    let corpora = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("corpora");
    let mut documents = 0;
    for entry in fs::read_dir(corpora.join("robots")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().replace(".example.txt", "");
        let file = fs::read(&path).unwrap();
        let urls = fs::read(corpora.join("urls").join(format!("{name}.txt"))).unwrap();
        let urls: Vec<&[u8]> = urls.split(|byte| *byte == b'\n').collect();
        let crawler = Crawler::names(["Googlebot-News", "GPTBot"]);
        for url in [&b"e.com"[..], b"https://e.com?%7e"].iter().chain(urls.iter().step_by(9)) {
            let compared = compare_profiles(&file, &crawler, url);
            let report = document(&Asked::new(&crawler, url).compared(&compared), &schema);
            assert_eq!(report["explanations"].as_array().unwrap().len(), 4);
            documents += 1;
        }
    }
    assert!(documents > 30, "{documents}");
}

#[test]
fn the_schema_refuses_what_is_wrong() {
    let schema = strict();
    let crawler = Crawler::name("a");
    let why = Robots::parse(b"user-agent: a\ndisallow: /", &Profile::RFC9309);
    let report = Asked::new(&crawler, b"/").explained(&why.explain(&crawler, "/").unwrap());
    let report = document(&report, &schema);
    let refuses = |change: &dyn Fn(&mut Value)| {
        let mut changed = report.clone();
        change(&mut changed);
        assert!(!schema.is_valid(&changed), "{changed}");
    };
    refuses(&|report| _ = report.as_object_mut().unwrap().remove("selection"));
    refuses(&|report| report["selected"] = Value::Null);
    refuses(&|report| report["schema"] = "robotsieve-explain-4".into());
    refuses(&|report| report["verdict"] = "maybe".into());
    refuses(&|report| report["matches"][0]["value_span"] = json!([0]));
    refuses(&|report| report["matches"][0]["line"] = json!("1"));
}

/// A document has what its sentences say.
#[test]
fn an_explanation() {
    let file = b"User-agent: FooBot\nDisallow: /private\nAllow: /private/*.html$\n\n\
                 User-agent: *\nDisallow: /\n";
    let robots = Robots::parse(file, &Profile::RFC9309);
    let header = b"Mozilla/5.0 (compatible; FooBot/1.0)";
    let crawler = Crawler::from_user_agent(header);
    let url = b"/private/%61.html";
    let why = robots.explain(&crawler, url).unwrap();
    let asked = Asked { agent: header.into(), user_agent: true, ..Asked::new(&crawler, url) };
    let report = document(&asked.explained(&why), &strict());
    assert_eq!(report["schema"], "robotsieve-report-1");
    assert_eq!(report["report"], "explain");
    assert_eq!(report["robots"], Value::Null);
    let name = json!({
        "name": "FooBot", "agent_span": [25, 31], "certainty": "compatible",
        "label": "1: after 'compatible', decides",
    });
    assert_eq!(report["names"], json!([name]));
    assert_eq!(report["verdict"], "allow");
    assert_eq!((&report["winner_line"], &report["runner_up_line"]), (&json!(3), &json!(2)));
    assert_eq!(report["verdict_otherwise"], "disallow");
    let changes = json!([{ "url_span": [9, 12], "target_span": [9, 10] }]);
    assert_eq!(report["target"]["changes"], changes);
    assert_eq!(report["target"]["label"], "compared as '/private/a.html'");
    assert_eq!(report["selection"]["lines"][1]["standing"], "everybody-else");
    assert_eq!(report["selection"]["decided_by"], json!([0]));
    let winner = &report["matches"][0];
    let at = |span: &Value| {
        let place = |number: usize| span[number].as_u64().unwrap() as usize;
        str::from_utf8(&file[place(0)..place(1)]).unwrap()
    };
    assert_eq!(at(&winner["value_span"]), "/private/*.html$");
    assert_eq!(at(&winner["line_span"]), "Allow: /private/*.html$");
    assert_eq!(winner["url_span"], json!([0, 17]));
    let pieces = winner["pieces"].as_array().unwrap();
    let pieces: Vec<&str> = pieces.iter().map(|piece| at(&piece["file_span"])).collect();
    assert_eq!(pieces, ["/private/", "*", ".html", "$"]);
    let star = json!({
        "kind": "star", "file_span": [54, 55], "target_span": [9, 10], "url_span": [9, 12],
        "label": "matches 'a'",
    });
    assert_eq!(winner["pieces"][1], star);
    let said = |all: &Value| -> Vec<(String, Value)> {
        let all = all.as_array().unwrap().iter();
        all.map(|one| (text_of(one, "text"), one["line"].clone())).collect()
    };
    assert_eq!(
        said(&report["sentences"]),
        [
            ("line 3 decides, out of 2 rules in the group for the crawler".to_owned(), json!(3)),
            ("by the other rules the verdict would be disallow: line 2".to_owned(), json!(2)),
        ]
    );
    assert_eq!(
        said(&report["selection"]["sentences"]),
        [
            ("the group for the crawler applies: line 1".to_owned(), json!(1)),
            ("what is for everybody else does not apply: line 5".to_owned(), json!(5)),
        ]
    );
}
