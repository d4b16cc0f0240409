//! The documents of archives beside robots.txt: tdmrep.json and licences.
//!
//! A document is known by where it is named, whatever its type: by its path (tdmrep.json), by a `License`
//! line of a robots.txt, or by a `Link` field. What pages name is found by its type, as long as that may be
//! the type of such a document. Redirects are followed. So the archives are read once for what is known by
//! itself, and once more for each step to addresses that were named only then.
//!
//! Of the captures of an address the newest that says something counts: a document, a redirect, or that there
//! is none. A failure says nothing; if it is the newest capture, the address counts as not read besides, which
//! takes permissions away and erases no reservation.

use std::collections::{HashMap, HashSet};

use robotsieve::internals::{Content, RobotsInternals as _};
use robotsieve::{Profile, Robots};
use robotsieve_captures::warc::{self, ResponseItem, ResponseRecord};
use robotsieve_client::Timestamp;
use robotsieve_rights::{Documents, LicenceKind, Response};
use url::Url;

use super::archive::media_type;
use super::args::RightsArgs;
use crate::error::Failure;
use crate::read::warc_files;

/// The most documents that are kept, and their bytes.
const MOST_DOCUMENTS: usize = 1 << 20;
const MOST_DOCUMENT_BYTES: usize = 1 << 30;

/// The most bytes of a document. RSL documents that are longer are rejected anyway.
const MOST_BYTES_OF_ONE: usize = (4 << 20) + 1;

/// The most redirects that lead to a document, as for robots.txt.
const MOST_REDIRECTS: usize = 5;

const TDM_PATH: &str = "/.well-known/tdmrep.json";

/// The documents that archives have.
pub(super) struct Known {
    pub(super) documents: Documents,
    /// How many there are.
    pub(super) count: usize,
    /// How many were left out, because there are too many.
    pub(super) left_out: u64,
}

/// What a capture of an address says of the document there.
#[derive(Debug)]
enum Said {
    Document(Vec<u8>),
    /// An absolute address.
    Redirect(String),
    /// There is none.
    Absent,
    /// Nothing: an error, a part of an answer, a body that cannot be read.
    Failure,
}

/// The newest captures of an address.
#[derive(Debug, Default)]
struct Captured {
    /// That says something.
    newest: Option<(Timestamp, Said)>,
    failed: Option<Timestamp>,
}

impl Captured {
    /// Of two of the same time the later one in the archives counts, as for robots.txt.
    fn add(&mut self, at: Timestamp, said: Said) {
        match (said, &self.newest) {
            (Said::Failure, _) => self.failed = self.failed.max(Some(at)),
            (_, Some((known, _))) if *known > at => {}
            (said, _) => self.newest = Some((at, said)),
        }
    }

    /// Returns true if the newest capture is a failure.
    fn is_not_read(&self) -> bool {
        self.failed > self.newest.as_ref().map(|(at, _)| *at)
    }

    fn len(&self) -> usize {
        match &self.newest {
            Some((_, Said::Document(body))) => body.len(),
            Some((_, Said::Redirect(to))) => to.len(),
            _ => 0,
        }
    }
}

/// What is found in the archives.
#[derive(Default)]
struct Found {
    by_address: HashMap<String, Captured>,
    /// Addresses of licences.
    named: HashSet<String>,
    bytes: usize,
    left_out: u64,
}

/// What a response says of documents: of its own address, and which addresses it names.
#[derive(Default)]
struct Look {
    capture: Option<(String, Timestamp, Said)>,
    names: Vec<String>,
}

/// The documents that the archives have, each at the address that names it.
pub(super) fn documents(args: &RightsArgs) -> Result<Known, Failure> {
    let mut found = Found::default();
    found.read(args, first_look)?;
    // The addresses that stand for a document, and those that lead to one.
    let mut wanted: HashSet<String> =
        found.named.iter().filter(|name| !is_always_kept(name)).cloned().collect();
    let mut read: HashSet<String> = HashSet::new();
    for _ in 0..=MOST_REDIRECTS {
        wanted.extend(found.redirects(&read));
        wanted.retain(|address| !read.contains(address) && !is_always_kept(address));
        if wanted.is_empty() {
            break;
        }
        for address in &wanted {
            let before = found.by_address.remove(address);
            found.bytes -= before.map_or(0, |before| before.len());
        }
        found.read(args, |response| second_look(response, &wanted))?;
        read.extend(std::mem::take(&mut wanted));
    }
    Ok(found.known())
}

impl Found {
    /// Reads the archives. What is damaged in them is told when the responses are judged.
    fn read(
        &mut self,
        args: &RightsArgs,
        look: impl Fn(&ResponseRecord<'_>) -> Look + Sync,
    ) -> Result<(), Failure> {
        let files = warc_files::opened(&args.warc);
        let weigh = |look: &Look| {
            let of_capture = look.capture.as_ref().map_or(0, |(_, _, said)| match said {
                Said::Document(body) => body.len(),
                _ => 0,
            });
            128 + of_capture + look.names.iter().map(String::len).sum::<usize>()
        };
        let look = |response: &ResponseRecord<'_>| Ok(look(response));
        let take = |item| {
            if let ResponseItem::Made(Look { capture, names }) = item {
                let room = MOST_DOCUMENTS.saturating_sub(self.named.len());
                self.named.extend(names.into_iter().take(room));
                if let Some((address, at, said)) = capture {
                    self.add(address, at, said);
                }
            }
            Ok::<(), Failure>(())
        };
        warc::read_responses(files, args.threads.get(), look, weigh, take, |_| ())?;
        Ok(())
    }

    fn add(&mut self, address: String, at: Timestamp, said: Said) {
        let is_known = self.by_address.contains_key(&address);
        let bytes = if let Said::Document(body) = &said { body.len() } else { 0 };
        let is_full = !is_known && self.by_address.len() >= MOST_DOCUMENTS
            || self.bytes + bytes > MOST_DOCUMENT_BYTES;
        // What there is no room for counts as not read.
        let said = match said {
            Said::Document(_) if is_full => {
                self.left_out += 1;
                Said::Failure
            }
            said => said,
        };
        if is_full && !is_known {
            return;
        }
        let captured = self.by_address.entry(address).or_default();
        self.bytes -= captured.len();
        captured.add(at, said);
        self.bytes += captured.len();
    }

    /// Where the captures that count lead, of addresses that stand for a document or lead to one.
    fn redirects(&self, read: &HashSet<String>) -> Vec<String> {
        let leads = |address: &String| {
            self.named.contains(address)
                || read.contains(address)
                || Url::parse(address).is_ok_and(|url| is_tdm(&url))
        };
        let captures = self.by_address.iter();
        let redirects = captures.filter_map(|(address, captured)| match &captured.newest {
            Some((_, Said::Redirect(to))) if leads(address) => Some(to.clone()),
            _ => None,
        });
        redirects.collect()
    }

    fn known(self) -> Known {
        let mut known = Known { documents: Documents::new(), count: 0, left_out: self.left_out };
        for (address, captured) in &self.by_address {
            let (mut is_not_read, mut said) = (captured.is_not_read(), &captured.newest);
            let mut redirects = 0;
            while let Some((_, Said::Redirect(to))) = said {
                redirects += 1;
                let next = self.by_address.get(to).filter(|_| redirects <= MOST_REDIRECTS);
                // What a redirect leads to and the archives do not have may be there.
                is_not_read |= next.is_none_or(Captured::is_not_read);
                said = next.map_or(&None, |next| &next.newest);
            }
            if let Some((_, Said::Document(body))) = said {
                known.documents.add(address, body);
                known.count += 1;
            }
            if is_not_read {
                known.documents.add_not_read(address);
            }
        }
        known
    }
}

/// Looks for documents that are known by their path or their type, and for names of others.
fn first_look(response: &ResponseRecord<'_>) -> Look {
    let mut look = Look::default();
    let fields = || response.headers().filter(|(name, _)| name.eq_ignore_ascii_case("link"));
    if fields().next().is_some() {
        let links = Response::new().with_headers(fields()).links;
        let of_rsl = links.iter().filter(|link| link.kind == LicenceKind::Rsl);
        look.names.extend(of_rsl.filter_map(|link| address(&link.url)));
    }
    let Some(own) = address(response.url) else { return look };
    let Ok(url) = Url::parse(&own) else { return look };
    if url.path() == "/robots.txt" && (200..300).contains(&response.status) {
        if let Ok(body) = response.body() {
            look.names.extend(licences(&body.bytes));
        }
        return look;
    }
    let media_type = media_type(response);
    let is = |wanted: &str| media_type.eq_ignore_ascii_case(wanted.as_bytes());
    let is_named = is_always_kept(&own) || is("application/rsl+xml");
    let may_be_rsl = is("application/xml")
        || is("text/xml")
        || is("text/plain")
        || is("application/octet-stream")
        || media_type.is_empty();
    if !is_named && !may_be_rsl {
        return look;
    }
    let is_tdm = is_tdm(&url);
    let mut said = said(response, &url);
    let names_rsl = |body: &[u8]| memchr::memmem::find(body, b"rslstandard.org/rsl").is_some();
    if let Said::Document(body) = &said
        && !is_tdm
        && !is("application/rsl+xml")
        && !names_rsl(body)
    {
        if !is_named {
            return look;
        }
        // Anything else took its place.
        said = Said::Absent;
    }
    if is_named || matches!(said, Said::Document(_)) {
        look.capture = Some((own, response.at, said));
    }
    look
}

/// Looks for the documents at these addresses.
fn second_look(response: &ResponseRecord<'_>, wanted: &HashSet<String>) -> Look {
    let own = address(response.url).filter(|own| wanted.contains(own));
    let capture = own.and_then(|own| {
        let said = said(response, &Url::parse(&own).ok()?);
        Some((own, response.at, said))
    });
    Look { capture, names: Vec::new() }
}

/// What a response says of the document at its address.
fn said(response: &ResponseRecord<'_>, url: &Url) -> Said {
    match response.status {
        // A part says nothing.
        206 => Said::Failure,
        200..=299 => match response.body() {
            // What is cut is no JSON, and no XML, and is found to be none.
            Ok(body) => {
                let mut bytes = body.bytes;
                bytes.truncate(MOST_BYTES_OF_ONE);
                Said::Document(bytes)
            }
            Err(_) => Said::Failure,
        },
        301 | 302 | 303 | 307 | 308 => {
            let location = response.header("location").and_then(|to| str::from_utf8(to).ok());
            let to = location.and_then(|to| url.join(to.trim()).ok());
            match to.and_then(|to| address(to.as_str())) {
                Some(to) => Said::Redirect(to),
                None => Said::Failure,
            }
        }
        404 | 410 => Said::Absent,
        _ => Said::Failure,
    }
}

/// An address in the form by which captures are compared. `None` if it is no absolute URL.
fn address(url: &str) -> Option<String> {
    let mut url = Url::parse(url).ok()?;
    url.set_fragment(None);
    Some(url.into())
}

/// Returns true if all captures of an address are kept in the first look.
fn is_always_kept(address: &str) -> bool {
    Url::parse(address).is_ok_and(|url| is_tdm(&url) || url.path().ends_with(".xml"))
}

fn is_tdm(url: &Url) -> bool {
    url.path() == TDM_PATH && url.query().is_none()
}

/// The licences that a robots.txt names, to whomever.
fn licences(file: &[u8]) -> Vec<String> {
    let robots = Robots::parse(file, &Profile::RFC9309);
    let lines = robots.groups().lines();
    let licences = lines.filter_map(|line| match line.content {
        Content::Record(record) if record.name.eq_ignore_ascii_case(b"license") => {
            str::from_utf8(record.value).ok().and_then(address)
        }
        _ => None,
    });
    licences.collect()
}
