//! Applies fixes together.
//!
//! A finding proposes a [`change`](crate::change) while the file is read. `prove` compares verdicts and pace before
//! and after. What is proven and spares the site becomes the finding's [`Fix`]; the rest becomes advice that says what
//! stands against it. [`fix`] applies fixes together, which is proven once more: each of two fixes may be safe alone.

use crate::change::{Effect, Fix, RightsChange, replaced};
use crate::code::Code;
use crate::find::lint_within;
use crate::finding::{Finding, Report};
use crate::options::Options;
use crate::prove::{Prover, Subjects, Work};

/// The fixes that [`fix`] applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Apply {
    /// Those that change no verdict and no crawler's pace.
    Unchanging,
    /// All. They change verdicts and pace as they say.
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
    /// The effect of all of it together on verdicts and pace; `None` if that could not be proven, which does
    /// not happen with [`Apply::Unchanging`].
    pub effect: Option<Effect>,
    /// The findings in the new file.
    pub report: Report,
    /// True if some fixes are left out because their proof would take too long.
    pub is_cut_short: bool,
}

/// Applies the fixes of a file, until there are none left.
///
/// Fixes are safe one by one. Whether they are safe together is proven before they are applied;
/// those that are not are left out, so their findings stay in [`Fixed::report`]. With
/// [`Apply::Unchanging`] the new file gives the same verdicts as the old one, and asks each crawler for the
/// same pace.
///
/// Takes longer than [`lint`](crate::lint), a second or two at most: more work is allowed for
/// the proofs. Where that does not suffice, [`Fixed::is_cut_short`] says so.
///
/// ```
/// use robotsieve_lint::{Apply, Effect, Options, fix};
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
/// use robotsieve_lint::{Apply, Code, Options, fix_codes};
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
    /// More than for a report, which most people read and do not follow: for all rounds, and for
    /// putting fixes together.
    const WORK: u64 = 400_000_000;
    const TOGETHER: u64 = 100_000_000;
    let mut work = Work::new(WORK);
    let mut together = Work::new(TOGETHER);
    let mut new = file.to_vec();
    let mut applied = Vec::new();
    let mut report = lint_within(&new, options, &mut work);
    for _ in 0..ROUNDS {
        let found = apply_once(&new, &report, options, apply, &is_wanted, &mut together);
        let Some((file, findings)) = found else { break };
        new = file;
        applied.extend(findings);
        report = lint_within(&new, options, &mut work);
    }
    let is_cut_short = work.was_short || together.was_short;
    let effect = if applied.is_empty() || apply == Apply::Unchanging {
        Some(Effect::None)
    } else {
        let subjects = Subjects::new(file, options);
        let effect = Prover::new(&subjects, &mut Work::new(TOGETHER)).prove(&new).ok();
        match effect {
            Some(Effect::None) => Some(on_rights(&applied)),
            effect => effect,
        }
    };
    Fixed { file: new, applied, effect, report, is_cut_short }
}

/// What fixes that change no verdict of crawling do together.
fn on_rights(applied: &[Finding]) -> Effect {
    let fixes = applied.iter().filter_map(|finding| finding.fix.as_ref());
    let changes: Vec<RightsChange> = fixes
        .filter_map(|fix| match &fix.effect {
            Effect::Rights(changes) => Some(changes.clone()),
            _ => None,
        })
        .flatten()
        .collect();
    if changes.is_empty() { Effect::None } else { Effect::Rights(changes) }
}

/// One round: all fixes that are safe together. `None` if there are none.
fn apply_once(
    file: &[u8],
    report: &Report,
    options: &Options,
    apply: Apply,
    is_wanted: &impl Fn(Code) -> bool,
    work: &mut Work,
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
    let mut prover = Prover::new(&subjects, work);
    let mut is_safe = |chosen: &[(&Finding, &Fix)]| {
        let new = replaced(file, chosen.iter().map(|(_, fix)| (&fix.span, &*fix.replacement)));
        let speaks = |(_, fix): &(&Finding, &Fix)| matches!(fix.effect, Effect::Rights(_));
        match prover.prove(&new) {
            Ok(effect) if !effect.changes_a_verdict() => {
                (effect == Effect::None || apply == Apply::All)
                    && (chosen.iter().any(speaks) || prover.prove_same_rights_in(&new).is_ok())
            }
            Ok(_) => apply == Apply::All,
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
