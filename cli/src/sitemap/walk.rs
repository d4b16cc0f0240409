//! From the sitemaps named on the command line to the URLs in them, one after another.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead};
use std::iter;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::vec;

use memchr::memchr;
use robotsieve::Origin;
use sha2::{Digest, Sha256};
use url::Url;

use super::Names;
use super::text::Text;
use super::xml::{Fault, Found, Xml};
use crate::read::lines::{Line, Lines, URL_BYTES};
use crate::read::web::{self, Web};
use crate::read::{inputs, looks_like_url, stdin};
use crate::write::bytes::shown;
use crate::write::report::{MOST_ALIKE, Report};
use crate::write::stderr;

/// What search engines read of one sitemap, and the most that an index may name
/// (<https://www.sitemaps.org/protocol.html>).
const URLS: u64 = 50_000;
const BYTES: u64 = 50 << 20;

/// After so many sitemaps in a row that cannot be read, the rest of an index is left: whoever
/// serves them is gone.
const FAILURES: u32 = 10;

/// The URLs of all sitemaps named on the command line. Memory does not grow with their number.
pub struct Sitemaps {
    /// Each with the URL that the user gave, if there is one.
    names: iter::Zip<vec::IntoIter<OsString>, vec::IntoIter<Option<Url>>>,
    /// The sitemap that is being read, after the index that names it.
    open: Vec<Open>,
    /// What fetches the sitemap named last, and those that it names.
    web: Option<Web>,
    given: Option<Url>,
    /// The sitemaps that were opened, so that each is read once: hashes of their URLs, and the files.
    seen: HashSet<[u8; 32]>,
    seen_files: HashSet<PathBuf>,
    /// The files that stand for sitemaps of the open index.
    of_index: HashSet<PathBuf>,
    /// How many in a row could not be read.
    failures: u32,
    damaged: u64,
    unread: u64,
    large: u64,
    report: Arc<Report>,
}

/// Where a sitemap is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    Stdin,
    File(PathBuf),
    Url(String),
}

struct Open {
    place: Place,
    /// The URL to which redirects led, if it was fetched.
    fetched_from: Option<String>,
    content: Content,
    /// How many URLs were found in it.
    urls: u64,
    /// Whether it is larger than what search engines read, and a note said so.
    is_large: bool,
}

enum Content {
    Xml(Box<Xml>),
    Lines(Lines<Text>),
}

impl Place {
    fn of(name: &OsStr) -> Place {
        if stdin::is_meant(name) {
            return Place::Stdin;
        }
        match web::url(Path::new(name)) {
            Some(url) => Place::Url(url.to_owned()),
            None => Place::File(name.into()),
        }
    }

    /// For use in a sentence.
    fn shown(&self) -> String {
        match self {
            Place::Stdin => "the sitemap from standard input".to_owned(),
            Place::File(path) => format!("sitemap '{}'", path.display()),
            Place::Url(url) => format!("sitemap {}", shown(url.as_bytes())),
        }
    }
}

impl Sitemaps {
    pub fn new(names: Names, report: Arc<Report>) -> Sitemaps {
        Sitemaps {
            names: names.all.into_iter().zip(names.given),
            open: Vec::new(),
            web: None,
            given: None,
            seen: HashSet::new(),
            seen_files: HashSet::new(),
            of_index: HashSet::new(),
            failures: 0,
            damaged: 0,
            unread: 0,
            large: 0,
            report,
        }
    }

    /// Appends the next URL to `out`; returns `false` at the end of all sitemaps. What cannot be
    /// read is reported and skipped.
    pub fn next(&mut self, out: &mut Vec<u8>) -> bool {
        let start = out.len();
        loop {
            let Some(open) = self.open.last_mut() else {
                let Some((name, given)) = self.names.next() else {
                    self.end();
                    return false;
                };
                (self.web, self.given) = (None, given);
                self.of_index.clear();
                let place = Place::of(&name);
                if !self.is_new(&place) {
                    continue;
                }
                match self.opened(place) {
                    Ok(open) => self.open.push(open),
                    Err(why) => self.report.error(&why),
                }
                continue;
            };
            match open.next(out) {
                Ok(Found::Page) => {
                    open.urls += 1;
                    if open.is_larger() {
                        self.is_large();
                    }
                    return true;
                }
                Ok(Found::Sitemap) => {
                    open.urls += 1;
                    let url = out.split_off(start);
                    self.descend(&url);
                }
                Ok(Found::Damaged { line, why }) => {
                    self.damaged += 1;
                    if self.damaged <= MOST_ALIKE {
                        let place = open.place.shown();
                        self.report.error(&format_args!(
                            "{place}, line {line}: an entry is skipped because its URL cannot be \
                             read: {why}"
                        ));
                    }
                }
                Ok(Found::TooLong { line }) => {
                    let beginning = out.split_off(start);
                    self.report.long_line(&format_args!(
                        "{}, line {line}: longer than {} MiB, so it is skipped as an invalid URL: \
                         '{}…'",
                        open.place.shown(),
                        URL_BYTES >> 20,
                        shown(&beginning)
                    ));
                }
                Ok(Found::End) => {
                    self.open.pop();
                }
                Err(fault) => {
                    out.truncate(start);
                    let place = open.place.shown();
                    let Fault { line, what } = fault;
                    let before = match open.urls {
                        0 => String::new(),
                        urls => format!(" (the {urls} before it count)"),
                    };
                    self.open.pop();
                    self.report.error(&format_args!("{place}, line {line}: {what}{before}"));
                }
            }
        }
    }

    /// Replaces the contents of `chunk` with URLs, each on a line of its own, until it has about
    /// `len` bytes; returns `false` if there are none left.
    pub fn fill(&mut self, chunk: &mut Vec<u8>, len: usize) -> bool {
        chunk.clear();
        while chunk.len() < len && self.next(chunk) {
            chunk.push(b'\n');
        }
        !chunk.is_empty()
    }

    /// Whether a sitemap was not opened before.
    fn is_new(&mut self, place: &Place) -> bool {
        match place {
            Place::Stdin => true,
            // Reading one that cannot be found says why.
            Place::File(path) => {
                path.canonicalize().map_or(true, |path| self.seen_files.insert(path))
            }
            Place::Url(url) => self.seen.insert(Sha256::digest(url).into()),
        }
    }

    /// Opens a sitemap, and tells its format by its first bytes.
    fn opened(&mut self, place: Place) -> Result<Open, String> {
        let failed = |cause: io::Error| {
            let is_near = matches!(&place, Place::File(path) if looks_like_url(path));
            let advice = if is_near { "; a URL begins with http:// or https://" } else { "" };
            format!("cannot read {}: {cause}{advice}", place.shown())
        };
        let mut fetched_from = None;
        let raw = match &place {
            Place::Stdin => inputs::open(OsStr::new("-"), &self.report).map_err(failed)?,
            Place::File(path) => inputs::open(path.as_os_str(), &self.report).map_err(failed)?,
            Place::Url(url) => {
                let url = Url::parse(url).map_err(|cause| {
                    format!("'{}' is not a URL: {cause}", shown(url.as_bytes()))
                })?;
                let web = match self.web.take() {
                    Some(web) => Ok(web),
                    None => Web::of(&url, self.given.as_ref()),
                };
                let got = web.and_then(|web| self.web.insert(web).get(url));
                let (body, end) = got.map_err(|failure| failure.to_string())?;
                fetched_from = Some(end);
                let body = Box::new(io::Cursor::new(body));
                inputs::decompressed(body, &self.report).map_err(failed)?.0
            }
        };
        let mut text = Text::of(raw).map_err(failed)?;
        let first = text.fill_buf().map_err(failed)?;
        let is_binary = memchr(0, first).is_some() || first.starts_with(b"\x1f\x8b");
        let content = match first.trim_ascii_start().first() {
            Some(b'<') => Content::Xml(Box::new(Xml::new(text))),
            _ if is_binary => {
                let message = "it is neither XML nor lines of text, or it is compressed twice";
                return Err(failed(io::Error::new(io::ErrorKind::InvalidData, message)));
            }
            _ => Content::Lines(Lines::of(text, URL_BYTES)),
        };
        Ok(Open { place, fetched_from, content, urls: 0, is_large: false })
    }

    /// Opens a sitemap that the open index names.
    fn descend(&mut self, url: &[u8]) {
        let [index] = &self.open[..] else {
            // The protocol has one level.
            let place = self.open.pop().map(|open| open.place.shown()).unwrap_or_default();
            self.unread(&format!(
                "{place} is an index within an index, which no search engine reads: give it with \
                 a --sitemap of its own"
            ));
            return;
        };
        let (place, urls) = (index.place.clone(), index.urls);
        if urls > URLS {
            self.open.pop();
            let place = place.shown();
            let message = format_args!(
                "{place} names more than {URLS} sitemaps, which is the most that an index may have: \
                 the rest is left"
            );
            self.report.error(&message);
            return;
        }
        let child = child(index, url);
        let is_url = matches!(child, Ok(Place::Url(_)));
        if !is_url && !self.seen.insert(Sha256::digest(url).into()) {
            return;
        }
        let opened = match child {
            Ok(Place::File(path)) if !self.of_index.insert(path.clone()) => Err(format!(
                "{} stands for several sitemaps of its index, so '{}' is not read: give the URL of \
                 the index with --sitemap",
                Place::File(path).shown(),
                shown(url)
            )),
            Ok(child) if !self.is_new(&child) => {
                if child == place {
                    self.unread(&format!("{} names itself", place.shown()));
                }
                return;
            }
            Ok(child) => self.opened(child),
            Err(why) => Err(why),
        };
        match opened {
            Ok(open) => {
                self.failures = 0;
                self.open.push(open);
            }
            Err(why) => {
                self.unread(&why);
                self.failures += 1;
                if self.failures == FAILURES {
                    self.failures = 0;
                    self.open.pop();
                    self.report.error(&format_args!(
                        "{FAILURES} sitemaps in a row could not be read, so the rest of {} is left",
                        place.shown()
                    ));
                }
            }
        }
    }

    fn unread(&mut self, why: &str) {
        self.unread += 1;
        if self.unread <= MOST_ALIKE {
            self.report.error(&why);
        }
    }

    /// Notes that the open sitemap is larger than what search engines read.
    fn is_large(&mut self) {
        self.large += 1;
        let Some(open) = self.open.last().filter(|_| self.large <= MOST_ALIKE) else { return };
        stderr::note(&format_args!(
            "{} has more than {URLS} URLs or {} MiB, which is all that search engines read of one: \
             divide it, and name the parts in an index",
            open.place.shown(),
            BYTES >> 20
        ));
    }

    /// Says how much was not told one by one.
    fn end(&mut self) {
        for (count, what) in [
            (
                &mut self.damaged,
                "entries of sitemaps are skipped because their URLs cannot be read",
            ),
            (&mut self.unread, "sitemaps could not be read"),
        ] {
            if let Some(more) = count.checked_sub(MOST_ALIKE).filter(|more| *more > 0) {
                stderr::error(&format_args!("{more} more {what}"));
            }
            *count = 0;
        }
    }
}

impl Open {
    /// Appends the next URL to `out`.
    fn next(&mut self, out: &mut Vec<u8>) -> Result<Found, Fault> {
        let lines = match &mut self.content {
            Content::Xml(xml) => return xml.next(out),
            Content::Lines(lines) => lines,
        };
        loop {
            match lines.next() {
                Ok(None) => return Ok(Found::End),
                Ok(Some((line, Line::TooLong(beginning)))) => {
                    out.extend_from_slice(beginning);
                    return Ok(Found::TooLong { line });
                }
                Ok(Some((_, Line::Whole(line)))) => {
                    let url = line.trim_ascii();
                    if !url.is_empty() {
                        out.extend_from_slice(url);
                        return Ok(Found::Page);
                    }
                }
                Err(cause) => {
                    return Err(Fault { line: lines.input().line(), what: cause.to_string() });
                }
            }
        }
    }

    /// Whether it turns out now that it is larger than what search engines read.
    fn is_larger(&mut self) -> bool {
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

/// Where the sitemap with this URL is, which an index names.
///
/// # Errors
/// Returns why it is not read, and the way out.
fn child(index: &Open, url: &[u8]) -> Result<Place, String> {
    let name = shown(url);
    match &index.place {
        Place::Stdin => Err(format!(
            "sitemap '{name}' is not read: an index from standard input has no folder in which it \
             could be; give a file or the URL of the index with --sitemap"
        )),
        Place::Url(from) => {
            let other = Origin::of(url);
            let text = str::from_utf8(url).ok().and_then(|text| web::url(Path::new(text)));
            let Some((text, other)) = text.zip(other.ok()) else {
                return Err(format!("the index has '{name}', which is no URL of http or https"));
            };
            let is_host = |own: &str| Origin::of(own).is_ok_and(|own| own.host() == other.host());
            // Else an index could make this machine ask anybody.
            if is_host(from) || index.fetched_from.as_deref().is_some_and(is_host) {
                return Ok(Place::Url(text.to_owned()));
            }
            Err(format!(
                "sitemap {name} is not fetched, because it is not on the host of its index: give it \
                 with a --sitemap of its own"
            ))
        }
        Place::File(from) => {
            let path = url.split(|byte| b"?#".contains(byte)).next().unwrap_or_default();
            let last = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
            let last = str::from_utf8(last).unwrap_or_default();
            let mut parts = Path::new(last).components();
            let is_name =
                matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None));
            let file = from.parent().unwrap_or(Path::new("")).join(last);
            if is_name && file.is_file() {
                return Ok(Place::File(file));
            }
            Err(format!(
                "sitemap {name} is not read: there is no file '{}' beside its index; download it to \
                 there, or give the URL of the index with --sitemap",
                shown(last.as_bytes())
            ))
        }
    }
}
