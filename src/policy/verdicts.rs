//! What a verdict needs of a policy, and nothing else.

use std::fmt;

use crate::as_url::AsUrl;
use crate::automaton::{Automaton, Begun, Table};
use crate::policy::Reading;
use crate::profile::TargetForm;
use crate::rules::target::{InvalidUrl, Target};
use crate::verdict::Verdict;

/// The compiled table of a [`Policy`](crate::Policy), and how the policy reads URLs: enough for
/// verdicts, not for reasons.
///
/// Made by [`Policy::verdicts`](crate::Policy::verdicts). It has the size of three pointers, and
/// one of them leads straight to the table. Keep it beside a key: then a question about one of
/// very many sites waits for memory once less than with a policy, which leads to its table in two
/// steps. It stays valid without the policy, and clones share the table.
///
/// ```
/// use robotsieve::{Crawler, Profile, Robots};
///
/// let file = b"User-agent: *\nDisallow: /a";
/// let policy = Robots::parse(file, &Profile::RFC9309).policy(&Crawler::name("bot"));
/// assert!(policy.verdicts().is_none(), "it is not compiled yet");
/// policy.compile();
/// let verdicts = policy.verdicts().expect("so few rules always make a DFA");
/// assert_eq!(verdicts.is_allowed("https://e.com/a"), Ok(false));
/// assert_eq!(verdicts.is_allowed("https://e.com/b"), Ok(true));
/// ```
#[derive(Clone, Debug)]
pub struct Verdicts {
    /// Has the encoding of the reading.
    automaton: Automaton,
    form: TargetForm,
    robots_txt_allowed: bool,
}

impl Verdicts {
    pub(crate) fn new(automaton: Automaton, reading: Reading) -> Verdicts {
        debug_assert_eq!(automaton.table().encoding(), reading.encoding);
        let Reading { form, robots_txt_allowed, .. } = reading;
        Verdicts { automaton, form, robots_txt_allowed }
    }

    /// The verdict on a URL, or on a path that begins with `/`: that of the policy.
    ///
    /// # Errors
    /// Returns an error if `url` is neither; never in the profile `google`.
    #[inline(always)]
    pub fn verdict<U: AsUrl + ?Sized>(&self, url: &U) -> Result<Verdict, InvalidUrl> {
        let target = self.target(url)?;
        Ok(self.unless_robots_txt(self.automaton.table().verdict(target.unended()), &target))
    }

    /// Finds out with what part of the table the verdict on a URL ends, and asks the processor to
    /// fetch it: for callers with many questions, who ask for the verdicts when they have begun
    /// with some more. See [`Verdicts::read_ahead`], which comes before that.
    ///
    /// # Errors
    /// Returns an error if `url` is neither a URL nor a path that begins with `/`; never in the
    /// profile `google`.
    #[inline(always)]
    pub fn begin<'v, U: AsUrl + ?Sized>(
        &'v self,
        url: &'v U,
    ) -> Result<BegunVerdict<'v>, InvalidUrl> {
        let target = self.target(url)?;
        let begun = self.automaton.table().begin(target.unended());
        Ok(BegunVerdict { verdicts: self, target, begun })
    }

    #[inline(always)]
    fn target<'u, U: AsUrl + ?Sized>(&self, url: &'u U) -> Result<Target<'u>, InvalidUrl> {
        Target::of_url(url, self.form, self.automaton.table().encoding())
    }

    /// Looks at the target last, since most URLs are allowed anyway.
    #[inline(always)]
    fn unless_robots_txt(&self, verdict: Verdict, target: &Target<'_>) -> Verdict {
        if !verdict.is_allow() && self.robots_txt_allowed && target.is_robots_txt() {
            return Verdict::Allow;
        }
        verdict
    }

    /// Returns true if the crawler may fetch this URL, or this path that begins with `/`: as
    /// [`Policy::is_allowed`](crate::Policy::is_allowed) says.
    ///
    /// # Errors
    /// Returns an error if `url` is neither; never in the profile `google`.
    #[inline(always)]
    pub fn is_allowed<U: AsUrl + ?Sized>(&self, url: &U) -> Result<bool, InvalidUrl> {
        Ok(self.verdict(url)?.is_allow())
    }

    /// Asks the processor to fetch the memory with which verdicts begin, so that a question soon
    /// after does not wait for it. Only a hint: it changes no verdict, and costs a few
    /// instructions. With very many policies in memory, give the hint for the next sixteen or
    /// more URLs before you ask about the first of them.
    #[inline(always)]
    pub fn read_ahead(&self) {
        Table::read_ahead(self.automaton.bytes());
    }
}

/// A verdict of which the first half is found out. Made by [`Verdicts::begin`].
///
/// ```
/// use robotsieve::{Crawler, Profile, Robots};
///
/// let file = b"User-agent: *\nDisallow: /a/b/c";
/// let policy = Robots::parse(file, &Profile::RFC9309).policy(&Crawler::name("bot"));
/// policy.compile();
/// let verdicts = policy.verdicts().expect("so few rules always make a DFA");
/// let begun = ["/a", "/a/b/c", "/x"].map(|path| verdicts.begin(path));
/// let allowed = begun.map(|begun| begun.expect("a path").finish().is_allow());
/// assert_eq!(allowed, [true, false, true]);
/// ```
#[derive(Clone, Copy)]
pub struct BegunVerdict<'v> {
    verdicts: &'v Verdicts,
    target: Target<'v>,
    begun: Begun<'v>,
}

impl BegunVerdict<'_> {
    /// The verdict: the same as [`Verdicts::verdict`].
    #[inline(always)]
    #[must_use]
    pub fn finish(&self) -> Verdict {
        self.verdicts.unless_robots_txt(self.begun.finish(), &self.target)
    }
}

impl fmt::Debug for BegunVerdict<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BegunVerdict").field("target", &self.target).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Config, Crawler, Engine, Profile, Robots};

    #[test]
    fn same_as_the_policy() {
        let file = b"User-agent: *\nDisallow: /*a\nAllow: /b*a$\nDisallow: /robots.txt";
        for (_, profile) in Profile::NAMED {
            let policy = Robots::parse(file, profile).policy(&Crawler::name("bot"));
            policy.compile();
            let verdicts = policy.verdicts().unwrap();
            verdicts.read_ahead();
            for url in [
                "https://e.com/",
                "https://e.com/b",
                "https://e.com/%61?x#a",
                "https://e.com/ba",
                "https://e.com/ba?",
                "https://e.com/robots.txt",
                "https://e.com/robots.txt?",
                "https://e.com/x#a",
                "e.com/a",
                "/a",
                "",
            ] {
                let allowed = policy.is_allowed(url);
                assert_eq!(verdicts.is_allowed(url), allowed, "{url}");
                let begun = verdicts.begin(url).map(|begun| begun.finish().is_allow());
                assert_eq!(begun, allowed, "{url}");
            }
        }
    }

    #[test]
    fn other_engines_have_none() {
        let config = Config { engine: Some(Engine::Lazy), ..Config::default() };
        let robots = Robots::parse_with(b"User-agent: *\nDisallow: /a", &Profile::RFC9309, &config);
        let policy = robots.policy(&Crawler::name("bot"));
        policy.compile();
        assert!(policy.verdicts().is_none());
    }
}
