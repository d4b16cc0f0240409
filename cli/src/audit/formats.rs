//! The formats of access logs, and which one a log has.

use clap::ValueEnum;
use memchr::memchr_iter;

use super::fields::{self, Fields};
use super::jsonl;
use super::template::Template;

/// A format that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum LogFormat {
    /// Of Apache and nginx, also with a host in front
    Combined,
    /// The same without referer and User-Agent header
    Common,
    /// Caddy's JSON lines
    Caddy,
    /// Cloudflare's Logpush of HTTP requests, JSON lines
    Cloudflare,
}

impl LogFormat {
    pub fn as_str(self) -> &'static str {
        match self {
            LogFormat::Combined => "combined",
            LogFormat::Common => "common",
            LogFormat::Caddy => "caddy",
            LogFormat::Cloudflare => "cloudflare",
        }
    }
}

/// How to read a line.
#[derive(Clone, Debug)]
pub enum Reader {
    Named(LogFormat),
    Template(Template),
}

impl Reader {
    /// The fields of a line, or `None` if it is not in the format.
    #[inline]
    pub fn read<'l>(&self, line: &'l [u8]) -> Option<Fields<'l>> {
        match self {
            Reader::Named(LogFormat::Combined) => fields::common(line, true),
            Reader::Named(LogFormat::Common) => fields::common(line, false),
            Reader::Named(LogFormat::Caddy) => jsonl::caddy(line),
            Reader::Named(LogFormat::Cloudflare) => jsonl::cloudflare(line),
            Reader::Template(template) => template.read(line),
        }
    }

    pub fn name(&self) -> &'static str {
        match self {
            Reader::Named(format) => format.as_str(),
            Reader::Template(_) => "format-string",
        }
    }
}

/// The format of most of the first lines. Of two with equally many, the one that says more.
pub fn detect(lines: &[u8]) -> Option<LogFormat> {
    const LOOKED_AT: usize = 200;
    let mut counts = [0_usize; 4];
    let mut from = 0;
    for to in memchr_iter(b'\n', lines).take(LOOKED_AT) {
        let line = &lines[from..to];
        from = to + 1;
        let fits = |format: &LogFormat| match format {
            LogFormat::Caddy | LogFormat::Cloudflare if !jsonl::is_object(line) => false,
            format => Reader::Named(*format).read(line).is_some(),
        };
        // A line of the combined format is one of the common format too, with more at its end.
        if let Some(format) = LogFormat::value_variants().iter().position(fits) {
            counts[format] += 1;
        }
    }
    let formats = LogFormat::value_variants().iter().zip(counts);
    // The last of equals is the maximum, and the first says more.
    let (format, count) = formats.rev().max_by_key(|(_, count)| *count)?;
    (count > 0).then_some(*format)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_by_content() {
        let common = r#"1.2.3.4 - - [10/Oct/2026:13:55:36 -0700] "GET / HTTP/1.1" 200 5"#;
        let combined = format!("{common} \"-\" \"Bot\"");
        let main = format!("{combined} \"-\"");
        let host = format!("www.e.com:80 {combined}");
        let caddy = r#"{"request":{"uri":"/"}}"#;
        let cloudflare = r#"{"ClientRequestURI":"/"}"#;
        for (text, wanted) in [
            (common, Some(LogFormat::Common)),
            (&combined, Some(LogFormat::Combined)),
            (&main, Some(LogFormat::Combined)),
            (&host, Some(LogFormat::Combined)),
            (caddy, Some(LogFormat::Caddy)),
            (cloudflare, Some(LogFormat::Cloudflare)),
            ("\0\n\n{}\n[]\nhello", None),
            ("", None),
        ] {
            assert_eq!(detect(format!("{text}\n").as_bytes()), wanted, "{text}");
            assert_eq!(detect(format!("x\n\"\n{text}\r\n").as_bytes()), wanted, "{text}");
        }
        let both = format!("{common}\n{combined}\n");
        assert_eq!(detect(both.as_bytes()), Some(LogFormat::Combined));
        assert_eq!(detect(format!("{both}{common}\n").as_bytes()), Some(LogFormat::Common));
    }
}
