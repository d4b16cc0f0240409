//! What a line of a log says of a request.

use std::borrow::Cow;
use std::net::IpAddr;

use memchr::{memchr, memchr_iter};

use super::escapes::{quoted, undone};

/// The fields of a line, as they are written there: [`super::escapes::undone`] undoes escapes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fields<'l> {
    /// The request target, in any form of RFC 9112 §3.2. `None` if the request is no request.
    pub target: Option<&'l [u8]>,
    pub method: Method,
    /// The query, if the format has it apart from the target.
    pub query: Option<&'l [u8]>,
    /// Whether there may have been a query that is in neither of them.
    pub lacks_query: LacksQuery,
    /// The User-Agent header. `None` if there was none, or if the format does not have it.
    pub agent: Option<&'l [u8]>,
    /// `None` if the format does not have it.
    pub time: Option<&'l [u8]>,
    pub client: Client<'l>,
    /// 0 if the format does not have it.
    pub status: u16,
    /// True if texts are escaped as in the [extended log format](super::w3c).
    pub is_w3c: bool,
}

/// The method of a request, as far as it matters for /robots.txt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// GET, or the log does not tell.
    #[default]
    Get,
    Head,
    /// One that does not ask for a file.
    Other,
}

impl Method {
    /// The method with this name.
    pub fn of(name: &[u8]) -> Method {
        match some(name) {
            None => Method::Get,
            Some(name) if name.eq_ignore_ascii_case(b"GET") => Method::Get,
            Some(name) if name.eq_ignore_ascii_case(b"HEAD") => Method::Head,
            Some(_) => Method::Other,
        }
    }

    /// The method of a request line.
    pub fn of_line(request: &[u8]) -> Method {
        memchr(b' ', request).map_or(Method::Get, |end| Method::of(&request[..end]))
    }
}

/// Whether a log may lack the query of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LacksQuery {
    /// It has the query if there was one.
    #[default]
    No,
    /// Some logs in the format have it.
    Perhaps,
    Yes,
}

impl LacksQuery {
    /// [`LacksQuery::Yes`] if a log `is_lacking` it.
    pub fn yes_if(is_lacking: bool) -> LacksQuery {
        if is_lacking { LacksQuery::Yes } else { LacksQuery::No }
    }
}

impl<'l> Fields<'l> {
    /// The request target with its query, and without the escapes of the log.
    pub fn target(&self) -> Option<Cow<'l, [u8]>> {
        let target = self.target?;
        let mut target = if self.is_w3c { Cow::Borrowed(target) } else { undone(target) };
        if let Some(query) = self.query {
            let query = if self.is_w3c { Cow::Borrowed(query) } else { undone(query) };
            target.to_mut().push(b'?');
            target.to_mut().extend_from_slice(&query);
        }
        Some(target)
    }
}

/// The address of a client, and the host that it asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Client<'l> {
    /// Each by itself, or empty.
    Apart { address: &'l [u8], host: &'l [u8] },
    /// What stands before the time in the common format: most requests do not need it.
    Before(&'l [u8]),
}

impl Default for Client<'_> {
    fn default() -> Self {
        Client::Apart { address: b"", host: b"" }
    }
}

impl<'l> Client<'l> {
    /// The address and the host, each empty if the log does not have it.
    pub fn apart(self) -> (&'l [u8], &'l [u8]) {
        match self {
            Client::Apart { address, host } => (address, host),
            Client::Before(before) => {
                let mut words = before.split(|byte| *byte == b' ');
                let (first, second) = (words.next(), words.next());
                let (first, second) = (first.unwrap_or_default(), second.unwrap_or_default());
                // In lighttpd's format the second word is the host: nobody's name of RFC 1413 is one.
                let is_host = |word: &[u8]| {
                    word.contains(&b'.')
                        && word
                            .iter()
                            .all(|byte| byte.is_ascii_alphanumeric() || b".-:".contains(byte))
                };
                if is_host(second) && address(first).is_some() && address(second).is_none() {
                    return (first, second);
                }
                // The second of three words is the name of RFC 1413.
                let has_host = words.nth(1).is_some_and(|word| !word.is_empty());
                if has_host && address(second).is_some() { (second, first) } else { (first, b"") }
            }
        }
    }
}

/// The address in a field.
pub fn address(field: &[u8]) -> Option<IpAddr> {
    str::from_utf8(field).ok()?.parse().ok().map(|address: IpAddr| address.to_canonical())
}

/// Reads a line of the combined or the common format, with or without a host in front:
///
/// ```text
/// host ident user [10/Oct/2026:13:55:36 -0700] "GET / HTTP/1.1" 200 2326 "referer" "user agent"
/// ```
///
/// What follows is not read. Without `has_agent`, that is everything from the second field in quotes
/// on.
pub fn common(line: &[u8], has_agent: bool) -> Option<Fields<'_>> {
    let open = time_at(line)?;
    let before = line[..open].strip_suffix(b" ").filter(|before| !before.is_empty())?;
    let (request, after) = quoted(line[open + 28..].strip_prefix(b" \"")?)?;
    let (status, after) = after.strip_prefix(b" ")?.split_first_chunk::<3>()?;
    let agent = if has_agent {
        let referer = memchr(b'"', after)?;
        let (_, after) = quoted(&after[referer + 1..])?;
        quoted(after.strip_prefix(b" \"")?)?.0
    } else {
        b"-"
    };
    Some(Fields {
        target: target(request),
        method: Method::of_line(request),
        agent: some(agent),
        time: Some(&line[open + 1..open + 27]),
        client: Client::Before(before),
        status: number(status)?,
        ..Fields::default()
    })
}

/// Where the bracket before the time is.
fn time_at(line: &[u8]) -> Option<usize> {
    memchr_iter(b'[', line).find(|open| {
        matches!(
            line.get(open + 1..open + 28),
            Some([_, _, b'/', _, _, _, b'/', _, _, _, _, b':', .., b']'])
        )
    })
}

/// A field that is not `-`, which stands for nothing.
pub fn some(field: &[u8]) -> Option<&[u8]> {
    Some(field).filter(|field| !matches!(field, [] | [b'-']))
}

/// The number of a status, which has three digits. Servers write `-` or 000 if there was none.
pub fn number(status: &[u8]) -> Option<u16> {
    match status {
        [a @ b'0'..=b'9', b @ b'0'..=b'9', c @ b'0'..=b'9'] => {
            Some([a, b, c].iter().fold(0, |number, digit| number * 10 + u16::from(**digit - b'0')))
        }
        _ => None,
    }
}

/// The target of a request line: `GET /x HTTP/1.1`. A target with spaces in it is against RFC 9112,
/// but servers take it.
pub fn target(request: &[u8]) -> Option<&[u8]> {
    let method = memchr(b' ', request)?;
    let is_method = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_');
    if method == 0 || !request[..method].iter().all(is_method) {
        return None;
    }
    let target = &request[method + 1..];
    let version = memchr::memrchr(b' ', target).filter(|at| target[at + 1..].starts_with(b"HTTP/"));
    some(&target[..version.unwrap_or(target.len())])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From Apache's documentation of mod_log_config.
    const APACHE: &[u8] = br#"127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /apache_pb.gif HTTP/1.0" 200 2326 "http://www.example.com/start.html" "Mozilla/4.08 [en] (Win98; I ;Nav)""#;

    #[test]
    fn combined_and_common() {
        let combined = common(APACHE, true).unwrap();
        assert_eq!(combined.target, Some(&b"/apache_pb.gif"[..]));
        assert_eq!(combined.agent, Some(&b"Mozilla/4.08 [en] (Win98; I ;Nav)"[..]));
        assert_eq!(combined.time, Some(&b"10/Oct/2000:13:55:36 -0700"[..]));
        assert_eq!(combined.client.apart(), (&b"127.0.0.1"[..], &b""[..]));
        assert_eq!(combined.status, 200);
        assert_eq!(common(APACHE, false), Some(Fields { agent: None, ..combined }));
        let short = APACHE.split(|byte| *byte == b'"').take(3).collect::<Vec<_>>().join(&b'"');
        assert_eq!(common(&short, true), None);
        assert_eq!(common(&short, false), Some(Fields { agent: None, ..combined }));
        // Every shorter line is none, or the same without its end.
        for len in 0..APACHE.len() {
            assert_eq!(common(&APACHE[..len], true), None, "{len}");
        }
    }

    #[test]
    fn methods() {
        for (request, wanted) in [
            ("GET / HTTP/1.1", Method::Get),
            ("HEAD / HTTP/1.1", Method::Head),
            ("POST /robots.txt", Method::Other),
            ("-", Method::Get),
        ] {
            assert_eq!(Method::of_line(request.as_bytes()), wanted, "{request}");
        }
    }

    #[test]
    fn hosts_in_front() {
        let apart = |before| Client::Before(before).apart();
        let cases: [(&[u8], &[u8], &[u8]); 7] = [
            (b"1.2.3.4 www.e.com -", b"1.2.3.4", b"www.e.com"),
            (b"1.2.3.4 - -", b"1.2.3.4", b""),
            (b"www.e.com:443 1.2.3.4 - -", b"1.2.3.4", b"www.e.com:443"),
            (b"www.e.com ::1 - John Smith", b"::1", b"www.e.com"),
            (b"1.2.3.4 - John Smith", b"1.2.3.4", b""),
            (b"crawl.e.com - -", b"crawl.e.com", b""),
            (b"", b"", b""),
        ];
        for (before, address, host) in cases {
            assert_eq!(apart(before), (address, host), "{}", before.escape_ascii());
        }
    }

    #[test]
    fn targets() {
        let cases: [(&str, Option<&str>); 10] = [
            ("GET / HTTP/1.1", Some("/")),
            ("GET /a b HTTP/1.1", Some("/a b")),
            ("GET /x", Some("/x")),
            ("OPTIONS * HTTP/1.1", Some("*")),
            ("GET http://e.com/x HTTP/1.1", Some("http://e.com/x")),
            ("M-SEARCH /x HTTP/1.1", Some("/x")),
            ("-", None),
            ("", None),
            (r"\x16\x03\x01 /", None),
            (" / HTTP/1.1", None),
        ];
        for (request, wanted) in cases {
            assert_eq!(target(request.as_bytes()), wanted.map(str::as_bytes), "{request}");
        }
    }
}
