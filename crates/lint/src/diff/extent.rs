//! How far a difference goes: whether everything below a path flips, or the whole site does.

use std::collections::HashSet;

use robotsieve::Verdict;
use robotsieve::internals::{ByteSet, Cursor, Table};

use super::product::Product;
use super::targets::{Spot, Targets};

/// How many states the proof for a whole site visits, whatever is left of the budget, and at most.
const STATES: [usize; 2] = [256, 4_096];

/// The same for the pairs of the proof for a flip. Most need a few: where everything below a path
/// flips, both tables have usually decided there.
const PAIRS: [usize; 2] = [16, 256];

/// Walking so many bytes takes as long as visiting a pair.
const BYTES_PER_PAIR: usize = 64;

/// How far a flip is proven to go. Paths are meant as they are compared: normalised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Extent {
    /// The path flips. Nothing is known about longer ones.
    Path,
    /// The path flips, and so does every path that begins with it.
    From,
    /// Every path flips that begins with this many bytes of the path and is longer than that.
    Below(usize),
}

/// What happened to the site as a whole, but for `/robots.txt` where the profile always allows
/// that. Proven.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum WholeSite {
    /// No path is allowed any more.
    Closed,
    /// No path was allowed, and now all are.
    Opened,
    /// No path was allowed, and now some are.
    PartlyOpened,
}

impl WholeSite {
    /// `closed`, `opened` or `partly-opened`.
    pub fn as_str(self) -> &'static str {
        match self {
            WholeSite::Closed => "closed",
            WholeSite::Opened => "opened",
            WholeSite::PartlyOpened => "partly-opened",
        }
    }

    /// Of tables that are known to differ. Each proof may visit so many states.
    pub(super) fn of(product: Product<'_>, limit: usize) -> Option<WholeSite> {
        let Product { old, new, .. } = product;
        let limit = limit.clamp(STATES[0], STATES[1]);
        let is_always = |table, verdict| is_always(product, table, verdict, limit);
        if is_always(new, Verdict::Disallow) {
            Some(WholeSite::Closed)
        } else if !is_always(old, Verdict::Disallow) {
            None
        } else if is_always(new, Verdict::Allow) {
            Some(WholeSite::Opened)
        } else {
            Some(WholeSite::PartlyOpened)
        }
    }
}

impl Extent {
    /// How far the flip of a target to this verdict goes. Each proof may visit so many pairs.
    pub(super) fn of(
        product: Product<'_>,
        target: &[u8],
        verdict: Verdict,
        limit: usize,
    ) -> Extent {
        let limit = limit.clamp(PAIRS[0], PAIRS[1]);
        let shorter = target.len() - 1;
        if shorter > 0 && flips_below(product, &target[..shorter], verdict, false, limit) {
            Extent::Below(shorter)
        } else if flips_below(product, target, verdict, true, limit) {
            Extent::From
        } else {
            Extent::Path
        }
    }
}

/// Returns true if every target that begins with `prefix` flips to this verdict; with `itself`, the prefix
/// too.
fn flips_below(
    product: Product<'_>,
    prefix: &[u8],
    verdict: Verdict,
    itself: bool,
    limit: usize,
) -> bool {
    let Product { old, new, targets, .. } = product;
    let mut at = (old.first_cursor(), new.first_cursor(), targets.first());
    for &byte in &prefix[1..] {
        let Some(spot) = targets.step(at.2, byte) else { return false };
        at = (old.step(at.0, byte), new.step(at.1, byte), spot);
    }
    // Not in the middle of a `%XX`: with a digit more, it can be normalised to something else.
    if prefix[prefix.len().saturating_sub(2)..].contains(&b'%') {
        return false;
    }
    let mut reached = vec![at];
    // A longer target can lead back to where the prefix does.
    let mut known: HashSet<_> = itself.then_some(at).into_iter().collect();
    let mut next = 0;
    let all_flip = loop {
        let Some(&(one, other, spot)) = reached.get(next) else { break true };
        let verdicts = (old.verdict_at(one), new.verdict_at(other));
        let flips = verdicts == (verdict.opposite(), verdict);
        let is_settled = one.is_final() && other.is_final();
        let counts = targets.may_end(spot) && (itself || next > 0);
        if !flips && (counts || is_settled) || reached.len() > limit {
            break false;
        }
        if !is_settled {
            let mut apart = ByteSet::default();
            old.add_bytes(one, &mut apart);
            new.add_bytes(other, &mut apart);
            each_step(targets, spot, apart, |byte, spot| {
                let at = (old.step(one, byte), new.step(other, byte), spot);
                if known.insert(at) {
                    reached.push(at);
                }
            });
        }
        next += 1;
    };
    product.add_visited(reached.len() + prefix.len() / BYTES_PER_PAIR);
    all_flip
}

/// Returns true if a table of the product has this verdict for every target.
fn is_always(product: Product<'_>, table: Table<'_>, verdict: Verdict, limit: usize) -> bool {
    let targets = product.targets;
    let first = (table.first_cursor(), targets.first());
    let mut reached: Vec<(Cursor, Spot)> = vec![first];
    let mut known = HashSet::from([first]);
    let mut next = 0;
    let is_always = loop {
        let Some(&(cursor, spot)) = reached.get(next) else { break true };
        let differs = table.verdict_at(cursor) != verdict;
        if differs && (targets.may_end(spot) || cursor.is_final()) || reached.len() > limit {
            break false;
        }
        if !cursor.is_final() {
            let mut apart = ByteSet::default();
            table.add_bytes(cursor, &mut apart);
            each_step(targets, spot, apart, |byte, spot| {
                let at = (table.step(cursor, byte), spot);
                if known.insert(at) {
                    reached.push(at);
                }
            });
        }
        next += 1;
    };
    product.add_visited(reached.len());
    is_always
}

/// Calls `found` with one byte of each class of bytes that a target can go on with. `apart` are
/// the bytes that tables tell apart.
fn each_step(targets: Targets, spot: Spot, mut apart: ByteSet, mut found: impl FnMut(u8, Spot)) {
    targets.add_bytes(spot, &mut apart);
    let mut other = false;
    for byte in 0..=u8::MAX {
        // Bytes that are not in `apart` all lead to one place, so one of them will do.
        if !apart.has(byte) && other {
            continue;
        }
        let Some(spot) = targets.step(spot, byte) else { continue };
        other |= !apart.has(byte);
        found(byte, spot);
    }
}
