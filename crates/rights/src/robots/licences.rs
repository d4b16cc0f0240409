//! The `License` lines for a crawler.

use robotsieve::internals::Selected;

use crate::licence::{MOST_LICENCES, is_read};
use crate::note::{Note, Notes};
use crate::robots::lines::{RightsField, RightsLines};
use crate::robots::scope::is_of;

/// The absolute addresses of the licences for a crawler, with their lines: those of its groups, or else
/// those outside any group (RSL 1.0 §4.4).
pub(super) fn licences<'a>(
    lines: &RightsLines<'a>,
    own: &Selected,
    notes: &mut Notes,
) -> Vec<(u32, &'a str)> {
    let (mut of_crawler, mut global) = (Vec::new(), Vec::new());
    for line in lines.of_field(RightsField::License) {
        let found = match line.group {
            None => &mut global,
            Some(_) if is_of(line, own) => &mut of_crawler,
            Some(_) => continue,
        };
        match str::from_utf8(line.value).ok().filter(|text| url::Url::parse(text).is_ok()) {
            Some(url) => found.push((line.line, url)),
            None => notes.add(Note::LicenceRelative),
        }
    }
    let mut found = if of_crawler.is_empty() { global } else { of_crawler };
    let count = found.len();
    found.retain(|(_, url)| is_read(url));
    found.truncate(MOST_LICENCES);
    notes.add_if(found.len() < count, Note::LicencesLeftOut);
    found
}
