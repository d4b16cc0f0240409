//! Why there is no configuration.

use std::fmt;

use robotsieve::LimitHit;
use robotsieve_shown::{pasted, shown};

use super::server::Server;

/// The most classes of crawlers with different rules.
pub(super) const CLASSES: usize = 500;

/// A reason why there is no configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CannotEnforce {
    /// The server has no way to do what an option asks for. The text is a clause that says which option.
    Option(String),
    /// Another crawler was probably meant by a name: a sentence asks.
    DidYouMean(String),
    /// Nothing would be refused to anybody.
    Nothing {
        /// Who was chosen and cannot be told by a header, in sentences.
        notes: Vec<String>,
        /// Whether anybody was left out: the file may forbid something to them.
        left_out: bool,
    },
    /// The rule of a line is longer than the server's expressions can be.
    LongRule {
        /// The line, from 1.
        line: u32,
    },
    /// The rules are over the limits of an automaton, or of the proof.
    Unproven(Option<LimitHit>),
    /// The crawlers obey more different rules than a configuration is written for.
    Classes,
    /// The server cannot say it: for this URL the configuration would do something else.
    Differs {
        /// The path and query.
        url: Vec<u8>,
        /// Whether it would be refused although it is allowed.
        refused: bool,
        /// A crawler for which that is so.
        crawler: String,
        /// The server.
        server: Server,
    },
    /// The configuration is longer than the server takes; a clause says more.
    TooLong(String),
}

impl fmt::Display for CannotEnforce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CannotEnforce::Option(what)
            | CannotEnforce::DidYouMean(what)
            | CannotEnforce::TooLong(what) => f.write_str(what),
            CannotEnforce::Nothing { notes, left_out } => {
                f.write_str(match left_out {
                    true => "nothing can be refused by a header to the crawlers that were chosen",
                    false => "the file forbids nothing to the crawlers that were chosen",
                })?;
                notes.iter().try_for_each(|note| write!(f, "; {note}"))
            }
            CannotEnforce::LongRule { line } => write!(
                f,
                "the rule of line {line} is longer than the server's regular expressions can be, in every \
                 spelling of its characters"
            ),
            CannotEnforce::Unproven(Some(limit)) => write!(f, "it is not proven: {limit}"),
            CannotEnforce::Unproven(None) => {
                f.write_str("it is not proven within the states that a proof may visit")
            }
            CannotEnforce::Classes => {
                write!(f, "the crawlers obey more than {CLASSES} different sets of rules")
            }
            CannotEnforce::Differs { url, refused, crawler, server } => {
                let url = shown(&pasted(url));
                let (does, says) =
                    if *refused { ("refuse", "allows") } else { ("let through", "forbids") };
                write!(
                    f,
                    "{} cannot say it: it would {does} {url} to {crawler}, which the file {says}",
                    server.title()
                )
            }
        }
    }
}

impl std::error::Error for CannotEnforce {}
