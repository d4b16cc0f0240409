//! An entry of the known crawlers.

use std::collections::BTreeMap;

use robotsieve::internals::{RobotsInternals as _, Selected};
use robotsieve::{Crawler, Policy, Profile, Robots, text_of};

use serde::Serialize as _;

use super::purpose::{Obeys, Purpose};

/// An entry of the known crawlers.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct KnownCrawler {
    /// The name as its operator writes it.
    pub name: String,
    /// The product token: how a robots.txt names it.
    pub token: String,
    /// Names whose groups it obeys if none names the token, before that of `*`.
    pub after: Vec<String>,
    /// True if it obeys the group of `*`.
    pub star: bool,
    /// True if the token is in no header: a name for a use of what another crawler fetches.
    pub only_in_robots_txt: bool,
    /// Who runs it.
    pub operator: String,
    /// The purpose that matters most to the owner of a site.
    pub purpose: Purpose,
    /// Its operator's word on obeying robots.txt.
    pub obeys: Obeys,
    /// The profile in which its operator reads robots.txt files, if that is known: that of Google's parser for
    /// Google's crawlers.
    #[serde(serialize_with = "by_name")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub profile: Option<Profile>,
    /// The URL where the operator says so.
    pub profile_source: Option<String>,
    /// Who reports that it does not obey robots.txt, where its operator does not say so.
    pub reported_by: Option<String>,
    /// A sentence about it.
    pub note: Option<String>,
    /// An example of its User-Agent header.
    pub header: Option<String>,
    /// The URL where its operator documents it.
    pub documentation: Option<String>,
    /// Where these facts are from.
    pub source: String,
    /// The date when they were looked up: `2026-11-22`.
    pub date: String,
}

impl KnownCrawler {
    /// An entry in which the required fields are still to be set.
    pub(super) fn empty() -> KnownCrawler {
        KnownCrawler {
            name: String::new(),
            token: String::new(),
            after: Vec::new(),
            star: true,
            only_in_robots_txt: false,
            operator: String::new(),
            purpose: Purpose::Other,
            obeys: Obeys::Unknown,
            profile: None,
            profile_source: None,
            reported_by: None,
            note: None,
            header: None,
            documentation: None,
            source: String::new(),
            date: String::new(),
        }
    }

    /// The names whose groups it obeys, the first one that there is: in every profile.
    pub fn crawler(&self) -> Crawler {
        Crawler::first_of([&self.token].into_iter().chain(&self.after))
    }

    /// Its policy for a file as its operator reads it, where that is known to be another way than `profile`.
    ///
    /// ```
    /// use robotsieve::Profile;
    /// use robotsieve_known::KnownCrawlers;
    ///
    /// let googlebot = KnownCrawlers::built_in().by_token("Googlebot").unwrap();
    /// let file = b"User-agent: *\nDisalow: /old-shop/";
    /// let policy = googlebot.operators_policy(file, &Profile::RFC9309).unwrap();
    /// assert!(!policy.is_allowed("/old-shop/")?);
    /// assert!(googlebot.operators_policy(file, &Profile::GOOGLE).is_none());
    /// # Ok::<(), robotsieve::InvalidUrl>(())
    /// ```
    pub fn operators_policy(&self, file: &[u8], profile: &Profile) -> Option<Policy> {
        let own = self.profile.filter(|own| own != profile)?;
        Some(self.policy(&Robots::parse(read_part(&text_of(file, &own)), &own)))
    }

    /// Its policy for a file. A crawler that ignores the group of `*` may fetch everything if no
    /// group names it.
    pub fn policy(&self, robots: &Robots<'_>) -> Policy {
        self.policy_by(robots, |robots| robots.policy(&self.crawler()))
    }

    /// The same without a pace, so that all crawlers that obey the same groups share one policy.
    pub fn verdicts(&self, robots: &Robots<'_>) -> Policy {
        self.policy_by(robots, |robots| robots.policy_of(&robots.groups().select(&self.crawler())))
    }

    fn policy_by(&self, robots: &Robots<'_>, of: impl Fn(&Robots<'_>) -> Policy) -> Policy {
        if self.star || self.is_named(robots) {
            of(robots)
        } else {
            of(&Robots::parse(b"", robots.profile()))
        }
    }

    /// The consequence for a file that it ignores the group of `*`, in a sentence. `None` if it obeys
    /// that group, if there is none, or if another group names it.
    pub fn star_note(&self, robots: &Robots<'_>) -> Option<String> {
        let nobody = Crawler::names([""; 0]);
        let ignores = !self.star && !robots.group_of(&nobody).is_empty() && !self.is_named(robots);
        ignores.then(|| {
            format!(
                "{} ignores the group of *, as its operator says: unless a group names it, the \
                 file asks nothing of it",
                self.name
            )
        })
    }

    /// The difference that a file makes between it and its product token alone, in a sentence.
    pub(super) fn token_note(&self, robots: &Robots<'_>) -> Option<String> {
        let token = &self.token;
        if is_named(robots, &Crawler::name(token)) {
            return None;
        }
        if self.is_named(robots) {
            let all = self.after.join(" or ");
            let names = [std::slice::from_ref(token), &self.after].concat().join(",");
            return Some(format!(
                "no group names '{token}', so this product token obeys that of '*', if there is one; \
                 the crawler obeys that of {all}, as its operator says: ask for '{names}'"
            ));
        }
        self.star_note(robots)
            .map(|note| format!("a product token obeys the group of *, but {note}"))
    }

    /// The word on its obeying, and whose it is: `its operator says that it does not obey robots.txt`.
    /// `None` if nobody says that it does not, or not in all.
    #[must_use]
    pub fn disobeys(&self) -> Option<String> {
        match (self.obeys, &self.reported_by) {
            (Obeys::No, _) => Some("its operator says that it does not obey robots.txt".to_owned()),
            (Obeys::Partly, None) => {
                Some("its operator says that it obeys robots.txt only in part".to_owned())
            }
            (_, Some(who)) => Some(format!("{who} reports that it does not obey robots.txt")),
            (Obeys::Yes | Obeys::Unknown, None) => None,
        }
    }

    /// Returns true if a group names it, by its token or by one of the names after that.
    pub fn is_named(&self, robots: &Robots<'_>) -> bool {
        is_named(robots, &self.crawler())
    }
}

/// Writes the name of a profile.
fn by_name<S: serde::Serializer>(profile: &Option<Profile>, to: S) -> Result<S::Ok, S::Error> {
    profile.and_then(|profile| profile.name()).serialize(to)
}

/// Returns true if a group names a crawler.
pub fn is_named(robots: &Robots<'_>, crawler: &Crawler) -> bool {
    matches!(robots.groups().select(crawler), Selected::Named(_))
}

/// Notes on those crawlers that do not obey, or not in all, one for each who says so: their operators,
/// or others who report it.
pub fn notes<'k>(
    crawlers: impl IntoIterator<Item = &'k KnownCrawler, IntoIter: Clone>,
) -> Vec<String> {
    // In the order of the notes.
    let mut said: BTreeMap<(u8, &str), Vec<&str>> = BTreeMap::new();
    for crawler in crawlers {
        let who = match (crawler.obeys, &crawler.reported_by) {
            (Obeys::No, _) => (0, ""),
            (Obeys::Partly, None) => (1, ""),
            (_, Some(who)) => (2, who.as_str()),
            (Obeys::Yes | Obeys::Unknown, None) => continue,
        };
        said.entry(who).or_default().push(&crawler.name);
    }
    let note = |((kind, who), names): ((u8, &str), Vec<&str>)| {
        let what = match kind {
            0 => "By what their operators say, these do not obey it".to_owned(),
            1 => "By what their operators say, these obey it in part".to_owned(),
            _ => format!("By what {who} reports, these do not obey it"),
        };
        format!("robots.txt only asks. {what}: {}", names.join(", "))
    };
    said.into_iter().map(note).collect()
}

impl KnownCrawler {
    /// How its verdicts in a profile are had by those who name crawlers by product tokens, in a clause for the end of a
    /// sentence. Empty if no name stands for it: it does not obey the groups of `*`.
    pub fn way_to_ask(&self, profile: &str) -> String {
        match &self.after[..] {
            _ if !self.star => String::new(),
            [] => format!(": --profile {profile} shows its verdicts"),
            after => {
                let (token, after) = (&self.token, after.join(","));
                format!(": ask for '{token},{after}' with --profile {profile}")
            }
        }
    }
}

/// The part of a file that operators are known to read: Google says that its crawlers read 500 KiB, though its parser,
/// and with it the profile, leaves that to the program around it.
pub fn read_part(file: &[u8]) -> &[u8] {
    &file[..file.len().min(Profile::MIN_SIZE_LIMIT)]
}
