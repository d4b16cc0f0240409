//! Findings about fields that are neither user-agent lines nor rules.

use std::net::{Ipv4Addr, Ipv6Addr};

use robotsieve::internals::likely_field;
use robotsieve::{Field, Record};

use crate::shown::{is_invisible, shown};
use crate::subject::Subject;
use crate::{Code, Severity, meant};

/// Fields that some document defines or some crawler reads. Those that hardly any crawler obeys
/// have a text that says what to do instead.
const OTHER_FIELDS: [(&str, Option<&str>); 18] = [
    ("crawl-delay", None),
    ("content-signal", None),
    ("content-usage", None),
    ("license", None),
    (
        "llm-policy",
        Some(
            "keep it if it states your terms, and say the same in a field that is defined: \
             'Content-Usage', 'Content-Signal' or 'License'",
        ),
    ),
    (
        "noindex",
        Some(
            "Google has ignored it since 2019; use the robots meta tag or 'X-Robots-Tag', on pages \
             that crawlers may fetch",
        ),
    ),
    (
        "nofollow",
        Some("Google has ignored it since 2019; use the robots meta tag or 'X-Robots-Tag'"),
    ),
    ("noarchive", Some("use the robots meta tag or 'X-Robots-Tag'")),
    ("host", Some("only Yandex read it, until 2018; redirect to the main host instead")),
    ("clean-param", Some("only Yandex reads it; use 'rel=canonical' for other crawlers")),
    ("request-rate", Some("limit requests on the server, with status 429")),
    ("visit-time", Some("limit requests on the server, with status 429")),
    ("x-robots-tag", Some(HEADER)),
    ("robots-tag", Some(HEADER)),
    ("tdm-reservation", Some(TDM)),
    ("tdm-policy", Some(TDM)),
    ("cache-delay", Some("no crawler is known to obey it")),
    ("robot-version", Some("it comes from a draft of 1996 that was never adopted")),
];

/// What to do with a field of a header that stands in robots.txt.
const HEADER: &str = "it is a field of a response's header: send it with the pages, which crawlers must be able to fetch";
const TDM: &str = "it is a field of a response's header: send it with the pages, or write /.well-known/tdmrep.json";

/// Fields of which a misspelt one refuses nothing.
const OF_RIGHTS: [&str; 3] = ["content-signal", "content-usage", "license"];

pub(super) fn other(subject: &mut Subject<'_>, record: &Record<'_>) {
    let span = subject.name_span(record);
    let Ok(name) = str::from_utf8(record.name) else {
        let message = format!("unknown field '{}', so the line is ignored", shown(record.name));
        subject.add(Code::UnknownField, record.line, span, message);
        return;
    };
    let lower = name.to_ascii_lowercase();
    if lower == "allow" {
        // Only the 1994 standard does not know it.
        let message = "the 1994 standard has no 'Allow', so the line is ignored";
        subject.add(Code::UnsupportedField, record.line, span, message);
        return;
    }
    if matches!(&*lower, "http" | "https") && record.value.starts_with(b"//") {
        return url_alone(subject, record);
    }
    // `Sitemap https://e.com/s.xml`: the colon is that of the URL.
    let is_sign = |c: char| c.is_ascii_whitespace() || c == '=';
    if let Some(scheme) = lower.strip_prefix("sitemap")
        && let bare = scheme.trim_start_matches(is_sign)
        && matches!(bare, "http" | "https")
        && record.value.starts_with(b"//")
    {
        let at = span.start + "sitemap".len();
        let to = if scheme.contains('=') { at + scheme.len() - bare.len() } else { at };
        let colon = if to > at { ": " } else { ":" };
        subject
            .add(
                Code::MissingColon,
                record.line,
                span.start..at,
                "no colon after 'Sitemap', so the line is ignored",
            )
            .severity(Severity::Warning)
            .propose("write 'Sitemap:'", at..to, colon);
        return;
    }
    match OTHER_FIELDS.iter().find(|(known, _)| *known == lower) {
        Some(("crawl-delay", _)) => crawl_delay(subject, record),
        Some(("license", _)) => license(subject, record),
        Some((_, None)) => {}
        Some((known, Some(instead))) => {
            let is_of_header = [HEADER, TDM].contains(instead);
            let message = if is_of_header {
                format!("'{known}' means nothing in robots.txt, so the line is ignored")
            } else {
                format!("hardly any crawler obeys '{known}', or none does")
            };
            let draft = subject.add(Code::UnsupportedField, record.line, span, message);
            draft.help(*instead);
            if is_of_header {
                draft.severity(Severity::Warning);
            }
        }
        // The parser has a diagnostic for it.
        None if likely_field(record.name).is_some() => {}
        None if meant_field(subject, record) => {}
        None => {
            let near = near(&lower);
            let fate = if near.is_some() {
                "so most crawlers ignore the line"
            } else {
                "so the line is ignored"
            };
            let message = format!("unknown field '{}', {fate}", shown(record.name));
            let draft = subject.add(Code::UnknownField, record.line, span.clone(), message);
            if let Some(known) = near {
                draft.propose(format!("write '{known}'"), span, known);
                if OF_RIGHTS.contains(&known) {
                    draft.severity(Severity::Warning);
                }
            }
        }
    }
}

/// Reports a field that people see as that of a group or a rule, and no reader does. Returns false if there is
/// none.
fn meant_field(subject: &mut Subject<'_>, record: &Record<'_>) -> bool {
    let Some(meant) = meant::field(record.name, record.value) else { return false };
    let span = subject.name_span(record);
    let likely = spelt(meant.field);
    let message = format!("unknown field '{}', so the line is ignored", shown(record.name));
    let draft = subject.add(Code::MisspeltField, record.line, span.clone(), message).loses(true);
    // A tag in front has another one behind.
    if meant.is_whole && !record.name.contains(&b'<') {
        draft.propose(format!("write '{likely}'"), span, likely);
    } else {
        draft.help(format!("if '{likely}' is meant, write that alone before the colon"));
    }
    true
}

/// A URL without a field: a sitemap, or the value of the line above.
fn url_alone(subject: &mut Subject<'_>, record: &Record<'_>) {
    let at = subject.records.partition_point(|other| other.line < record.line);
    let above = subject.records[..at].last().filter(|above| above.line + 1 == record.line).copied();
    let above = above.filter(|above| above.value.is_empty());
    let url = subject.record_span(record);
    if let (None, Some(instead)) = (above, robots_txt(&subject.file[url.clone()])) {
        let message = "this is the URL of a robots.txt and not its text, so the line is ignored";
        subject
            .add(Code::UnknownField, record.line, url, message)
            .severity(Severity::Warning)
            .help(instead);
        return;
    }
    let message = "a URL alone says nothing, so the line is ignored";
    let text = subject.file[url.clone()].to_ascii_lowercase();
    let is_sitemap =
        [&b"sitemap"[..], b".xml"].iter().any(|part| memchr::memmem::find(&text, part).is_some());
    let draft = subject.add(Code::UnknownField, record.line, url.clone(), message);
    match above {
        Some(above) => {
            let is_rule = matches!(above.field, Field::Allow | Field::Disallow | Field::UserAgent);
            draft.severity(Severity::Warning).loses(is_rule).help(format!(
                "if it is the value of line {}, write it behind that line's colon",
                above.line
            ));
        }
        None if is_sitemap => {
            draft.propose("write 'Sitemap:' before it", url.start..url.start, "Sitemap: ");
        }
        None => {
            draft.help("if it is a sitemap, write 'Sitemap:' before it; if not, make it a comment");
        }
    }
}

/// What to do with a line that is the URL of a robots.txt, with or without a scheme; `None` if it is not that.
pub(super) fn robots_txt(line: &[u8]) -> Option<String> {
    let line = str::from_utf8(line).ok()?.trim();
    let rest = ["https://", "http://"].iter().find_map(|scheme| line.strip_prefix(scheme));
    let host = rest.unwrap_or(line).strip_suffix("/robots.txt")?;
    // What is shown is whole.
    let is_host = (1..=60).contains(&host.len())
        && (rest.is_some() || host.contains('.'))
        && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte));
    let scheme = if rest.is_some() { "" } else { "https://" };
    is_host.then(|| {
        format!(
            "put the text that is at this URL here; 'robotsieve lint {scheme}{}' gets and reads it",
            shown(line.as_bytes())
        )
    })
}

/// The known field that a misspelt one is meant to be.
fn near(lower: &str) -> Option<&'static str> {
    const MAX_LEN: usize = 32;
    let similarity = |(known, _): &(&'static str, _)| {
        // Short words are near to many others: 'root' is no misspelt 'host'.
        let most = if known.len() > 6 { 2 } else { 1 };
        let distance = (lower.len().abs_diff(known.len()) <= most)
            .then(|| strsim::osa_distance(lower, known))?;
        (distance <= most).then_some((distance, *known))
    };
    let near = (lower.len() <= MAX_LEN).then(|| OTHER_FIELDS.iter().filter_map(similarity).min());
    near.flatten().map(|(_, known)| known)
}

fn crawl_delay(subject: &mut Subject<'_>, record: &Record<'_>) {
    let span = subject.record_span(record);
    let seconds = str::from_utf8(record.value).ok().and_then(|value| value.parse::<f64>().ok());
    let is_number = seconds.is_some_and(|s| s.is_finite() && s >= 0.0);
    if is_number {
        let message = "most crawlers ignore Crawl-delay, including Googlebot";
        subject.add(Code::CrawlDelay, record.line, span, message);
    } else {
        let message =
            format!("the crawl delay '{}' is not a number of seconds", shown(record.value));
        subject
            .add(Code::CrawlDelay, record.line, span, message)
            .severity(Severity::Warning)
            .help("write the number of seconds between two requests, as in 'Crawl-delay: 10'");
    }
}

fn license(subject: &mut Subject<'_>, record: &Record<'_>) {
    let message = match web_address(record.value) {
        Ok(()) => return,
        Err(_) if record.value.is_empty() => "the licence has no URL".to_owned(),
        Err(_) => {
            format!("the licence '{}' is not an absolute URL of the web", shown(record.value))
        }
    };
    not_absolute(subject, record, Code::LicenseNotAbsolute, message, "license.xml");
}

/// A record whose value should be a URL, such as that of this file.
fn not_absolute(
    subject: &mut Subject<'_>,
    record: &Record<'_>,
    code: Code,
    message: String,
    file: &str,
) {
    let is_empty = record.value.is_empty();
    let span = if is_empty { subject.record_span(record) } else { record.value_span() };
    subject
        .add(code, record.line, span, message)
        .help(format!("write it with scheme and host, as in 'https://example.com/{file}'"));
}

/// Checks that a value is a URL of http, https or ftp with a host. If not, returns its scheme if that
/// is what is wrong.
fn web_address(value: &[u8]) -> Result<(), Option<&[u8]>> {
    let colon = memchr::memmem::find(value, b"://");
    let scheme = colon.map(|at| &value[..at]).filter(|scheme| {
        scheme.first().is_some_and(u8::is_ascii_alphabetic)
            && scheme.iter().all(|o| o.is_ascii_alphanumeric() || b"+-.".contains(o))
    });
    let has_host =
        colon.is_some_and(|at| value[at + 3..].first().is_some_and(|o| !b"/?#:".contains(o)));
    let is_web = scheme.is_some_and(|scheme| {
        [&b"http"[..], b"https", b"ftp"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
    });
    if is_web && has_host { Ok(()) } else { Err(scheme.filter(|_| has_host)) }
}

pub(super) fn sitemap(subject: &mut Subject<'_>, record: &Record<'_>) {
    let message = match web_address(record.value) {
        Ok(()) => return sitemap_unreachable(subject, record),
        Err(_) if record.value.is_empty() => "the sitemap has no URL".to_owned(),
        Err(Some(scheme)) => format!("crawlers fetch no sitemap by '{}://'", shown(scheme)),
        Err(None) => format!("the sitemap '{}' is not an absolute URL", shown(record.value)),
    };
    not_absolute(subject, record, Code::SitemapNotAbsolute, message, "sitemap.xml");
}

/// Reports a URL that is absolute and leads nowhere.
fn sitemap_unreachable(subject: &mut Subject<'_>, record: &Record<'_>) {
    let value = record.value;
    let lower = value.to_ascii_lowercase();
    let from = memchr::memmem::find(value, b"://").map_or(0, |at| at + 3);
    let len = value[from..].iter().position(|byte| b"/?#".contains(byte));
    let authority = &lower[from..len.map_or(value.len(), |len| from + len)];
    let (user, host) = match memchr::memrchr(b'@', authority) {
        Some(at) => (&authority[..at], &authority[at + 1..]),
        None => (&b""[..], authority),
    };
    let schemes = [&b"http://"[..], b"https://"];
    let starts = |text: &[u8]| schemes.iter().any(|scheme| text.starts_with(scheme));
    let blank = |byte: &u8| byte.is_ascii_whitespace() || b",;".contains(byte);
    let is_two = lower.split(blank).filter(|url| starts(url)).count() > 1;
    let is_hidden = match str::from_utf8(value) {
        Ok(text) => text.chars().any(|c| is_invisible(c) || c.is_control()),
        Err(_) => false,
    };
    let host_alone = host.split(|byte| *byte == b':').next().unwrap_or_default();
    let message = if is_two {
        format!("'{}' is two URLs, and a record has one", shown(value))
    } else if matches!(host_alone, b"http" | b"https") {
        format!("the host of '{}' is '{}'", shown(value), shown(host_alone))
    } else if is_hidden {
        format!("'{}' has a character that nobody sees", shown(value))
    } else if memchr::memmem::find(value, b"&amp;").is_some() {
        format!("'{}' has '&amp;', which is '&' outside of HTML", shown(value))
    } else if !user.is_empty() {
        "the sitemap's URL has a user or a password, which everybody reads here".to_owned()
    } else if is_private(host) {
        format!("'{}' is a host that only your own network reaches", shown(host))
    } else {
        return;
    };
    subject
        .add(Code::SitemapUnreachable, record.line, record.value_span(), message)
        .help("write the URL by which everybody can fetch the sitemap, and one in each line");
}

/// Returns true if a host is of the machine itself or of a network without others.
fn is_private(host: &[u8]) -> bool {
    let Ok(host) = str::from_utf8(host) else { return false };
    if let Some(end) = host.strip_prefix('[').and_then(|host| host.find(']')) {
        let address: Option<Ipv6Addr> = host[1..=end].parse().ok();
        return address.is_some_and(|address| {
            address.is_loopback() || address.is_unspecified() || address.is_unique_local()
        });
    }
    let host = host.split(':').next().unwrap_or_default().trim_end_matches('.');
    if let Ok(address) = host.parse::<Ipv4Addr>() {
        return address.is_private()
            || address.is_loopback()
            || address.is_link_local()
            || address.is_unspecified();
    }
    // The host of a network has one label, as `localhost` has.
    let Some((_, top)) = host.rsplit_once('.') else { return true };
    matches!(top, "localhost" | "local" | "internal" | "localdomain" | "lan")
}

/// How a field is usually written.
pub(super) fn spelt(field: Field) -> &'static str {
    match field {
        Field::UserAgent => "User-agent",
        Field::Allow => "Allow",
        Field::Disallow => "Disallow",
        Field::Sitemap => "Sitemap",
        Field::Other => "another field",
    }
}
