//! Lines of balancers, stores and containers: HAProxy, Envoy, Amazon's ALB and S3, Docker, and JSON of any shape.

use memchr::{memchr, memchr_iter, memmem, memrchr};

use super::escapes::quoted;
use super::fields::{Client, Fields, LacksQuery, Method, number, some, target};
use super::jsonl::{members, scalar};

/// Reads a line of HAProxy's `option httplog`, of which the User-Agent header was captured:
///
/// ```text
/// … 192.0.2.1:50 [20/Nov/2026:10:00:00.123] fe be/srv 0/0/1/2/3 200 512 - - ---- 1/1/0/0/0 0/0 {e.com|agent} "GET / HTTP/1.1"
/// ```
///
/// Of several captures the header is the longest, and the host one without a blank or a slash.
pub fn haproxy(line: &[u8]) -> Option<Fields<'_>> {
    let open = memchr_iter(b'[', line)
        .find(|open| matches!(line.get(open + 1..open + 13), Some([_, _, b'/', .., b':'])))?;
    let close = open + memchr(b']', &line[open..])?;
    let client = line[..open].trim_ascii_end().rsplit(|byte| *byte == b' ').next()?;
    let line = line.trim_ascii_end().strip_suffix(b"\"")?;
    let quote = memmem::rfind(line, b" \"")?;
    let (before, request) = (line.get(close + 1..quote)?, &line[quote + 2..]);
    // Frontend, server, times, status.
    let status = before.split(|byte| *byte == b' ').filter(|word| !word.is_empty()).nth(3)?;
    let captured = memmem::find(before, b" {").map(|at| &before[at + 2..]);
    let captured = captured.map(|text| {
        let end = memmem::find(text, b"} {").or(memrchr(b'}', text)).unwrap_or(text.len());
        &text[..end]
    });
    let mut captures = captured.unwrap_or_default().split(|byte| *byte == b'|');
    let agent = captures.clone().max_by_key(|text| text.len()).and_then(some);
    let is_host = |text: &&[u8]| {
        Some(*text) != agent
            && text.contains(&b'.')
            && !text.iter().any(|byte| b" /(".contains(byte))
    };
    let host = captures.find(is_host).unwrap_or_default();
    Some(Fields {
        target: target(request),
        method: Method::of_line(request),
        agent,
        time: Some(&line[open + 1..close]),
        client: Client::Apart { address: without_port(client), host },
        status: number(status)?,
        ..Fields::default()
    })
}

/// Reads a line of the access log of Amazon's Application Load Balancer:
/// `https TIME elb CLIENT:PORT TARGET:PORT … STATUS STATUS … "GET https://e.com:443/ HTTP/1.1" "agent" …`.
pub fn alb(line: &[u8]) -> Option<Fields<'_>> {
    let mut words = line.splitn(13, |byte| *byte == b' ');
    let kind = words.next()?;
    if ![&b"http"[..], b"https", b"h2", b"grpcs", b"ws", b"wss"].contains(&kind) {
        return None;
    }
    let (time, _, client) = (words.next()?, words.next()?, words.next()?);
    // The target and three times.
    let status = words.nth(4)?;
    let (request, after) = quoted(words.nth(3)?.strip_prefix(b"\"")?)?;
    let agent = quoted(after.strip_prefix(b" \"")?)?.0;
    Some(Fields {
        target: target(request),
        method: Method::of_line(request),
        agent: some(agent),
        time: Some(time),
        client: Client::Apart { address: without_port(client), host: b"" },
        status: number(status).unwrap_or(0),
        ..Fields::default()
    })
}

/// Reads a line of the access log of Amazon S3:
/// `owner bucket [TIME] address requester id operation key "GET /key HTTP/1.1" STATUS … "referer" "agent" …`.
pub fn s3(line: &[u8]) -> Option<Fields<'_>> {
    let open = memchr(b'[', line)?;
    let close = open + memchr(b']', &line[open..])?;
    let rest = line.get(close + 1..)?.strip_prefix(b" ")?;
    let mut words = rest.splitn(6, |byte| *byte == b' ');
    let address = words.next()?;
    // Requester, id, operation, key.
    let after = &words.nth(4)?;
    let (request, after) = quoted(after.strip_prefix(b"\"")?)?;
    let (status, after) = after.strip_prefix(b" ")?.split_first_chunk::<3>()?;
    let (_, after) = quoted(&after[memchr(b'"', after)? + 1..])?;
    let agent = quoted(after.strip_prefix(b" \"")?)?.0;
    Some(Fields {
        target: target(request),
        method: Method::of_line(request),
        agent: some(agent),
        time: Some(&line[open + 1..close]),
        client: Client::Apart { address, host: b"" },
        status: number(status).unwrap_or(0),
        ..Fields::default()
    })
}

/// Reads a line of Envoy's default format:
/// `[TIME] "GET / HTTP/2" 200 … "forwarded for" "agent" "id" "authority" "upstream"`.
pub fn envoy(line: &[u8]) -> Option<Fields<'_>> {
    let (time, after) = line.strip_prefix(b"[")?.split_at_checked(memchr(b']', line)? - 1)?;
    let (request, after) = quoted(after.strip_prefix(b"] \"")?)?;
    let (status, mut after) = after.strip_prefix(b" ")?.split_first_chunk::<3>()?;
    let mut texts = [&b""[..]; 4];
    for text in &mut texts {
        (*text, after) = quoted(&after[memchr(b'"', after)? + 1..])?;
    }
    let [forwarded, agent, _, host] = texts;
    let address = forwarded.split(|byte| *byte == b',').next().unwrap_or_default();
    Some(Fields {
        target: target(request),
        method: Method::of_line(request),
        agent: some(agent),
        time: Some(time),
        client: Client::Apart { address, host: some(host).unwrap_or_default() },
        status: number(status)?,
        ..Fields::default()
    })
}

/// Reads a line of a container's log of Docker, `{"log": "…\n", …}`, which has a line of the combined format.
pub fn docker(line: &[u8]) -> Option<Fields<'_>> {
    let mut log = None;
    members(line, |name, value| {
        if name == b"log" {
            log = scalar(value);
        }
    })?;
    let log = log?;
    let open = memchr(b'[', log)?;
    let close = open + memchr(b']', &log[open..])?;
    let before = log[..open].strip_suffix(b" ").filter(|before| !before.is_empty())?;
    let (request, after) = quoted_within(log.get(close + 1..)?.strip_prefix(b" \\\"")?)?;
    let (status, after) = after.strip_prefix(b" ")?.split_first_chunk::<3>()?;
    let referer = memmem::find(after, b"\\\"")?;
    let (_, after) = quoted_within(&after[referer + 2..])?;
    let agent = quoted_within(after.strip_prefix(b" \\\"")?)?.0;
    Some(Fields {
        target: target(request),
        method: Method::of_line(request),
        agent: some(agent),
        time: Some(&log[open + 1..close]),
        client: Client::Before(before),
        status: number(status)?,
        ..Fields::default()
    })
}

/// The text up to a quote that is escaped once, and what follows that.
fn quoted_within(text: &[u8]) -> Option<(&[u8], &[u8])> {
    memmem::find_iter(text, b"\\\"")
        // An escaped backslash before it is one of the inner text.
        .find(|at| text[..*at].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 0)
        .filter(|at| !text[..*at].ends_with(b"\\\\"))
        .map(|at| (&text[..at], &text[at + 2..]))
}

/// How deep members are looked for.
const DEPTH: usize = 4;

/// Reads a JSON object that has a request by usual names of its members, in objects of any nesting: `user_agent`,
/// `uri`, `url`, `path` or `request`, `status`, `timestamp`, `remoteIp`. Google's balancers, Vercel and Envoy write so.
pub fn json(line: &[u8]) -> Option<Fields<'_>> {
    let mut found = Json::default();
    found.read(line, DEPTH)?;
    let Json { mut fields, method, request, path, query, address, host, has_agent } = found;
    fields.method = method.unwrap_or_default();
    // A path, and a URL beside a query, may stand without it.
    let target = fields.target.or(path).filter(|target| memchr(b'?', target).is_none());
    if target.is_some() {
        match query {
            Some(query) => fields.query = some(query.strip_prefix(b"?").unwrap_or(query)),
            None if fields.target.is_none() => fields.lacks_query = LacksQuery::Perhaps,
            None => {}
        }
    }
    fields.target = fields.target.or(path).or(request);
    fields.target?;
    if !has_agent && (fields.status == 0 || fields.time.is_none()) {
        return None;
    }
    let [address, host] = [address, host].map(Option::unwrap_or_default);
    fields.client = Client::Apart { address, host };
    Some(fields)
}

/// Returns true if it is a method of HTTP: other things have methods too.
fn is_method(name: &[u8]) -> bool {
    const METHODS: [&str; 9] =
        ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"];
    METHODS.iter().any(|method| method.as_bytes().eq_ignore_ascii_case(name))
}

#[derive(Default)]
struct Json<'l> {
    fields: Fields<'l>,
    method: Option<Method>,
    request: Option<&'l [u8]>,
    path: Option<&'l [u8]>,
    /// Empty if there was none.
    query: Option<&'l [u8]>,
    address: Option<&'l [u8]>,
    host: Option<&'l [u8]>,
    has_agent: bool,
}

impl<'l> Json<'l> {
    fn read(&mut self, object: &'l [u8], depth: usize) -> Option<()> {
        members(object, |name, value| {
            let value = match value.first() {
                Some(b'{') if depth > 0 => {
                    // What is wrong in it is missing.
                    let _ = self.read(value, depth - 1);
                    return;
                }
                // A list of one, as headers are.
                Some(b'[') => value[1..].trim_ascii_start(),
                _ => value,
            };
            let Some(value) = scalar(value) else { return };
            self.take(name, value);
        })
    }

    /// Takes a member by its name, whatever its case, and with or without `_` and `-`.
    fn take(&mut self, name: &[u8], value: &'l [u8]) {
        let mut plain = [0; 24];
        let mut len = 0;
        for byte in name.iter().filter(|byte| !b"_-.@".contains(byte)) {
            let Some(slot) = plain.get_mut(len) else { return };
            *slot = byte.to_ascii_lowercase();
            len += 1;
        }
        let set = |field: &mut Option<&'l [u8]>| *field = field.or(some(value));
        match &plain[..len] {
            b"useragent" | b"httpuseragent" | b"requestuseragent" => {
                self.has_agent = true;
                set(&mut self.fields.agent);
            }
            b"requesturi" | b"uri" | b"requesturl" | b"url" | b"target" => {
                set(&mut self.fields.target)
            }
            b"path" | b"requestpath" => set(&mut self.path),
            b"query" | b"querystring" | b"args" => {
                self.query = self.query.or(Some(some(value).unwrap_or_default()));
            }
            b"request" | b"requestline" if self.request.is_none() => {
                self.request = target(value);
                if self.request.is_some() && self.method.is_none() {
                    self.method = Some(Method::of_line(value));
                }
            }
            b"method" | b"requestmethod" | b"httpmethod" if is_method(value) => {
                self.method = self.method.or(Some(Method::of(value)));
            }
            b"status" | b"statuscode" | b"responsestatus" | b"responsecode" => {
                let status = number(value).unwrap_or(0);
                self.fields.status =
                    if self.fields.status == 0 { status } else { self.fields.status };
            }
            b"time" | b"timestamp" | b"ts" | b"starttime" | b"timelocal" | b"timeiso8601" => {
                set(&mut self.fields.time)
            }
            b"client" | b"clientip" | b"remoteip" | b"remoteaddr" | b"clientaddr" | b"ip" => {
                set(&mut self.address)
            }
            b"host" | b"httphost" | b"authority" | b"hostname" => set(&mut self.host),
            _ => {}
        }
    }
}

/// An address before its port.
fn without_port(client: &[u8]) -> &[u8] {
    let address = memrchr(b':', client).map_or(client, |at| &client[..at]);
    address.strip_prefix(b"[").and_then(|text| text.strip_suffix(b"]")).unwrap_or(address)
}

#[cfg(test)]
mod tests {
    use crate::audit::LogFormat;

    const BOT: &str = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";

    /// Each line is told by its content, and has the same request.
    #[test]
    fn the_same_request() {
        let escaped = r"\u0026";
        for (format, line) in [
            (
                "haproxy",
                format!(
                    "Nov 20 10:00:01 lb haproxy[123]: 192.0.2.1:51 [20/Nov/2026:10:00:05.123] fe~ be/srv1 0/0/1/2/3 403 512 - - ---- 1/1/0/0/0 0/0 {{e.com|{BOT}}} \"GET /private/a?x=1&y=%20z HTTP/1.1\""
                ),
            ),
            (
                "haproxy",
                format!(
                    "192.0.2.1:51 [20/Nov/2026:10:00:05.123] fe be/<NOSRV> 0/-1/-1/-1/0 403 5 - - PR-- 1/1/0/0/0 0/0 {{{BOT}|e.com}} {{nginx}} \"GET /private/a?x=1&y=%20z HTTP/1.1\""
                ),
            ),
            (
                "alb",
                format!(
                    "https 2026-11-20T10:00:05.186641Z app/lb/50dc 192.0.2.1:2817 10.0.0.1:80 0.086 0.048 0.037 403 403 0 57 \"GET https://e.com:443/private/a?x=1&y=%20z HTTP/1.1\" \"{BOT}\" ECDHE TLSv1.2 arn:aws:x \"Root=1\" \"e.com\" \"arn\" 1 2026-11-20T10:00:00.0Z \"forward\" \"-\""
                ),
            ),
            (
                "s3",
                format!(
                    "79a5 bucket [20/Nov/2026:10:00:05 +0000] 192.0.2.1 79a5 3E57 REST.GET.OBJECT private/a \"GET /private/a?x=1&y=%20z HTTP/1.1\" 403 - 113 - 7 - \"-\" \"{BOT}\" - host SigV4 - AuthHeader e.com TLSv1.2"
                ),
            ),
            (
                "envoy",
                format!(
                    "[2026-11-20T10:00:05.310Z] \"GET /private/a?x=1&y=%20z HTTP/2\" 403 - 154 0 226 100 \"192.0.2.1, 10.0.0.1\" \"{BOT}\" \"cc21\" \"e.com\" \"tcp://10.0.2.1:80\""
                ),
            ),
            (
                "docker",
                format!(
                    r#"{{"log":"e.com 192.0.2.1 - - [20/Nov/2026:10:00:05 +0000] \"GET /private/a?x=1{escaped}y=%20z HTTP/1.1\" 403 512 \"-\" \"{BOT}\"\n","stream":"stdout","time":"2026-11-20T10:00:05.1Z"}}"#
                ),
            ),
            (
                "json",
                format!(
                    r#"{{"httpRequest": {{"requestMethod": "GET", "requestUrl": "https://e.com/private/a?x=1&y=%20z", "status": 403, "userAgent": "{BOT}", "remoteIp": "192.0.2.1"}}, "timestamp": "2026-11-20T10:00:05Z"}}"#
                ),
            ),
            (
                "json",
                format!(
                    r#"{{"id":"x","proxy":{{"timestamp":1795168805000,"method":"GET","host":"e.com","path":"/private/a?x=1&y=%20z","userAgent":["{BOT}"],"clientIp":"192.0.2.1","statusCode":403}}}}"#
                ),
            ),
            (
                "json",
                format!(
                    r#"{{"time": "2026-11-20T10:00:05Z", "client": "192.0.2.1", "uri": "/private/a?x=1&y=%20z", "status": 403, "user_agent": "{BOT}", "host": "e.com"}}"#
                ),
            ),
            (
                "caddy",
                format!(
                    "2026/11/20 10:00:05.000\tINFO\thttp.log.access.log0\thandled request\t{{\"request\": {{\"remote_ip\": \"192.0.2.1\", \"host\": \"e.com\", \"uri\": \"/private/a?x=1&y=%20z\", \"headers\": {{\"User-Agent\": [\"{BOT}\"]}}}}, \"status\": 403}}"
                ),
            ),
            (
                "combined",
                format!(
                    "192.0.2.1 e.com - [20/Nov/2026:10:00:05 +0000] \"GET /private/a?x=1&y=%20z HTTP/1.1\" 403 512 \"-\" \"{BOT}\""
                ),
            ),
        ] {
            let found = LogFormat::detect(format!("{line}\n").as_bytes());
            assert_eq!(found.as_ref().map(LogFormat::as_str), Some(format), "{line}");
            let fields = found.unwrap().read(line.as_bytes()).unwrap();
            let target = fields.target().unwrap();
            assert!(
                target.ends_with(b"/private/a?x=1&y=%20z"),
                "{line}: {}",
                target.escape_ascii()
            );
            assert_eq!(fields.agent, Some(BOT.as_bytes()), "{line}");
            assert_eq!(fields.status, 403, "{line}");
            let time = crate::audit::times::Clock::default().read(fields.time.unwrap());
            assert_eq!(time, Some(1_795_168_805), "{line}");
            assert_eq!(fields.client.apart().0, b"192.0.2.1", "{line}");
            let host = super::super::requested::host(&fields);
            assert!(host == "e.com" || format == "s3", "{line}: {host}");
        }
        for none in [
            "[",
            "[]",
            "https ",
            "{\"log\":\"\\\"\"}",
            "a [",
            "x [20/Nov/2026:10:00:00.1] a b c 200 \"",
            "{\"a\":[",
            "{\"url\":\"/\"}",
        ] {
            assert_eq!(
                LogFormat::detect(format!("{none}\n").as_bytes()).map(|one| one.as_str()),
                None,
                "{none}"
            );
        }
    }
}
