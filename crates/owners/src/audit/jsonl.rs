//! Logs with a JSON object on each line: of Caddy, nginx, Traefik, and of Cloudflare's Logpush.

use memchr::{memchr, memchr_iter, memchr2};

use super::escapes::quoted;
use super::fields::{Client, Fields, LacksQuery, Method, number, some, target};

/// Reads a line of [Caddy's log](https://caddyserver.com/docs/logging).
pub fn caddy(line: &[u8]) -> Option<Fields<'_>> {
    let (mut fields, mut uri, mut address, mut host) = (Fields::default(), None, None, None);
    // On a console it has the time before the object.
    let object = memchr(b'{', line)?;
    let before = &line[..object];
    if !before.iter().all(|byte| is_space(*byte)) {
        fields.time = before[..memchr(b'\t', before)?].into();
    }
    members(&line[object..], |name, value| match name {
        b"ts" => fields.time = scalar(value),
        b"status" => fields.status = scalar(value).and_then(number).unwrap_or(0),
        b"request" => {
            // What is wrong in it is missing below.
            let _ = members(value, |name, value| match name {
                b"uri" => uri = scalar(value),
                b"method" => fields.method = method(value),
                b"host" => host = scalar(value),
                // Behind a proxy that Caddy trusts it is the client's, unlike `remote_ip`.
                b"client_ip" => address = scalar(value),
                b"remote_ip" => address = address.or(scalar(value)),
                b"headers" => {
                    let _ = members(value, |name, value| {
                        if name.eq_ignore_ascii_case(b"user-agent") {
                            fields.agent = value.strip_prefix(b"[").and_then(scalar);
                        }
                    });
                }
                _ => {}
            });
        }
        _ => {}
    })?;
    fields.target = Some(uri?);
    let [address, host] = [address, host].map(Option::unwrap_or_default);
    fields.client = Client::Apart { address, host };
    Some(fields)
}

/// Reads a line of the data set [HTTP requests](https://developers.cloudflare.com/logs/) of Logpush.
pub fn cloudflare(line: &[u8]) -> Option<Fields<'_>> {
    let (mut fields, mut address, mut host, mut path) = (Fields::default(), None, None, None);
    members(line, |name, value| match name {
        b"ClientRequestURI" => fields.target = scalar(value).and_then(some),
        b"ClientRequestPath" => path = scalar(value).and_then(some),
        b"ClientRequestMethod" => fields.method = method(value),
        b"ClientRequestUserAgent" => fields.agent = scalar(value).and_then(some),
        b"ClientRequestHost" => host = scalar(value),
        b"ClientIP" => address = scalar(value),
        b"EdgeStartTimestamp" => fields.time = scalar(value),
        b"EdgeEndTimestamp" => fields.time = fields.time.or(scalar(value)),
        b"EdgeResponseStatus" => fields.status = scalar(value).and_then(number).unwrap_or(0),
        _ => {}
    })?;
    fields.lacks_query = LacksQuery::yes_if(fields.target.is_none());
    fields.target = Some(fields.target.or(path)?);
    let [address, host] = [address, host].map(Option::unwrap_or_default);
    fields.client = Client::Apart { address, host };
    Some(fields)
}

/// Reads a line of a log of nginx with a JSON object on each line, whose members have the names of its
/// variables, as in `log_format json escape=json '{"request_uri":"$request_uri",…}'`.
pub fn nginx(line: &[u8]) -> Option<Fields<'_>> {
    let (mut fields, mut address, mut host) = (Fields::default(), None, None);
    let (mut uri, mut args, mut request, mut has_other_names) = (None, None, None, false);
    let mut has_args = false;
    members(line, |name, value| match name {
        b"request_uri" => fields.target = scalar(value).and_then(some),
        b"uri" => uri = scalar(value).and_then(some),
        b"args" | b"query_string" => {
            has_args = true;
            args = scalar(value).and_then(some);
        }
        b"request" => {
            request = scalar(value).and_then(target);
            fields.method = scalar(value).map_or(fields.method, Method::of_line);
        }
        b"request_method" => fields.method = method(value),
        b"http_user_agent" => fields.agent = scalar(value).and_then(some),
        b"user_agent" | b"userAgent" | b"user-agent" => has_other_names = true,
        b"remote_addr" => address = scalar(value),
        b"host" | b"http_host" => host = host.or(scalar(value)),
        b"status" => fields.status = scalar(value).and_then(number).unwrap_or(0),
        b"time_iso8601" | b"time_local" | b"msec" | b"time" | b"timestamp" | b"@timestamp" => {
            fields.time = fields.time.or(scalar(value));
        }
        _ => {}
    })?;
    if has_other_names && fields.agent.is_none() {
        return None;
    }
    fields.target = fields.target.or(request);
    if fields.target.is_none() {
        (fields.target, fields.query) = (Some(uri?), args);
        fields.lacks_query = LacksQuery::yes_if(!has_args);
    }
    let [address, host] = [address, host].map(Option::unwrap_or_default);
    fields.client = Client::Apart { address, host };
    Some(fields)
}

/// Reads a line of the access log of [Traefik](https://doc.traefik.io/traefik/observability/access-logs/)
/// as JSON. It has the User-Agent header if the configuration keeps it.
pub fn traefik(line: &[u8]) -> Option<Fields<'_>> {
    let (mut fields, mut address, mut host) = (Fields::default(), None, None);
    members(line, |name, value| match name {
        b"RequestPath" => fields.target = scalar(value).and_then(some),
        b"RequestMethod" => fields.method = method(value),
        b"request_User-Agent" => fields.agent = scalar(value).and_then(some),
        b"ClientHost" => address = scalar(value),
        b"RequestHost" => host = scalar(value),
        b"DownstreamStatus" => fields.status = scalar(value).and_then(number).unwrap_or(0),
        b"StartUTC" => fields.time = scalar(value),
        b"time" => fields.time = fields.time.or(scalar(value)),
        _ => {}
    })?;
    fields.target?;
    let [address, host] = [address, host].map(Option::unwrap_or_default);
    fields.client = Client::Apart { address, host };
    Some(fields)
}

/// The method that a value names.
fn method(value: &[u8]) -> Method {
    scalar(value).map_or(Method::Get, Method::of)
}

/// The text of a string without its quotes and with its escapes, or a number. `None` for anything
/// else.
pub fn scalar(value: &[u8]) -> Option<&[u8]> {
    match value {
        [b'"', text @ ..] => Some(quoted(text)?.0),
        [b'0'..=b'9' | b'-', ..] => {
            let is_end = |byte: &u8| matches!(byte, b',' | b'}' | b']') || is_space(*byte);
            Some(&value[..value.iter().position(is_end).unwrap_or(value.len())])
        }
        _ => None,
    }
}

/// Calls `found` for each member of an object, with its name and with the text from its value on.
/// `None` if the object is broken; what is inside of values is not looked at.
///
/// Reads each byte a bounded number of times, and needs no stack for what is nested.
pub fn members<'l>(object: &'l [u8], mut found: impl FnMut(&'l [u8], &'l [u8])) -> Option<()> {
    let mut left = trimmed(object).strip_prefix(b"{")?;
    if trimmed(left).starts_with(b"}") {
        return Some(());
    }
    loop {
        let (name, after) = quoted(trimmed(left).strip_prefix(b"\"")?)?;
        let value = trimmed(trimmed(after).strip_prefix(b":")?);
        found(name, value);
        left = trimmed(after_value(value)?);
        match left.split_first()? {
            (b',', after) => left = after,
            (b'}', _) => return Some(()),
            _ => return None,
        }
    }
}

/// What follows a value.
fn after_value(value: &[u8]) -> Option<&[u8]> {
    match value.first()? {
        b'"' => Some(quoted(&value[1..])?.1),
        b'{' | b'[' => {
            let mut depth = 0_usize;
            let mut at = 0;
            loop {
                match value.get(at)? {
                    b'"' => at = value.len() - quoted(&value[at + 1..])?.1.len(),
                    b'{' | b'[' => {
                        depth += 1;
                        at += 1;
                    }
                    b'}' | b']' => {
                        depth -= 1;
                        at += 1;
                        if depth == 0 {
                            return Some(&value[at..]);
                        }
                    }
                    _ => at += 1,
                }
            }
        }
        _ => value.get(memchr2(b',', b'}', value)?..),
    }
}

fn trimmed(text: &[u8]) -> &[u8] {
    let spaces = text.iter().take_while(|byte| is_space(**byte)).count();
    &text[spaces..]
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Returns true if a line may be such an object, to spare others the search.
pub fn is_object(line: &[u8]) -> bool {
    trimmed(line).starts_with(b"{") && memchr_iter(b'"', line).nth(1).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From Caddy's documentation, with its header shortened.
    const CADDY: &[u8] = br#"{"level":"info","ts":1646861401.5241024,"logger":"http.log.access","msg":"handled request","request":{"remote_ip":"127.0.0.1","remote_port":"41342","client_ip":"127.0.0.2","proto":"HTTP/2.0","method":"GET","host":"localhost","uri":"/a\"b","headers":{"User-Agent":["curl/7.82.0"],"Accept":["*/*"],"Accept-Encoding":["gzip, deflate, br"]},"tls":{"resumed":false,"version":772,"cipher_suite":4865,"proto":"h2","server_name":"example.com"}},"bytes_read":0,"user_id":"","duration":0.000929675,"size":10900,"status":200,"resp_headers":{"Server":["Caddy"],"Content-Encoding":["gzip"]}}"#;

    #[test]
    fn a_line_of_caddy() {
        let wanted = Fields {
            target: Some(br#"/a\"b"#),
            agent: Some(b"curl/7.82.0"),
            time: Some(b"1646861401.5241024"),
            client: Client::Apart { address: b"127.0.0.2", host: b"localhost" },
            status: 200,
            ..Fields::default()
        };
        assert_eq!(caddy(CADDY), Some(wanted));
        for len in 0..CADDY.len() {
            assert_eq!(caddy(&CADDY[..len]), None, "{len}");
        }
        let plain = br#" { "request" : { "headers" : { } , "uri" : "/" } , "x" : null } "#;
        assert_eq!(caddy(plain), Some(Fields { target: Some(b"/"), ..Fields::default() }));
        assert_eq!(caddy(br#"{"level":"info","msg":"serving initial configuration"}"#), None);
    }

    #[test]
    fn a_line_of_cloudflare() {
        let line = br#"{"ClientIP":"2001:db8::1","ClientRequestHost":"e.com","ClientRequestURI":"/x?y","ClientRequestPath":"/x","ClientRequestUserAgent":"","EdgeEndTimestamp":"2019-08-02T15:29:09Z","EdgeResponseStatus":404,"EdgeStartTimestamp":1564759748123456789}"#;
        let wanted = Fields {
            target: Some(b"/x?y"),
            agent: None,
            time: Some(b"1564759748123456789"),
            client: Client::Apart { address: b"2001:db8::1", host: b"e.com" },
            status: 404,
            ..Fields::default()
        };
        assert_eq!(cloudflare(line), Some(wanted));
        let path = br#"{"ClientRequestPath":"/x"}"#;
        let lacking = Fields { lacks_query: LacksQuery::Yes, ..Fields::default() };
        assert_eq!(cloudflare(path), Some(Fields { target: Some(b"/x"), ..lacking }));
        assert_eq!(cloudflare(br#"{"RayID":"x"}"#), None);
    }

    #[test]
    fn lines_of_nginx_and_traefik() {
        let wanted = Fields {
            target: Some(b"/x?y"),
            agent: Some(b"GPTBot/1.1"),
            time: Some(b"2026-11-20T12:00:00+00:00"),
            client: Client::Apart { address: b"192.0.2.7", host: b"e.com" },
            status: 200,
            ..Fields::default()
        };
        for line in [
            &br#"{"time_iso8601":"2026-11-20T12:00:00+00:00","remote_addr":"192.0.2.7","request_uri":"/x?y","status":"200","http_user_agent":"GPTBot/1.1","host":"e.com"}"#[..],
            br#"{"time":"2026-11-20T12:00:00+00:00","remote_addr":"192.0.2.7","request":"GET /x?y HTTP/1.1","status":200,"http_user_agent":"GPTBot/1.1","http_host":"e.com"}"#,
        ] {
            assert_eq!(nginx(line), Some(wanted));
        }
        let apart = nginx(br#"{"uri":"/x","args":"y","http_user_agent":"-"}"#).unwrap();
        assert_eq!((apart.target().as_deref(), apart.agent), (Some(&b"/x?y"[..]), None));
        let line = br#"{"ClientAddr":"192.0.2.7:1","ClientHost":"192.0.2.7","DownstreamStatus":200,"RequestHost":"e.com","RequestPath":"/x?y","StartUTC":"2026-11-20T12:00:00+00:00","level":"info","request_User-Agent":"GPTBot/1.1","time":"2026-11-20T13:00:00+01:00"}"#;
        assert_eq!(traefik(line), Some(wanted));
        for line in [&b"{}"[..], br#"{"msg":"x"}"#, br#"{"request":{"uri":"/"}}"#] {
            assert_eq!((nginx(line), traefik(line)), (None, None));
        }
    }

    #[test]
    fn nested_deeply() {
        let deep = "[".repeat(500_000);
        let text = format!("{{\"x\":{deep}{},\"ClientRequestURI\":\"/\"}}", "]".repeat(500_000));
        assert!(cloudflare(text.as_bytes()).is_some());
        assert_eq!(cloudflare(format!("{{\"x\":{deep}").as_bytes()), None);
        for text in [
            &b""[..],
            b"{",
            b"{}",
            b"{\"",
            b"{\"a\"}",
            b"{\"a\":",
            b"{\"a\":}",
            b"[]",
            b"{\"a\":]}",
            b"\0",
        ] {
            assert_eq!(caddy(text), None);
            assert_eq!(cloudflare(text), None);
        }
    }
}
