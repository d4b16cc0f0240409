//! Deterministic robots.txt files and URLs for robotsieve's tests and benchmarks.
//!
//! There are three kinds of files. [`robots`] and [`url`] invent a frontier of any number of hosts,
//! in the shapes and sizes found on the web, and [`warc`] archives of what such hosts answered;
//! [`big`] is one honest file over the size limit;
//! [`hostile`] has the files that are meant to blow up an automaton, [`crafted`] those that are meant
//! to be slow to lint and to compare. Everything is a pure function
//! of its arguments: the same seed gives the same bytes on every machine.
//!
//! The texts are our own. They imitate the form of what content management systems serve, but
//! nothing is copied from anyone's robots.txt.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod archive;
pub mod crafted;
pub mod effort;
pub mod hostile;
mod hosts;
mod individual;
mod memory;
mod names;
pub mod pages;
mod rng;
pub mod shared;
mod urls;
pub mod warc;
mod words;

pub use hosts::{big, robots};
pub use memory::memory;
pub use names::host_name;
pub use urls::url;
