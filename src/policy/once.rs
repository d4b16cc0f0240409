//! One verdict straight from the bytes of a file, without a policy.

use crate::as_url::AsUrl;
use crate::policy::robots::Robots;
use crate::profile::{GroupMatch, Profile};
use crate::read::crawler::Crawler;
use crate::read::groups::{GroupLine, scan_groups};
use crate::read::select::token_for;
use crate::read::token::{looked_up, names_everybody};
use crate::read::utf16::text_of;
use crate::rules::normalise::Encoding;
use crate::rules::target::{InvalidUrl, Target};
use crate::rules::{Judge, RawRule};

/// Returns true if a crawler may fetch one URL, or one path that begins with `/`.
///
/// Gives the verdict of [`Robots::policy`] and [`Policy::is_allowed`](crate::Policy::is_allowed)
/// in one pass over the file: each rule is compared as it is read, and none is kept. Use it if
/// the file is asked about once; from the second URL on, a policy costs less.
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
    let mut judge = Judge::new(&target, profile);
    // The best rank so far: the groups that have it are the crawler's.
    let mut best = None;
    // Whether the group being read is one of them.
    let mut counts = false;
    scan_groups(file, profile, |line, found| {
        let value = &file[found.value_at as usize..found.value_end as usize];
        match line {
            GroupLine::Agent { opens_group, .. } => {
                counts &= !opens_group;
                let rank = rank(value, crawler, profile);
                if rank > best {
                    best = rank;
                    counts = true;
                    judge.reset();
                } else if rank.is_some() && rank == best {
                    counts |= profile.merge_groups;
                }
            }
            // They are the `*` group's.
            GroupLine::Everybody => {
                (best, counts) = (Some((0, 0)), true);
            }
            GroupLine::Rule(verdict) if counts && !value.is_empty() => {
                judge.add(RawRule { line: found.line, verdict, value });
            }
            GroupLine::Rule(_) | GroupLine::Pace => {}
        }
    });
    Ok(judge.verdict().is_allow())
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
