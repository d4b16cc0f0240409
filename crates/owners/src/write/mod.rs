//! Composing a robots.txt from what a site wants, and proving that it says that.
//!
//! [`RobotsTxt::builder`] takes [`Intentions`]: for whom which paths are allowed and disallowed, and the
//! other records. [`Intentions::build`] returns the shortest plain file that says so, or every reason
//! why there is none, each with its [`Place`].
//!
//! ```
//! use robotsieve_owners::write::{Group, RobotsTxt};
//! use robotsieve_known::KnownCrawlers;
//!
//! let written = RobotsTxt::builder()
//!     .group(Group::of(["FooBot", "BarBot"]).disallow(["/"]).allow(["/press/"]))
//!     .group(Group::of(["*"]).disallow(["/cart", "/cart/old"]).disallow_path(["/a b$"]))
//!     .sitemap(["https://shop.example/sitemap.xml"])
//!     .expect(["disallow FooBot /", "allow Googlebot /"])
//!     .build(KnownCrawlers::built_in())?;
//! assert_eq!(
//!     written.text(),
//!     "User-agent: FooBot\nUser-agent: BarBot\nAllow: /press/\nDisallow: /\n\n\
//!      User-agent: *\nDisallow: /cart\nDisallow: /a%20b$*\n\n\
//!      Sitemap: https://shop.example/sitemap.xml\n"
//! );
//! # Ok::<(), robotsieve_owners::write::CannotBuild>(())
//! ```
//!
//! # What is asked for
//!
//! The rules of a group mean what RFC 9309 says: `*` stands for any text, a final `$` for the end of the
//! URL, and the longest rule that matches decides. So they do in every profile: a file that some
//! profile reads otherwise is refused. URLs are taken in the normal form of RFC 3986 (`/~a`, not `/%7Ea`),
//! since some profiles compare them as they are.
//!
//! A crawler obeys the groups that name its product token; if none does, those of its purpose
//! (`@ai-training`); if none does, `@all`, the known crawlers; and those of `*` last. Several groups
//! for the same crawler are put together.
//!
//! # What is proven
//!
//! For `*`, for each crawler that a group is for, and for each other known crawler, the automaton of
//! the file, as each of the profiles reads it, is compared with one made from the rules that were asked
//! for: over all URLs. All lines are read back, and the other records as each crawler finds them. Then
//! the expectations are tested.
//!
//! The profiles are those of [`Profile::NAMED`](robotsieve::Profile::NAMED) but for `original-1994`, unless others
//! are asked for: the standard of 1994 has no wildcards and no `Allow`, so it reads few files as they are
//! meant. A profile that cannot name a crawler (`google` reads no digits in names) proves
//! nothing about it, and one in which a group for `FooBot` is for `FooBot-News` too may take other known
//! crawlers along: [`RobotsTxt::notes`] says so.
//!
//! # What is written
//!
//! Comments, licences for everybody, the groups in the order of the intentions, that of `*` last, then
//! sitemaps. Crawlers with equal rules share a group. Crawlers that may do the same as everybody are not
//! named, unless they ignore the group of `*`. Rules that change nothing are left out, as
//! [`lint::fix`](robotsieve_lint::fix) does. Where a group allows and disallows, the longest rule comes first,
//! so that readers that stop at the first match agree. A crawler whose name contains that of another one has
//! its group before that one's, as readers of the 1994 standard need it.
//!
//! Building takes milliseconds for files as people write them, and some seconds for the
//! largest. Intentions are bounded: [`CannotBuild`] says where they are too large.

mod build;
mod changes;
mod fault;
mod intentions;
mod pattern;
mod prove;
mod report;
mod robots_txt;
mod roles;
mod shorten;
mod text;
mod values;

pub use changes::Changes;
pub use fault::{CannotBuild, Fault, Place};
pub use intentions::{Group, Intentions};
pub use pattern::{NoPattern, literal};
pub use report::{BuildFault, BuildReport};
pub use robots_txt::RobotsTxt;
