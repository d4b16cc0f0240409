//! One verdict straight from the bytes of a file, without a policy.

use crate::as_url::AsUrl;
use crate::policy::robots::Robots;
use crate::profile::{GroupMatch, Profile};
use crate::read::crawler::Crawler;
use crate::read::differing::Differing;
use crate::read::groups::{Visit, scan_groups};
use crate::read::parse::FoundLine;
use crate::read::select::token_for;
use crate::read::token::{looked_up, names_everybody};
use crate::read::utf16::text_of;
use crate::rules::normalise::Encoding;
use crate::rules::target::{InvalidUrl, Target};
use crate::rules::{Judge, RawRule};
use crate::sixteen::Sixteen;
use crate::verdict::Verdict;

/// Returns true if a crawler may fetch one URL, or one path that begins with `/`.
///
/// Gives the verdict of [`Robots::policy`] and [`Policy::is_allowed`](crate::Policy::is_allowed)
/// in one pass over the file: each rule is compared as it is read, and none is kept. Use it if
/// the file is asked about once or twice; from the third URL on, a policy costs no more, of a small file
/// from the fourth.
///
/// ```
/// use robotsieve::{Crawler, Profile, is_allowed_once};
///
/// let file = b"User-agent: *\nDisallow: /search\nAllow: /search/about";
/// let bot = Crawler::name("bot");
/// assert!(!is_allowed_once(file, &Profile::RFC9309, &bot, "https://e.com/search?q=x")?);
/// assert!(is_allowed_once(file, &Profile::RFC9309, &bot, "/search/about")?);
/// # Ok::<(), robotsieve::InvalidUrl>(())
/// ```
///
/// # Errors
/// Returns an error if `url` is neither a URL nor such a path; never in the profile `google`.
pub fn is_allowed_once<U: AsUrl + ?Sized>(
    file: &[u8],
    profile: &Profile,
    crawler: &Crawler,
    url: &U,
) -> Result<bool, InvalidUrl> {
    let file = &*text_of(file, profile);
    let target = Target::of(url.as_url(), profile.target_form, Encoding::of_target(profile))?;
    if profile.robots_txt_allowed && target.is_robots_txt() {
        return Ok(true);
    }
    if !is_ranked(crawler, profile) {
        return Ok(Robots::parse(file, profile).policy(crawler).verdict(&target).is_allow());
    }
    let target = target.to_buffer();
    let judge = Judge::new(&target, profile);
    // Without vectors, comparing each line costs more than looking at the rules.
    let differing = Sixteen::IS_FAST.then(|| Differing::of(&target));
    let mut verdict = OneVerdict { file, profile, crawler, judge, best: None, counts: false };
    scan_groups(file, profile, differing, &mut verdict);
    Ok(verdict.judge.verdict().is_allow())
}

struct OneVerdict<'f, 'c, 'p, 't> {
    file: &'f [u8],
    profile: &'p Profile,
    crawler: &'c Crawler,
    judge: Judge<'p, 't>,
    /// The best rank so far: the groups that have it are the crawler's.
    best: Option<(usize, usize)>,
    /// Whether the group being read is one of them.
    counts: bool,
}

impl<'f> OneVerdict<'f, '_, '_, '_> {
    #[inline(always)]
    fn value(&self, line: FoundLine) -> &'f [u8] {
        let FoundLine { value_at, value_end, .. } = line.trimmed(self.file);
        &self.file[value_at as usize..value_end as usize]
    }
}

impl Visit for OneVerdict<'_, '_, '_, '_> {
    fn agent(&mut self, line: FoundLine, opens_group: bool, _opens_run: bool) {
        self.counts &= !opens_group;
        let rank = rank(self.value(line), self.crawler, self.profile);
        if rank > self.best {
            (self.best, self.counts) = (rank, true);
            self.judge.reset();
        } else if rank.is_some() && rank == self.best {
            self.counts |= self.profile.merge_groups;
        }
    }

    /// They are the `*` group's.
    fn everybody(&mut self, _line: FoundLine) {
        (self.best, self.counts) = (Some((0, 0)), true);
    }

    #[inline(always)]
    fn rule(&mut self, line: FoundLine, verdict: Verdict) {
        if !self.counts {
            return;
        }
        let value = self.value(line);
        if !value.is_empty() {
            self.judge.add(RawRule { line: line.line, verdict, value });
        }
    }

    fn pace(&mut self, _line: FoundLine) {}
}

/// Returns true if a crawler's groups are exactly those with the highest [`rank`]. Not so if the groups
/// of different tokens are merged.
fn is_ranked(crawler: &Crawler, profile: &Profile) -> bool {
    match profile.group_match {
        GroupMatch::Equal => true,
        GroupMatch::LongestPrefix => {
            !crawler.merges_names(profile) || crawler.iter().nth(1).is_none()
        }
        GroupMatch::FirstSubstring => !profile.merge_groups,
    }
}

/// How well a user-agent line fits a crawler: `None` if not at all, `(0, 0)` for `*`, more for a
/// token. An earlier name of the crawler beats a later one, then a longer prefix a shorter one.
fn rank(value: &[u8], crawler: &Crawler, profile: &Profile) -> Option<(usize, usize)> {
    if names_everybody(value, profile) {
        return Some((0, 0));
    }
    crawler.iter().enumerate().find_map(|(number, name)| {
        let token = token_for(value, looked_up(name, profile.group_match), profile)?;
        let rank = if crawler.merges_names(profile) { usize::MAX } else { usize::MAX - number };
        let len = if profile.group_match == GroupMatch::LongestPrefix { token.len() } else { 0 };
        Some((rank, len))
    })
}
