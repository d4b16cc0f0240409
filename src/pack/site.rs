//! What a pack has for an origin, and the policy of a crawler there.

use std::time::Duration;

use crate::as_url::AsUrl;
use crate::origin::{Origin, Scheme};
use crate::policy::Policy;
use crate::policy::answers::{Answer, Answers, CrawlerId};
use crate::policy::decision::Decision;
use crate::policy::sitemaps::texts;
use crate::read::fields::{Pace, RequestRate};
use crate::rules::target::{InvalidUrl, Target};
use crate::sites::compiled;
use crate::sites::kind::SiteKind;
use crate::sites::layout::{Always, Entry, NO_RECORD, Policies};
use crate::sites::look_up;
use crate::sites::policy::SitePolicy;
use crate::verdict::Verdict;

use super::error::PackError;
use super::open::Pack;
use super::outcome::{CaptureTimes, Written};
use super::recipe::Packed;
use super::shard::Shard;

/// What a pack has for an origin.
#[derive(Clone, Copy, Debug)]
pub struct Site<'p> {
    pub(super) pack: &'p Pack<'p>,
    pub(super) shard: &'p Shard<'p>,
    /// Not one that was removed.
    pub(super) entry: Entry<'p>,
}

/// What a look-up finds in a pack.
#[derive(Clone, Copy)]
pub(crate) struct PackEntry<'p> {
    pub(super) shard: &'p Shard<'p>,
    /// The record that the entry leads to, if something is known.
    pub(super) policies: u32,
    pub(super) always: Always,
}

impl<'p> PackEntry<'p> {
    #[inline]
    pub(super) fn of(shard: &'p Shard<'p>, entry: &Entry<'_>) -> PackEntry<'p> {
        PackEntry { shard, policies: entry.policies, always: entry.always }
    }
}

/// The records of a site.
pub(super) struct Bodies<'p> {
    /// Each policy with its rules, if they are kept apart.
    pub(super) policies: Vec<(Body<'p>, Body<'p>)>,
    /// For each crawler the index of its policy.
    pub(super) columns: Vec<usize>,
    pub(super) sitemaps: Body<'p>,
    pub(super) rights: Body<'p>,
}

/// A record with its body.
#[derive(Clone, Copy)]
pub(super) struct Body<'p> {
    pub(super) record: u32,
    /// Empty if there is no such record.
    pub(super) bytes: &'p [u8],
}

impl<'p> Site<'p> {
    /// Host and, where it is not the scheme's default, port: [`Origin::authority`].
    pub fn authority(&self) -> &'p str {
        // Those of a damaged or hostile pack may be anything where they are not listed.
        let authority = self.shard.authority(&self.entry).unwrap_or_default();
        str::from_utf8(authority).unwrap_or_default()
    }

    /// The schemes of the origins that the site stands for.
    pub fn schemes(&self) -> impl Iterator<Item = Scheme> + use<> {
        let schemes = self.entry.schemes;
        schemes.iter()
    }

    /// The origins that the site stands for, which differ in their scheme at most.
    pub fn origins(&self) -> impl Iterator<Item = Origin<'static>> + use<'p> {
        let authority = self.authority();
        self.schemes().filter_map(move |scheme| {
            Origin::of(&format!("{scheme}://{authority}")).ok().map(Origin::into_owned)
        })
    }

    /// The state of the rules: compiled, all allowed and so on.
    pub fn kind(&self) -> SiteKind {
        // Checked when the entry was read.
        SiteKind::of(self.entry.kind).unwrap_or(SiteKind::Unknown)
    }

    /// When that was captured, in seconds since the UNIX epoch. `None` if the writer was not told.
    pub fn captured(&self) -> Option<u64> {
        let is_told = self.entry.captured != 0 && !self.entry.is_later;
        is_told.then_some(self.entry.captured.into())
    }

    /// If it is not told when that was captured: a time after which it was, in seconds since the
    /// UNIX epoch. It is that of an answer which it replaced.
    pub fn captured_after(&self) -> Option<u64> {
        self.entry.is_later.then_some(self.entry.captured.into())
    }

    /// All that is known of when it was captured, as [`Writer::add_at`](crate::pack::Writer::add_at) was
    /// told.
    pub fn times(&self) -> CaptureTimes {
        let Entry { captured, is_later, other, .. } = self.entry;
        CaptureTimes { captured: captured.into(), is_later, other: other.into() }
    }

    /// The pack it is in.
    pub fn pack(&self) -> &'p Pack<'p> {
        self.pack
    }

    /// Returns true if it is a site of this very pack.
    pub(super) fn is_of(&self, pack: &Pack<'_>) -> bool {
        std::ptr::addr_eq(self.pack, pack)
    }

    /// Where its records are, in its file.
    pub(super) fn written(&self) -> Written {
        Written { policies: self.entry.policies, about: self.entry.about }
    }

    /// The policy of a crawler ([`Pack::crawler`]). `None` if nothing is known of the site
    /// ([`SiteKind::Unknown`]).
    ///
    /// Checks the policy when it is first used.
    ///
    /// # Errors
    /// Returns an error if the policy, or what leads to it, is damaged.
    ///
    /// # Panics
    /// Panics if there is no such crawler.
    pub fn policy(&self, crawler: CrawlerId) -> Result<Option<PackedPolicy<'p>>, PackError> {
        let crawler = crawler.among(self.pack.crawlers().len());
        if self.kind() == SiteKind::Unknown {
            return Ok(None);
        }
        let (policies, shard) = (self.policies()?, self.shard);
        let record = policies.record(crawler);
        let about = shard.about(self.entry.about)?;
        let rules = about.rules(policies.index(crawler));
        let (policy, pace) = (shard.site_policy(record)?, shard.pace(record)?);
        Ok(Some(PackedPolicy { shard, record, rules, pace, policy }))
    }

    /// The pace that the site asks of a crawler, as [`Policy::pace`](crate::Policy::pace) says it, by the
    /// writer's configuration.
    ///
    /// # Errors
    /// Returns an error if the policy, or what leads to it, is damaged.
    ///
    /// # Panics
    /// Panics if there is no such crawler.
    pub fn pace(&self, crawler: CrawlerId) -> Result<Pace, PackError> {
        let crawler = crawler.among(self.pack.crawlers().len());
        if self.kind() == SiteKind::Unknown {
            return Ok(Pace::NONE);
        }
        self.shard.pace(self.policies()?.record(crawler))
    }

    /// The values of the file's `Sitemap` records, as written and in its order. None if the pack
    /// does not keep them ([`Pack::keeps_sitemaps`]).
    ///
    /// # Errors
    /// Returns an error if the list, or what leads to it, is damaged.
    pub fn sitemaps(&self) -> Result<impl Iterator<Item = &'p [u8]> + use<'p>, PackError> {
        let record = match self.pack.keeps_sitemaps() {
            true => self.shard.about(self.entry.about)?.sitemaps(),
            false => NO_RECORD,
        };
        Ok(texts(self.shard.sitemaps(record)?))
    }

    /// Returns true if its file says something of rights to any of the pack's crawlers. If not, nothing
    /// but crawling is allowed or disallowed there. False if the pack does not keep that
    /// ([`Pack::keeps_rights`]).
    ///
    /// # Errors
    /// Returns an error if what leads to it is damaged.
    pub fn speaks_of_rights(&self) -> Result<bool, PackError> {
        Ok(self.pack.keeps_rights() && self.shard.about(self.entry.about)?.rights() != NO_RECORD)
    }

    /// What its file says of rights, in the bytes that
    /// [`Recipe::pack_with_rights`](crate::pack::Recipe::pack_with_rights) was given:
    /// `robotsieve_rights::packed` reads them. Empty if it says nothing, or if the pack does not keep
    /// that ([`Pack::keeps_rights`]).
    ///
    /// # Errors
    /// Returns an error if the record, or what leads to it, is damaged.
    pub fn rights(&self) -> Result<&'p [u8], PackError> {
        if !self.pack.keeps_rights() {
            return Ok(&[]);
        }
        Ok(self
            .shard
            .rights(self.shard.about(self.entry.about)?.rights())?
            .get(1..)
            .unwrap_or_default())
    }

    /// The error for rights that their reader cannot read.
    pub fn unreadable_rights(&self) -> PackError {
        match self.shard.about(self.entry.about) {
            Ok(about) => {
                self.shard.damaged_body(about.rights(), "the rights of a record cannot be read")
            }
            Err(error) => error,
        }
    }

    /// Returns true if this is what a writer would write for a file: equal policies, rules and sitemaps, as
    /// far as the pack keeps them. `packed` must come from a writer for the pack's crawlers.
    ///
    /// # Errors
    /// Returns an error if a record is damaged.
    pub fn holds(&self, packed: &Packed) -> Result<bool, PackError> {
        if self.kind() != SiteKind::Rules {
            return Ok(false);
        }
        let bodies = self.bodies()?;
        let rights = bodies.rights.bytes.get(1..).unwrap_or_default();
        let has_rights = !self.pack.keeps_rights() || packed.rights.as_deref() == Some(rights);
        let policies = packed.policies.iter().map(|parts| (&parts.policy[..], &parts.rules[..]));
        Ok(bodies.columns == packed.columns
            && bodies.sitemaps.bytes == packed.sitemaps
            && has_rights
            && bodies
                .policies
                .iter()
                .map(|(policy, rules)| (policy.bytes, rules.bytes))
                .eq(policies))
    }

    /// Its records. Checks that each is of its kind.
    pub(super) fn bodies(&self) -> Result<Bodies<'p>, PackError> {
        let (shard, crawlers) = (self.shard, self.pack.crawlers().len());
        let about = shard.about(self.entry.about)?;
        shard.sitemaps(about.sitemaps())?;
        let sitemaps = Body { record: about.sitemaps(), bytes: shard.record(about.sitemaps())? };
        let rights = Body { record: about.rights(), bytes: shard.rights(about.rights())? };
        if crawlers == 0 {
            return Ok(Bodies { policies: Vec::new(), columns: Vec::new(), sitemaps, rights });
        }
        let policies = self.policies()?;
        let bodies = policies.records().enumerate().map(|(number, record)| {
            let rules = about.rules(number);
            let policy = Body { record, bytes: shard.policy(record)? };
            Ok((policy, Body { record: rules, bytes: shard.rules(rules)? }))
        });
        Ok(Bodies {
            policies: bodies.collect::<Result<_, PackError>>()?,
            columns: (0..crawlers).map(|crawler| policies.index(crawler)).collect(),
            sitemaps,
            rights,
        })
    }

    /// The verdict that its policies have on every URL, if its entry says that they have one.
    pub(super) fn always(&self) -> Result<Always, PackError> {
        if self.entry.always == Always::Neither {
            return Ok(Always::Neither);
        }
        let encoding = self.shard.reading.encoding;
        let policies = self.policies()?;
        let mut records = policies.records();
        records.try_fold(self.entry.always, |always, record| {
            Ok(always.and(compiled::always(self.shard.policy(record)?, encoding)))
        })
    }

    #[inline]
    fn policies(&self) -> Result<Policies<'p>, PackError> {
        self.shard.policies(self.entry.policies, self.pack.crawlers().len())
    }

    /// The answers for a URL, or for a path that begins with `/`: one for each crawler of the
    /// pack. Crawlers that share a policy cost one walk. All are [`Answer::Unknown`] if nothing is
    /// known of the site; otherwise [`Answer::Invalid`] if the URL is.
    ///
    /// # Errors
    /// Returns an error if a policy, or what leads to it, is damaged.
    pub fn ask<U: AsUrl + ?Sized>(&self, url: &U) -> Result<Answers, PackError> {
        let mut answers = Answers::unknown(1, self.pack.crawlers().len());
        self.ask_into(url, &mut answers)?;
        Ok(answers)
    }

    /// The same, written into a place that is there already.
    ///
    /// # Errors
    /// Returns an error if a policy, or what leads to it, is damaged.
    ///
    /// # Panics
    /// Panics unless `answers` has one element for each crawler.
    pub fn ask_into<U: AsUrl + ?Sized>(
        &self,
        url: &U,
        answers: &mut [Answer],
    ) -> Result<(), PackError> {
        assert_eq!(answers.len(), self.pack.crawlers().len(), "one answer for each crawler");
        let found = PackEntry::of(self.shard, &self.entry);
        look_up::ask(
            self.pack,
            found,
            self.pack.target(url),
            self.pack.crawler_ids().iter().copied(),
            answers,
        )
    }
}

/// The policy of one crawler for one origin, with what the pack has beside it. It has been checked.
#[derive(Clone, Debug)]
pub struct PackedPolicy<'p> {
    shard: &'p Shard<'p>,
    record: u32,
    /// The record of its rules, if it has a table.
    rules: u32,
    pace: Pace,
    policy: SitePolicy<'p>,
}

impl<'p> PackedPolicy<'p> {
    /// The policy, to judge by.
    pub fn policy(&self) -> &SitePolicy<'p> {
        &self.policy
    }

    /// True if the crawler may fetch this URL, or this path that begins with `/`.
    ///
    /// # Errors
    /// Returns an error if the URL is invalid; never in the profile `google`.
    #[inline]
    pub fn is_allowed<U: AsUrl + ?Sized>(&self, url: &U) -> Result<bool, InvalidUrl> {
        self.policy.is_allowed(url)
    }

    /// True if the crawler may fetch this path, with its query if it has one.
    ///
    /// # Errors
    /// Returns an error if the path does not begin with `/`.
    #[inline]
    pub fn is_path_allowed<P: AsRef<[u8]> + ?Sized>(&self, path: &P) -> Result<bool, InvalidUrl> {
        self.policy.is_path_allowed(path)
    }

    /// The verdict on a target, which must come from the pack's own profile or from one that
    /// finds and normalises targets alike.
    ///
    /// # Panics
    /// Panics if the target comes from a profile that finds or normalises targets differently.
    #[inline]
    pub fn verdict(&self, target: &Target<'_>) -> Verdict {
        self.policy.verdict(target)
    }

    /// The verdict on a URL, or on a path that begins with `/`, with its reason as far as it is
    /// known: [`SitePolicy::decide`]. [`PackedPolicy::with_rules`] knows the rule.
    ///
    /// # Errors
    /// Returns an error if the URL is invalid; never in the profile `google`.
    pub fn decide<U: AsUrl + ?Sized>(&self, url: &U) -> Result<Decision<'_>, InvalidUrl> {
        self.policy.decide(url)
    }

    /// The pace that the site asks the crawler for, as [`Policy::pace`] says it.
    pub fn pace(&self) -> Pace {
        self.pace
    }

    /// The crawl delay of [`PackedPolicy::pace`].
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.pace().crawl_delay
    }

    /// The request rate of [`PackedPolicy::pace`].
    pub fn request_rate(&self) -> Option<RequestRate> {
        self.pace().request_rate
    }

    /// True if it is a compiled table. If not, it is a list of rules.
    pub fn is_table(&self) -> bool {
        self.policy.table().is_some()
    }

    /// The policy with its rules, for [`Policy::decide`]. `None` if this policy is a table and the
    /// pack does not keep rules. The pack keeps the policy in memory from then on.
    ///
    /// # Errors
    /// Returns an error if the rules are damaged.
    pub fn with_rules(&self) -> Result<Option<Policy>, PackError> {
        match self.policy.as_policy() {
            Some(policy) => Ok(Some(policy.clone())),
            None if self.rules != NO_RECORD => {
                self.shard.with_rules(self.record, self.rules).map(Some)
            }
            None => Ok(None),
        }
    }

    /// True if both are the same policy of the same pack.
    pub fn is_same(&self, other: &PackedPolicy<'_>) -> bool {
        std::ptr::eq(self.shard, other.shard) && self.record == other.record
    }
}
