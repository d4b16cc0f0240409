//! Why a URL is allowed or not, as data.
//!
//! [`Robots::explain`](crate::Robots::explain) returns an [`Explanation`]: the verdict, and each step that led to it.
//! [`compare_profiles`] asks the same question in every named profile and says what makes the
//! answers differ. [`Policy::decide`](crate::Policy::decide) is cheaper where the deciding rule is all you need.
//! For people, `Asked::explained` of the crate `robotsieve-report` puts an explanation into sentences.
//!
//! | question | answer |
//! |---|---|
//! | Which group applies, and why not the others? | [`Selection`], with an [`AgentLine`] for each user-agent line |
//! | What part of the URL do the rules see? | [`ComparedTarget`], with a [`TargetChange`] wherever normalising changed it |
//! | Which rules match, and which decides? | [`MatchedRule`]s, from highest to lowest precedence |
//! | Which part of a rule matches which part of the URL? | the [`Piece`]s of a [`MatchedRule`] |
//! | What would the verdict be without the deciding rule? | [`Explanation::verdict_otherwise`] |
//! | Why does another profile say something else? | the [`Cause`]s of a [`ProfileDifference`] |
//! | Was the file cut, and does that matter? | [`Explanation::cut`] |
//!
//! ```
//! use robotsieve::explain::{GroupChoice, PieceKind};
//! use robotsieve::{Crawler, Profile, Robots, Verdict};
//!
//! let file = b"User-agent: *\nDisallow: /*.pdf$\nAllow: /open/\n";
//! let robots = Robots::parse(file, &Profile::RFC9309);
//! let why = robots.explain(&Crawler::name("bot"), "https://e.com/open/%61.pdf")?;
//!
//! // No group names the crawler, so the one for `*` applies.
//! assert_eq!(why.selection.choice, GroupChoice::Everybody);
//! // The rules see the path with `%61` decoded.
//! assert_eq!(why.target.bytes, b"/open/a.pdf");
//! assert_eq!(&"https://e.com/open/%61.pdf"[why.target.changes[0].url_span.clone()], "%61");
//! // Both rules match. Line 2 is longer by a byte, and decides.
//! let (winner, runner_up) = (why.winner().unwrap(), why.runner_up().unwrap());
//! assert_eq!((winner.line, runner_up.line), (2, 3));
//! assert_eq!((why.verdict, why.verdict_otherwise), (Verdict::Disallow, Some(Verdict::Allow)));
//! // The star matches everything between the first `/` and `.pdf`.
//! let star = &winner.pieces[1];
//! assert_eq!(star.kind, PieceKind::Star);
//! assert_eq!(&why.target.bytes[star.target_span.clone()], b"open/a");
//! # Ok::<(), robotsieve::InvalidUrl>(())
//! ```
//!
//! An explanation is computed from the file and never reads an automaton, so it checks the
//! engines instead of repeating them: tests compare it with [`Policy::decide`](crate::Policy::decide) and with the naive
//! matcher on every verdict of the corpus.

mod answer;
mod cut;
mod explanation;
pub(crate) mod profiles;
mod rule;
mod selection;
mod switch;
mod target;

pub use cut::FileCut;
pub use explanation::Explanation;
pub use profiles::{ProfileComparison, ProfileDifference, compare_profiles};
pub use rule::{MatchedRule, Piece, PieceKind};
pub use selection::{AgentLine, GroupChoice, Joint, NamedCrawlers, Selection, Standing};
pub use switch::{Cause, Switch};
pub use target::{ComparedTarget, TargetChange};
