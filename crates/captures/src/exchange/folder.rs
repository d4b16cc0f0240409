//! Stores as folders of robots.txt files, and back.

use std::collections::{BTreeMap, btree_map};

use robotsieve::{Origin, Profile, Scheme, SiteKind};
use robotsieve_client::Timestamp;
use robotsieve_client::outcome::{Attempt, OriginState, Protocol, Response};
use robotsieve_client::store::{MAX_BODY_BYTES, Reader, StoreError};

/// The rules in force for the hosts of a store, as robots.txt files: those of a [folder](robotsieve_client::folders).
pub struct InForce<'r> {
    reader: &'r Reader,
    protocol: Protocol,
    now: Timestamp,
    /// The origins of each host and port, in the order in which they count: https, then http, then ftp.
    hosts: btree_map::IntoIter<String, Vec<(Scheme, String)>>,
}

/// The rules in force for a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostTexts {
    /// The host and its port, as in [`Origin::authority`].
    pub authority: String,
    /// Of each origin that says something of its own. Empty if nothing is known of the host.
    pub texts: Vec<HostText>,
}

/// The rules in force for an origin, as a robots.txt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostText {
    /// The scheme.
    pub scheme: Scheme,
    /// True if it is the file of the host, false if it is one for this scheme alone.
    pub is_of_host: bool,
    /// The file.
    pub text: Vec<u8>,
}

impl<'r> InForce<'r> {
    /// The hosts of a store, in their order.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    pub fn new(
        reader: &'r Reader,
        protocol: Protocol,
        now: Timestamp,
    ) -> Result<InForce<'r>, StoreError> {
        let mut hosts: BTreeMap<String, Vec<_>> = BTreeMap::new();
        for row in reader.iter()? {
            let (key, _) = row?;
            let Ok(origin) = Origin::of(&key) else { continue };
            let of_host = hosts.entry(origin.authority().to_owned()).or_default();
            of_host.push((origin.scheme(), key.clone()));
            of_host.sort_by_key(|(scheme, _)| match scheme {
                Scheme::Https => 0,
                Scheme::Http => 1,
                _ => 2,
            });
        }
        Ok(InForce { reader, protocol, now, hosts: hosts.into_iter() })
    }

    /// What the first scheme says is for the host as a whole, and others only say what differs. If nothing is known of the
    /// first one, no other speaks for it.
    fn texts(&self, keys: &[(Scheme, String)]) -> Result<Vec<HostText>, StoreError> {
        let mut texts: Vec<HostText> = Vec::new();
        for (place, (scheme, key)) in keys.iter().enumerate() {
            let Some((known, body)) = self.reader.get_with_body(key)? else { continue };
            if known.is_unknown() {
                continue;
            }
            let text = text(&known, body, &self.protocol, self.now);
            let is_said = texts.first().is_some_and(|first| first.is_of_host && first.text == text);
            if !is_said {
                texts.push(HostText { scheme: *scheme, is_of_host: place == 0, text });
            }
        }
        Ok(texts)
    }
}

impl Iterator for InForce<'_> {
    type Item = Result<HostTexts, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        let (authority, keys) = self.hosts.next()?;
        Some(self.texts(&keys).map(|texts| HostTexts { authority, texts }))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.hosts.size_hint()
    }
}

impl ExactSizeIterator for InForce<'_> {}

/// What is in force for an origin, as a robots.txt.
fn text(
    known: &OriginState,
    body: Option<Vec<u8>>,
    protocol: &Protocol,
    now: Timestamp,
) -> Vec<u8> {
    match protocol.ruling(known, now).holds {
        SiteKind::Rules => body.unwrap_or_default(),
        SiteKind::AllowAll => Vec::new(),
        _ => b"# robotsieve: could not be fetched\nUser-agent: *\nDisallow: /\n".to_vec(),
    }
}

/// The state of an origin whose robots.txt is this file, as if it had been fetched at that time: its
/// state and its body, as a store takes them.
#[must_use]
pub fn fetched(file: Vec<u8>, at: Timestamp) -> (OriginState, Vec<u8>) {
    // As a file of a folder is read everywhere.
    let mut response = Response::as_is(200, file);
    if response.body.len() > MAX_BODY_BYTES {
        response = response.cut(MAX_BODY_BYTES);
    }
    let body = response.body.clone();
    let state = Protocol::of(&Profile::RFC9309).after(None, &Attempt::new(at, Ok(response)));
    (state.expect("only failures and status 511 are ours"), body)
}
