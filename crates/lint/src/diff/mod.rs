//! Finds what changed from one robots.txt to another: in meaning, not in text.
//!
//! [`files`] compares two files for every crawler that they name: what each may fetch, and the
//! sitemaps, crawl delays and other records. [`crawlers`] and [`records`] do the two for crawlers
//! of your choice, and [`policies`] compares two policies. What may be fetched is compared to a
//! [`Difference`]: proven equal, or paths that one side allows and the other does not.
//!
//! ```
//! use robotsieve_lint::diff::{self, Difference, Extent, Limits};
//! use robotsieve::{Profile, Robots};
//!
//! let old = b"User-agent: *\nDisallow: /shop/\nDisallow: /shop/cart\nAllow: /shop/open";
//! let new = b"User-agent: *\nAllow: /shop/open$\nDisallow: /shop/\n";
//! let [old, new] = [&old[..], new].map(|file| Robots::parse(file, &Profile::RFC9309));
//! let compared = diff::files(&old, &new, &Limits::default());
//! let Difference::Different(flips) = &compared.crawlers[0].difference else { panic!() };
//! assert_eq!(flips.newly_disallowed[0].path, b"/shop/opena");
//! // All longer paths that begin with `/shop/open` flip.
//! assert_eq!(flips.newly_disallowed[0].extent, Extent::Below(b"/shop/open".len()));
//! // Dropping the line for `/shop/cart` changes nothing, and nothing became allowed.
//! assert!(flips.newly_allowed.is_empty() && flips.unproven.is_none());
//! ```
//!
//! # How it works
//!
//! 1. Policies whose rules have the same patterns in the same order of precedence are equal.
//! 2. Otherwise the automata of both policies are walked in lockstep. The algorithm of Hopcroft
//!    and Karp first decides whether they are equal at all, in nearly linear time in the size of
//!    both. Differences that no real URL can reach are ignored: a third automaton knows which bytes
//!    normalising leaves.
//! 3. If they differ, all pairs of states are visited breadth first, so the first path found in
//!    each direction is a shortest one. [`Limits::pairs`] bounds this search.
//! 4. If the search hits that bound, or the rules of a policy are over the limits of the
//!    automaton, paths made from the rules of both are tried. This can find differences but never
//!    prove that there are none. [`Flips::unproven`] or [`Difference::Unknown`] then says why. If
//!    step 2 found that the policies differ, the path that shows it is always among the flips, so
//!    the answer is never [`Difference::Unknown`] then.
//! 5. For each flip, and for the whole site, the automata are walked on from there to prove how
//!    far it goes: [`Extent`], [`WholeSite`].
//!
//! All of this has a budget for two files together, counted in steps, so that the result is the
//! same in every run: two files of 500 KiB take about a second at most. The smallest policies come
//! first, and what they leave is for the larger ones.
//!
//! Every path that is returned was put to both policies, and they gave different verdicts.

mod budget;
mod extent;
mod files;
mod limits;
pub(crate) mod policies;
pub(crate) mod product;
mod records;
mod samples;
mod targets;

pub use extent::{Extent, WholeSite};
pub use files::{ComparedCrawlers, ComparedFiles, crawlers, files, named_crawlers};
pub use limits::Limits;
pub use policies::{DecidingRule, Difference, Flip, Flips, Unproven, policies};
pub use records::{ChangedRecord, RecordChange, RecordChanges, records};
