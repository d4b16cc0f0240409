//! What a profile's size limit keeps from being read, and whether that matters.

use crate::policy::robots::Robots;
use crate::profile::Profile;
use crate::read::crawler::Crawler;
use crate::read::parse::Extent;
use crate::verdict::Verdict;

use super::answer::{Answer, Question};

/// Where the profile's size limit cut the file, and the answer of the whole file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct FileCut {
    /// The number of bytes that were read: the limit, cut back to a whole line.
    pub bytes_read: usize,
    /// The first line that was not read, from 1.
    pub line: u32,
    /// The limit.
    pub limit_bytes: usize,
    /// True if the whole file would give another answer: another verdict, or by another line.
    pub matters: bool,
    /// The verdict by the whole file.
    pub verdict: Verdict,
    /// The line that decides in the whole file, if one does.
    pub winner_line: Option<u32>,
}

impl FileCut {
    pub(super) fn of(
        robots: &Robots<'_>,
        answer: &Answer,
        crawler: &Crawler,
        url: &[u8],
    ) -> Option<FileCut> {
        let file = robots.groups().file();
        let profile = robots.profile();
        let extent = robots.groups().extent();
        if extent.to >= file.len() {
            return None;
        }
        let whole = Question { file, crawler, url };
        let whole = whole.answer(&Profile { size_limit: None, ..*profile });
        Some(FileCut {
            bytes_read: extent.to,
            line: robots.groups().lines().count() as u32 + 1,
            limit_bytes: Extent::limit(profile),
            matters: whole != *answer,
            verdict: whole.verdict?,
            winner_line: whole.line,
        })
    }
}
