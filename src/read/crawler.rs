//! A crawler's names, given one by one or read from a `User-Agent` header.

use smallvec::SmallVec;

use crate::read::user_agent::UserAgent;

/// A crawler: one name, or several from most to least specific.
///
/// Give the product token (`FooBot`). A name is taken as given, so `FooBot/2.1` and `FooBot` are
/// two names, and spaces belong to the name. A whole `User-Agent` header goes to
/// [`Crawler::from_user_agent`]; it is never guessed whether a name is one.
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
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Crawler {
    names: SmallVec<[Box<[u8]>; 2]>,
}

impl Crawler {
    /// A crawler with one name.
    pub fn name<N: AsRef<[u8]>>(name: N) -> Crawler {
        Crawler::names([name])
    }

    /// A crawler with several names, from most to least specific. Without any name it obeys the
    /// `*` group.
    pub fn names<N: AsRef<[u8]>>(names: impl IntoIterator<Item = N>) -> Crawler {
        Crawler { names: names.into_iter().map(|n| Box::from(n.as_ref())).collect() }
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

/// [`Crawler::name`].
impl From<&str> for Crawler {
    fn from(name: &str) -> Crawler {
        Crawler::name(name)
    }
}
