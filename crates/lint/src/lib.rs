//! What is wrong with a robots.txt, and which of its rules have no effect.
//!
//! [`lint`] reports everything that the parser notices
//! ([`Robots::diagnostics`](robotsieve::Robots::diagnostics)) and more: rules that can never match or
//! never win, groups that no crawler obeys, fields that nobody reads. Each [`Finding`] has a
//! [`Code`], and each code has a page in `docs/lint`.
//!
//! | module | finds |
//! |---|---|
//! | `file` | what concerns the file as a whole |
//! | `meant` | nothing: it says what a line that is no record means to be |
//! | `lines` | what a single line shows: the parser's diagnostics, two records on one line |
//! | `tokens` | user-agent lines: what is no product token, misspelt crawlers |
//! | `fields` | fields that are neither user-agent lines nor rules |
//! | `values` | the values of rules: slashes, dollars, escapes |
//! | `differs` | lines that RFC 9309 and google/robotstxt read differently |
//! | `obeyed` | nothing: it says which groups each crawler obeys |
//! | `groups` | groups without rules, groups that no crawler obeys |
//! | `site` | a site that is blocked, or what its pages need; sitemaps that are |
//! | `rights` | what the file says of use: Content-Usage, Content-Signal, licences |
//! | `rules` | rules without effect, or over the automaton's budget |
//! | `dead` | rules that can be removed without changing a verdict |
//!
//! A finding that proposes a change carries it as a [`Fix`], if it is proven what the change does
//! to verdicts and it neither blocks nor opens a whole site. [`fix`] applies fixes.
//!
//! ```
//! use robotsieve_lint::{Code, Options, lint};
//!
//! let file = b"User-agent: *\nDisallow: /shop/cart/\nDisallow: /shop/\n";
//! let report = lint(file, &Options::default());
//! let finding = &report.findings[0];
//! assert_eq!((finding.code, finding.line), (Code::RedundantRule, 2));
//! assert_eq!(&file[finding.span.clone()], b"/shop/cart/");
//! assert_eq!(finding.related[0].line, 3);
//! ```
//!
//! # Stored findings
//!
//! With the feature `serde`, [`Report`], [`Finding`], [`Related`], [`Code`] and [`Severity`]
//! implement `Serialize` and `Deserialize`. A finding is a map of its fields by their names:
//!
//! ```json
//! {
//!   "code": "RS403",
//!   "severity": "note",
//!   "message": "'Disallow: /shop/cart/' changes no verdict beside 'Disallow: /shop/' on line 3",
//!   "line": 2,
//!   "span": [24, 35],
//!   "related": [{"line": 3, "span": [46, 52], "message": "this rule gives the same verdicts"}],
//!   "help": null,
//!   "fix": {"what": "remove the line", "span": [14, 36], "replacement": "", "effect": "none",
//!           "profiles": ["rfc9309", "google"]},
//!   "profiles": ["rfc9309"]
//! }
//! ```
//!
//! A span is the offset of its first byte and of the one after its last. The command's
//! `lint --format jsonl` uses the same names, so its lines can be read as findings.
#![cfg_attr(docsrs, feature(doc_cfg))]

//!
//! # Comments that silence findings
//!
//! `# robotsieve: ignore RS403` at the end of a line silences findings of this code about the
//! line; on a line of its own it is about the next line that is no comment. `ignore-file` silences
//! them in the whole file. Codes are numbers or names, separated by commas or spaces.
//! [`Report::silenced`] counts what was left out.

mod change;
mod code;
mod comments;
mod dead;
pub mod diff;
mod differs;
mod fields;
mod file;
mod find;
mod finding;
mod fix;
mod groups;
pub mod internals;
mod lines;
mod meant;
mod obeyed;
mod options;
mod prove;
mod rights;
mod rules;
mod select;
mod shown;
mod site;
mod subject;
mod tokens;
mod values;

pub use change::{Change, Effect, Fix, RightsChange};
pub use code::{Code, Severity};
pub use find::lint;
pub use finding::{Finding, MAX_PER_CODE, Related, Report};
pub use fix::{Apply, Fixed, fix, fix_codes};
pub use options::Options;
pub use select::{Selection, Selector, UnknownCode};
