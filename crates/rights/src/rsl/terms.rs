//! The terms of a licence, and what they say of a purpose.

use crate::purpose::{Purpose, Purposes};
use crate::tables::RslPayment;

/// A licence of a content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Terms {
    /// `permits` of the type usage: what it names. `None` if there is no such element, which permits
    /// whatever is not prohibited.
    pub(super) permits: Option<Purposes>,
    /// What `prohibits` of the type usage names.
    pub(super) prohibits: Purposes,
    /// True if there is a term that is not known, so that nothing is permitted silently.
    pub(super) has_unknown: bool,
    /// True if one is of a type that is not known, which may restrict what is permitted by name, too.
    pub(super) has_unknown_type: bool,
    /// Whom or where it is for: `user:…`, `not-user:…`, `geo:…`, `not-geo:…`.
    pub(super) conditions: Vec<Box<str>>,
    /// What the payments ask for.
    pub(super) payments: Vec<RslPayment>,
    /// True if uses must be reported.
    pub(super) reporting: bool,
}

impl Terms {
    pub(super) const NONE: Terms = Terms {
        permits: None,
        prohibits: Purposes::NONE,
        has_unknown: false,
        has_unknown_type: false,
        conditions: Vec::new(),
        payments: Vec::new(),
        reporting: false,
    };
}

/// What a licence says of a purpose, from what no other licence of the same content can change to
/// what any can: licences are a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Term {
    /// Prohibited by name: no other licence lifts it.
    Prohibited,
    /// Permitted by name.
    Permitted,
    /// Permitted by name or silently, but an agreement comes first.
    Sold,
    /// Permitted by name for some users or places, or on terms of a type that is not known.
    Conditional,
    /// Not on the list of what is permitted.
    NotListed,
    /// Permitted, because nothing is said against it.
    Silent,
    /// As [`Term::Silent`], for some users or places.
    SilentConditional,
    /// Nothing is known of it.
    Unknown,
}

impl Terms {
    /// What the licence says of a purpose. `has_server` is true if its content names a licence server,
    /// from which a token must be had even if it is free (RSL 1.0 §3.3).
    pub(super) fn term(&self, purpose: Purpose, has_server: bool) -> Term {
        if self.prohibits.contains(purpose) {
            return Term::Prohibited;
        }
        let is_named = match self.permits {
            Some(permits) if permits.contains(purpose) => true,
            Some(_) => return Term::NotListed,
            None => false,
        };
        let is_sold = |payment: &RslPayment| matches!(payment, RslPayment::Agreement(purposes) if purposes.contains(purpose));
        if has_server || self.reporting || self.payments.iter().any(is_sold) {
            return Term::Sold;
        }
        if !is_named && self.has_unknown {
            return Term::Unknown;
        }
        match (is_named, self.conditions.is_empty() && !self.has_unknown_type) {
            (true, true) => Term::Permitted,
            (true, false) => Term::Conditional,
            (false, true) => Term::Silent,
            (false, false) => Term::SilentConditional,
        }
    }

    /// Returns true if the licence prohibits something for some users or places, or in words that are
    /// not known.
    pub(super) fn prohibits_for_some(&self) -> bool {
        self.has_unknown || self.prohibited_for().next().is_some()
    }

    /// The users and places for whom the licence prohibits something.
    pub(super) fn prohibited_for(&self) -> impl Iterator<Item = &str> {
        self.conditions.iter().map(|condition| &**condition).filter(|some| some.starts_with("not-"))
    }

    /// The conditions under which the licence permits something.
    pub(super) fn conditions(&self) -> impl Iterator<Item = &str> {
        let of_payments = self.payments.iter().filter_map(|payment| match payment {
            RslPayment::Condition(condition) => Some(*condition),
            _ => None,
        });
        self.conditions.iter().map(|condition| &**condition).chain(of_payments)
    }
}
