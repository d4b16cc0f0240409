//! Sitemaps on this machine and on the web.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::sync::Arc;

use robotsieve_client::sitemap::{OpenSitemap, OpenedSitemap, SitemapPlace, SitemapTold, Walk};
use url::Url;

use super::names::Names;
use crate::read::web::{self, Web};
use crate::read::{inputs, looks_like_url, stdin};
use crate::write::bytes::shown;
use crate::write::report::Report;
use crate::write::stderr;

/// The URLs of all sitemaps named on the command line.
pub struct Sitemaps(Walk<Opening>);

struct Opening {
    /// What fetches the sitemap named last, and those that it names.
    web: Option<Web>,
    given: Option<Url>,
    report: Arc<Report>,
}

impl Sitemaps {
    pub fn new(names: Names, report: Arc<Report>) -> Sitemaps {
        let places = names.all.into_iter().zip(names.given).map(|(name, given)| {
            let place = match web::url(Path::new(&name)) {
                _ if stdin::is_meant(&name) => SitemapPlace::Stdin,
                Some(url) => SitemapPlace::Url(url.to_owned()),
                None => SitemapPlace::File(name.into()),
            };
            (place, given)
        });
        Sitemaps(Walk::new(places.collect(), Opening { web: None, given: None, report }))
    }

    /// Replaces the contents of `chunk` with URLs, each on a line of its own, until it has about
    /// `len` bytes; returns `false` if there are none left.
    pub fn fill(&mut self, chunk: &mut Vec<u8>, len: usize) -> bool {
        self.0.fill(chunk, len)
    }
}

impl OpenSitemap for Opening {
    fn begin(&mut self, given: Option<Url>) {
        (self.web, self.given) = (None, given);
    }

    fn open(&mut self, place: &SitemapPlace) -> Result<OpenedSitemap, String> {
        let failed = |cause: io::Error| {
            let is_near = matches!(place, SitemapPlace::File(path) if looks_like_url(path));
            let advice = if is_near { "; a URL begins with http:// or https://" } else { "" };
            format!("cannot read {}: {cause}{advice}", place.shown())
        };
        let name = match place {
            SitemapPlace::Stdin => OsStr::new("-"),
            SitemapPlace::File(path) => path.as_os_str(),
            SitemapPlace::Url(url) => {
                let url = Url::parse(url).map_err(|cause| {
                    format!("'{}' is not a URL: {cause}", shown(url.as_bytes()))
                })?;
                let web = match self.web.take() {
                    Some(web) => Ok(web),
                    None => Web::of(&url, self.given.as_ref()),
                };
                let got = web.and_then(|web| self.web.insert(web).get(url));
                let (body, end) = got.map_err(|failure| failure.to_string())?;
                let body = Box::new(io::Cursor::new(body));
                let bytes = inputs::decompressed(body, &self.report).map_err(failed)?.0;
                return Ok(OpenedSitemap { bytes, from: Some(end) });
            }
        };
        let bytes = inputs::open(name, &self.report).map_err(failed)?;
        Ok(OpenedSitemap { bytes, from: None })
    }

    fn tell(&mut self, told: SitemapTold) {
        match told {
            SitemapTold::Error(what) => self.report.error(&what),
            SitemapTold::More(what) => stderr::error(&what),
            SitemapTold::LongLine(what) => self.report.long_line(&what),
            SitemapTold::Note(what) => stderr::note(&what),
        }
    }
}
