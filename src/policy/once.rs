//! One verdict from the bytes of a file, and nothing built for a second one.

use crate::policy::robots::Robots;
use crate::profile::{GroupMatch, Profile};
use crate::read::crawler::Crawler;
use crate::read::groups::{GroupLine, scan_groups};
use crate::read::select::{looked_up, names_everybody, token_for};
use crate::rules::normalise::Encoding;
use crate::rules::target::{InvalidUrl, Target};
use crate::rules::{Judge, RawRule};

/// Whether a crawler may fetch one URL, or one path that begins with `/`: the verdict of
/// [`Robots::policy`] and [`Policy::is_allowed`](crate::Policy::is_allowed), for who will not
/// ask the file again.
///
/// Reads the file once and judges by each rule of the crawler's groups as it comes; keeps
/// none. With a second question for the same file a policy costs less.
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
/// [`InvalidUrl`] where the URL is none; never in the profile `google`.
pub fn is_allowed_once<U: AsRef<[u8]> + ?Sized>(
    file: &[u8],
    profile: &Profile,
    crawler: &Crawler,
    url: &U,
) -> Result<bool, InvalidUrl> {
    let target = Target::of(url.as_ref(), profile.target_form, Encoding::of_target(profile))?;
    if profile.robots_txt_allowed && target.is_robots_txt() {
        return Ok(true);
    }
    if !is_ranked(crawler, profile) {
        return Ok(Robots::parse(file, profile).policy(crawler).verdict(&target).is_allow());
    }
    let target = target.to_buffer();
    let mut judge = Judge::new(&target, profile);
    // The rank of the groups whose rules count so far.
    let mut best = None;
    // Whether those of this group do.
    let mut counts = false;
    scan_groups(file, profile, |line, found| {
        let value = &file[found.value_at as usize..found.value_end as usize];
        match line {
            GroupLine::Agent { opens_group } => {
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
            GroupLine::Rule(verdict) if counts && !value.is_empty() => {
                judge.add(RawRule { line: found.line, verdict, value });
            }
            GroupLine::Rule(_) => {}
        }
    });
    Ok(judge.verdict().is_allow())
}

/// Whether the user-agent lines of a crawler's groups are those of the highest [`rank`]: not
/// where several tokens, each found in its own way, count as one.
fn is_ranked(crawler: &Crawler, profile: &Profile) -> bool {
    match profile.group_match {
        GroupMatch::Equal => true,
        GroupMatch::LongestPrefix => !profile.merge_names || crawler.iter().nth(1).is_none(),
        GroupMatch::FirstSubstring => !profile.merge_groups,
    }
}

/// How well a user-agent line finds a crawler: not at all, as one for everybody, or by its
/// token; of names an earlier one, of prefixes a longer one is better.
fn rank(value: &[u8], crawler: &Crawler, profile: &Profile) -> Option<(usize, usize)> {
    if names_everybody(value, profile) {
        return Some((0, 0));
    }
    crawler.iter().enumerate().find_map(|(number, name)| {
        let token = token_for(value, looked_up(name, profile.group_match), profile)?;
        let rank = if profile.merge_names { usize::MAX } else { usize::MAX - number };
        let len = if profile.group_match == GroupMatch::LongestPrefix { token.len() } else { 0 };
        Some((rank, len))
    })
}
