//! Shared by the integration tests: the oracles, the configurations, random numbers.

// `tests/hostile.rs` uses only a part of it.
#![allow(dead_code)]

pub mod base64;
pub mod configs;
pub mod corpus;
pub mod every_config;
pub mod generate;
pub mod naive;

pub mod random;
pub mod regex;
pub mod switches;
pub mod whole_file;

/// Prints a line even if the test passes: the harness captures only what `println!` and the like
/// print.
pub fn say(line: &str) {
    use std::io::Write;
    // A closed stderr must not fail the test.
    let _ = writeln!(std::io::stderr(), "{line}");
}
