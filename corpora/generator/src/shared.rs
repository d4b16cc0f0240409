//! The folder of real robots.txt files, which the repository cannot have.

use std::io::Write;
use std::path::{Path, PathBuf};

/// The corpus: the folder in the environment variable `ROBOTSIEVE_CORPUS`, or else `shared/corpus` beside the
/// repository. Other shared files are in folders beside it.
///
/// It may be missing: see [`is_missing`].
pub fn corpus() -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    std::env::var_os("ROBOTSIEVE_CORPUS").map_or_else(beside, PathBuf::from)
}

/// Returns true if the folder of the corpus is missing, and then says on standard error that this test has
/// looked at nothing.
///
/// The attribute `#[corpus::test]` begins each test with it. Rust's test harness cannot report a test as ignored
/// once it runs, so the test passes; the harness does not capture the line.
pub fn is_missing(test: &str) -> bool {
    let folder = corpus();
    let missing = !folder.is_dir();
    if missing {
        let line = format!(
            "{test}: not tested, since the corpus is not in {} (see CONTRIBUTING.md)\n",
            folder.display()
        );
        // A closed standard error must not fail the test. In one write, because tests run in parallel.
        let _ = std::io::stderr().write_all(line.as_bytes());
    }
    missing
}
