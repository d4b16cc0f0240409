//! One sitemap: XML, or lines of URLs.

use std::io::{self, BufRead, Read};

use memchr::memchr;

use super::text::Text;
use super::xml::{SitemapEntry, SitemapFault, Xml};
use crate::lines::{Line, Lines, URL_BYTES};

/// The number of URLs that search engines read of one sitemap, and the most that an index may name
/// (<https://www.sitemaps.org/protocol.html>).
pub const URLS: u64 = 50_000;
/// The most bytes that they read.
pub const BYTES: u64 = 50 << 20;

/// The URLs in one sitemap. Its format is told by its first bytes.
pub struct Document {
    content: Content,
    /// The number of URLs that were found in it.
    urls: u64,
    /// True if it was told that it is larger than what search engines read.
    is_large: bool,
}

enum Content {
    Xml(Box<Xml>),
    Lines(Lines<Text>),
}

impl Document {
    /// A sitemap in these bytes, which are not compressed.
    ///
    /// # Errors
    /// Returns an error if they cannot be read, or are neither XML nor text.
    pub fn of(raw: Box<dyn Read + Send>) -> io::Result<Document> {
        let mut text = Text::of(raw)?;
        let first = text.fill_buf()?;
        let is_binary = memchr(0, first).is_some() || first.starts_with(b"\x1f\x8b");
        let content = match first.trim_ascii_start().first() {
            Some(b'<') => Content::Xml(Box::new(Xml::new(text))),
            _ if is_binary => {
                let message = "it is neither XML nor lines of text, or it is compressed twice";
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
            _ => Content::Lines(Lines::of(text, URL_BYTES)),
        };
        Ok(Document { content, urls: 0, is_large: false })
    }

    /// Appends the next URL to `out`.
    ///
    /// # Errors
    /// Returns an error if the sitemap cannot be read from here on.
    pub fn next(&mut self, out: &mut Vec<u8>) -> Result<SitemapEntry, SitemapFault> {
        let entry = self.entry(out)?;
        self.urls += u64::from(matches!(entry, SitemapEntry::Page | SitemapEntry::Sitemap));
        Ok(entry)
    }

    /// The number of URLs that were found.
    #[must_use]
    pub fn urls(&self) -> u64 {
        self.urls
    }

    fn entry(&mut self, out: &mut Vec<u8>) -> Result<SitemapEntry, SitemapFault> {
        let lines = match &mut self.content {
            Content::Xml(xml) => return xml.next(out),
            Content::Lines(lines) => lines,
        };
        loop {
            match lines.next_line() {
                Ok(None) => return Ok(SitemapEntry::End),
                Ok(Some((line, Line::TooLong(beginning)))) => {
                    out.extend_from_slice(beginning);
                    return Ok(SitemapEntry::TooLong { line });
                }
                Ok(Some((_, Line::Whole(line)))) => {
                    let url = line.trim_ascii();
                    if !url.is_empty() {
                        out.extend_from_slice(url);
                        return Ok(SitemapEntry::Page);
                    }
                }
                Err(cause) => {
                    return Err(SitemapFault {
                        line: lines.input().line(),
                        what: cause.to_string(),
                    });
                }
            }
        }
    }

    /// Returns true if it turns out now, for the first time, that it is larger than what search engines read.
    pub fn is_larger(&mut self) -> bool {
        if self.is_large {
            return false;
        }
        self.is_large = self.urls > URLS
            || match &self.content {
                Content::Xml(xml) => xml.total() > BYTES,
                Content::Lines(lines) => lines.input().total() > BYTES,
            };
        self.is_large
    }
}
