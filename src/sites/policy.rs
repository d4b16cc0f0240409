//! The policy of one crawler for one site, wherever it is kept.

use std::fmt;

use crate::as_url::AsUrl;
use crate::automaton::Table;
use crate::policy::decision::{Decision, Reason};
use crate::policy::{Policy, Reading};
use crate::rules::target::{InvalidUrl, Target};
use crate::verdict::Verdict;

/// The policy of one crawler for one site: a table in a pack or a set, or a [`Policy`].
///
/// For programs that judge by policies from several places. [`PackedPolicy::policy`] gives one,
/// and [`From`] makes one of a [`Policy`].
///
/// [`PackedPolicy::policy`]: crate::pack::PackedPolicy::policy
///
/// ```
/// use robotsieve::{Crawler, Profile, Robots, SitePolicy};
///
/// let robots = Robots::parse(b"User-agent: *\nDisallow: /x", &Profile::RFC9309);
/// let policy = SitePolicy::from(robots.policy(&Crawler::name("bot")));
/// assert!(!policy.is_path_allowed("/x")?);
/// assert_eq!(policy.decide("https://e.com/x")?.rule().unwrap().line, 2);
/// # Ok::<(), robotsieve::InvalidUrl>(())
/// ```
#[derive(Clone)]
pub struct SitePolicy<'p> {
    form: Form<'p>,
    reading: Reading,
}

#[derive(Clone)]
enum Form<'p> {
    Table(Table<'p>),
    Policy(Policy),
}

impl From<Policy> for SitePolicy<'_> {
    fn from(policy: Policy) -> Self {
        SitePolicy { reading: policy.reading(), form: Form::Policy(policy) }
    }
}

impl<'p> SitePolicy<'p> {
    #[inline]
    pub(crate) fn of_table(table: Table<'p>, reading: Reading) -> SitePolicy<'p> {
        SitePolicy { form: Form::Table(table), reading }
    }

    /// The table, unless it is a [`Policy`].
    #[inline]
    pub(crate) fn table(&self) -> Option<&Table<'p>> {
        match &self.form {
            Form::Table(table) => Some(table),
            Form::Policy(_) => None,
        }
    }

    /// The [`Policy`], unless it is a table.
    pub fn as_policy(&self) -> Option<&Policy> {
        match &self.form {
            Form::Table(_) => None,
            Form::Policy(policy) => Some(policy),
        }
    }

    /// True if the crawler may fetch this URL, or this path that begins with `/`.
    ///
    /// # Errors
    /// Returns an error if `url` is neither; never in the profile `google`.
    #[inline]
    pub fn is_allowed<U: AsUrl + ?Sized>(&self, url: &U) -> Result<bool, InvalidUrl> {
        Ok(self.own_verdict(&self.target(url)?).is_allow())
    }

    /// True if the crawler may fetch this path, with its query if it has one.
    ///
    /// # Errors
    /// Returns an error if the path does not begin with `/`.
    #[inline]
    pub fn is_path_allowed<P: AsRef<[u8]> + ?Sized>(&self, path: &P) -> Result<bool, InvalidUrl> {
        let target = Target::of_path(path.as_ref(), self.reading.encoding)?;
        Ok(self.own_verdict(&target).is_allow())
    }

    /// The target of a URL, or of a path that begins with `/`, in the policy's profile.
    ///
    /// # Errors
    /// Returns an error if `url` is neither; never in the profile `google`.
    #[inline]
    pub fn target<'u, U>(&self, url: &'u U) -> Result<Target<'u>, InvalidUrl>
    where
        U: AsUrl + ?Sized,
    {
        Target::of_url(url, self.reading.form, self.reading.encoding)
    }

    /// The verdict on a target, which must come from the policy's own profile or from one that
    /// finds and normalises targets alike.
    ///
    /// # Panics
    /// Panics if the target comes from a profile that normalises targets differently.
    #[inline]
    pub fn verdict(&self, target: &Target<'_>) -> Verdict {
        assert!(
            target.encoding() == self.reading.encoding,
            "the target comes from a profile that normalises URLs differently from the policy's"
        );
        self.own_verdict(target)
    }

    /// The verdict on a target that is read so.
    #[inline]
    pub(crate) fn own_verdict(&self, target: &Target<'_>) -> Verdict {
        match &self.form {
            Form::Table(table) => {
                unless_robots_txt(table.verdict(target.unended()), target, self.reading)
            }
            Form::Policy(policy) => policy.own_verdict(target),
        }
    }

    /// The verdict on a URL, or on a path that begins with `/`, and the reason for it. Of a table
    /// that is [`Reason::RobotsTxt`] or else [`Reason::RulesNotKept`].
    ///
    /// # Errors
    /// Returns an error if `url` is neither; never in the profile `google`.
    pub fn decide<U: AsUrl + ?Sized>(&self, url: &U) -> Result<Decision<'_>, InvalidUrl> {
        Ok(self.decision(&self.target(url)?))
    }

    /// The verdict on a path, with its query if it has one, and the reason for it.
    ///
    /// # Errors
    /// Returns an error if the path does not begin with `/`.
    pub fn decide_path<P: AsRef<[u8]> + ?Sized>(
        &self,
        path: &P,
    ) -> Result<Decision<'_>, InvalidUrl> {
        Ok(self.decision(&Target::of_path(path.as_ref(), self.reading.encoding)?))
    }

    /// The verdict on a target, and the reason for it.
    ///
    /// # Panics
    /// Panics if the target comes from a profile that normalises targets differently.
    pub fn decision(&self, target: &Target<'_>) -> Decision<'_> {
        if let Form::Policy(policy) = &self.form {
            return policy.decision(target);
        }
        let is_robots_txt = self.reading.robots_txt_allowed && target.is_robots_txt();
        let reason = if is_robots_txt { Reason::RobotsTxt } else { Reason::RulesNotKept };
        Decision { verdict: self.own_verdict(target), reason }
    }

    /// True if both are the same table, or clones of one [`Policy`].
    pub fn is_same(&self, other: &SitePolicy<'_>) -> bool {
        match (&self.form, &other.form) {
            (Form::Table(table), Form::Table(other)) => std::ptr::eq(table.bytes(), other.bytes()),
            (Form::Policy(policy), Form::Policy(other)) => policy.is_same(other),
            _ => false,
        }
    }
}

impl fmt::Debug for SitePolicy<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.form {
            Form::Table(table) => {
                f.debug_struct("Table").field("len", &table.bytes().len()).finish_non_exhaustive()
            }
            Form::Policy(policy) => policy.fmt(f),
        }
    }
}

/// Looks at the whole target last, since most URLs are allowed anyway.
#[inline(always)]
pub(super) fn unless_robots_txt(
    verdict: Verdict,
    target: &Target<'_>,
    reading: Reading,
) -> Verdict {
    if target.may_be_robots_txt()
        && !verdict.is_allow()
        && reading.robots_txt_allowed
        && target.is_robots_txt()
    {
        return Verdict::Allow;
    }
    verdict
}
