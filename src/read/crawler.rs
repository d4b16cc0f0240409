//! A crawler's names, given one by one or read from a `User-Agent` header.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use smallvec::{SmallVec, smallvec};

use crate::bytes_shown::BytesShown;
use crate::profile::Profile;
use crate::read::name_error::NameError;
use crate::read::user_agent::UserAgent;

/// A crawler: one name, or several from most to least specific.
///
/// Give the product token (`FooBot`). A name is taken as given, so `FooBot/2.1` and `FooBot` are
/// two names, and spaces belong to the name; [`Crawler::try_name`] rejects what no group can name.
/// A whole `User-Agent` header goes to [`Crawler::from_user_agent`]; it is never guessed whether a
/// name is one.
///
/// The profile decides which groups a name finds
/// ([`Profile::group_match`](crate::Profile::group_match)). Of several names the first that has a
/// group decides, or the groups of all are merged
/// ([`Profile::merge_names`](crate::Profile::merge_names)).
///
/// ```
/// use robotsieve::Crawler;
///
/// let images = Crawler::names(["Googlebot-Image", "Googlebot"]);
/// let header = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
/// let from_header = Crawler::from_user_agent(header);
/// assert_eq!(from_header.iter().collect::<Vec<_>>(), [b"Googlebot"]);
/// assert_ne!(images, from_header);
/// assert_eq!(images.to_string(), "Googlebot-Image, Googlebot");
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Crawler {
    names: SmallVec<[Box<[u8]>; 2]>,
    /// True if the first name that has a group decides, whatever the profile.
    are_alternatives: bool,
}

/// Its names as text, not as numbers.
impl fmt::Debug for Crawler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.names.iter().map(|name| BytesShown(name)).collect();
        f.debug_struct("Crawler")
            .field("names", &names)
            .field("are_alternatives", &self.are_alternatives)
            .finish()
    }
}

impl Crawler {
    /// A crawler with one name, taken as given.
    pub fn name<N: AsRef<[u8]>>(name: N) -> Crawler {
        Crawler::names([name])
    }

    /// A crawler with several names, from most to least specific. Without any name it obeys the
    /// `*` group.
    pub fn names<N: AsRef<[u8]>>(names: impl IntoIterator<Item = N>) -> Crawler {
        let names = names.into_iter().map(|n| Box::from(n.as_ref())).collect();
        Crawler { names, are_alternatives: false }
    }

    /// A crawler with several names of which the first that has a group decides, in profiles that merge
    /// the groups of all names too.
    ///
    /// So do crawlers whose operators say so, whatever a parser does with names: a group for
    /// `Googlebot-Image` takes the place of one for `Googlebot`.
    ///
    /// ```
    /// use robotsieve::{Crawler, Profile, Robots};
    ///
    /// let file = b"User-agent: Googlebot-Image\nDisallow: /img\n\nUser-agent: Googlebot\nDisallow: /g\n";
    /// let robots = Robots::parse(file, &Profile::GOOGLE);
    /// let names = ["Googlebot-Image", "Googlebot"];
    /// assert_eq!(robots.policy(&Crawler::first_of(names)).is_allowed("/g"), Ok(true));
    /// assert_eq!(robots.policy(&Crawler::names(names)).is_allowed("/g"), Ok(false));
    /// ```
    pub fn first_of<N: AsRef<[u8]>>(names: impl IntoIterator<Item = N>) -> Crawler {
        Crawler { are_alternatives: true, ..Crawler::names(names) }
    }

    /// Returns true if the groups of all names are merged in a profile.
    pub(crate) fn merges_names(&self, profile: &Profile) -> bool {
        profile.merge_names && !self.are_alternatives
    }

    /// A crawler with one name, if the name is one: if some `User-agent` line can name it in this
    /// profile, and it is no whole header.
    ///
    /// [`Crawler::name`] takes any bytes. A name that no line can name, such as `GPTBot/1.0` in
    /// [`Profile::RFC9309`], then silently obeys the `*` group, which may allow what the crawler's
    /// own group forbids. So check names that people type.
    ///
    /// | profile | accepted |
    /// |---|---|
    /// | [`Profile::RFC9309`] | letters, digits, `-`, `_` and `.` |
    /// | [`Profile::GOOGLE`] | letters, `-` and `_` |
    /// | [`Profile::GOOGLE_CLASSIC`] | what begins with a letter, a digit, `-`, `_` or `.`, since prefixes match: `GPTBot/1.0` |
    /// | [`Profile::ORIGINAL_1994`] | what has more than white space before its first slash: `GPTBot/1.0`, `Sogou web spider` |
    ///
    /// In every profile the empty name and `*` are accepted, which stand for a crawler that no
    /// group names, and a name with `(`, `)` or `;` is not.
    ///
    /// # Errors
    /// Returns an error with the name that was probably meant.
    ///
    /// ```
    /// use robotsieve::{Crawler, Profile};
    ///
    /// let check = |name| Crawler::try_name(name, &Profile::RFC9309);
    /// assert_eq!(check("GPTBot"), Ok(Crawler::name("GPTBot")));
    /// let error = check("Sogou web spider").unwrap_err();
    /// assert_eq!(error.probably_meant(), Some(&b"Sogou"[..]));
    /// assert!(check("Mozilla/5.0 (compatible; GPTBot/1.1)").unwrap_err().is_header());
    /// ```
    pub fn try_name<N: AsRef<[u8]>>(name: N, profile: &Profile) -> Result<Crawler, NameError> {
        Crawler::try_names([name], profile)
    }

    /// A crawler with several names, each checked as by [`Crawler::try_name`].
    ///
    /// # Errors
    /// Returns an error for the first name that is none.
    pub fn try_names<N: AsRef<[u8]>>(
        names: impl IntoIterator<Item = N>,
        profile: &Profile,
    ) -> Result<Crawler, NameError> {
        let crawler = Crawler::names(names);
        crawler.iter().try_for_each(|name| NameError::check(name, profile))?;
        Ok(crawler)
    }

    /// The crawler that sends this `User-Agent` header: its names are those of
    /// [`UserAgent::read`], the surest first.
    ///
    /// Takes any bytes. A header without a name gives a crawler without one, which obeys the `*`
    /// group. `O(n)`.
    pub fn from_user_agent<H: AsRef<[u8]>>(header: H) -> Crawler {
        UserAgent::read(&header).crawler()
    }

    /// The names, from most to least specific.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.names.iter().map(AsRef::as_ref)
    }
}

impl UserAgent<'_> {
    /// The crawler with these names, in this order.
    pub fn crawler(&self) -> Crawler {
        Crawler::names(self.names().iter().map(|name| name.name))
    }
}

/// [`Crawler::name`].
impl From<&str> for Crawler {
    fn from(name: &str) -> Crawler {
        Crawler::name(name)
    }
}

/// [`Crawler::name`].
impl From<String> for Crawler {
    fn from(name: String) -> Crawler {
        Crawler { names: smallvec![name.into_bytes().into_boxed_slice()], are_alternatives: false }
    }
}

/// [`Crawler::name`].
impl From<&[u8]> for Crawler {
    fn from(name: &[u8]) -> Crawler {
        Crawler::name(name)
    }
}

/// [`Crawler::name`].
impl FromStr for Crawler {
    type Err = Infallible;

    fn from_str(name: &str) -> Result<Crawler, Infallible> {
        Ok(Crawler::name(name))
    }
}

/// [`Crawler::names`].
impl<N: AsRef<[u8]>> FromIterator<N> for Crawler {
    fn from_iter<I: IntoIterator<Item = N>>(names: I) -> Crawler {
        Crawler::names(names)
    }
}

/// The names, separated by commas. Bytes that are not UTF-8 become replacement characters.
impl fmt::Display for Crawler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, name) in self.iter().enumerate() {
            f.write_str(if number > 0 { ", " } else { "" })?;
            f.write_str(&String::from_utf8_lossy(name))?;
        }
        Ok(())
    }
}
