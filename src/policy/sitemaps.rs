//! The sitemaps of a file, kept beside its policies.

use std::sync::Arc;

use crate::policy::robots::Robots;

/// The values of a file's `Sitemap` records as written: each with its length before it, in four
/// bytes. One word if there are none. Clones share the text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sitemaps(Option<Arc<Box<[u8]>>>);

impl Sitemaps {
    /// The sitemaps of a file, if its configuration says that they are kept.
    pub(crate) fn kept(robots: &Robots<'_>) -> Sitemaps {
        if robots.config().keep_sitemaps {
            Sitemaps::of(robots.sitemaps())
        } else {
            Sitemaps::default()
        }
    }

    /// These sitemaps.
    pub(crate) fn of<'s>(sitemaps: impl Iterator<Item = &'s [u8]>) -> Sitemaps {
        let mut text = Vec::new();
        for sitemap in sitemaps {
            // What is read of a file has less than 4 GiB.
            text.extend((sitemap.len() as u32).to_le_bytes());
            text.extend_from_slice(sitemap);
        }
        Sitemaps((!text.is_empty()).then(|| Arc::new(text.into())))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        texts(self.text())
    }

    /// The list with the lengths.
    pub(crate) fn text(&self) -> &[u8] {
        self.0.as_deref().map_or(&[], |text| text)
    }

    /// The bytes apart from `self`: those of the text, and the two counters and the slice of the
    /// Arc.
    pub(crate) fn memory_usage(&self) -> usize {
        self.0.as_ref().map_or(0, |text| text.len() + 2 * size_of::<usize>() + size_of::<&[u8]>())
    }
}

/// The texts of a list, each of which has its length before it. Ends where one is cut short.
pub(crate) fn texts(mut list: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let (len, rest) = list.split_first_chunk::<4>()?;
        let (text, rest) = rest.split_at_checked(u32::from_le_bytes(*len) as usize)?;
        list = rest;
        Some(text)
    })
}
