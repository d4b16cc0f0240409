//! Changes to the file that findings propose, and what they do to verdicts.
//!
//! A finding proposes a change ([`Proposal`]) while the file is read. `prove` compares the
//! verdicts before and after. What is proven and spares the site becomes the finding's [`Fix`];
//! the rest becomes advice that says what stands against it. [`fix`] applies fixes together, which
//! is proven once more: each of two fixes may be safe alone.

mod apply;
mod change;
mod prove;

pub use apply::{Apply, Fixed, fix, fix_codes};
pub use change::{Change, Effect, Fix, RightsChange};
pub(super) use change::{Offered, Proposal};
pub(super) use prove::{Prover, Refusal, Subjects, Work, profiles};
