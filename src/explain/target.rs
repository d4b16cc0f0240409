//! The target with the way back to the URL.

use std::ops::Range;

use crate::profile::Profile;
use crate::rules::normalise::Encoding;
use crate::rules::target::{InvalidUrl, path_as_given};

/// What of a URL is compared with the rules, as given and as compared.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ComparedTarget {
    /// As it is compared: normalised, with its first `/`.
    pub bytes: Vec<u8>,
    /// The bytes of the URL that hold it.
    pub url_span: Range<usize>,
    /// Whether the first `/` does not stand in the URL: `https://e.com?x` is `/?x`.
    pub slash_implied: bool,
    /// What differs between the URL and `bytes`, one for each byte or `%XX` of the URL, in
    /// their order.
    pub changes: Vec<Change>,
}

/// A part of a URL that is compared in another form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Which bytes of the URL.
    pub url_span: Range<usize>,
    /// What they became, in bytes of the target.
    pub target_span: Range<usize>,
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
                target.changes.push(Change {
                    url_span: start + at..start + at + read,
                    target_span: from..target.bytes.len(),
                });
            }
            at += read;
        }
        Ok(target)
    }

    /// The bytes of the URL from which a part of the target was made. A part that begins or
    /// ends within a [`Change`] takes all of it; an implied `/` is made from none.
    pub fn in_url(&self, target_span: Range<usize>) -> Range<usize> {
        let end = self.to_url(target_span.end, |change| change.url_span.end);
        let start = self.to_url(target_span.start, |change| change.url_span.start);
        start.min(end)..end
    }

    fn to_url(&self, at: usize, within: impl Fn(&Change) -> usize) -> usize {
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
    fn is_what_is_compared() {
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
        for &(_, profile) in Profile::NAMED {
            for url in urls {
                let wanted = Target::from_url(url, &profile).map(|target| target.to_vec());
                let got = ComparedTarget::of(url, &profile);
                assert_eq!(got.as_ref().map(|t| t.bytes.clone()), wanted.as_ref().cloned());
                let Ok(target) = got else { continue };
                assert_eq!(target.in_url(0..target.bytes.len()), target.url_span);
                // What did not change is the same byte in both.
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
    fn an_implied_slash_is_nowhere() {
        let target = ComparedTarget::of(b"http://?x", &Profile::GOOGLE).unwrap();
        assert!(target.slash_implied);
        assert_eq!((target.in_url(0..1), target.in_url(1..3)), (7..7, 7..9));
    }
}
