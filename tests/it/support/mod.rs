//! What the test binaries share: the oracles, the configurations, random numbers.

// Each test binary uses only a part of it.
#![allow(dead_code)]

pub mod base64;
pub mod configs;
pub mod corpus;
pub mod generate;
pub mod naive;
pub mod panel;
pub mod random;
pub mod regex;
pub mod switches;
pub mod whole_file;

/// Prints a line that the test harness does not swallow when the test passes.
pub fn say(line: &str) {
    use std::io::Write;
    // A closed stderr is no reason to fail.
    let _ = writeln!(std::io::stderr(), "{line}");
}
