//! An origin of a pack.

use smallvec::SmallVec;

use crate::policy::crawlers::Answer;
use crate::policy::sitemaps::texts;
use crate::records::Pace;

use super::format::u32_at;
use super::{Pack, PackError, PackedPolicy};

/// What a pack has for one origin.
#[derive(Clone, Copy, Debug)]
pub struct Site<'p> {
    pub(super) pack: &'p Pack<'p>,
    /// Less than the number of files.
    pub(super) row: u32,
}

impl<'p> Site<'p> {
    /// The policy of a crawler, by its index in [`Pack::crawlers`].
    ///
    /// Checks the policy when it is first used.
    ///
    /// # Errors
    /// Returns an error if the policy, or the row that leads to it, is damaged.
    ///
    /// # Panics
    /// Panics if there is no such crawler.
    pub fn policy(&self, crawler: usize) -> Result<PackedPolicy<'p>, PackError> {
        self.pack.policy(self.record(crawler)?)
    }

    /// How fast the site asks a crawler to go, by the crawler's index in [`Pack::crawlers`]. As
    /// [`Policy::pace`](crate::Policy::pace) says it, by the writer's configuration.
    ///
    /// # Errors
    /// Returns an error if the policy, or the row that leads to it, is damaged.
    ///
    /// # Panics
    /// Panics if there is no such crawler.
    pub fn pace(&self, crawler: usize) -> Result<Pace, PackError> {
        Ok(self.policy(crawler)?.pace())
    }

    /// The values of the file's `Sitemap` records, as written and in its order. None if the pack
    /// does not keep them ([`Pack::keeps_sitemaps`]).
    ///
    /// # Errors
    /// Returns an error if the list, or the row that leads to it, is damaged.
    pub fn sitemaps(&self) -> Result<impl Iterator<Item = &'p [u8]> + use<'p>, PackError> {
        let list = match self.pack.keeps_sitemaps() {
            true => self.pack.sitemaps(self.cell(self.pack.trailer.crawlers)?)?,
            false => &[],
        };
        Ok(texts(list))
    }

    /// The number of its robots.txt among the distinct ones. Origins with equal files have the
    /// same number.
    pub fn file(&self) -> u32 {
        self.row
    }

    /// The number of a crawler's record.
    fn record(&self, crawler: usize) -> Result<u32, PackError> {
        let crawlers = self.pack.trailer.crawlers;
        let column = u32::try_from(crawler).ok().filter(|column| *column < crawlers);
        let Some(column) = column else { panic!("no crawler {crawler}") };
        self.cell(column)
    }

    /// What a column of its row says. `column` is less than the number of columns.
    fn cell(&self, column: u32) -> Result<u32, PackError> {
        let columns = self.pack.trailer.columns() as usize;
        // A cell of the rows, so it cannot overflow.
        let at = self.pack.parts.rows + 4 * (self.row as usize * columns + column as usize);
        Ok(u32_at(self.pack.checked(at..at + 4)?, 0).expect("four bytes"))
    }

    /// Answers for a URL, or for a path that begins with `/`: one for each crawler of the
    /// pack. Crawlers that share a policy cost one walk.
    ///
    /// # Errors
    /// Returns an error if a policy, or the row that leads to it, is damaged.
    ///
    /// # Panics
    /// Panics unless `answers` has one element for each crawler.
    pub fn ask<U: AsRef<[u8]> + ?Sized>(
        &self,
        url: &U,
        answers: &mut [Answer],
    ) -> Result<(), PackError> {
        assert_eq!(answers.len(), self.pack.crawlers().len(), "one answer for each crawler");
        let Ok(target) = self.pack.target(url) else {
            answers.fill(Answer::Invalid);
            return Ok(());
        };
        let mut known: SmallVec<[(u32, Answer); 8]> = SmallVec::new();
        for (crawler, answer) in answers.iter_mut().enumerate() {
            let record = self.record(crawler)?;
            let found = known.iter().find(|(known, _)| *known == record).map(|(_, answer)| *answer);
            *answer = match found {
                Some(answer) => answer,
                None => {
                    let found = self.pack.policy(record)?.verdict(&target).into();
                    known.push((record, found));
                    found
                }
            };
        }
        Ok(())
    }
}
