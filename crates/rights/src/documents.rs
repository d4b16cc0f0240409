//! Files of a site that say more of its pages: tdmrep.json and RSL documents.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use robotsieve::{AsUrl, Origin};

use crate::place::Place;
use crate::rsl::document::{InvalidRsl, Rsl};
use crate::tdm::{InvalidTdmFile, TdmFile};

/// Where TDMRep's file is.
pub const TDM_PATH: &str = "/.well-known/tdmrep.json";

/// Files that were fetched for a site, read once: `/.well-known/tdmrep.json`, and the RSL documents
/// that its robots.txt and its pages name. Clones share what was read.
///
/// This crate fetches nothing. What is not here is unknown, and licences whose documents are not here
/// are reported as [`LicenceState::NotGiven`](crate::LicenceState::NotGiven).
#[derive(Clone, Debug, Default)]
pub struct Documents {
    /// By the key of the origin whose file it is.
    tdm: BTreeMap<Box<str>, Arc<Result<TdmFile, InvalidTdmFile>>>,
    /// The file of every other site that is asked about.
    tdm_of_any: Option<Arc<Result<TdmFile, InvalidTdmFile>>>,
    rsl: BTreeMap<Box<str>, Arc<Result<Rsl, InvalidRsl>>>,
    /// The origins whose file of TDMRep was looked for and not read, and the addresses of such licences.
    tdm_not_read: BTreeSet<Box<str>>,
    /// True if the file of every other site was looked for and not read.
    tdm_of_any_not_read: bool,
    rsl_not_read: BTreeSet<Box<str>>,
}

impl Documents {
    /// No file.
    #[must_use]
    pub fn new() -> Documents {
        Documents::default()
    }

    /// Adds a file. `address` is its absolute URL, or `/.well-known/tdmrep.json`. Any other file is read
    /// as an RSL document. A file that was added before for the same address is replaced. `O(n)`.
    pub fn add(&mut self, address: &str, file: &[u8]) {
        if address == TDM_PATH {
            self.tdm_of_any = Some(Arc::new(TdmFile::parse(file)));
        } else if let Some(origin) = origin_of_tdm(address) {
            self.tdm.insert(origin, Arc::new(TdmFile::parse(file)));
        } else {
            self.rsl.insert(key(address), Arc::new(Rsl::parse(file, address)));
        }
    }

    /// Notes that a file was looked for in vain: it may be there, and disallow more. What an older copy says,
    /// if one is added, still restricts; nothing is permitted against it
    /// ([`Note::TdmNotRead`](crate::Note::TdmNotRead), [`Note::FileNotRead`](crate::Note::FileNotRead)).
    ///
    /// ```
    /// use robotsieve_rights::{Documents, Purpose, Response, RightsReader, Ruling};
    ///
    /// let mut documents = Documents::new();
    /// documents.add_not_read("https://e.com/.well-known/tdmrep.json");
    /// let reader = RightsReader::new(&"ExampleBot".into());
    /// let response = Response::new().with_headers([("Content-Signal", "search=yes, ai-train=yes")]);
    /// let rights = reader.rights("https://e.com/a", None, &response, &documents)?;
    /// assert_eq!(rights.ruling(Purpose::AiTrain), Ruling::Unknown);
    /// // TDMRep does not speak of it.
    /// assert_eq!(rights.ruling(Purpose::Index), Ruling::Allow);
    /// # Ok::<(), robotsieve::InvalidUrl>(())
    /// ```
    pub fn add_not_read(&mut self, address: &str) {
        if address == TDM_PATH {
            self.tdm_of_any_not_read = true;
        } else if let Some(origin) = origin_of_tdm(address) {
            self.tdm_not_read.insert(origin);
        } else {
            self.rsl_not_read.insert(key(address));
        }
    }

    /// The same with another file.
    #[must_use]
    pub fn with(mut self, address: &str, file: &[u8]) -> Documents {
        self.add(address, file);
        self
    }

    /// Adds all files of others. What was read of them is shared.
    pub fn add_all(&mut self, others: &Documents) {
        self.tdm.extend(others.tdm.iter().map(|(key, file)| (key.clone(), Arc::clone(file))));
        self.tdm_of_any = others.tdm_of_any.clone().or(self.tdm_of_any.take());
        self.rsl.extend(others.rsl.iter().map(|(key, file)| (key.clone(), Arc::clone(file))));
        self.tdm_of_any_not_read |= others.tdm_of_any_not_read;
        self.tdm_not_read.extend(others.tdm_not_read.iter().cloned());
        self.rsl_not_read.extend(others.rsl_not_read.iter().cloned());
    }

    /// The words at a place of a file, as they count for a URL: the rule of tdmrep.json, the licence. White space is a
    /// space; of a rule 200 characters are the most, around what it reserves, and of a licence its first 8 KiB. `None`
    /// for a place elsewhere.
    pub fn quote<U: AsUrl + ?Sized>(&self, place: &Place, url: &U) -> Option<String> {
        match place {
            Place::TdmFile { rule } => {
                let origin = Origin::of(url.as_url()).ok();
                self.tdm(origin.as_ref())?.as_ref().ok()?.quote(*rule)
            }
            Place::Rsl { document, .. } => self.rsl(document)?.as_ref().ok()?.quote(place),
            _ => None,
        }
    }

    /// Returns true if there is no file.
    pub fn is_empty(&self) -> bool {
        self.tdm.is_empty()
            && self.tdm_of_any.is_none()
            && self.rsl.is_empty()
            && !self.tdm_of_any_not_read
            && self.tdm_not_read.is_empty()
            && self.rsl_not_read.is_empty()
    }

    /// Returns true if a file is none of TDMRep, or no RSL document.
    pub fn has_invalid(&self) -> bool {
        self.tdm.values().chain(&self.tdm_of_any).any(|file| file.is_err())
            || self.rsl.values().any(|document| document.is_err())
    }

    /// Returns true if the file of TDMRep of an origin was looked for in vain.
    pub(super) fn is_tdm_not_read(&self, origin: Option<&Origin<'_>>) -> bool {
        let of_own = || origin.is_some_and(|origin| self.tdm_not_read.contains(origin.key()));
        self.tdm_of_any_not_read || of_own()
    }

    /// Returns true if the licence of an address was looked for in vain.
    pub(super) fn is_rsl_not_read(&self, address: &str) -> bool {
        !self.rsl_not_read.is_empty() && self.rsl_not_read.contains(&key(address))
    }

    /// The file of TDMRep for an origin.
    pub(super) fn tdm(
        &self,
        origin: Option<&Origin<'_>>,
    ) -> Option<&Result<TdmFile, InvalidTdmFile>> {
        let own = origin.and_then(|origin| self.tdm.get(origin.key()));
        own.or(self.tdm_of_any.as_ref()).map(|file| &**file)
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

/// The key of the origin whose file of TDMRep has this address. `None` if it is the address of another file.
#[must_use]
pub fn origin_of_tdm(address: &str) -> Option<Box<str>> {
    let url = url::Url::parse(address).ok()?;
    let is_tdm = url.path() == TDM_PATH && url.query().is_none();
    is_tdm.then(|| Origin::of(address).ok().map(|origin| origin.key().into())).flatten()
}

/// The form by which addresses are compared: without a fragment, as the WHATWG URL standard writes it. `None`
/// if it is no absolute URL.
#[must_use]
pub fn normal(address: &str) -> Option<Box<str>> {
    let mut url = url::Url::parse(address).ok()?;
    url.set_fragment(None);
    Some(String::from(url).into())
}

fn key(address: &str) -> Box<str> {
    normal(address).unwrap_or_else(|| address.into())
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
        let mut not_read = Documents::new();
        not_read.add_not_read("/.well-known/tdmrep.json");
        assert!(!not_read.is_empty() && not_read.is_tdm_not_read(None));
        let mut others = Documents::new();
        others.add_all(&not_read);
        assert!(others.is_tdm_not_read(Some(&origin("https://e.com/x"))));
        let mut all = Documents::new();
        all.add_all(&documents);
        assert!(all.tdm(Some(&origin("https://e.com/x"))).is_some() && all.rsl("other").is_some());
        assert!(Documents::new().is_empty() && !everywhere.is_empty());
    }

    #[test]
    fn words() {
        let long = "x".repeat(300);
        let tdm = format!(
            r#"[7, {{"location": "/a]\"}}",
                "tdm-reservation": 1}} , {{"x": [{{}}, 1]}}, {{"location":"/","x":"{long}"}},
                {{"location":"/","x":"{long}","tdm-reservation":0}}]"#
        );
        let document =
            |content: &str| format!("<rsl xmlns='https://rslstandard.org/rsl'>{content}</rsl>");
        let rsl = document(
            "<content url='/'><license/></content><content url='/a'><license>\n <permits type='usage'>all\
             </permits></license ><license><payment type='free'/></license></content>",
        );
        let documents = Documents::new()
            .with("https://e.com/.well-known/tdmrep.json", tdm.as_bytes())
            .with("https://e.com/l.xml", format!("\u{feff}{rsl}").as_bytes());
        let quote = |place| documents.quote(&place, "https://e.com/x");
        let rule = |rule| quote(Place::TdmFile { rule });
        assert_eq!(rule(0), None);
        assert_eq!(rule(1), None);
        let second = r#"{"location": "/a]\"}", "tdm-reservation": 1}"#;
        assert_eq!(rule(2).as_deref(), Some(second));
        assert_eq!(rule(3), None);
        assert_eq!(rule(4).map(|quote| quote.chars().count()), Some(201));
        let fifth = rule(5).unwrap();
        assert!(
            fifth.starts_with("…x") && fifth.ends_with("x\",\"tdm-reservation\":0}"),
            "{fifth}"
        );
        assert_eq!(rule(6), None);
        let document: Arc<str> = "https://e.com/l.xml".into();
        let licence =
            |content, licence| quote(Place::Rsl { document: document.clone(), content, licence });
        assert_eq!(licence(1, 1).as_deref(), Some("<license/>"));
        assert_eq!(licence(1, 2), None);
        let first = "<license> <permits type='usage'>all</permits></license >";
        assert_eq!(licence(2, 1).as_deref(), Some(first));
        let second = "<license><payment type='free'/></license>";
        assert_eq!(licence(2, 2).as_deref(), Some(second));
        assert_eq!((licence(2, 0), licence(2, 3), licence(3, 1)), (None, None, None));
    }
}
