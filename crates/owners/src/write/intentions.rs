//! What a site wants of crawlers.

use std::fmt;

use robotsieve::Profile;
use serde::Deserialize;
use serde::de::{self, Deserializer, SeqAccess, Visitor};

/// What a site wants of crawlers, as a value to build a robots.txt from.
///
/// The methods add to it, so that calls can be chained. It can be read with serde, from TOML or JSON, with
/// the fields that are described here: each but `groups` is a text or a list of texts, and unknown
/// fields are refused.
///
/// | field | |
/// |---|---|
/// | `groups` | the groups, see [`Group`] |
/// | `sitemap` | absolute URLs of sitemaps |
/// | `license` | absolute URLs of licences for everybody (RSL) |
/// | `host` | the main mirror, for Yandex until 2018 |
/// | `comment` | lines at the beginning of the file, without `#` |
/// | `expect` | [expectations](crate::test) of the file, such as `allow Googlebot /` |
/// | `profiles` | names of the profiles in which the file must mean this |
///
/// ```
/// use robotsieve_owners::write::Intentions;
/// use robotsieve_known::KnownCrawlers;
///
/// let intentions: Intentions = serde_json::from_str(
///     r#"{ "groups": [{ "crawlers": "*", "disallow": ["/cart", "/*?sort="] }] }"#,
/// )?;
/// let file = intentions.build(KnownCrawlers::built_in())?;
/// assert_eq!(file.text(), "User-agent: *\nDisallow: /cart\nDisallow: /*?sort=\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Intentions {
    pub(super) groups: Vec<Group>,
    #[serde(deserialize_with = "texts")]
    pub(super) sitemap: Vec<String>,
    #[serde(deserialize_with = "texts")]
    pub(super) license: Vec<String>,
    #[serde(deserialize_with = "texts")]
    pub(super) host: Vec<String>,
    #[serde(deserialize_with = "texts")]
    pub(super) comment: Vec<String>,
    #[serde(deserialize_with = "texts")]
    pub(super) expect: Vec<String>,
    #[serde(deserialize_with = "profiles")]
    pub(super) profiles: Vec<Profile>,
}

/// Crawlers, and what they may do.
///
/// Read with serde, each field is a text or a list of texts, but for `crawl_delay`, a number.
///
/// | field | |
/// |---|---|
/// | `crawlers` | product tokens; `@PURPOSE` for all known crawlers of a purpose, `@all` for all of them; `*` for all that no group is for |
/// | `allow`, `disallow` | patterns as in a robots.txt: `*` is any text, a final `$` the end of the URL |
/// | `allow_path`, `disallow_path` | beginnings of paths in which every character stands for itself; `%20` is an escape, as in a URL |
/// | `crawl_delay` | seconds between two requests; few crawlers obey it |
/// | `content_signal`, `content_usage` | `search=yes, ai-train=no`; `train-ai=n`: drafts |
/// | `license` | absolute URLs of licences for these crawlers (RSL) |
/// | `comment` | lines before the group, without `#`. Without any, a group for a purpose has its name |
/// | `other` | records of other fields, such as `Request-rate: 1/5` |
///
/// A group without rules lets its crawlers read everything.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Group {
    #[serde(deserialize_with = "texts")]
    pub(super) crawlers: Vec<String>,
    #[serde(deserialize_with = "texts")]
    pub(super) allow: Vec<String>,
    #[serde(deserialize_with = "texts")]
    pub(super) disallow: Vec<String>,
    #[serde(deserialize_with = "texts")]
    pub(super) allow_path: Vec<String>,
    #[serde(deserialize_with = "texts")]
    pub(super) disallow_path: Vec<String>,
    #[serde(deserialize_with = "number")]
    pub(super) crawl_delay: Option<f64>,
    #[serde(deserialize_with = "texts")]
    pub(super) content_signal: Vec<String>,
    #[serde(deserialize_with = "texts")]
    pub(super) content_usage: Vec<String>,
    #[serde(deserialize_with = "texts")]
    pub(super) license: Vec<String>,
    #[serde(deserialize_with = "texts")]
    pub(super) comment: Vec<String>,
    #[serde(deserialize_with = "texts")]
    pub(super) other: Vec<String>,
}

/// Methods that add texts to a field.
macro_rules! adds {
    ($($(#[$doc:meta])* $field:ident)*) => {
        $(
            $(#[$doc])*
            #[must_use]
            pub fn $field<T: Into<String>>(mut self, values: impl IntoIterator<Item = T>) -> Self {
                self.$field.extend(values.into_iter().map(Into::into));
                self
            }
        )*
    };
}

impl Intentions {
    /// Adds a group.
    #[must_use]
    pub fn group(mut self, group: Group) -> Self {
        self.groups.push(group);
        self
    }

    /// Adds a profile in which the file must mean this. The first one takes the place of those that are the
    /// default.
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> Self {
        self.profiles.push(profile);
        self
    }

    /// Adds profiles in which the file must mean this, as [`Intentions::profile`] does.
    #[must_use]
    pub fn profiles(mut self, profiles: impl IntoIterator<Item = Profile>) -> Self {
        self.profiles.extend(profiles);
        self
    }

    adds! {
        /// Adds absolute URLs of sitemaps.
        sitemap
        /// Adds absolute URLs of licences for everybody.
        license
        /// Adds the site's main mirror, which only Yandex read, until 2018.
        host
        /// Adds comments at the beginning. A line feed begins another line of comment.
        comment
        /// Adds expectations of the file, each a line of their language: `allow Googlebot /`.
        expect
    }
}

impl Group {
    /// A group for these crawlers. More can be added with [`Group::crawlers`].
    #[must_use]
    pub fn of<T: Into<String>>(crawlers: impl IntoIterator<Item = T>) -> Group {
        Group::default().crawlers(crawlers)
    }

    /// Sets the seconds between two requests.
    #[must_use]
    pub fn crawl_delay(mut self, seconds: f64) -> Self {
        self.crawl_delay = Some(seconds);
        self
    }

    adds! {
        /// Adds crawlers: product tokens, `@PURPOSE`, `@all` or `*`.
        crawlers
        /// Adds patterns of what they may read.
        allow
        /// Adds patterns of what they may not read. An empty one disallows nothing, as in a robots.txt.
        disallow
        /// Adds beginnings of paths that they may read, as [`literal`](super::literal) takes them.
        allow_path
        /// Adds beginnings of paths that they may not read, as [`literal`](super::literal) takes them.
        disallow_path
        /// Adds Content-Signal statements, with a path before each or without.
        content_signal
        /// Adds Content-Usage statements, with a path before each or without.
        content_usage
        /// Adds absolute URLs of licences.
        license
        /// Adds comments before the group. A line feed begins another line of comment.
        comment
        /// Adds records of other fields, such as `Request-rate: 1/5`.
        other
    }
}

/// Reads a text or a list of texts.
fn texts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    struct Texts;

    impl<'de> Visitor<'de> for Texts {
        type Value = Vec<String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a text or a list of texts")
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<Vec<String>, E> {
            Ok(vec![text.to_owned()])
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<String>, A::Error> {
            let mut all = Vec::new();
            while let Some(text) = seq.next_element()? {
                all.push(text);
            }
            Ok(all)
        }
    }

    deserializer.deserialize_any(Texts)
}

/// Reads a number.
fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    struct Number;

    impl Visitor<'_> for Number {
        type Value = f64;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a number of seconds")
        }

        fn visit_f64<E: de::Error>(self, number: f64) -> Result<f64, E> {
            Ok(number)
        }

        fn visit_i64<E: de::Error>(self, number: i64) -> Result<f64, E> {
            Ok(number as f64)
        }

        fn visit_u64<E: de::Error>(self, number: u64) -> Result<f64, E> {
            Ok(number as f64)
        }
    }

    deserializer.deserialize_any(Number).map(Some)
}

/// Reads the names of profiles.
fn profiles<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Profile>, D::Error> {
    let names = texts(deserializer)?;
    let named = |name: String| {
        name.parse().map_err(|wrong| de::Error::custom(format_args!("'{name}': {wrong}")))
    };
    names.into_iter().map(named).collect()
}
