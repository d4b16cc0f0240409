//! The formats of access logs, and which one a log has.

use memchr::memchr_iter;

use super::fields::{self, Fields};
use super::template::{InvalidTemplate, Template};
use super::w3c::Columns;
use super::{jsonl, services};

/// The format of a log.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum LogFormat {
    /// That of Apache and nginx, also with a host in front.
    Combined,
    /// The same without referer and User-Agent header.
    Common,
    /// Caddy's JSON lines.
    Caddy,
    /// Cloudflare's Logpush of HTTP requests, JSON lines.
    Cloudflare,
    /// nginx's, as JSON lines whose members are named as its variables.
    Nginx,
    /// Traefik's JSON lines.
    Traefik,
    /// HAProxy's `httplog`, with the User-Agent header captured.
    Haproxy,
    /// Amazon's Application Load Balancer.
    Alb,
    /// Amazon S3.
    S3,
    /// Envoy's default format.
    Envoy,
    /// Docker's log of a container, JSON lines with a line of the combined format in each.
    Docker,
    /// JSON lines that have the usual names, in objects of any nesting.
    Json,
    /// The extended format of the W3C, of IIS and CloudFront.
    W3c(W3cColumns),
    /// As a server's configuration has it.
    Template(Template),
}

/// The columns of a log in the extended format of the W3C, which the log itself names.
#[derive(Clone, Debug, Default)]
pub struct W3cColumns(Columns);

/// Those that are told by their lines; of two that fit, the first one says more.
const TOLD: [LogFormat; 12] = [
    LogFormat::Combined,
    LogFormat::Common,
    LogFormat::Caddy,
    LogFormat::Cloudflare,
    LogFormat::Traefik,
    LogFormat::Nginx,
    LogFormat::Haproxy,
    LogFormat::Alb,
    LogFormat::S3,
    LogFormat::Envoy,
    LogFormat::Docker,
    LogFormat::Json,
];

impl LogFormat {
    /// Those that have a name.
    pub fn named() -> impl Iterator<Item = LogFormat> {
        use LogFormat::*;
        let w3c = W3c(W3cColumns::default());
        let jsonl = [Caddy, Cloudflare, Nginx, Traefik];
        let services = [Haproxy, Alb, S3, Envoy, Docker, Json, w3c];
        [Combined, Common].into_iter().chain(jsonl).chain(services)
    }

    /// The format with this name, as [`LogFormat::as_str`] gives it.
    #[must_use]
    pub fn of_name(name: &str) -> Option<LogFormat> {
        LogFormat::named().find(|format| format.as_str() == name)
    }

    /// What it is, in a few words.
    #[must_use]
    pub fn about(&self) -> &'static str {
        match self {
            LogFormat::Combined => "Of Apache and nginx, also with a host in front",
            LogFormat::Common => "The same without referer and User-Agent header",
            LogFormat::Caddy => "Caddy's JSON lines",
            LogFormat::Cloudflare => "Cloudflare's Logpush of HTTP requests, JSON lines",
            LogFormat::Nginx => "JSON lines whose members are named as nginx's variables",
            LogFormat::Traefik => "Traefik's JSON lines",
            LogFormat::Haproxy => "HAProxy's httplog, with the User-Agent header captured",
            LogFormat::Alb => "Amazon's Application Load Balancer",
            LogFormat::S3 => "Amazon S3",
            LogFormat::Envoy => "Envoy's default format",
            LogFormat::Docker => "Docker's log of a container, in the combined format",
            LogFormat::Json => "JSON lines with the usual names, in any nesting",
            LogFormat::W3c(_) => "The extended format of the W3C, of IIS and CloudFront",
            LogFormat::Template(_) => "As a server's configuration has it",
        }
    }

    /// A format written as in a server's configuration: with the variables of nginx's `log_format`
    /// (`$request`, `$http_user_agent`) or the directives of Apache's `LogFormat` (`%r`,
    /// `%{User-Agent}i`).
    ///
    /// # Errors
    /// Returns an error if that is no such format, or if it lacks what an audit needs.
    pub fn template(format: &str) -> Result<LogFormat, InvalidTemplate> {
        Template::parse(format).map(LogFormat::Template)
    }

    /// The fields of a line, or `None` if it is not in the format.
    #[inline]
    pub(super) fn read<'l>(&self, line: &'l [u8]) -> Option<Fields<'l>> {
        match self {
            LogFormat::Combined => fields::common(line, true),
            LogFormat::Common => fields::common(line, false),
            LogFormat::Caddy => jsonl::caddy(line),
            LogFormat::Cloudflare => jsonl::cloudflare(line),
            LogFormat::Nginx => jsonl::nginx(line),
            LogFormat::Traefik => jsonl::traefik(line),
            LogFormat::Haproxy => services::haproxy(line),
            LogFormat::Alb => services::alb(line),
            LogFormat::S3 => services::s3(line),
            LogFormat::Envoy => services::envoy(line),
            LogFormat::Docker => services::docker(line),
            LogFormat::Json => services::json(line),
            LogFormat::W3c(W3cColumns(columns)) => columns.read(line),
            LogFormat::Template(template) => template.read(line),
        }
    }

    /// Reads a line that begins with `#`. Returns true if it is none that has a request: then it may name
    /// the columns of the lines after it.
    pub(super) fn read_directive(&mut self, line: &[u8]) -> bool {
        let LogFormat::W3c(columns) = self else { return false };
        columns.0 = Columns::of_line(line).unwrap_or_else(|| std::mem::take(&mut columns.0));
        true
    }

    /// Reads of these lines those that begin with `#`.
    pub(super) fn read_directives(&mut self, lines: &[u8]) {
        let LogFormat::W3c(columns) = self else { return };
        if let Some(last) = Columns::last(lines) {
            columns.0 = last;
        }
    }

    /// `combined`, `common`, `caddy`, `cloudflare`, `nginx`, `traefik`, `haproxy`, `alb`, `s3`, `envoy`, `docker`,
    /// `json`, `w3c` or `format-string`.
    pub fn as_str(&self) -> &'static str {
        match self {
            LogFormat::Combined => "combined",
            LogFormat::Common => "common",
            LogFormat::Caddy => "caddy",
            LogFormat::Cloudflare => "cloudflare",
            LogFormat::Nginx => "nginx",
            LogFormat::Traefik => "traefik",
            LogFormat::Haproxy => "haproxy",
            LogFormat::Alb => "alb",
            LogFormat::S3 => "s3",
            LogFormat::Envoy => "envoy",
            LogFormat::Docker => "docker",
            LogFormat::Json => "json",
            LogFormat::W3c(_) => "w3c",
            LogFormat::Template(_) => "format-string",
        }
    }

    /// Returns true if requests have times.
    pub fn has_time(&self) -> bool {
        !matches!(self, LogFormat::Template(template) if !template.has_time)
    }

    /// The format of most of the first lines, each with its line feed. Of two with equally many,
    /// the one that says more.
    #[must_use]
    pub fn detect(lines: &[u8]) -> Option<LogFormat> {
        const LOOKED_AT: usize = 200;
        let mut counts = [0_usize; TOLD.len()];
        let mut from = 0;
        for to in memchr_iter(b'\n', lines).take(LOOKED_AT) {
            let line = &lines[from..to];
            from = to + 1;
            if Columns::of_line(line).is_some() {
                return Some(LogFormat::W3c(W3cColumns::default()));
            }
            let fits = |format: &LogFormat| match format {
                LogFormat::Combined
                | LogFormat::Common
                | LogFormat::Haproxy
                | LogFormat::Alb
                | LogFormat::S3
                | LogFormat::Envoy => format.read(line).is_some(),
                // Of a console it has more before the object.
                LogFormat::Caddy if line.contains(&b'\t') => format.read(line).is_some(),
                _ if !jsonl::is_object(line) => false,
                format => format.read(line).is_some(),
            };
            // A line of the combined format is one of the common format too, with more at its end.
            if let Some(format) = TOLD.iter().position(fits) {
                counts[format] += 1;
            }
        }
        // The last of equals is the maximum, and the first says more.
        let (format, count) = TOLD.into_iter().zip(counts).rev().max_by_key(|(_, count)| *count)?;
        (count > 0).then_some(format)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(lines: &[u8]) -> Option<&'static str> {
        LogFormat::detect(lines).map(|format| format.as_str())
    }

    #[test]
    fn formats_are_told_by_content() {
        let common = r#"1.2.3.4 - - [10/Oct/2026:13:55:36 -0700] "GET / HTTP/1.1" 200 5"#;
        let combined = format!("{common} \"-\" \"Bot\"");
        let main = format!("{combined} \"-\"");
        let host = format!("www.e.com:80 {combined}");
        let caddy = r#"{"request":{"uri":"/"}}"#;
        let cloudflare = r#"{"ClientRequestURI":"/"}"#;
        for (text, wanted) in [
            (common, Some("common")),
            (&combined, Some("combined")),
            (&main, Some("combined")),
            (&host, Some("combined")),
            (caddy, Some("caddy")),
            (cloudflare, Some("cloudflare")),
            (r#"{"RequestPath":"/","request_User-Agent":"x"}"#, Some("traefik")),
            (r#"{"request_uri":"/","http_user_agent":"x"}"#, Some("nginx")),
            ("#Fields: date time cs-uri-stem", Some("w3c")),
            ("\0\n\n{}\n[]\nhello", None),
            ("", None),
        ] {
            assert_eq!(detect(format!("{text}\n").as_bytes()), wanted, "{text}");
            assert_eq!(detect(format!("x\n\"\n{text}\r\n").as_bytes()), wanted, "{text}");
        }
        let both = format!("{common}\n{combined}\n");
        assert_eq!(detect(both.as_bytes()), Some("combined"));
        assert_eq!(detect(format!("{both}{common}\n").as_bytes()), Some("common"));
    }
}
