//! For robotsieve's own crates only: this module may change in any version.
//!
//! The crates around the library read a file as it does, rule by rule and state by state. What they need for
//! that, and nobody else does, is here.

// What a file is compressed with.
pub use crate::read::compression::Compression;
// Lines, groups and names.
pub use crate::read::fields::typed;
pub use crate::read::groups::{Groups, Rule as GroupRule};
pub use crate::read::joints::{Joint, joints};
pub use crate::read::parse::{Content, Extent, LineKind, Lines, likely_field, scan};
pub use crate::read::part::says_part;
pub use crate::read::select::{GroupNumbers, Lookups, Selected};
pub use crate::read::token::{Names, names_everybody, token};
pub use crate::read::utf16::{ByteOrder, to_utf8};
// Patterns and targets.
pub use crate::rules::normalise::{Encoding, Escapes, hex_value, is_unreserved};
pub use crate::rules::{Pattern, RawRule, RuleRef, RuleSet};
// Automata, walked byte by byte.
pub use crate::automaton::{Automaton, ByteSet, Compiler, Cursor, InvalidAutomaton, Table};
pub use crate::engine::AllMatching;
#[cfg(feature = "url")]
pub use crate::origin::{are_equal, usual_key};
// Policies.
pub use crate::policy::Reading;
pub use crate::policy::robots::POLICY_BYTES;
pub use crate::policy::verdicts::{BegunVerdict, Verdicts};
pub use crate::read_ahead::{line as read_line_ahead, span as read_span_ahead};
pub use crate::sixteen::Sixteen;
// Documents.
/// Bytes as serde writes them: as a string if they are UTF-8.
#[cfg(feature = "serde")]
pub mod bytes_as_text {
    pub use crate::bytes_as_text::*;
}
pub use crate::explain::profiles::list;
#[cfg(feature = "pack")]
pub use crate::pack::take::{Take, put_len};

use crate::policy::Policy;
use crate::policy::config::Config;
use crate::policy::robots::Robots;
use crate::read::crawler::Crawler;
use crate::read::fields::Pace;
use crate::read::parse::Record;
use crate::records::Scope;
use crate::rules::target::{InvalidUrl, Target, TargetBuffer};

/// Makes a trait of methods that a type has for this crate alone.
macro_rules! internals {
    ($(#[$about:meta])* $name:ident $(<$life:lifetime>)? of $type:ty {
        $($(#[$what:meta])* fn $method:ident(&self $(, $given:ident: $kind:ty)*) -> $result:ty;)*
    }) => {
        $(#[$about])*
        pub trait $name $(<$life>)? {
            $($(#[$what])* fn $method(&self $(, $given: $kind)*) -> $result;)*
        }

        impl $(<$life>)? $name $(<$life>)? for $type {
            $(
                fn $method(&self $(, $given: $kind)*) -> $result {
                    self.$method($($given),*)
                }
            )*
        }
    };
}

internals! {
    /// More of a [`Robots`].
    RobotsInternals<'a> of Robots<'a> {
        /// The file with its groups.
        fn groups(&self) -> &Groups<'a>;
        /// The policy for a crawler, with its rules even if the configuration does not keep them.
        fn policy_with_rules(&self, crawler: &Crawler) -> Policy;
        /// The groups that a crawler obeys and its runs of user-agent lines, in the order of [`Scope`].
        fn scopes_of(&self, crawler: &Crawler) -> Vec<Scope>;
        /// The policy of these groups, without a pace, if it fits into what is left of [`POLICY_BYTES`].
        fn policy_within(&self, selected: &Selected, room: &mut usize) -> Option<Policy>;
        /// The policy for selected groups, without a pace.
        fn policy_of(&self, selected: &Selected) -> Policy;
    }
}

/// Returns true if records of this scope are for the crawler that has `scopes`
/// ([`RobotsInternals::scopes_of`]).
pub fn is_within(scopes: &[Scope], scope: Scope) -> bool {
    crate::records::is_within(scopes, scope)
}

internals! {
    /// More of a [`Policy`].
    PolicyInternals of Policy {
        /// Its rules in order of precedence.
        fn rule_set(&self) -> &RuleSet;
        /// The automaton, if it was compiled to one.
        fn automaton(&self) -> Option<&Automaton>;
        /// How it reads the URLs that it is asked about.
        fn reading(&self) -> Reading;
        /// A number that identifies the policy while it exists.
        fn address(&self) -> usize;
        /// Returns true if both read targets alike.
        fn reads_like(&self, other: &Policy) -> bool;
        /// Returns true if both are known to decide every target alike.
        fn decides_like(&self, other: &Policy) -> bool;
    }
}

/// A policy of these rules, as if they were the group of everybody.
pub fn policy_of_rules(reading: Reading, rules: RuleSet) -> Policy {
    Policy::new(reading, &Config::default(), rules, std::iter::empty(), None, Pace::NONE)
}

/// The joints of a group of a file with these records. Groups are counted from 0.
pub fn joints_of_group<'a>(
    robots: &Robots<'a>,
    records: &[Record<'a>],
    group: u32,
) -> Vec<crate::explain::Joint<'a>> {
    crate::explain::Joint::of_group(robots, records, group)
}

/// The target of a path, in this encoding.
///
/// # Errors
/// Returns an error if the path does not begin with `/`.
pub fn target_of_path(path: &[u8], encoding: Encoding) -> Result<Target<'_>, InvalidUrl> {
    Target::of_path(path, encoding)
}

/// More of a [`Target`].
pub trait TargetInternals {
    /// The normalised bytes, the first `/` included.
    fn to_buffer(self) -> TargetBuffer;
}

impl TargetInternals for Target<'_> {
    fn to_buffer(self) -> TargetBuffer {
        self.to_buffer()
    }
}
