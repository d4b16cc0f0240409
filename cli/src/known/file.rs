//! A file of known crawlers.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Read};
use std::path::Path;

use robotsieve::{Crawler, Profile};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use super::Purpose;
use crate::error::Failure;
use crate::write::bytes::{harmless, shown};

/// The longest file that is read, in bytes: twenty times the built-in one.
const MAX_BYTES: u64 = 4 << 20;

/// The longest text of an entry, in bytes. Headers are the longest.
const MAX_TEXT: usize = 2_000;

/// What is known of a crawler.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownCrawler {
    /// As its operator writes it.
    #[serde(deserialize_with = "text")]
    pub name: String,
    /// The product token: how a robots.txt names it.
    #[serde(deserialize_with = "token")]
    pub token: String,
    /// Names whose groups it obeys if none names the token, before that of `*`.
    #[serde(default, deserialize_with = "tokens")]
    pub after: Vec<String>,
    /// Whether it obeys the group of `*`.
    #[serde(default = "yes")]
    pub star: bool,
    /// Whether the token is in no header: a name for a use of what another crawler fetches.
    #[serde(default)]
    pub only_in_robots_txt: bool,
    #[serde(deserialize_with = "text")]
    pub operator: String,
    pub purpose: Purpose,
    /// What its operator says of obeying robots.txt.
    pub obeys: Obeys,
    #[serde(default, deserialize_with = "optional_text")]
    pub note: Option<String>,
    /// An example of its User-Agent header.
    #[serde(default, deserialize_with = "optional_text")]
    pub header: Option<String>,
    /// Where its operator documents it.
    #[serde(default, deserialize_with = "optional_text")]
    pub documentation: Option<String>,
    /// Where these facts are from.
    #[serde(deserialize_with = "text")]
    pub source: String,
    /// When they were looked up.
    pub date: toml::value::Datetime,
}

/// What an operator says of obeying robots.txt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Obeys {
    Yes,
    No,
    /// In part, or some of its crawlers.
    Partly,
    /// Nobody who wrote the entry knows.
    Unknown,
}

impl Obeys {
    /// As the file spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Obeys::Yes => "yes",
            Obeys::No => "no",
            Obeys::Partly => "partly",
            Obeys::Unknown => "unknown",
        }
    }
}

/// A whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// Whether the built-in crawlers are left out.
    #[serde(default)]
    pub replace: bool,
    #[serde(default, rename = "crawler")]
    pub crawlers: Vec<Spanned<KnownCrawler>>,
}

fn yes() -> bool {
    true
}

/// What is wrong with a text: it is shown on terminals and written into comments.
fn wrong_text(text: &str) -> Option<String> {
    if text.trim().is_empty() {
        Some("a text that is not empty is expected".to_owned())
    } else if text.len() > MAX_TEXT {
        Some(format!("the text is longer than {MAX_TEXT} bytes"))
    } else if text.chars().any(|c| c == '\t' || harmless(c) != c) {
        Some("the text has a control character".to_owned())
    } else {
        None
    }
}

fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    wrong_text(&text).map_or(Ok(text), |wrong| Err(D::Error::custom(wrong)))
}

fn optional_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    text(deserializer).map(Some)
}

/// What is wrong with a token: a robots.txt must be able to name it.
fn wrong_token(token: &str) -> Option<String> {
    let is_name = !token.is_empty() && Crawler::try_name(token, &Profile::RFC9309).is_ok();
    if is_name && token != "*" && token.len() <= MAX_TEXT {
        return None;
    }
    let token = shown(&token.as_bytes()[..token.len().min(80)]);
    Some(format!("'{token}' is not a product token: letters, digits, '-', '_' and '.' are"))
}

fn token<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let token = String::deserialize(deserializer)?;
    wrong_token(&token).map_or(Ok(token), |wrong| Err(D::Error::custom(wrong)))
}

fn tokens<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let tokens = Vec::<String>::deserialize(deserializer)?;
    let wrong = tokens.iter().find_map(|token| wrong_token(token));
    wrong.map_or(Ok(tokens), |wrong| Err(D::Error::custom(wrong)))
}

/// What is wrong with a file.
#[derive(Debug)]
pub struct Wrong {
    /// From 1, if one line is to blame.
    line: Option<usize>,
    message: String,
}

/// Reads the text of a file.
///
/// # Errors
/// Returns an error if it is no TOML, if an entry lacks something or has something unknown, or if
/// two entries have the same token.
pub fn parse(text: &str) -> Result<File, Wrong> {
    let line_at = |at: usize| {
        let before = text.as_bytes().get(..at).unwrap_or_default();
        memchr::memchr_iter(b'\n', before).count() + 1
    };
    let file: File = toml::from_str(text).map_err(|wrong| Wrong {
        line: wrong.span().map(|span| line_at(span.start)),
        message: wrong.message().lines().collect::<Vec<_>>().join("; "),
    })?;
    let mut lines: HashMap<String, usize> = HashMap::new();
    for entry in &file.crawlers {
        let line = line_at(entry.span().start);
        let token = &entry.get_ref().token;
        if let Some(first) = lines.insert(token.to_ascii_lowercase(), line) {
            return Err(Wrong {
                line: Some(line),
                message: format!("'{token}' is also the token of the entry on line {first}"),
            });
        }
    }
    Ok(file)
}

/// Reads a file.
///
/// # Errors
/// Returns an error if it cannot be read, is longer than 4 MiB, or is wrong: with the line.
pub fn read(path: &Path) -> Result<File, Failure> {
    let action = || format!("cannot read the known crawlers in '{}'", path.display());
    let mut bytes = Vec::new();
    let read = fs::File::open(path).and_then(|file| {
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(io::Error::other("it is longer than 4 MiB"));
        }
        String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8"))
    });
    let text = read.map_err(|cause| {
        Failure::io(action(), cause)
            .advise("'robotsieve crawlers --list --format toml' prints such a file")
    })?;
    parse(&text).map_err(|Wrong { line, message }| {
        let line = line.map_or_else(String::new, |line| format!("line {line}: "));
        Failure::io(action(), io::Error::other(format!("{line}{message}"))).advise(
            "mend the entry; 'robotsieve crawlers --list --format toml' shows how entries look",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: &str = "[[crawler]]\nname = \"Foo\"\ntoken = \"FooBot\"\noperator = \"Foo\"\n\
        purpose = \"seo\"\nobeys = \"partly\"\nsource = \"them\"\ndate = 2026-11-22\n";

    #[track_caller]
    fn wrong(text: &str) -> (usize, String) {
        let Wrong { line, message } = parse(text).unwrap_err();
        (line.unwrap(), message)
    }

    #[test]
    fn an_entry() {
        let file = parse(ENTRY).unwrap();
        let crawler = file.crawlers[0].get_ref();
        assert!(crawler.star && !crawler.only_in_robots_txt && !file.replace);
        assert_eq!((crawler.obeys, crawler.purpose), (Obeys::Partly, Purpose::Seo));
        assert_eq!(crawler.date.to_string(), "2026-11-22");
    }

    #[test]
    fn the_line_of_what_is_wrong() {
        let with = |from: &str, to: &str| ENTRY.replace(from, to);
        for (text, line, message) in [
            (with("\"seo\"", "\"spam\""), 5, "unknown variant `spam`"),
            (with("FooBot", "Foo Bot"), 3, "'Foo Bot' is not a product token"),
            (with("FooBot", "*"), 3, "'*' is not a product token"),
            (with("FooBot", ""), 3, "'' is not a product token"),
            (with("\"them\"", "\"a\\u001bb\""), 7, "control character"),
            (with("\"them\"", "\"\""), 7, "not empty"),
            (with("\"them\"", "them"), 7, ""),
            (with("source", "sauce"), 7, "unknown field `sauce`"),
            (with("source = \"them\"\n", ""), 1, "missing field `source`"),
            (with("date = 2026-11-22", "date = 1"), 8, ""),
            (format!("{ENTRY}\n{}", with("FooBot", "foobot")), 10, "entry on line 1"),
            (format!("{ENTRY}after = [\"x\", \"a b\"]\n"), 9, "'a b' is not a product token"),
        ] {
            let (at, said) = wrong(&text);
            assert!(at == line && said.contains(message), "{at} {said}, not {line} {message}");
        }
    }
}
