//! The target of a URL, mapped back to the bytes of the URL.

use std::ops::Range;

use crate::profile::Profile;
use crate::rules::normalise::Encoding;
use crate::rules::target::{InvalidUrl, path_as_given};

/// The part of a URL that is compared with the rules, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ComparedTarget {
    /// The normalised bytes, from the first `/`.
    pub bytes: Vec<u8>,
    /// Where the target is, in bytes of the URL.
    pub url_span: Range<usize>,
    /// True if the first `/` is missing from the URL: the target of `https://e.com?x` is `/?x`.
    pub slash_implied: bool,
    /// The changes that normalising made, in the order of the URL: one entry for each byte or `%XX`.
    pub changes: Vec<TargetChange>,
}

/// A byte or `%XX` of a URL that normalising changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TargetChange {
    /// The bytes that changed, in the URL.
    #[cfg_attr(feature = "serde", serde(serialize_with = "as_pair"))]
    #[cfg_attr(feature = "schema", schemars(with = "[usize; 2]"))]
    pub url_span: Range<usize>,
    /// The bytes that they became, in the target.
    #[cfg_attr(feature = "serde", serde(serialize_with = "as_pair"))]
    #[cfg_attr(feature = "schema", schemars(with = "[usize; 2]"))]
    pub target_span: Range<usize>,
}

/// Writes a span as documents have it: `[start, end]`.
#[cfg(feature = "serde")]
fn as_pair<S: serde::Serializer>(span: &Range<usize>, to: S) -> Result<S::Ok, S::Error> {
    serde::Serialize::serialize(&[span.start, span.end], to)
}

impl ComparedTarget {
    pub(super) fn of(url: &[u8], profile: &Profile) -> Result<ComparedTarget, InvalidUrl> {
        let encoding = Encoding::of_target(profile);
        let path = path_as_given(url, profile.target_form)?;
        let start = url.len() - path.len();
        let path = encoding.up_to_end(path);
        let url_span = start..start + path.len();
        let slash_implied = path.first() != Some(&b'/');
        let mut target = ComparedTarget {
            bytes: Vec::with_capacity(path.len() + 1),
            url_span,
            slash_implied,
            changes: Vec::new(),
        };
        target.bytes.push(b'/');
        let mut at = usize::from(!slash_implied);
        while at < path.len() {
            let (read, became) = encoding.step(&path[at..]);
            let from = target.bytes.len();
            target.bytes.extend_from_slice(became.as_slice());
            if path[at..at + read] != *became.as_slice() {
                target.changes.push(TargetChange {
                    url_span: start + at..start + at + read,
                    target_span: from..target.bytes.len(),
                });
            }
            at += read;
        }
        Ok(target)
    }

    /// The bytes of the URL that a part of the target was made from. If the part begins or ends
    /// inside a [`TargetChange`], all of that change is included. An implied `/` gives an empty
    /// range.
    pub fn in_url(&self, target_span: Range<usize>) -> Range<usize> {
        let end = self.to_url(target_span.end, |change| change.url_span.end);
        let start = self.to_url(target_span.start, |change| change.url_span.start);
        start.min(end)..end
    }

    fn to_url(&self, at: usize, within: impl Fn(&TargetChange) -> usize) -> usize {
        let before = self.changes.partition_point(|change| change.target_span.start < at);
        match before.checked_sub(1).map(|last| &self.changes[last]) {
            Some(change) if at < change.target_span.end => within(change),
            Some(change) => change.url_span.end + (at - change.target_span.end),
            None => self.url_span.start + at.saturating_sub(usize::from(self.slash_implied)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::target::Target;

    #[test]
    fn bytes_are_those_of_the_target() {
        let urls: [&[u8]; 16] = [
            b"https://e.com/a%7Eb\xC3\xA9c?x*#f",
            b"https://e.com",
            b"https://e.com?x",
            b"https://e.com#f",
            b"/",
            b"/%zz%41%c3",
            b"//e.com/x",
            b"//?x",
            b"http://?x",
            b"http:///?x",
            b"e.com#/x",
            b"e.com/x\0y",
            b"",
            b"?",
            b"http://e.com;x",
            b"a;b",
        ];
        for (_, profile) in Profile::NAMED {
            for url in urls {
                let wanted = Target::from_url(url, profile).map(|target| target.to_vec());
                let got = ComparedTarget::of(url, profile);
                assert_eq!(got.as_ref().map(|t| t.bytes.clone()), wanted.as_ref().cloned());
                let Ok(target) = got else { continue };
                assert_eq!(target.in_url(0..target.bytes.len()), target.url_span);
                // A byte that did not change is the same in both.
                for at in usize::from(target.slash_implied)..target.bytes.len() {
                    let changed = target.changes.iter().find(|c| c.target_span.contains(&at));
                    let span = target.in_url(at..at + 1);
                    match changed {
                        Some(change) => assert_eq!(span, change.url_span),
                        None => assert_eq!(url[span], target.bytes[at..=at]),
                    }
                }
            }
        }
    }

    #[test]
    fn an_implied_slash_has_no_bytes_in_the_url() {
        let target = ComparedTarget::of(b"http://?x", &Profile::GOOGLE).unwrap();
        assert!(target.slash_implied);
        assert_eq!((target.in_url(0..1), target.in_url(1..3)), (7..7, 7..9));
    }
}
