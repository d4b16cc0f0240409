//! The extended log format of the W3C, which names its columns in the log: of IIS and CloudFront.
//!
//! ```text
//! #Fields: date time cs-uri-stem cs-uri-query c-ip cs(User-Agent) sc-status
//! 2026-11-20 12:00:00 /a x=1 192.0.2.7 GPTBot/1.1 200
//! ```
//!
//! IIS separates columns by blanks and writes a blank in a value as `+`; CloudFront separates them by
//! tabs and escapes values as URLs are.

use std::borrow::Cow;

use memchr::memmem;

use super::fields::{Client, Fields, LacksQuery, Method, number, some};

/// The columns of a log, as the last line that begins with `#Fields:` names them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns(Vec<Column>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Date,
    Time,
    Method,
    Path,
    Query,
    Agent,
    Address,
    Host,
    Status,
    Other,
}

/// The beginning of the line that names the columns.
const DIRECTIVE: &[u8] = b"#Fields:";

impl Columns {
    /// The columns that a line names, if it is such a line.
    pub fn of_line(line: &[u8]) -> Option<Columns> {
        let names = line.strip_prefix(DIRECTIVE)?.split(u8::is_ascii_whitespace);
        let columns = names.filter(|name| !name.is_empty()).map(|name| {
            match &name.to_ascii_lowercase()[..] {
                b"date" => Column::Date,
                b"time" => Column::Time,
                b"cs-method" => Column::Method,
                b"cs-uri-stem" => Column::Path,
                b"cs-uri-query" => Column::Query,
                b"cs(user-agent)" => Column::Agent,
                b"c-ip" => Column::Address,
                // CloudFront's cs(Host) is its own name for the distribution.
                b"cs-host" | b"x-host-header" => Column::Host,
                b"sc-status" => Column::Status,
                _ => Column::Other,
            }
        });
        Some(Columns(columns.collect()))
    }

    /// The columns that the last such line of these names. Lines are found as a thread reads them that has
    /// nothing else to do with them, so this costs as little as it can.
    pub fn last(lines: &[u8]) -> Option<Columns> {
        let at = memmem::find_iter(lines, DIRECTIVE)
            .filter(|at| *at == 0 || lines[at - 1] == b'\n')
            .last()?;
        let line = &lines[at..];
        Columns::of_line(&line[..memchr::memchr(b'\n', line).unwrap_or(line.len())])
    }

    /// The fields of a line, or `None` if it does not have these columns.
    pub fn read<'l>(&self, line: &'l [u8]) -> Option<Fields<'l>> {
        let separator = if memchr::memchr(b'\t', line).is_some() { b'\t' } else { b' ' };
        let mut fields = Fields { is_w3c: true, ..Fields::default() };
        let (mut address, mut host): (&[u8], &[u8]) = (b"", b"");
        let mut date = None;
        let mut at = 0;
        let mut columns = self.0.iter();
        for value in line.split(|byte| *byte == separator) {
            match columns.next()? {
                Column::Date => date = Some(at),
                // One text with the date before it.
                Column::Time if date.is_some_and(|date| date + 11 == at) => {
                    fields.time = Some(&line[at - 11..at + value.len()]);
                }
                Column::Method => fields.method = Method::of(value),
                Column::Path => fields.target = some(value),
                Column::Query => fields.query = some(value),
                Column::Agent => fields.agent = some(value),
                Column::Address => address = some(value).unwrap_or_default(),
                Column::Host => host = some(value).unwrap_or_default(),
                Column::Status => fields.status = number(value).unwrap_or(0),
                Column::Time | Column::Other => {}
            }
            at += value.len() + 1;
        }
        fields.client = Client::Apart { address, host };
        fields.lacks_query = LacksQuery::yes_if(!self.0.contains(&Column::Query));
        (columns.next().is_none() && fields.target.is_some()).then_some(fields)
    }
}

/// A User-Agent header as it was sent.
pub fn header(field: &[u8]) -> Cow<'_, [u8]> {
    if memmem::find(field, b"%20").is_some() {
        return percent_decoded(field).into();
    }
    let Some(first) = memchr::memchr(b'+', field) else { return field.into() };
    let mut out = field[..first].to_vec();
    let mut left = &field[first..];
    while let Some((byte, after)) = left.split_first() {
        left = after;
        out.push(if *byte == b'+' { b' ' } else { *byte });
        // What follows a blank is a plus sign.
        if *byte == b'+'
            && let Some((b'+', after)) = left.split_first()
        {
            out.push(b'+');
            left = after;
        }
    }
    out.into()
}

fn percent_decoded(field: &[u8]) -> Vec<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let mut out = Vec::with_capacity(field.len());
    let mut left = field;
    while let Some((&byte, after)) = left.split_first() {
        left = after;
        match (byte, after) {
            (b'%', [high, low, rest @ ..])
                if let (Some(high), Some(low)) = (digit(*high), digit(*low)) =>
            {
                out.push(high << 4 | low);
                left = rest;
            }
            _ => out.push(byte),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_iis_and_cloudfront() {
        let iis = Columns::of_line(
            b"#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip \
              cs(User-Agent) cs(Referer) sc-status sc-substatus sc-win32-status time-taken",
        );
        let line = b"2026-11-20 12:00:01 10.0.0.1 GET /a x=1 443 - 192.0.2.7 \
                     Mozilla/5.0+(compatible;+GPTBot/1.1;++https://openai.com/gptbot) - 200 0 0 15";
        let fields = iis.clone().unwrap().read(line).unwrap();
        assert_eq!(fields.time, Some(&b"2026-11-20 12:00:01"[..]));
        assert_eq!((fields.target, fields.query), (Some(&b"/a"[..]), Some(&b"x=1"[..])));
        assert_eq!(fields.target().as_deref(), Some(&b"/a?x=1"[..]));
        assert_eq!((fields.client.apart().0, fields.status), (&b"192.0.2.7"[..], 200));
        assert_eq!(
            header(fields.agent.unwrap()),
            &b"Mozilla/5.0 (compatible; GPTBot/1.1; +https://openai.com/gptbot)"[..]
        );
        // Lines of other lengths, and none that was cut.
        for text in [&line[..30], b"", b"2026-11-20 12:00:01 x", b"a b c d e f g h i j k l m n o p"]
        {
            assert_eq!(iis.as_ref().unwrap().read(text), None);
        }
        let cloudfront = Columns::of_line(
            b"#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem \
              sc-status cs(Referer) cs(User-Agent) cs-uri-query x-host-header",
        );
        let line = b"2026-11-20\t12:00:01\tFRA6\t9\t2001:db8::1\tGET\td1.cloudfront.net\t/a%20b\t\
                     404\t-\tMozilla/5.0%20(compatible;%20GPTBot/1.1;%20+https://x.example)\t-\t\
                     www.e.com";
        let fields = cloudfront.unwrap().read(line).unwrap();
        assert_eq!(fields.time, Some(&b"2026-11-20\t12:00:01"[..]));
        assert_eq!(fields.target().as_deref(), Some(&b"/a%20b"[..]));
        assert_eq!(fields.client.apart(), (&b"2001:db8::1"[..], &b"www.e.com"[..]));
        assert_eq!(
            header(fields.agent.unwrap()),
            &b"Mozilla/5.0 (compatible; GPTBot/1.1; +https://x.example)"[..]
        );
    }

    #[test]
    fn headers_of_all_kinds() {
        for (field, wanted) in [
            ("a+b", "a b"),
            ("+", " "),
            ("++", " +"),
            ("a%zz%20", "a%zz "),
            ("%20%", " %"),
            ("", ""),
        ] {
            assert_eq!(header(field.as_bytes()), wanted.as_bytes(), "{field}");
        }
        assert_eq!(Columns::of_line(b"#Version: 1.0"), None);
        assert_eq!(Columns::of_line(b"#Fields:").unwrap().read(b"x"), None);
    }
}
