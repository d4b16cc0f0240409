//! Output of tests that pass.

/// Prints a line even if the test passes: the harness captures only what `println!` and the like
/// print.
pub fn say(line: &str) {
    use std::io::Write;
    // A closed stderr must not fail the test.
    let _ = writeln!(std::io::stderr(), "{line}");
}
