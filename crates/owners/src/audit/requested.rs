//! What a request asks for: a path or a URL, and the host.

use memchr::memmem;
use robotsieve::{Policy, Profile, Target};

use super::fields::Fields;

/// What was asked for.
#[derive(Clone, Copy, Debug)]
pub enum Asked<'t> {
    Path(&'t [u8]),
    Url(&'t [u8]),
}

/// What a target asks for, if it is a path or a URL of the web (RFC 9112 §3.2).
pub fn asked(target: &[u8]) -> Option<Asked<'_>> {
    if target.first() == Some(&b'/') {
        return Some(Asked::Path(target));
    }
    let scheme = memmem::find(&target[..target.len().min(8)], b"://")?;
    let is_web =
        [&b"http"[..], b"https"].iter().any(|web| target[..scheme].eq_ignore_ascii_case(web));
    // The authority is not empty, so every profile takes the URL.
    let has_host = target.get(scheme + 3).is_some_and(|byte| !matches!(byte, b'/' | b'?' | b'#'));
    (is_web && has_host).then_some(Asked::Url(target))
}

/// Returns true if some of these queries makes it an allowed request.
pub fn is_allowed_with(queries: &[Vec<u8>], policy: &Policy, asked: &Asked<'_>) -> bool {
    let (Asked::Path(text) | Asked::Url(text)) = *asked;
    queries.iter().any(|query| {
        let text = [text, b"?", query].concat();
        let is_allowed = match asked {
            Asked::Path(_) => policy.is_path_allowed(&text),
            Asked::Url(_) => policy.is_allowed(&text),
        };
        is_allowed.unwrap_or(true)
    })
}

/// Returns true if this is /robots.txt: with a query it is another URL.
pub fn is_robots_txt(asked: &Asked<'_>, profile: &Profile) -> bool {
    let target = match asked {
        // Rules out nearly all.
        Asked::Path([b'/', b'r' | b'%', ..]) | Asked::Url(_) => match asked {
            Asked::Path(path) => Target::from_path(path, profile),
            Asked::Url(url) => Target::from_url(url, profile),
        },
        Asked::Path(_) => return false,
    };
    let Ok(target) = target else { return false };
    target.to_vec() == b"/robots.txt"
}

/// The host that a request is for, in lower case, without its port; empty if the log does not tell.
pub fn host(fields: &Fields<'_>) -> String {
    let (_, host) = fields.client.apart();
    if !host.is_empty() {
        return without_port(host);
    }
    let target = fields.target().unwrap_or_default();
    match asked(&target) {
        Some(Asked::Url(url)) => {
            let after = memmem::find(url, b"://").map_or(&b""[..], |at| &url[at + 3..]);
            let end = after.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#'));
            let authority = &after[..end.unwrap_or(after.len())];
            let at = memchr::memrchr(b'@', authority).map_or(0, |at| at + 1);
            without_port(&authority[at..])
        }
        _ => String::new(),
    }
}

/// A host in lower case, without its port and without the dot at its end.
pub fn without_port(host: &[u8]) -> String {
    let host = String::from_utf8_lossy(host).to_ascii_lowercase();
    let is_port = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let name = match host.rsplit_once(':') {
        // Not the end of an IPv6 address.
        Some((name, port)) if is_port(port) && (!name.contains(':') || name.ends_with(']')) => name,
        _ => &host,
    };
    name.strip_suffix('.').unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use robotsieve::Robots;

    use super::*;

    #[test]
    fn hosts_without_ports() {
        for (host, wanted) in [
            ("WWW.e.com:443", "www.e.com"),
            ("e.com.", "e.com"),
            ("[::1]:80", "[::1]"),
            ("::1", "::1"),
            ("e.com:x", "e.com:x"),
            ("", ""),
        ] {
            assert_eq!(without_port(host.as_bytes()), wanted);
        }
    }

    #[test]
    fn targets_that_are_judged() {
        for (target, is_judged) in [
            ("/", true),
            ("//x", true),
            ("http://e.com", true),
            ("HTTPS://e.com/x", true),
            ("http://", false),
            ("http:///x", false),
            ("ftp://e.com/x", false),
            ("e.com:443", false),
            ("*", false),
            ("", false),
        ] {
            let asked = asked(target.as_bytes());
            assert_eq!(asked.is_some(), is_judged, "{target}");
            if let Some(asked) = asked {
                for (name, profile) in Profile::NAMED.iter() {
                    let policy = Robots::parse(b"", profile).policy(&"x".into());
                    let is_allowed = match asked {
                        Asked::Path(path) => policy.is_path_allowed(path),
                        Asked::Url(url) => policy.is_allowed(url),
                    };
                    assert_eq!(is_allowed, Ok(true), "{name} {target}");
                }
            }
        }
    }

    #[test]
    fn requests_for_robots_txt() {
        for (target, wanted) in [
            ("/robots.txt", true),
            ("/robots.txt?x", false),
            ("/%72obots.txt", true),
            ("http://e.com/robots.txt#x", true),
            ("/robots.txt/", false),
            ("/x/robots.txt", false),
            ("/r", false),
        ] {
            let asked = asked(target.as_bytes()).unwrap();
            assert_eq!(is_robots_txt(&asked, &Profile::RFC9309), wanted, "{target}");
        }
    }
}
