//! A change to a file, and its effect on verdicts.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use robotsieve::records::Pace;
use robotsieve_rights::Purpose;
use robotsieve_shown::pasted;

#[cfg(doc)]
use crate::Options;
use crate::shown::shown;

/// A change to the file, and what it does to verdicts.
///
/// The effect is proven, on verdicts by automata, for every crawler that the file names and for those that
/// it does not name, in the profiles of [`Options::profiles`] and in any case in
/// [`Profile::RFC9309`](robotsieve::Profile::RFC9309) and [`Profile::GOOGLE`](robotsieve::Profile::GOOGLE).
/// A change that blocks a whole site for a crawler, or opens one, is never a fix.
///
/// ```
/// use robotsieve_lint::{Effect, Options, lint};
///
/// let file = b"User-agent: *\nDisallow: /shop/cart/\nDisallow: /shop/\n";
/// let report = lint(file, &Options::default());
/// let fix = report.findings[0].fix.as_ref().unwrap();
/// assert_eq!((&*fix.what, &fix.effect), ("remove the line", &Effect::None));
/// assert_eq!(fix.applied_to(file), b"User-agent: *\nDisallow: /shop/\n");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct Fix {
    /// The change, a clause such as `write '/private/'`.
    pub what: String,
    /// The bytes of the file that are replaced; may be empty.
    #[serde(with = "crate::finding::span")]
    pub span: Range<usize>,
    /// The bytes in their place; may be empty.
    #[serde(with = "robotsieve::internals::bytes_as_text")]
    pub replacement: Vec<u8>,
    /// Its effect on verdicts and on the pace.
    pub effect: Effect,
    /// The names of the profiles in which that is proven.
    pub profiles: Vec<Cow<'static, str>>,
}

/// What it does, and with what effect: `remove the line; this changes no verdict (rfc9309, google)`.
impl fmt::Display for Fix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; this {}", self.what, self.effect)?;
        match &self.effect {
            Effect::None | Effect::Rights(_) => write!(f, " ({})", self.profiles.join(", ")),
            // It names them itself.
            Effect::Verdicts(_) => Ok(()),
        }
    }
}

impl Fix {
    /// The file with this change alone.
    ///
    /// # Panics
    /// Panics if the file is shorter than the one that was linted.
    #[must_use]
    pub fn applied_to(&self, file: &[u8]) -> Vec<u8> {
        replaced(file, [(&self.span, &*self.replacement)])
    }
}

/// What a change does to verdicts, and to the pace of crawlers. Its `Display` is a clause such as
/// `changes no verdict`.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// No URL gets another verdict, for any crawler, and no crawler is asked for another pace.
    None,
    /// Some URLs get another verdict, or some crawlers are asked for another pace.
    Verdicts(Vec<Change>),
    /// No URL gets another verdict of crawling, but lines that said nothing of use say something.
    Rights(Vec<RightsChange>),
}

impl Effect {
    /// Returns true if some URLs get another verdict.
    pub(crate) fn changes_a_verdict(&self) -> bool {
        matches!(self, Effect::Verdicts(changes) if changes.iter().any(|change| change.pace.is_none()))
    }
}

/// A line about use that did not count and does now. What other lines say of use is the same, for every
/// crawler and every URL.
///
/// Its `Display` is a clause such as `makes line 2 count, which disallows ai-train`.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct RightsChange {
    /// The line's number, from 1.
    pub line: u32,
    /// What it allows.
    pub allows: Vec<Purpose>,
    /// What it disallows.
    pub disallows: Vec<Purpose>,
}

impl fmt::Display for RightsChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |purposes: &[Purpose]| {
            purposes.iter().map(|purpose| purpose.as_str()).collect::<Vec<_>>().join(", ")
        };
        let both = [("allows", &self.allows), ("disallows", &self.disallows)];
        let both = both.into_iter().filter(|(_, purposes)| !purposes.is_empty());
        let both: Vec<String> =
            both.map(|(verb, purposes)| format!("{verb} {}", list(purposes))).collect();
        write!(f, "makes line {} count", self.line)?;
        if both.is_empty() { Ok(()) } else { write!(f, ", which {}", both.join(" and ")) }
    }
}

/// The changes for some crawlers in some profiles: of verdicts, or of the pace.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct Change {
    /// The names of the profiles in which this holds.
    pub profiles: Vec<Cow<'static, str>>,
    /// The crawlers, by the tokens of the file; `*` is any crawler that no group names.
    #[serde(
        serialize_with = "robotsieve::internals::bytes_as_text::serialize_all",
        deserialize_with = "robotsieve::internals::bytes_as_text::deserialize_all"
    )]
    pub crawlers: Vec<Vec<u8>>,
    /// Paths that become disallowed, the shortest first, one for each pair of deciding rules and at
    /// most three. Empty if there are none.
    #[serde(
        serialize_with = "robotsieve::internals::bytes_as_text::serialize_all",
        deserialize_with = "robotsieve::internals::bytes_as_text::deserialize_all"
    )]
    pub newly_disallowed: Vec<Vec<u8>>,
    /// Paths that become allowed, in the same way.
    #[serde(
        serialize_with = "robotsieve::internals::bytes_as_text::serialize_all",
        deserialize_with = "robotsieve::internals::bytes_as_text::deserialize_all"
    )]
    pub newly_allowed: Vec<Vec<u8>>,
    /// The pace that the file asks them for, before and after, if the change is one of pace. Then there
    /// are no paths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pace: Option<[Pace; 2]>,
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let changes: Vec<String> = match self {
            Effect::None => return f.write_str("changes no verdict"),
            Effect::Verdicts(changes) => changes.iter().map(Change::to_string).collect(),
            Effect::Rights(changes) => changes.iter().map(RightsChange::to_string).collect(),
        };
        f.write_str(&changes.join("; "))
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(pace) = &self.pace {
            let [old, new] = pace.each_ref().map(pace_shown);
            let (who, profiles) = (who(&self.crawlers), self.profiles.join(", "));
            return write!(f, "changes the pace of {who} from {old} to {new} ({profiles})");
        }
        let paths = |paths: &[Vec<u8>]| {
            let paths = paths.iter().map(|path| format!("'{}'", shown(&pasted(path))));
            let paths: Vec<_> = paths.collect();
            paths.join(", ")
        };
        let both = [("disallows", &self.newly_disallowed), ("allows", &self.newly_allowed)];
        let both = both.into_iter().filter(|(_, some)| !some.is_empty());
        let both: Vec<String> =
            both.map(|(verb, some)| format!("{verb} URLs such as {}", paths(some))).collect();
        write!(
            f,
            "{} for {} ({})",
            both.join(" and "),
            who(&self.crawlers),
            self.profiles.join(", ")
        )
    }
}

/// `Crawl-delay 10`, `Request-rate 1/5s`, both, or `none`.
fn pace_shown(pace: &Pace) -> String {
    let delay = pace.crawl_delay.map(|delay| format!("Crawl-delay {}", delay.as_secs_f64()));
    let rate = pace.request_rate.map(|rate| {
        let clock = |minute: u16| format!("{:02}{:02}", minute / 60, minute % 60);
        let window = rate.window.map(|window| (window.from_minute, window.to_minute));
        let window = window.map(|(from, to)| format!(" {}-{}", clock(from), clock(to)));
        let seconds = rate.period.as_secs_f64();
        format!("Request-rate {}/{seconds}s{}", rate.requests, window.unwrap_or_default())
    });
    let both: Vec<String> = delay.into_iter().chain(rate).collect();
    if both.is_empty() { "none".to_owned() } else { both.join(" and ") }
}

/// Crawlers by their tokens, for a message.
pub(crate) fn who(crawlers: &[Vec<u8>]) -> String {
    const NAMED: usize = 3;
    let mut who: Vec<String> = crawlers
        .iter()
        .take(NAMED)
        .map(|crawler| match &**crawler {
            b"*" => "crawlers without a group of their own".to_owned(),
            b"" => "a crawler without a name".to_owned(),
            token => shown(token),
        })
        .collect();
    if crawlers.len() > NAMED {
        who.push(format!("{} more", crawlers.len() - NAMED));
    }
    let last = who.pop().unwrap_or_default();
    if who.is_empty() { last } else { format!("{} and {last}", who.join(", ")) }
}

/// A change that a finding proposes; nothing is known of its effect yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Proposal {
    pub(crate) what: String,
    pub(crate) span: Range<usize>,
    pub(crate) replacement: Vec<u8>,
    /// What it may do to verdicts and to the pace.
    pub(crate) offered: Offered,
    /// True if something else may be meant as well.
    pub(crate) is_doubtful: bool,
}

/// When a proposal becomes a fix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offered {
    /// If it spares the site, whatever else it changes.
    IfItSpares,
    /// If it changes no verdict and no pace.
    IfUnchanging,
    /// Never: only its harm is of interest, for the advice.
    Never,
}

impl Proposal {
    pub(crate) fn new(what: String, span: Range<usize>, replacement: Vec<u8>) -> Proposal {
        Proposal { what, span, replacement, offered: Offered::IfItSpares, is_doubtful: false }
    }

    /// Returns true if the file with the change says what was probably meant, and not only the same in
    /// another way.
    pub(crate) fn is_meant(&self) -> bool {
        self.offered != Offered::IfUnchanging && !self.is_doubtful
    }
}

/// The file with some spans replaced, which must be ascending and apart.
pub(crate) fn replaced<'e>(
    file: &[u8],
    edits: impl IntoIterator<Item = (&'e Range<usize>, &'e [u8])>,
) -> Vec<u8> {
    let mut new = Vec::with_capacity(file.len());
    let mut at = 0;
    for (span, replacement) in edits {
        new.extend_from_slice(&file[at..span.start]);
        new.extend_from_slice(replacement);
        at = span.end;
    }
    new.extend_from_slice(&file[at..]);
    new
}
