//! From sitemaps to the URLs in them, one after another.

use std::collections::HashSet;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::vec;

use robotsieve::Origin;
use robotsieve_shown::shown;
use sha2::{Digest, Sha256};
use url::Url;

use super::document::{BYTES, Document, URLS};
use super::xml::{SitemapEntry, SitemapFault};
use crate::lines::URL_BYTES;

/// After so many sitemaps in a row that cannot be read, the rest of an index is left: whoever
/// serves them is gone.
const FAILURES: u32 = 10;

/// The number of messages of one kind are told before the rest is only counted.
const MOST_ALIKE: u64 = 3;

/// The URLs of sitemaps, and of those that their indexes name, one after another. Memory does not
/// grow with their number, but for a hash of each sitemap.
pub struct Walk<O> {
    opener: O,
    /// Each with the URL that the user gave, if there is one.
    places: vec::IntoIter<(SitemapPlace, Option<Url>)>,
    /// The sitemap that is being read, after the index that names it.
    open: Vec<Open>,
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
}

/// Where a sitemap is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SitemapPlace {
    /// On standard input.
    Stdin,
    /// In this file.
    File(PathBuf),
    /// At this URL.
    Url(String),
}

/// The opener of sitemaps for a [`Walk`], which is told what it leaves out.
pub trait OpenSitemap {
    /// A sitemap that was named begins. The user gave this URL, which alone may name a private
    /// address.
    fn begin(&mut self, given: Option<Url>);

    /// Opens one, and decompresses it.
    ///
    /// # Errors
    /// Returns why that cannot be done.
    fn open(&mut self, place: &SitemapPlace) -> Result<OpenedSitemap, String>;

    /// Returns true if a file is there.
    fn is_file(&self, path: &Path) -> bool {
        path.is_file()
    }

    /// Something is left out, or good to know.
    fn tell(&mut self, told: SitemapTold);
}

/// The bytes of a sitemap.
pub struct OpenedSitemap {
    /// They are not compressed.
    pub bytes: Box<dyn Read + Send>,
    /// The URL to which redirects led, if it was fetched.
    pub from: Option<String>,
}

/// A message about sitemaps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SitemapTold {
    /// Something cannot be read.
    Error(String),
    /// More of what was told, which is no error of its own.
    More(String),
    /// A line is too long to be a URL.
    LongLine(String),
    /// Something is odd.
    Note(String),
}

struct Open {
    place: SitemapPlace,
    from: Option<String>,
    document: Document,
}

impl SitemapPlace {
    /// For use in a sentence.
    #[must_use]
    pub fn shown(&self) -> String {
        match self {
            SitemapPlace::Stdin => "the sitemap from standard input".to_owned(),
            SitemapPlace::File(path) => format!("sitemap '{}'", path.display()),
            SitemapPlace::Url(url) => format!("sitemap {}", shown(url.as_bytes())),
        }
    }
}

impl<O: OpenSitemap> Walk<O> {
    /// Walks through sitemaps at these places, each with the URL that the user gave, if there is one.
    #[must_use]
    pub fn new(places: Vec<(SitemapPlace, Option<Url>)>, opener: O) -> Walk<O> {
        Walk {
            opener,
            places: places.into_iter(),
            open: Vec::new(),
            seen: HashSet::new(),
            seen_files: HashSet::new(),
            of_index: HashSet::new(),
            failures: 0,
            damaged: 0,
            unread: 0,
            large: 0,
        }
    }

    /// Appends the next URL to `out`; returns `false` at the end of all sitemaps. What cannot be
    /// read is reported and skipped.
    pub fn next(&mut self, out: &mut Vec<u8>) -> bool {
        let start = out.len();
        loop {
            let Some(open) = self.open.last_mut() else {
                let Some((place, given)) = self.places.next() else {
                    self.end();
                    return false;
                };
                self.opener.begin(given);
                self.of_index.clear();
                if !self.is_new(&place) {
                    continue;
                }
                match self.opened(place) {
                    Ok(open) => self.open.push(open),
                    Err(why) => self.opener.tell(SitemapTold::Error(why)),
                }
                continue;
            };
            match open.document.next(out) {
                Ok(SitemapEntry::Page) => {
                    if open.document.is_larger() {
                        self.is_large();
                    }
                    return true;
                }
                Ok(SitemapEntry::Sitemap) => {
                    let url = out.split_off(start);
                    self.descend(&url);
                }
                Ok(SitemapEntry::Damaged { line, why }) => {
                    self.damaged += 1;
                    if self.damaged <= MOST_ALIKE {
                        let place = open.place.shown();
                        self.opener.tell(SitemapTold::Error(format!(
                            "{place}, line {line}: an entry is skipped because its URL cannot be \
                             read: {why}"
                        )));
                    }
                }
                Ok(SitemapEntry::TooLong { line }) => {
                    let beginning = out.split_off(start);
                    let told = format!(
                        "{}, line {line}: longer than {} MiB, so it is skipped as an invalid URL: \
                         '{}…'",
                        open.place.shown(),
                        URL_BYTES >> 20,
                        shown(&beginning)
                    );
                    self.opener.tell(SitemapTold::LongLine(told));
                }
                Ok(SitemapEntry::End) => {
                    self.open.pop();
                }
                Err(fault) => {
                    out.truncate(start);
                    let place = open.place.shown();
                    let SitemapFault { line, what } = fault;
                    let before = match open.document.urls() {
                        0 => String::new(),
                        urls => format!(" (the {urls} before it count)"),
                    };
                    self.open.pop();
                    let told = format!("{place}, line {line}: {what}{before}");
                    self.opener.tell(SitemapTold::Error(told));
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

    /// Returns true if a sitemap was not opened before.
    fn is_new(&mut self, place: &SitemapPlace) -> bool {
        match place {
            SitemapPlace::Stdin => true,
            // Reading one that cannot be found says why.
            SitemapPlace::File(path) => {
                path.canonicalize().map_or(true, |path| self.seen_files.insert(path))
            }
            SitemapPlace::Url(url) => self.seen.insert(Sha256::digest(url).into()),
        }
    }

    fn opened(&mut self, place: SitemapPlace) -> Result<Open, String> {
        let OpenedSitemap { bytes, from } = self.opener.open(&place)?;
        match Document::of(bytes) {
            Ok(document) => Ok(Open { place, from, document }),
            Err(cause) => Err(format!("cannot read {}: {cause}", place.shown())),
        }
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
        let (place, urls) = (index.place.clone(), index.document.urls());
        if urls > URLS {
            self.open.pop();
            let place = place.shown();
            self.opener.tell(SitemapTold::Error(format!(
                "{place} names more than {URLS} sitemaps, which is the most that an index may have: \
                 the rest is left"
            )));
            return;
        }
        let child = child(index, url, &self.opener);
        let is_url = matches!(child, Ok(SitemapPlace::Url(_)));
        if !is_url && !self.seen.insert(Sha256::digest(url).into()) {
            return;
        }
        let opened = match child {
            Ok(SitemapPlace::File(path)) if !self.of_index.insert(path.clone()) => Err(format!(
                "{} stands for several sitemaps of its index, so '{}' is not read: give the URL of \
                 the index with --sitemap",
                SitemapPlace::File(path).shown(),
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
                    self.opener.tell(SitemapTold::Error(format!(
                        "{FAILURES} sitemaps in a row could not be read, so the rest of {} is left",
                        place.shown()
                    )));
                }
            }
        }
    }

    fn unread(&mut self, why: &str) {
        self.unread += 1;
        if self.unread <= MOST_ALIKE {
            self.opener.tell(SitemapTold::Error(why.to_owned()));
        }
    }

    /// Notes that the open sitemap is larger than what search engines read.
    fn is_large(&mut self) {
        self.large += 1;
        let Some(open) = self.open.last().filter(|_| self.large <= MOST_ALIKE) else { return };
        let told = format!(
            "{} has more than {URLS} URLs or {} MiB, which is all that search engines read of one: \
             divide it, and name the parts in an index",
            open.place.shown(),
            BYTES >> 20
        );
        self.opener.tell(SitemapTold::Note(told));
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
                self.opener.tell(SitemapTold::More(format!("{more} more {what}")));
            }
            *count = 0;
        }
    }
}

/// Where the sitemap with this URL is, which an index names.
///
/// # Errors
/// Returns why it is not read, and the way out.
fn child(index: &Open, url: &[u8], opener: &impl OpenSitemap) -> Result<SitemapPlace, String> {
    let name = shown(url);
    match &index.place {
        SitemapPlace::Stdin => Err(format!(
            "sitemap '{name}' is not read: an index from standard input has no folder in which it \
             could be; give a file or the URL of the index with --sitemap"
        )),
        SitemapPlace::Url(from) => {
            let other = Origin::of(url);
            let text = str::from_utf8(url).ok().filter(|text| is_url(text));
            let Some((text, other)) = text.zip(other.ok()) else {
                return Err(format!("the index has '{name}', which is no URL of http or https"));
            };
            let is_host = |own: &str| Origin::of(own).is_ok_and(|own| own.host() == other.host());
            // Else an index could make this machine ask anybody.
            if is_host(from) || index.from.as_deref().is_some_and(is_host) {
                return Ok(SitemapPlace::Url(text.to_owned()));
            }
            Err(format!(
                "sitemap {name} is not fetched, because it is not on the host of its index: give it \
                 with a --sitemap of its own"
            ))
        }
        SitemapPlace::File(from) => {
            let path = url.split(|byte| b"?#".contains(byte)).next().unwrap_or_default();
            let last = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
            let last = str::from_utf8(last).unwrap_or_default();
            let mut parts = Path::new(last).components();
            let is_name =
                matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None));
            let file = from.parent().unwrap_or(Path::new("")).join(last);
            if is_name && opener.is_file(&file) {
                return Ok(SitemapPlace::File(file));
            }
            Err(format!(
                "sitemap {name} is not read: there is no file '{}' beside its index; download it to \
                 there, or give the URL of the index with --sitemap",
                shown(last.as_bytes())
            ))
        }
    }
}

/// Returns true if a text is a URL that can be fetched.
#[must_use]
pub fn is_url(text: &str) -> bool {
    let begins = |scheme: &str| {
        text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    begins("http://") || begins("https://")
}
