//! The URLs in an XML sitemap, an index of sitemaps, an RSS or an Atom feed.
//!
//! Elements are told by their place and their local names, and have the prefix of the root element:
//! so `url/loc` is a page, and the `loc` of an image or a video and the alternates of XHTML are not.
//! No entity but the five of XML and characters by number is ever expanded.

use quick_xml::errors::{Error, IllFormedError};
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use robotsieve_shown::shown;

use super::text::Text;
use crate::lines::{SHOWN_BYTES, URL_BYTES};

/// How deep elements are nested at most. Sitemaps have three levels, with extensions five.
const DEPTH: usize = 64;

/// What a root element says of the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Urls,
    Index,
    Rss,
    Atom,
}

impl Shape {
    fn of(root: &str) -> Option<Shape> {
        match root {
            "urlset" => Some(Shape::Urls),
            "sitemapindex" => Some(Shape::Index),
            "rss" => Some(Shape::Rss),
            "feed" => Some(Shape::Atom),
            _ => None,
        }
    }

    /// The elements below the root that lead to a URL.
    fn path(self) -> &'static [&'static str] {
        match self {
            Shape::Urls => &["url", "loc"],
            Shape::Index => &["sitemap", "loc"],
            Shape::Rss => &["channel", "item", "link"],
            Shape::Atom => &["entry", "link"],
        }
    }

    /// Returns true if each entry must have a URL.
    fn requires_url(self) -> bool {
        matches!(self, Shape::Urls | Shape::Index)
    }
}

/// An item of a sitemap.
#[derive(Debug, PartialEq, Eq)]
pub enum SitemapEntry {
    /// The URL of a page was appended.
    Page,
    /// The URL of a sitemap was appended.
    Sitemap,
    /// An entry whose URL cannot be read, on this line.
    Damaged {
        /// The line, from 1.
        line: u64,
        /// The fault.
        why: String,
    },
    /// A URL that is too long, on this line; its beginning was appended.
    TooLong {
        /// The line, from 1.
        line: u64,
    },
    /// There are no more.
    End,
}

/// A fault of a document, and its place. Nothing of it is read from here on.
#[derive(Debug)]
pub struct SitemapFault {
    /// The line, from 1.
    pub line: u64,
    /// The fault.
    pub what: String,
}

/// A URL that is being read.
struct Reading {
    line: u64,
    /// Where it begins in the output.
    start: usize,
    /// The first thing that is wrong with it.
    damage: Option<String>,
    is_too_long: bool,
}

/// An XML document, read in pieces.
pub struct Xml {
    reader: Reader<Text>,
    buffer: Vec<u8>,
    shape: Option<Shape>,
    /// The prefix of the root element.
    prefix: Option<Box<str>>,
    /// The number of elements that are open.
    depth: usize,
    /// How many of the path's elements are open, from the root on.
    matched: usize,
    reading: Option<Reading>,
    /// The line of the entry that is open, until it has a URL.
    without_url: Option<u64>,
}

impl Xml {
    pub fn new(text: Text) -> Xml {
        let mut reader = Reader::from_reader(text);
        // So that a URL with a bare '&' is one damaged URL, and not the end of the document.
        reader.config_mut().allow_dangling_amp = true;
        Xml {
            reader,
            buffer: Vec::new(),
            shape: None,
            prefix: None,
            depth: 0,
            matched: 0,
            reading: None,
            without_url: None,
        }
    }

    /// The number of bytes that were read.
    pub fn total(&self) -> u64 {
        self.reader.get_ref().total()
    }

    /// Appends the next URL to `out`.
    ///
    /// # Errors
    /// Returns an error if the document cannot be read from here on.
    pub fn next(&mut self, out: &mut Vec<u8>) -> Result<SitemapEntry, SitemapFault> {
        // The event borrows it.
        let mut buffer = std::mem::take(&mut self.buffer);
        let found = loop {
            buffer.clear();
            let text = self.reader.get_mut();
            text.begin();
            let line = text.line();
            let event = match self.reader.read_event_into(&mut buffer) {
                Ok(event) => event,
                Err(error) => {
                    let what = self.told(&error);
                    break Err(SitemapFault { line, what });
                }
            };
            match self.event(event, line, out) {
                Ok(None) => {}
                Ok(Some(found)) => break Ok(found),
                Err(what) => break Err(SitemapFault { line, what }),
            }
        };
        self.buffer = buffer;
        found
    }

    fn event(
        &mut self,
        event: Event<'_>,
        line: u64,
        out: &mut Vec<u8>,
    ) -> Result<Option<SitemapEntry>, String> {
        match event {
            Event::Start(tag) => self.open(&tag, line, out),
            Event::Empty(tag) => {
                let opened = self.open(&tag, line, out)?;
                let closed = self.close(out);
                Ok(opened.or(closed))
            }
            Event::End(_) => Ok(self.close(out)),
            Event::Text(text) => {
                // Otherwise a reference begins with it.
                if text.starts_with('&') {
                    self.damage(|| "'&' is written '&amp;' in XML".to_owned());
                }
                self.add(&text, out);
                Ok(None)
            }
            Event::CData(text) => {
                self.add(&text, out);
                Ok(None)
            }
            Event::GeneralRef(reference) => {
                self.refer(&reference, out);
                Ok(None)
            }
            Event::DocType(text) if is_html(text.trim_start()) => Err(web_page()),
            Event::Eof if self.depth > 0 => {
                let what = "it ends here, before its root element is closed: a part is missing";
                Err(what.to_owned())
            }
            Event::Eof if self.shape.is_none() => Err("there is no element in it".to_owned()),
            Event::Eof => Ok(Some(SitemapEntry::End)),
            Event::Decl(_) | Event::PI(_) | Event::DocType(_) | Event::Comment(_) => Ok(None),
        }
    }

    fn open(
        &mut self,
        tag: &BytesStart<'_>,
        line: u64,
        out: &mut Vec<u8>,
    ) -> Result<Option<SitemapEntry>, String> {
        let (local, prefix) = tag.name().decompose();
        let (local, prefix) = (local.into_inner(), prefix.map(|prefix| prefix.into_inner()));
        if self.depth == DEPTH {
            return Err(format!("elements are nested more than {DEPTH} deep here"));
        }
        self.depth += 1;
        let Some(shape) = self.shape else {
            let Some(shape) = Shape::of(local) else {
                return Err(if is_html(local) { web_page() } else { no_sitemap(local) });
            };
            self.shape = Some(shape);
            self.prefix = prefix.map(Box::from);
            return Ok(None);
        };
        if self.depth == 1 {
            return Err("something follows the end of the root element".to_owned());
        }
        if self.reading.is_some() {
            self.damage(|| format!("there is an element '{}' in it", short(local)));
            return Ok(None);
        }
        let path = shape.path();
        let is_next = self.matched + 2 == self.depth
            && path.get(self.matched) == Some(&local)
            && prefix == self.prefix.as_deref();
        if !is_next {
            return Ok(None);
        }
        self.matched += 1;
        if self.matched < path.len() {
            let is_entry = self.matched + 1 == path.len();
            self.without_url = (is_entry && shape.requires_url()).then_some(line);
            return Ok(None);
        }
        self.without_url = None;
        self.reading = Some(Reading { line, start: out.len(), damage: None, is_too_long: false });
        if shape == Shape::Atom {
            self.link(tag, out);
            return Ok(self.end_url(out));
        }
        Ok(None)
    }

    fn close(&mut self, out: &mut Vec<u8>) -> Option<SitemapEntry> {
        let closed = self.depth;
        // A closing tag without an opening one is an error of the reader.
        self.depth = closed.saturating_sub(1);
        if closed < 2 || self.matched + 1 != closed {
            return None;
        }
        self.matched -= 1;
        if let Some(line) = self.without_url.take() {
            return Some(SitemapEntry::Damaged { line, why: "it has no <loc>".to_owned() });
        }
        self.end_url(out)
    }

    /// Reads the URL of a link of Atom, if it is one of the entry itself.
    fn link(&mut self, tag: &BytesStart<'_>, out: &mut Vec<u8>) {
        // To look for attributes that are there twice takes time that grows with their square.
        let (mut href, mut is_page) = (None, true);
        for attribute in tag.attributes().with_checks(false) {
            let Ok(attribute) = attribute else {
                self.damage(|| "an attribute of <link> is damaged".to_owned());
                return;
            };
            let value = || attribute.normalized_value(XmlVersion::Explicit1_0);
            match attribute.key.into_inner() {
                "rel" => is_page = value().is_ok_and(|rel| rel.trim() == "alternate"),
                "href" => href = Some(value()),
                _ => {}
            }
        }
        match href {
            _ if !is_page => self.reading = None,
            Some(Ok(href)) => self.add(&href, out),
            Some(Err(cause)) => self.damage(|| cause.to_string()),
            None => self.damage(|| "its <link> has no href".to_owned()),
        }
    }

    /// Adds text to the URL that is being read, if one is.
    fn add(&mut self, text: &str, out: &mut Vec<u8>) {
        let Some(reading) = &mut self.reading else { return };
        let is_first = out.len() == reading.start;
        let text = if is_first { text.trim_ascii_start() } else { text };
        let room = (URL_BYTES + 1).saturating_sub(out.len() - reading.start);
        out.extend_from_slice(&text.as_bytes()[..text.len().min(room)]);
        reading.is_too_long |= text.trim_ascii_end().len() >= room;
    }

    fn refer(&mut self, reference: &BytesRef<'_>, out: &mut Vec<u8>) {
        let c = match &**reference {
            "amp" => Ok('&'),
            "lt" => Ok('<'),
            "gt" => Ok('>'),
            "quot" => Ok('"'),
            "apos" => Ok('\''),
            _ => match reference.resolve_char_ref() {
                Ok(Some(c)) if c > '\0' => Ok(c),
                _ => Err(format!(
                    "'&{};' is unknown: '&' is written '&amp;' in XML",
                    short(reference)
                )),
            },
        };
        match c {
            Ok(c) => self.add(c.encode_utf8(&mut [0; 4]), out),
            Err(why) => self.damage(|| why),
        }
    }

    /// Says what is wrong with the URL that is being read, if one is.
    fn damage(&mut self, why: impl FnOnce() -> String) {
        if let Some(reading) = &mut self.reading {
            reading.damage.get_or_insert_with(why);
        }
    }

    /// Ends the URL that is being read. Only what is right stays in `out`.
    fn end_url(&mut self, out: &mut Vec<u8>) -> Option<SitemapEntry> {
        let Reading { line, start, damage, is_too_long } = self.reading.take()?;
        out.truncate(start + out[start..].trim_ascii_end().len());
        let url = &out[start..];
        let damage = damage.or_else(|| {
            // Many feeds have items without a page.
            let is_damaged = url.is_empty() && self.shape != Some(Shape::Rss);
            let is_broken = url.iter().any(|byte| b"\n\r".contains(byte));
            is_damaged
                .then(|| "it is empty".to_owned())
                .or_else(|| is_broken.then(|| "there is a line break in it".to_owned()))
        });
        if let Some(why) = damage {
            out.truncate(start);
            return Some(SitemapEntry::Damaged { line, why });
        }
        if is_too_long {
            out.truncate(start + SHOWN_BYTES);
            return Some(SitemapEntry::TooLong { line });
        }
        match self.shape {
            _ if url.is_empty() => None,
            Some(Shape::Index) => Some(SitemapEntry::Sitemap),
            _ => Some(SitemapEntry::Page),
        }
    }

    /// What an error of the reader means.
    fn told(&self, error: &Error) -> String {
        match error {
            Error::Encoding(_) => match self.reader.get_ref().foreign() {
                Some(name) => format!(
                    "it is not UTF-8, and its encoding '{}' is not read: 'iconv -f {} -t UTF-8' \
                     converts it",
                    short(name),
                    short(name)
                ),
                None => "it is not UTF-8".to_owned(),
            },
            Error::Io(cause) => cause.to_string(),
            Error::IllFormed(IllFormedError::MismatchedEndTag { expected, found }) => {
                format!("'</{}>' stands where '</{}>' is due", short(found), short(expected))
            }
            Error::IllFormed(IllFormedError::UnmatchedEndTag(found)) => {
                format!("'</{}>' closes what is not open", short(found))
            }
            other => format!("it is not XML: {other}"),
        }
    }
}

fn is_html(name: &str) -> bool {
    name.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("html"))
}

fn web_page() -> String {
    "it is a web page, not a sitemap".to_owned()
}

fn no_sitemap(root: &str) -> String {
    format!(
        "it is not a sitemap: its root element is '{}', not urlset, sitemapindex, rss or feed",
        short(root)
    )
}

/// A name for a message.
fn short(name: &str) -> String {
    const MOST: usize = 40;
    match name.char_indices().nth(MOST) {
        Some((end, _)) => shown(&name.as_bytes()[..end]) + "…",
        None => shown(name.as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    /// What is found, in short; what is wrong at the end.
    fn found(document: impl AsRef<[u8]>) -> Vec<String> {
        let bytes = io::Cursor::new(document.as_ref().to_vec());
        let mut xml = Xml::new(Text::of(Box::new(bytes)).unwrap());
        let (mut all, mut out) = (Vec::new(), Vec::new());
        loop {
            out.clear();
            let found = xml.next(&mut out);
            let url = String::from_utf8_lossy(&out).into_owned();
            all.push(match found {
                Ok(SitemapEntry::Page) => url,
                Ok(SitemapEntry::Sitemap) => format!("sitemap {url}"),
                Ok(SitemapEntry::Damaged { line, why }) => format!("{line}: {why}"),
                Ok(SitemapEntry::TooLong { line }) => format!("{line}: too long {}", url.len()),
                Ok(SitemapEntry::End) => return all,
                Err(SitemapFault { line, what }) => {
                    all.push(format!("fault {line}: {what}"));
                    return all;
                }
            });
        }
    }

    fn urlset(entries: &str) -> String {
        format!("<?xml version=\"1.0\"?>\n<urlset>\n{entries}\n</urlset>\n")
    }

    #[test]
    fn sitemaps() {
        let document = r#"<?xml version="1.0" encoding="UTF-8"?>
            <!-- a comment -->
            <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="i" xmlns:xhtml="x">
              <url>
                <loc> https://e.com/a </loc><lastmod>2026-01-01</lastmod>
                <image:image><image:loc>https://e.com/no.png</image:loc></image:image>
                <image:loc>https://e.com/no</image:loc>
                <xhtml:link rel="alternate" href="https://e.com/de"/>
              </url>
              <url><loc><![CDATA[https://e.com/?a=1&b=2]]></loc></url>
              <url><loc>https://e.com/?a=1&amp;b=&#50;&#x33;<!-- x --></loc></url>
              <url><priority>1</priority></url>
              <loc>https://e.com/no</loc>
              <other><url><loc>https://e.com/no</loc></url></other>
            </urlset>"#;
        let wanted = [
            "https://e.com/a",
            "https://e.com/?a=1&b=2",
            "https://e.com/?a=1&b=23",
            "12: it has no <loc>",
        ];
        assert_eq!(found(document), wanted);
        let prefixed =
            "<s:urlset xmlns:s='x'><s:url><loc>no</loc><s:loc>/a</s:loc></s:url></s:urlset>";
        assert_eq!(found(prefixed), ["/a"]);
        assert_eq!(found("<urlset/>"), [""; 0]);
    }

    #[test]
    fn indexes_and_feeds() {
        let index = "<sitemapindex><sitemap><loc>https://e.com/1.xml</loc></sitemap><sitemap/></sitemapindex>";
        assert_eq!(found(index), ["sitemap https://e.com/1.xml", "1: it has no <loc>"]);
        let rss = "<rss version='2.0' xmlns:atom='a'><channel><link>https://e.com/</link>\
            <atom:link href='https://e.com/rss'/><item><title>x</title><link>https://e.com/1</link>\
            <atom:link href='y'/></item><item><link/></item><item/></channel></rss>";
        assert_eq!(found(rss), ["https://e.com/1"]);
        let atom = "<feed xmlns='a'><link href='https://e.com/'/><entry>\
            <link rel='edit' href='/no'/><link href='https://e.com/1?a&amp;b'/></entry>\
            <entry><link href='https://e.com/2' rel='alternate'></link></entry>\
            <entry><link/><link href='&x;'/></entry></feed>";
        let got = found(atom);
        assert_eq!(
            got[..3],
            ["https://e.com/1?a&b", "https://e.com/2", "1: its <link> has no href"]
        );
        assert!(got.len() == 4 && got[3].starts_with("1: "), "{got:?}");
    }

    #[test]
    fn damaged_urls() {
        let entries = "<url><loc>/?a=1&b=2</loc></url>\n<url><loc>/?a&b;c</loc></url>\n\
            <url><loc>/<b>x</b></loc></url>\n<url><loc> </loc></url>\n\
            <url><loc>/a\nb</loc></url>\n<url><loc>/&#0;</loc></url>\n<url><loc>/ok</loc></url>";
        let got = found(urlset(entries));
        let wanted = [
            "3: '&' is written '&amp;' in XML",
            "4: '&b;' is unknown: '&' is written '&amp;' in XML",
            "5: there is an element 'b' in it",
            "6: it is empty",
            "7: there is a line break in it",
            "9: '&#0;' is unknown: '&' is written '&amp;' in XML",
            "/ok",
        ];
        assert_eq!(got, wanted);
        let long = "x".repeat(URL_BYTES);
        let got = found(urlset(&format!(
            "<url><loc>\n{long}\n</loc></url><url><loc>{long}x</loc></url><url><loc>/</loc></url>"
        )));
        assert_eq!((got[0].len(), &got[1][..], &got[2][..]), (URL_BYTES, "5: too long 60", "/"));
    }

    #[test]
    fn faults() {
        for (document, wanted) in [
            ("<html><body/></html>", "fault 1: it is a web page"),
            ("<!DOCTYPE html>\n<p>", "fault 1: it is a web page"),
            ("<svg/>", "fault 1: it is not a sitemap: its root element is 'svg'"),
            ("<urlset></urlset>\n<urlset/>", "fault 2: something follows"),
            ("<urlset>\n<url>", "fault 2: it ends here"),
            ("<urlset>\n<url\n", "fault 2: it is not XML"),
            ("<urlset>\n<!-- \n", "fault 2: it is not XML"),
            ("<urlset>\n</url>", "fault 2: '</url>' stands where '</urlset>' is due"),
            ("<!-- -->", "fault 1: there is no element"),
            ("</urlset>", "fault 1: '</urlset>' closes what is not open"),
            ("<urlset><url><loc>\u{e9}", "fault 1: it ends here"),
        ] {
            let got = found(document);
            assert!(got.len() == 1 && got[0].starts_with(wanted), "{document}: {got:?}");
        }
        let got = found(b"<urlset><url><loc>/a</loc></url>\n<url><loc>/\xe9</loc></url></urlset>");
        assert_eq!(got, ["/a", "fault 2: it is not UTF-8"]);
        let got = found(
            b"<?xml version='1.0' encoding='KOI8-R'?><urlset><url><loc>/\xe9</loc></url></urlset>",
        );
        assert!(got[0].contains("'iconv -f koi8-r -t UTF-8' converts it"), "{got:?}");
        let deep = format!("<urlset>{}", "<a>".repeat(100_000));
        assert_eq!(found(deep), ["fault 1: elements are nested more than 64 deep here"]);
    }

    /// Whatever the bytes are, the document ends, and only right URLs are in the output.
    #[test]
    fn any_bytes() {
        let documents = [
            urlset(
                "<url><loc>/a&amp;b</loc><i:loc>x</i:loc></url><url><loc><![CDATA[/c]]></loc></url>",
            ),
            "<!DOCTYPE feed [<!ENTITY a 'b'>]><feed><entry><link rel='alternate' href='/a&#65;'/>\
             </entry></feed>"
                .to_owned(),
            "<rss><channel><item><link>/a</link></item></channel></rss><!-- x --><?pi?>".to_owned(),
        ];
        let pieces =
            ["<", ">", "</", "/>", "&", ";", "\"", "'", "<!--", "]]>", "<url>", "\0", "\u{fe}"];
        let mut state = 1u64;
        let mut random = |below: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % below as u64) as usize
        };
        for round in 0..3_000 {
            let mut bytes = documents[round % 3].clone().into_bytes();
            for _ in 0..=random(4) {
                if bytes.is_empty() {
                    break;
                }
                let at = random(bytes.len());
                match random(4) {
                    0 => drop(bytes.remove(at)),
                    1 => bytes[at] = random(256) as u8,
                    2 => bytes.truncate(at.max(1)),
                    _ => drop(bytes.splice(at..at, pieces[random(pieces.len())].bytes())),
                }
            }
            for found in found(&bytes) {
                assert!(!found.contains('\n') && found.len() < 500, "{}", bytes.escape_ascii());
            }
        }
    }
}
