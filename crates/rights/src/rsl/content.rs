//! A content of a document, and the pages that it is about.

use std::ops::Range;

use robotsieve::Origin;

use crate::rsl::terms::Terms;

/// A content: what its licences are for.
#[derive(Clone, Debug)]
pub(super) struct Content {
    /// Its `url` as written. It may be empty, in a page only.
    pub(super) url: Box<str>,
    pub(super) has_server: bool,
    pub(super) licences: Vec<Terms>,
    /// Where each of them stands in the text.
    pub(super) spans: Vec<Range<usize>>,
}

impl Content {
    /// Its path, a pattern of RFC 9309. `None` if its `url` is empty, or has neither a path nor a host.
    pub(super) fn path(&self) -> Option<&str> {
        if self.is_path() {
            return Some(&self.url);
        }
        let before = before_path(&self.url);
        let path = &self.url[before.len()..];
        before.contains("://").then_some(if path.starts_with('/') { path } else { "/" })
    }

    /// The key of the origin of whose pages it can be; the inner `None` is for all, as its `url` is a path.
    /// `None` if it is of no origin, or of several: a host has no `*`.
    pub(super) fn site(&self) -> Option<Option<Box<str>>> {
        if self.is_path() {
            return Some(None);
        }
        let site = before_path(&self.url);
        let origin = Origin::of(site).ok().filter(|_| !site.contains('*'));
        origin.map(|origin| Some(origin.key().into()))
    }

    /// Returns true if it is not known which pages its `url` means.
    pub(super) fn is_unread(&self) -> bool {
        !self.url.is_empty() && (self.path().is_none() || self.site().is_none())
    }

    fn is_path(&self) -> bool {
        let (begin, rest) = self.url.split_at(self.url.find('/').unwrap_or(self.url.len()));
        let is_address = begin.ends_with(':') && rest.starts_with("//");
        begin.starts_with('*') && !is_address
            || begin.is_empty() && !rest.is_empty() && !rest.starts_with("//")
    }
}

/// `scheme://host` of an absolute URL.
fn before_path(url: &str) -> &str {
    let host = url.find("://").map_or(url.len(), |at| at + "://".len());
    let end = url[host..].find(['/', '?', '#']).map_or(url.len(), |at| host + at);
    &url[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls() {
        let origin = Origin::of("https://e.com/x").unwrap();
        for (url, path, is_own) in [
            ("/", Some("/"), true),
            ("*.pdf$", Some("*.pdf$"), true),
            ("https://e.com/a*", Some("/a*"), true),
            ("https://E.com:443", Some("/"), true),
            ("https://e.com?x", Some("/"), true),
            ("https://f.com/", Some("/"), false),
            ("http://e.com/", Some("/"), false),
            ("*/a://", Some("*/a://"), true),
            ("https://*.e.com/", Some("/"), false),
            ("https://e.com*", Some("/"), false),
            ("*://e.com/*", Some("/*"), false),
            ("//e.com/", None, false),
            ("a/", None, false),
            ("", None, false),
        ] {
            let (licences, spans) = (Vec::new(), Vec::new());
            let content = Content { url: url.into(), has_server: false, licences, spans };
            assert_eq!(content.path(), path, "{url}");
            let is_of =
                content.site().is_some_and(|site| site.is_none_or(|key| *key == *origin.key()));
            assert_eq!(is_of, is_own, "{url}");
            assert_eq!(content.site() == Some(None), content.is_path());
            let is_other = matches!(url, "https://f.com/" | "http://e.com/" | "");
            assert_eq!(content.is_unread(), !is_own && !is_other, "{url}");
        }
    }
}
