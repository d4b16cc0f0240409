//! How fast a crawler may ask: crawl delay and request rate together.

use std::time::Duration;

use super::kind::Kind;
use super::typed::{Value, typed};
use super::values::RequestRate;

/// How fast a site asks a crawler to go: the `Crawl-delay` and the `Request-rate` of its groups.
///
/// Returned by [`Policy::pace`](crate::Policy::pace), [`Robots::pace`](crate::Robots::pace),
/// [`CrawlerPolicies::pace`](crate::CrawlerPolicies::pace) and the sites of a pack. A scheduler
/// needs only [`Pace::min_interval`].
///
/// A record of the pace belongs to the user-agent lines directly above it. The run of these lines ends
/// at any rule and at any `Crawl-delay`, `Request-rate` or `Visit-time`, valid or not; blank lines,
/// comments, sitemaps and unknown fields do not end it unless the profile ends the group there. RFC 9309
/// groups rules and nothing else: in the example, `d` and everybody share a group, and the delay is
/// that of `d` alone.
///
/// The values are those of the runs with a line that names the crawler best, of the groups whose rules
/// decide for it. If several lines are valid, the slowest one counts, whatever their order: the longest
/// delay, and the rate with the longest [interval](RequestRate::interval) (of equal ones, the first). An
/// invalid line counts as none, and a number that is too large as the largest there is. What the `*`
/// groups say to a crawler with a group of its own is ignored unless
/// [`Config::inherit_pace`](crate::Config::inherit_pace) is set, and nothing is slower than
/// [`Config::max_interval`](crate::Config::max_interval).
///
/// ```
/// use std::time::Duration;
/// use robotsieve::{Crawler, Profile, Robots};
///
/// let file = b"User-agent: a\nCrawl-delay: 2\nRequest-rate: 1/5\nDisallow: /y\n\n\
///     User-agent: *\nCrawl-delay: 9999999999\nAllow: /\n\nUser-agent: b\nDisallow: /x";
/// let robots = Robots::parse(file, &Profile::RFC9309);
/// let pace = robots.pace(&Crawler::name("a"));
/// assert_eq!(pace.crawl_delay, Some(Duration::from_secs(2)));
/// assert_eq!(pace.min_interval(), Some(Duration::from_secs(5)));
/// // b has a group of its own, so it does not obey the '*' group.
/// assert_eq!(robots.pace(&Crawler::name("b")).min_interval(), None);
/// // Capped at a day.
/// assert_eq!(robots.pace(&Crawler::name("c")).min_interval(), Some(Duration::from_secs(86_400)));
///
/// let file = b"User-agent: d\nCrawl-delay: 300\nUser-agent: *\nDisallow: /x";
/// let robots = Robots::parse(file, &Profile::RFC9309);
/// assert_eq!(robots.pace(&Crawler::name("d")).min_interval(), Some(Duration::from_secs(300)));
/// assert_eq!(robots.pace(&Crawler::name("e")).min_interval(), None);
/// for crawler in ["d", "e"] {
///     assert_eq!(robots.policy(&Crawler::name(crawler)).is_path_allowed("/x"), Ok(false));
/// }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub struct Pace {
    /// The time to wait between two requests. `Some(Duration::ZERO)` if the file says 0.
    pub crawl_delay: Option<Duration>,
    /// The number of documents to request, and the time for them.
    pub request_rate: Option<RequestRate>,
    /// True if the interval is longer than [`Config::skip_above`](crate::Config::skip_above): the crawler
    /// leaves the site alone.
    #[cfg_attr(feature = "serde", serde(default))]
    pub left_alone: bool,
}

/// A pace in the order of a map.
pub(crate) type PaceKey = (Option<Duration>, Option<(u32, Duration, Option<(u16, u16)>)>, bool);

impl Pace {
    /// All of it.
    pub(crate) fn key(self) -> PaceKey {
        let Pace { crawl_delay, request_rate, left_alone } = self;
        let rate = request_rate.map(|RequestRate { requests, period, window }| {
            (requests, period, window.map(|window| (window.from_minute, window.to_minute)))
        });
        (crawl_delay, rate, left_alone)
    }

    /// No delay and no rate.
    pub const NONE: Pace = Pace { crawl_delay: None, request_rate: None, left_alone: false };

    /// The time to wait between the beginnings of two requests that satisfies both the delay and
    /// the rate: the longer one. `None` if the file says nothing.
    ///
    /// A rate counts at any time of day, even if it is given for a part of the day only
    /// ([`RequestRate::window`]).
    pub fn min_interval(&self) -> Option<Duration> {
        self.crawl_delay.max(self.request_rate.map(|rate| rate.interval()))
    }

    /// Returns true if the file says nothing about the crawler's pace.
    pub fn is_none(&self) -> bool {
        *self == Pace::NONE
    }

    /// What one line says. Nothing if it is invalid, or of another kind.
    pub fn of_line(kind: Kind, value: &[u8]) -> Pace {
        match typed(kind, value) {
            Ok(Value::CrawlDelay(delay)) => Pace { crawl_delay: Some(delay), ..Pace::NONE },
            Ok(Value::RequestRate(rate)) => Pace { request_rate: Some(rate), ..Pace::NONE },
            _ => Pace::NONE,
        }
    }

    /// The slower one of each value. `other` comes later in the file.
    pub fn and(self, other: Pace) -> Pace {
        let request_rate = match (self.request_rate, other.request_rate) {
            (Some(rate), Some(other)) if !other.is_slower(&rate) => Some(rate),
            (rate, other) => other.or(rate),
        };
        Pace {
            crawl_delay: self.crawl_delay.max(other.crawl_delay),
            request_rate,
            left_alone: self.left_alone || other.left_alone,
        }
    }

    /// The same, with no interval longer than this.
    pub fn within(self, max: Duration) -> Pace {
        let shorten = |rate: RequestRate| {
            let longest = max.checked_mul(rate.requests).unwrap_or(Duration::MAX);
            RequestRate { period: rate.period.min(longest), ..rate }
        };
        Pace {
            crawl_delay: self.crawl_delay.map(|delay| delay.min(max)),
            request_rate: self.request_rate.map(shorten),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(lines: &[(Kind, &str)]) -> Pace {
        let pace = |(kind, value): &(Kind, &str)| Pace::of_line(*kind, value.as_bytes());
        lines.iter().map(pace).fold(Pace::NONE, Pace::and)
    }

    #[test]
    fn the_slowest_counts() {
        let (delay, rate) = (Kind::CrawlDelay, Kind::RequestRate);
        let pace = of(&[(delay, "3"), (rate, "1/5"), (delay, "0.5"), (rate, "2/20 0600-0845")]);
        assert_eq!(pace.crawl_delay, Some(Duration::from_secs(3)));
        let slowest = pace.request_rate.expect("a rate");
        assert_eq!((slowest.requests, slowest.period.as_secs()), (2, 20));
        assert!(slowest.window.is_some());
        assert_eq!(pace.min_interval(), Some(Duration::from_secs(10)));
        // Of equal rates, the first.
        let pace = of(&[(rate, "1/5"), (rate, "2/10")]);
        assert_eq!(pace.request_rate.map(|rate| rate.requests), Some(1));
        assert_eq!(of(&[(delay, "0")]).min_interval(), Some(Duration::ZERO));
    }

    #[test]
    fn caps() {
        let day = Duration::from_secs(86_400);
        let largest = "4294967295/4294967295d";
        let nines = format!("1/{}", "9".repeat(40));
        for (delay, rate) in [
            ("18446744073709549568", "1/30d"),
            ("18446744073709551615", "5/400d"),
            ("1e400", largest),
            ("1e400", &nines),
        ] {
            let pace = of(&[(Kind::CrawlDelay, delay), (Kind::RequestRate, rate)]);
            let capped = pace.within(day);
            assert_eq!(capped.crawl_delay, Some(day));
            assert_eq!(capped.request_rate.map(|rate| rate.interval()), Some(day), "{rate}");
            assert_eq!(pace.within(Duration::MAX), pace);
            assert_eq!(pace.within(Duration::ZERO).min_interval(), Some(Duration::ZERO));
        }
        let short = of(&[(Kind::CrawlDelay, "1"), (Kind::RequestRate, "100/1d")]);
        assert_eq!(short.within(day), short);
    }
}
