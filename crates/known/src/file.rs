//! The file format of known crawlers: the part of TOML that such files need.
//!
//! That is less code than a dependency on a TOML parser, which would be six crates. A test compares
//! it with one.

use std::collections::HashMap;
use std::fmt;

use robotsieve::{Crawler, Profile};
use robotsieve_shown::{harmless, shown};

use super::crawler::KnownCrawler;
use super::purpose::Obeys;

/// The longest text of an entry, in bytes. Headers are the longest.
const MAX_TEXT: usize = 2_000;

/// The fields that no entry lacks.
const REQUIRED: [&str; 5] = ["name", "operator", "purpose", "source", "date"];

/// An entry without `token` has its name as token; without `obeys`, nothing is known of that.
const OPTIONAL: [&str; 11] = [
    "profile",
    "profile_source",
    "token",
    "after",
    "star",
    "only_in_robots_txt",
    "obeys",
    "reported_by",
    "note",
    "header",
    "documentation",
];

const TWO_WAYS: &str = "the entries stand in one list, or each under [[crawler]]";

/// A file that is no list of known crawlers.
///
/// Its `Display` is a clause that begins with the line: `line 5: there is no purpose 'spam'`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidCrawlers {
    line: usize,
    message: String,
}

impl InvalidCrawlers {
    /// The line to blame, from 1.
    pub fn line(&self) -> usize {
        self.line
    }
}

impl fmt::Display for InvalidCrawlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for InvalidCrawlers {}

/// A whole file.
#[derive(Debug)]
pub(super) struct File {
    /// True if the crawlers known before are left out.
    pub replace: bool,
    pub crawlers: Vec<KnownCrawler>,
}

enum Value {
    Text(String),
    Texts(Vec<String>),
    Switch(bool),
    Date(String),
}

/// An entry that is being read.
struct Entry {
    /// The line of its heading.
    line: usize,
    seen: Vec<&'static str>,
    crawler: KnownCrawler,
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    /// The number of the line at `at`, from 1.
    line: usize,
}

/// Reads the text of a file.
pub(super) fn parse(text: &str) -> Result<File, InvalidCrawlers> {
    let mut reader = Reader { text: text.strip_prefix('\u{FEFF}').unwrap_or(text), at: 0, line: 1 };
    let mut file = File { replace: false, crawlers: Vec::new() };
    // The lines of the entries by token, in lower case.
    let mut lines: HashMap<String, usize> = HashMap::new();
    let mut entry: Option<Entry> = None;
    let (mut has_replace, mut has_list) = (false, false);
    while reader.skip_lines() {
        if reader.takes("[") {
            if has_list {
                return Err(reader.wrong(TWO_WAYS));
            }
            reader.heading()?;
            if let Some(read) = entry.replace(Entry::on(reader.line)) {
                file.crawlers.push(read.whole(&mut lines)?);
            }
            continue;
        }
        let (line, key) = (reader.line, reader.key()?);
        if key == "crawler" && reader.takes("[") {
            if has_list || entry.is_some() {
                return Err(reader.wrong(TWO_WAYS));
            }
            reader.list("]", |reader| {
                file.crawlers.push(reader.entry()?.whole(&mut lines)?);
                Ok(())
            })?;
            reader.end_of_line()?;
            has_list = true;
            continue;
        }
        let value = reader.value()?;
        reader.end_of_line()?;
        let set = match (&mut entry, value) {
            (Some(entry), value) => entry.set(key, value),
            (None, Value::Switch(replace)) if key == "replace" && !has_replace => {
                (file.replace, has_replace) = (replace, true);
                Ok(())
            }
            _ => Err(format!("only 'replace = true' stands outside of the entries, not '{key}'")),
        };
        set.map_err(|message| InvalidCrawlers { line, message })?;
    }
    if let Some(read) = entry {
        file.crawlers.push(read.whole(&mut lines)?);
    }
    Ok(file)
}

impl Entry {
    fn on(line: usize) -> Entry {
        Entry { line, seen: Vec::new(), crawler: KnownCrawler::empty() }
    }

    /// The crawler, if it has what it needs and a token that no entry on these lines has.
    fn whole(self, lines: &mut HashMap<String, usize>) -> Result<KnownCrawler, InvalidCrawlers> {
        let Entry { line, seen, mut crawler } = self;
        let wrong = |message: String| Err(InvalidCrawlers { line, message });
        if let Some(missing) = REQUIRED.iter().find(|field| !seen.contains(field)) {
            return wrong(format!("the entry has no '{missing}'"));
        }
        if !seen.contains(&"token") {
            match token(crawler.name.clone()) {
                Ok(name) => crawler.token = name,
                Err(why) => {
                    return wrong(format!("the entry has no 'token', and its name is none: {why}"));
                }
            }
        }
        if let Some(first) = lines.insert(crawler.token.to_ascii_lowercase(), line) {
            let token = &crawler.token;
            return wrong(format!("'{token}' is also the token of the entry on line {first}"));
        }
        Ok(crawler)
    }

    fn set(&mut self, key: &str, value: Value) -> Result<(), String> {
        let mut fields = REQUIRED.into_iter().chain(OPTIONAL);
        let Some(field) = fields.find(|field| *field == key) else {
            return Err(format!("there is no field '{key}'"));
        };
        if self.seen.contains(&field) {
            return Err(format!("the entry has '{field}' twice"));
        }
        self.seen.push(field);
        let crawler = &mut self.crawler;
        match (field, value) {
            ("name", Value::Text(name)) => crawler.name = text(name)?,
            ("token", Value::Text(name)) => crawler.token = token(name)?,
            ("after", Value::Texts(names)) => {
                crawler.after = names.into_iter().map(token).collect::<Result<_, _>>()?;
            }
            ("star", Value::Switch(star)) => crawler.star = star,
            ("only_in_robots_txt", Value::Switch(only)) => crawler.only_in_robots_txt = only,
            ("operator", Value::Text(operator)) => crawler.operator = text(operator)?,
            ("purpose", Value::Text(name)) => {
                let unknown = |wrong| format!("purpose '{}': {wrong}", shown(name.as_bytes()));
                crawler.purpose = name.parse().map_err(unknown)?;
            }
            ("obeys", Value::Text(name)) => {
                let found = Obeys::ALL.into_iter().find(|obeys| obeys.as_str() == name);
                let name = || shown(name.as_bytes());
                crawler.obeys = found.ok_or_else(|| {
                    format!("obeys '{}': it is none of yes, no, partly and unknown", name())
                })?;
            }
            ("reported_by", Value::Text(who)) => crawler.reported_by = Some(text(who)?),
            ("note", Value::Text(note)) => crawler.note = Some(text(note)?),
            ("header", Value::Text(header)) => crawler.header = Some(text(header)?),
            ("profile", Value::Text(name)) => {
                crawler.profile =
                    Some(Profile::named(&name).ok_or_else(|| {
                        format!("there is no profile '{}'", shown(name.as_bytes()))
                    })?);
            }
            ("profile_source", Value::Text(source)) => crawler.profile_source = Some(text(source)?),
            ("documentation", Value::Text(url)) => crawler.documentation = Some(text(url)?),
            ("source", Value::Text(source)) => crawler.source = text(source)?,
            ("date", Value::Date(date)) => crawler.date = date,
            (field, _) => {
                let kind = match field {
                    "after" => "a list of texts, such as [\"Googlebot\"]",
                    "star" | "only_in_robots_txt" => "true or false",
                    "date" => "a date, such as 2026-11-22",
                    _ => "a text in quotes",
                };
                return Err(format!("the value of '{field}' is {kind}"));
            }
        }
        Ok(())
    }
}

/// Texts are shown on terminals and written into comments.
fn text(text: String) -> Result<String, String> {
    if text.trim().is_empty() {
        Err("a text that is not empty is expected".to_owned())
    } else if text.len() > MAX_TEXT {
        Err(format!("the text is longer than {MAX_TEXT} bytes"))
    } else if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        // Nearly all of them, and each run of the program reads a thousand.
        Ok(text)
    } else if text.chars().any(|c| c == '\t' || harmless(c) != c) {
        Err("the text has a control character".to_owned())
    } else {
        Ok(text)
    }
}

/// A robots.txt must be able to name a token.
fn token(token: String) -> Result<String, String> {
    let is_name = !token.is_empty() && Crawler::try_name(&token, &Profile::RFC9309).is_ok();
    if is_name && token != "*" && token.len() <= MAX_TEXT {
        return Ok(token);
    }
    let token = shown(&token.as_bytes()[..token.len().min(80)]);
    Err(format!("'{token}' is not a product token: letters, digits, '-', '_' and '.' are"))
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn wrong(&self, message: impl Into<String>) -> InvalidCrawlers {
        InvalidCrawlers { line: self.line, message: message.into() }
    }

    fn takes(&mut self, what: &str) -> bool {
        let is_next = self.rest().starts_with(what);
        self.at += if is_next { what.len() } else { 0 };
        is_next
    }

    /// Takes the bytes before the first that is no part. That one must be ASCII, or the first not to be.
    fn take_while(&mut self, is_part: impl Fn(u8) -> bool) -> &'t str {
        let rest = self.rest();
        let len = rest.bytes().position(|byte| !is_part(byte)).unwrap_or(rest.len());
        self.at += len;
        &rest[..len]
    }

    fn skip_blanks(&mut self) {
        self.take_while(|byte| byte == b' ' || byte == b'\t');
    }

    /// Skips blanks and a comment, if one is there.
    fn skip_comment(&mut self) {
        self.skip_blanks();
        if self.rest().starts_with('#') {
            self.take_while(|byte| byte != b'\n');
        }
    }

    /// Skips to the next thing that is no blank, line end or comment. Returns whether there is one.
    fn skip_lines(&mut self) -> bool {
        loop {
            self.skip_comment();
            if !self.takes("\r\n") && !self.takes("\n") {
                return !self.rest().is_empty();
            }
            self.line += 1;
        }
    }

    /// After the value of a line; the line end stays.
    fn end_of_line(&mut self) -> Result<(), InvalidCrawlers> {
        self.skip_comment();
        let rest = self.rest();
        if rest.is_empty() || rest.starts_with('\n') || rest.starts_with("\r\n") {
            return Ok(());
        }
        Err(self.wrong("the line does not end after its value"))
    }

    /// The rest of `[[crawler]]`, after its first bracket.
    fn heading(&mut self) -> Result<(), InvalidCrawlers> {
        let is_double = self.takes("[");
        self.skip_blanks();
        let name = self.word();
        self.skip_blanks();
        if !is_double || name != "crawler" || !self.takes("]]") {
            return Err(self.wrong("an entry begins with [[crawler]]"));
        }
        self.end_of_line()
    }

    fn word(&mut self) -> &'t str {
        self.take_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
    }

    /// `NAME =`, up to the value.
    fn key(&mut self) -> Result<&'t str, InvalidCrawlers> {
        let key = self.word();
        self.skip_blanks();
        if key.is_empty() || !self.takes("=") {
            return Err(self.wrong(
                "an entry is [[crawler]] with lines NAME = VALUE, or in a list { NAME = VALUE, ... }",
            ));
        }
        self.skip_blanks();
        Ok(key)
    }

    /// An entry in braces.
    fn entry(&mut self) -> Result<Entry, InvalidCrawlers> {
        let mut entry = Entry::on(self.line);
        if !self.takes("{") {
            return Err(self.wrong("an entry of the list stands in braces"));
        }
        self.list("}", |reader| {
            let (line, key) = (reader.line, reader.key()?);
            let value = reader.value()?;
            entry.set(key, value).map_err(|message| InvalidCrawlers { line, message })
        })?;
        Ok(entry)
    }

    /// What stands between brackets or braces, after the first of them, on as many lines as it likes.
    fn list(
        &mut self,
        end: &str,
        mut item: impl FnMut(&mut Self) -> Result<(), InvalidCrawlers>,
    ) -> Result<(), InvalidCrawlers> {
        self.skip_lines();
        while !self.takes(end) {
            item(self)?;
            self.skip_lines();
            let has_comma = self.takes(",");
            self.skip_lines();
            if !has_comma && !self.rest().starts_with(end) {
                return Err(
                    self.wrong(format!("commas separate the items of a list, and '{end}' ends it"))
                );
            }
        }
        Ok(())
    }

    fn value(&mut self) -> Result<Value, InvalidCrawlers> {
        let rest = self.rest();
        if rest.starts_with(['"', '\'']) {
            return self.text().map(Value::Text);
        }
        if self.takes("[") {
            let mut texts = Vec::new();
            self.list("]", |reader| {
                texts.push(reader.text()?);
                Ok(())
            })?;
            return Ok(Value::Texts(texts));
        }
        match self.take_while(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
            "true" => Ok(Value::Switch(true)),
            "false" => Ok(Value::Switch(false)),
            date if is_date(date) => Ok(Value::Date(date.to_owned())),
            _ => {
                Err(self
                    .wrong("a value is a text in quotes, a list of texts, true, false or a date"))
            }
        }
    }

    /// A text in double quotes, with the escapes of TOML, or in single quotes, without any.
    fn text(&mut self) -> Result<String, InvalidCrawlers> {
        if self.takes("'''") || self.takes("\"\"\"") {
            return Err(self.wrong("a text stands in one line: write it between single marks"));
        }
        if self.takes("'") {
            let text = self.take_while(|byte| byte != b'\'' && byte != b'\n');
            return match self.takes("'") {
                true => Ok(text.to_owned()),
                false => Err(self.wrong("the text has no closing quote")),
            };
        }
        if !self.takes("\"") {
            return Err(self.wrong("a text in quotes is expected"));
        }
        let mut text = String::new();
        loop {
            text += self.take_while(|byte| !matches!(byte, b'"' | b'\\' | b'\n'));
            if self.takes("\"") {
                return Ok(text);
            }
            if !self.takes("\\") {
                return Err(self.wrong("the text has no closing quote"));
            }
            let escaped = self.rest().chars().next();
            self.at += escaped.map_or(0, char::len_utf8);
            text.push(match escaped {
                Some(c @ ('"' | '\\')) => c,
                Some('b') => '\u{8}',
                Some('t') => '\t',
                Some('n') => '\n',
                Some('f') => '\u{C}',
                Some('r') => '\r',
                Some('e') => '\u{1B}',
                Some('x') => self.code(2)?,
                Some('u') => self.code(4)?,
                Some('U') => self.code(8)?,
                _ => return Err(self.wrong("the text has a \\ that escapes nothing; write \\\\")),
            });
        }
    }

    /// The character whose number is written in so many hexadecimal digits.
    fn code(&mut self, digits: usize) -> Result<char, InvalidCrawlers> {
        let code =
            self.rest().get(..digits).filter(|code| code.bytes().all(|b| b.is_ascii_hexdigit()));
        let c = code.and_then(|code| u32::from_str_radix(code, 16).ok()).and_then(char::from_u32);
        self.at += digits;
        c.ok_or_else(|| self.wrong("the text has an escape that is no character"))
    }
}

/// Returns true if a text is a date that there can be, such as `2026-11-22`.
fn is_date(text: &str) -> bool {
    let mut parts = text.split('-').map(|part| {
        let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
        (part.len(), if is_number { part.parse::<u32>().ok() } else { None })
    });
    matches!(
        [parts.next(), parts.next(), parts.next(), parts.next()],
        [Some((4, Some(_))), Some((2, Some(1..=12))), Some((2, Some(1..=31))), None]
    )
}

#[cfg(test)]
mod tests {
    use super::super::Purpose;
    use super::*;

    const ENTRY: &str = "[[crawler]]\nname = \"Foo\"\ntoken = \"FooBot\"\noperator = \"Foo\"\n\
        purpose = \"seo\"\nobeys = \"partly\"\nsource = \"them\"\ndate = 2026-11-22\n";

    #[test]
    fn an_entry() {
        let file = parse(ENTRY).unwrap();
        let crawler = &file.crawlers[0];
        assert!(crawler.star && !crawler.only_in_robots_txt && !file.replace);
        assert_eq!((crawler.obeys, crawler.purpose), (Obeys::Partly, Purpose::Seo));
        assert_eq!(crawler.date, "2026-11-22");
    }

    /// A file whose entry stands in a list.
    fn listed(entry: &str) -> String {
        let fields = entry.strip_prefix("[[crawler]]\n").unwrap().replace('\n', ",\n");
        format!("crawler = [ # a\n{{\n{fields}}},\n]\n")
    }

    #[test]
    fn entries_in_a_list() {
        let (by_heading, text) = (parse(ENTRY).unwrap(), listed(ENTRY) + "replace = true");
        let file = parse(&text).unwrap();
        assert!(file.replace && file.crawlers == by_heading.crawlers);
        assert!(parse("crawler = []").unwrap().crawlers.is_empty());
        assert!(text.parse::<toml::Table>().is_ok());
    }

    #[test]
    fn what_is_left_out() {
        let short = ENTRY.replace("token = \"FooBot\"\n", "").replace("obeys = \"partly\"\n", "");
        let file = parse(&short).unwrap();
        let crawler = &file.crawlers[0];
        assert_eq!((crawler.token.as_str(), crawler.obeys), ("Foo", Obeys::Unknown));
    }

    #[test]
    fn what_toml_allows() {
        let written = "\u{feff}# x\r\nreplace = true # y\r\n\r\n [[ crawler ]] # z\r\nname='F\\o'\r\n\
            token = \"FooBot\"#\r\nafter = [ # a\n  \"a\",\n 'b' , # c\n]\noperator = \"\\\"\\u00e9\\\\\"\n\
            purpose = \"seo\"\nobeys = \"no\"\nsource = \"x\"\ndate = 2026-11-22\nstar = false";
        let file = parse(written).unwrap();
        let crawler = &file.crawlers[0];
        assert!(file.replace && !crawler.star);
        assert_eq!((crawler.name.as_str(), crawler.operator.as_str()), ("F\\o", "\"é\\"));
        assert_eq!(crawler.after, ["a", "b"]);
        assert!(parse("").unwrap().crawlers.is_empty());
    }

    #[test]
    fn the_line_of_what_is_wrong() {
        let with = |from: &str, to: &str| ENTRY.replace(from, to);
        for (text, line, message) in [
            (with("\"seo\"", "\"spam\""), 5, "purpose 'spam': it is none of the purposes search, "),
            (with("\"partly\"", "\"often\""), 6, "obeys 'often'"),
            (with("FooBot", "Foo Bot"), 3, "'Foo Bot' is not a product token"),
            (with("FooBot", "*"), 3, "'*' is not a product token"),
            (with("FooBot", ""), 3, "'' is not a product token"),
            (with("\"them\"", "\"a\\u001bb\""), 7, "control character"),
            (with("\"them\"", "\"\""), 7, "not empty"),
            (with("\"them\"", "them"), 7, "a value is a text in quotes"),
            (with("\"them\"", "\"them"), 7, "no closing quote"),
            (with("\"them\"", "'them"), 7, "no closing quote"),
            (with("\"them\"", "\"\"\"them\"\"\""), 7, "stands in one line"),
            (with("\"them\"", "\"th\\em\" x"), 7, "does not end after its value"),
            (with("\"them\"", "\"th\\q\""), 7, "escapes nothing"),
            (with("\"them\"", "\"th\\ud800\""), 7, "no character"),
            (with("\"them\"", "\"th\\uéa\""), 7, "no character"),
            (with("\"them\"", "true"), 7, "the value of 'source' is a text in quotes"),
            (with("source", "sauce"), 7, "there is no field 'sauce'"),
            (with("source = \"them\"\n", ""), 1, "the entry has no 'source'"),
            (with("date = 2026-11-22", "date = 1"), 8, "a value is"),
            (with("date = 2026-11-22", "date = 2026-13-22"), 8, "a value is"),
            (with("date = 2026-11-22", "date = \"x\""), 8, "such as 2026-11-22"),
            (
                ENTRY.replace("\"Foo\"\ntoken = \"FooBot\"", "\"F o\""),
                1,
                "no 'token', and its name is none",
            ),
            (format!("{ENTRY}name = \"x\""), 9, "'name' twice"),
            (format!("{ENTRY}\n{}", with("FooBot", "foobot")), 10, "entry on line 1"),
            (format!("{ENTRY}after = [\"x\", \"a b\"]\n"), 9, "'a b' is not a product token"),
            (format!("{ENTRY}after = [\"x\"\n \"b\"]\n"), 10, "commas"),
            (format!("{ENTRY}after = [\"x\""), 9, "commas"),
            (format!("replace = 1\n{ENTRY}"), 1, "a value is"),
            (format!("name = \"x\"\n{ENTRY}"), 1, "only 'replace = true'"),
            (format!("[crawler]\n{ENTRY}"), 1, "[[crawler]]"),
            ("nonsense".to_owned(), 1, "NAME = VALUE"),
            (listed(&with("\"seo\"", "\"spam\"")), 6, "purpose 'spam'"),
            (listed(&with("date = 2026-11-22\n", "")), 2, "the entry has no 'date'"),
            (listed(ENTRY).replace("name = \"Foo\",", "name = \"Foo\""), 4, "commas"),
            (listed(ENTRY).replace("}", ""), 10, "NAME = VALUE"),
            (listed(ENTRY).replace("{", ""), 3, "in braces"),
            (listed(ENTRY).replace("\"them\"", "[{ name = \"x\" }]"), 8, "a text in quotes"),
            (listed(ENTRY) + &listed(ENTRY), 12, "in one list, or"),
            (listed(ENTRY) + ENTRY, 12, "in one list, or"),
            (ENTRY.to_owned() + &listed(ENTRY), 9, "in one list, or"),
        ] {
            let InvalidCrawlers { line: at, message: said } = parse(&text).unwrap_err();
            assert!(at == line && said.contains(message), "{at} {said}, not {line} {message}");
        }
    }
}
