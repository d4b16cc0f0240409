//! Files of a site that say more of its pages: tdmrep.json and RSL documents.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::origin::Origin;
use crate::rights::rsl::document::{InvalidRsl, Rsl};
use crate::rights::tdm::{InvalidTdmFile, TdmFile};

/// Where TDMRep's file is.
const TDM_PATH: &str = "/.well-known/tdmrep.json";

/// Files that were fetched for a site, read once: `/.well-known/tdmrep.json`, and the RSL documents
/// that its robots.txt and its pages name. Clones share what was read.
///
/// This crate fetches nothing. What is not here is unknown, and licences whose documents are not here
/// are reported as [`LicenceState::NotGiven`](crate::rights::LicenceState::NotGiven).
#[derive(Clone, Debug, Default)]
pub struct Documents {
    tdm: Vec<TdmOfSite>,
    rsl: BTreeMap<Box<str>, Arc<Result<Rsl, InvalidRsl>>>,
}

#[derive(Clone, Debug)]
struct TdmOfSite {
    /// The origin whose file it is. `None`: of every site that is asked about.
    origin: Option<Box<str>>,
    file: Arc<Result<TdmFile, InvalidTdmFile>>,
}

impl Documents {
    /// No file.
    #[must_use]
    pub fn new() -> Documents {
        Documents::default()
    }

    /// Adds a file. `address` is its absolute URL, or `/.well-known/tdmrep.json`. Any other file is read
    /// as an RSL document. `O(n)`.
    pub fn add(&mut self, address: &str, file: &[u8]) {
        if address == TDM_PATH {
            self.tdm.push(TdmOfSite { origin: None, file: Arc::new(TdmFile::parse(file)) });
            return;
        }
        if let Ok(url) = url::Url::parse(address)
            && url.path() == TDM_PATH
            && let Ok(origin) = Origin::of(address)
        {
            let origin = Some(origin.key().into());
            self.tdm.push(TdmOfSite { origin, file: Arc::new(TdmFile::parse(file)) });
            return;
        }
        self.rsl.insert(key(address), Arc::new(Rsl::parse(file, address)));
    }

    /// The same with another file.
    #[must_use]
    pub fn with(mut self, address: &str, file: &[u8]) -> Documents {
        self.add(address, file);
        self
    }

    /// Adds all files of others. What was read of them is shared.
    pub fn add_all(&mut self, others: &Documents) {
        self.tdm.extend(others.tdm.iter().cloned());
        self.rsl.extend(others.rsl.iter().map(|(key, file)| (key.clone(), Arc::clone(file))));
    }

    /// Returns true if there is no file.
    pub fn is_empty(&self) -> bool {
        self.tdm.is_empty() && self.rsl.is_empty()
    }

    /// The file of TDMRep for an origin.
    pub(super) fn tdm(
        &self,
        origin: Option<&Origin<'_>>,
    ) -> Option<&Result<TdmFile, InvalidTdmFile>> {
        let is_for = |of: &TdmOfSite| {
            let key = of.origin.as_deref();
            key.is_none_or(|key| origin.is_some_and(|origin| origin.key() == key))
        };
        self.tdm.iter().find(|of| is_for(of)).map(|of| &*of.file)
    }

    /// The RSL document of an address.
    pub(super) fn rsl(&self, address: &str) -> Option<&Result<Rsl, InvalidRsl>> {
        // Nothing is looked up, and no address is parsed, for a site without documents.
        if self.rsl.is_empty() {
            None
        } else {
            self.rsl.get(&key(address)).map(|document| &**document)
        }
    }
}

/// The form by which addresses are compared: without a fragment, as the WHATWG URL standard writes it.
fn key(address: &str) -> Box<str> {
    match url::Url::parse(address) {
        Ok(mut url) => {
            url.set_fragment(None);
            String::from(url).into()
        }
        Err(_) => address.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let rsl = b"<rsl/>";
        let documents = Documents::new()
            .with("https://e.com/.well-known/tdmrep.json", b"[]")
            .with("https://E.com:443/a b#x", rsl)
            .with("other", rsl);
        let origin = |url| Origin::of(url).unwrap();
        assert!(documents.tdm(Some(&origin("https://e.com/x"))).is_some());
        assert!(documents.tdm(Some(&origin("http://e.com/x"))).is_none());
        assert!(documents.tdm(None).is_none());
        assert!(documents.rsl("https://e.com/a%20b").is_some());
        assert!(documents.rsl("https://e.com/").is_none());
        assert!(documents.rsl("other").is_some());
        let everywhere = Documents::new().with("/.well-known/tdmrep.json", b"x");
        assert!(everywhere.tdm(None).is_some_and(Result::is_err));
        let mut all = Documents::new();
        all.add_all(&documents);
        assert!(all.tdm(Some(&origin("https://e.com/x"))).is_some() && all.rsl("other").is_some());
        assert!(Documents::new().is_empty() && !everywhere.is_empty());
    }
}
