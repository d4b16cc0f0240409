//! Expectations of a robots.txt: lines such as `disallow @ai-training /`, which are tested, and
//! those that hold today, to begin with.

mod expectations;
mod failure;
mod init;
mod line;
mod readable;
mod report;
mod subject;
mod who;

pub use expectations::{Expectations, Tested};
pub use failure::{Failure, FailureReason};
pub use init::Init;
pub use report::{TestFailure, TestReport, TestResult, TestRule};
pub use subject::Subject;
