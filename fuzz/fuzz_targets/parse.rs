//! Any bytes as a robots.txt, in every profile: nothing panics, spans lie within the file,
//! records stand in order, and the verdicts for each of its tokens are the naive oracle's.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/it/support/naive.rs"]
mod naive;
#[path = "../../tests/it/support/whole_file.rs"]
mod whole_file;

fuzz_target!(|bytes: &[u8]| {
    // The file's own bytes are as good a URL as any: they hold what its rules do.
    let tail = &bytes[bytes.len().saturating_sub(100)..];
    let path = [b"/", tail].concat();
    whole_file::look_at(bytes, &[tail, &path, b"/", b"/robots.txt"]);
});
