//! The attribute `#[corpus::test]` of the integration tests in `tests/it`.

use std::path::{Path, PathBuf};

use proc_macro::TokenStream;

/// A test that needs the corpus of real robots.txt files. Where the corpus is missing the test
/// is reported as ignored, with the folder that was looked at.
///
/// The folder is `$ROBOTSIEVE_CORPUS`, or else `shared/corpus` beside the repository. It is
/// looked at when the test is compiled, because Rust's test harness cannot ignore a test once it
/// runs.
#[proc_macro_attribute]
pub fn corpus_test(_arguments: TokenStream, function: TokenStream) -> TokenStream {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo");
    // The command is a folder below the library.
    let repository = |package: &Path| match package.join("corpora").is_dir() {
        true => package.to_owned(),
        false => package.join(".."),
    };
    let default = || repository(Path::new(&package)).join("../shared/corpus");
    let folder = std::env::var_os("ROBOTSIEVE_CORPUS").map_or_else(default, PathBuf::from);
    let mut attributes = "#[test]".to_owned();
    if !folder.is_dir() {
        let reason =
            format!("needs the corpus, which was not in {} at compile time", folder.display());
        attributes += &format!("#[ignore = {reason:?}]");
    }
    let mut test: TokenStream = attributes.parse().expect("two attributes");
    test.extend(function);
    test
}
