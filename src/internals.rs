//! What only robotsieve's own crates, tests and benchmarks use.
//!
//! Nothing here is subject to semantic versioning: any version may change it or take it away, a patch too.
//! robotsieve's crates of one version go together.

// robotsieve-client, for sieves that decide many URLs at once.
pub use crate::policy::verdicts::{BegunVerdict, Verdicts};
pub use crate::read_ahead::{line as read_line_ahead, span as read_span_ahead};

// Tests and fuzz targets: the error of `Policy::validate`.
pub use crate::automaton::InvalidAutomaton;
