//! Changes to the file that findings propose, and what they do to verdicts.
//!
//! A finding proposes a change ([`Proposal`]) while the file is read. `prove` compares the
//! verdicts before and after. What is proven and spares the site becomes the finding's [`Fix`];
//! the rest becomes advice that says what stands against it. [`fix`] applies fixes together, which
//! is proven once more: each of two fixes may be safe alone.

mod prove;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use super::{Code, Finding, Options, Report, lint_within, shown};
pub(super) use prove::{Prover, Refusal, Subjects, profiles};

/// A change to the file, and what it does to verdicts.
///
/// The effect is proven by automata, for every crawler that the file names and for those that it
/// does not name, in the profiles of [`Options::profiles`] and in any case in
/// [`Profile::RFC9309`](crate::Profile::RFC9309) and [`Profile::GOOGLE`](crate::Profile::GOOGLE).
/// A change that blocks a whole site for a crawler, or opens one, is never a fix.
///
/// ```
/// use robotsieve::lint::{Effect, Options, lint};
///
/// let file = b"User-agent: *\nDisallow: /shop/cart/\nDisallow: /shop/\n";
/// let report = lint(file, &Options::default());
/// let fix = report.findings[0].fix.as_ref().unwrap();
/// assert_eq!((&*fix.what, &fix.effect), ("remove the line", &Effect::None));
/// assert_eq!(fix.applied_to(file), b"User-agent: *\nDisallow: /shop/\n");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Fix {
    /// What it does, a clause such as `write '/private/'`.
    pub what: String,
    /// The bytes of the file that are replaced; may be empty.
    #[cfg_attr(feature = "serde", serde(with = "super::span"))]
    pub span: Range<usize>,
    /// What they are replaced with; may be empty.
    #[cfg_attr(feature = "serde", serde(with = "crate::bytes_as_text"))]
    pub replacement: Vec<u8>,
    /// What it does to verdicts.
    pub effect: Effect,
    /// The names of the profiles in which that is proven.
    pub profiles: Vec<Cow<'static, str>>,
}

/// What it does, and with what effect: `remove the line; this changes no verdict (rfc9309, google)`.
impl fmt::Display for Fix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; this {}", self.what, self.effect)?;
        match &self.effect {
            Effect::None => write!(f, " ({})", self.profiles.join(", ")),
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

/// What a change does to verdicts. Its `Display` is a clause such as `changes no verdict`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum Effect {
    /// No URL gets another verdict, for any crawler.
    None,
    /// Some URLs get another verdict.
    Verdicts(Vec<Change>),
}

/// What changes for some crawlers in some profiles.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Change {
    /// The names of the profiles in which this holds.
    pub profiles: Vec<Cow<'static, str>>,
    /// The crawlers, by the tokens of the file; `*` is any crawler that no group names.
    #[cfg_attr(
        feature = "serde",
        serde(
            serialize_with = "crate::bytes_as_text::serialize_all",
            deserialize_with = "crate::bytes_as_text::deserialize_all"
        )
    )]
    pub crawlers: Vec<Vec<u8>>,
    /// Paths that become disallowed, the shortest first, one for each pair of deciding rules and at
    /// most three. Empty if there are none.
    #[cfg_attr(
        feature = "serde",
        serde(
            serialize_with = "crate::bytes_as_text::serialize_all",
            deserialize_with = "crate::bytes_as_text::deserialize_all"
        )
    )]
    pub newly_disallowed: Vec<Vec<u8>>,
    /// Paths that become allowed, in the same way.
    #[cfg_attr(
        feature = "serde",
        serde(
            serialize_with = "crate::bytes_as_text::serialize_all",
            deserialize_with = "crate::bytes_as_text::deserialize_all"
        )
    )]
    pub newly_allowed: Vec<Vec<u8>>,
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Effect::Verdicts(changes) = self else { return f.write_str("changes no verdict") };
        for (number, change) in changes.iter().enumerate() {
            f.write_str(if number > 0 { "; " } else { "" })?;
            write!(f, "{change}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let paths = |paths: &[Vec<u8>]| {
            let paths: Vec<_> = paths.iter().map(|path| format!("'{}'", shown(path))).collect();
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

/// Crawlers by their tokens, for a message.
fn who(crawlers: &[Vec<u8>]) -> String {
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
pub(super) struct Proposal {
    pub(super) what: String,
    pub(super) span: Range<usize>,
    pub(super) replacement: Vec<u8>,
    /// What it may do to verdicts.
    pub(super) offered: Offered,
}

/// When a proposal becomes a fix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offered {
    /// If it spares the site, whatever else it changes.
    IfItSpares,
    /// If it changes no verdict.
    IfUnchanging,
    /// Never: only its harm is of interest, for the advice.
    Never,
}

impl Proposal {
    pub(super) fn new(what: String, span: Range<usize>, replacement: Vec<u8>) -> Proposal {
        Proposal { what, span, replacement, offered: Offered::IfItSpares }
    }
}

/// The file with some spans replaced, which must be ascending and apart.
fn replaced<'e>(
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

/// Which fixes [`fix`] applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Apply {
    /// Those that change no verdict.
    Unchanging,
    /// All. They change verdicts as they say.
    All,
}

/// A file with fixes applied.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fixed {
    /// The new file.
    pub file: Vec<u8>,
    /// The findings whose fixes were applied, in the order in which that happened. Lines and spans
    /// are those of the file at that time.
    pub applied: Vec<Finding>,
    /// What all of it together does to verdicts; `None` if that could not be proven, which does not
    /// happen if only unchanging fixes were applied.
    pub effect: Option<Effect>,
    /// What is found in the new file.
    pub report: Report,
}

/// Applies the fixes of a file, until there are none left.
///
/// Fixes are safe one by one. Whether they are safe together is proven before they are applied;
/// those that are not are left out, so their findings stay in [`Fixed::report`]. With
/// [`Apply::Unchanging`] the new file gives the same verdicts as the old one.
///
/// Takes longer than [`lint`](super::lint): more work is allowed for the proof of each fix.
///
/// ```
/// use robotsieve::lint::{Apply, Effect, Options, fix};
///
/// let file = b"User-agent: *\nDisallow: /shop/cart/\nDisallow: /shop/\nDisallow: private/\n";
/// let fixed = fix(file, &Options::default(), Apply::Unchanging);
/// assert_eq!(fixed.file, b"User-agent: *\nDisallow: /shop/\nDisallow: private/\n");
/// assert_eq!(fixed.effect, Some(Effect::None));
///
/// let fixed = fix(file, &Options::default(), Apply::All);
/// assert_eq!(fixed.file, b"User-agent: *\nDisallow: /shop/\nDisallow: /private/\n");
/// let effect = fixed.effect.unwrap().to_string();
/// assert!(effect.starts_with("disallows URLs such as '/private/' for crawlers without a group"));
/// ```
#[must_use]
pub fn fix(file: &[u8], options: &Options, apply: Apply) -> Fixed {
    fix_codes(file, options, apply, |_| true)
}

/// Like [`fix`], but applies only the fixes of findings with a wanted code.
///
/// ```
/// use robotsieve::lint::{Apply, Code, Options, fix_codes};
///
/// let file = b"User-agent: *\nDisallow: /shop/cart/\nDisallow: /shop/\nDisallow: private/\n";
/// let is_wanted = |code| code != Code::RedundantRule;
/// let fixed = fix_codes(file, &Options::default(), Apply::All, is_wanted);
/// assert_eq!(
///     fixed.file,
///     b"User-agent: *\nDisallow: /shop/cart/\nDisallow: /shop/\nDisallow: /private/\n"
/// );
/// ```
#[must_use]
pub fn fix_codes(
    file: &[u8],
    options: &Options,
    apply: Apply,
    is_wanted: impl Fn(Code) -> bool,
) -> Fixed {
    /// Fixing one thing may uncover another, but not for long.
    const ROUNDS: usize = 10;
    /// More than for a report, which most people read and do not follow: less than a second.
    const WORK: u64 = 300_000_000;
    let mut new = file.to_vec();
    let mut applied = Vec::new();
    let mut report = lint_within(&new, options, WORK);
    for _ in 0..ROUNDS {
        let found = apply_once(&new, &report, options, apply, &is_wanted);
        let Some((file, findings)) = found else { break };
        new = file;
        applied.extend(findings);
        report = lint_within(&new, options, WORK);
    }
    let effect = if applied.is_empty() {
        Some(Effect::None)
    } else {
        let subjects = Subjects::new(file, options);
        Prover::new(&subjects, prove::UNBOUNDED).prove(&new).ok()
    };
    Fixed { file: new, applied, effect, report }
}

/// One round: all fixes that are safe together. `None` if there are none.
fn apply_once(
    file: &[u8],
    report: &Report,
    options: &Options,
    apply: Apply,
    is_wanted: &impl Fn(Code) -> bool,
) -> Option<(Vec<u8>, Vec<Finding>)> {
    let is_applied = |(finding, fix): &(&Finding, &Fix)| {
        is_wanted(finding.code) && (fix.effect == Effect::None || apply == Apply::All)
    };
    let mut chosen: Vec<(&Finding, &Fix)> = Vec::new();
    let fixes = report.findings.iter().filter_map(|f| f.fix.as_ref().map(|fix| (f, fix)));
    let mut fixes: Vec<_> = fixes.filter(is_applied).collect();
    fixes.sort_by_key(|(_, fix)| (fix.span.start, fix.span.end));
    for (finding, fix) in fixes {
        if chosen.last().is_none_or(|(_, last)| {
            last.span.end < fix.span.start
                || last.span.end == fix.span.start && !last.span.is_empty()
        }) {
            chosen.push((finding, fix));
        }
    }
    if chosen.is_empty() {
        return None;
    }
    let subjects = Subjects::new(file, options);
    let mut prover = Prover::new(&subjects, prove::UNBOUNDED);
    let mut is_safe = |chosen: &[(&Finding, &Fix)]| {
        let new = replaced(file, chosen.iter().map(|(_, fix)| (&fix.span, &*fix.replacement)));
        match prover.prove(&new) {
            Ok(Effect::None) => true,
            Ok(Effect::Verdicts(_)) => apply == Apply::All,
            Err(_) => false,
        }
    };
    let chosen = largest(&chosen, &mut is_safe);
    if chosen.is_empty() {
        return None;
    }
    let new = replaced(file, chosen.iter().map(|(_, fix)| (&fix.span, &*fix.replacement)));
    Some((new, chosen.into_iter().map(|(finding, _)| finding.clone()).collect()))
}

/// A large part of a list that is safe as a whole: all of it, or what its halves give together.
fn largest<T: Copy>(list: &[T], is_safe: &mut impl FnMut(&[T]) -> bool) -> Vec<T> {
    fn extend<T: Copy>(base: &mut Vec<T>, list: &[T], is_safe: &mut impl FnMut(&[T]) -> bool) {
        let len = base.len();
        base.extend_from_slice(list);
        if list.is_empty() || is_safe(base) {
            return;
        }
        base.truncate(len);
        if list.len() > 1 {
            let (first, second) = list.split_at(list.len() / 2);
            extend(base, first, is_safe);
            extend(base, second, is_safe);
        }
    }
    let mut safe = Vec::new();
    extend(&mut safe, list, is_safe);
    safe
}
