//! Reads arbitrary bytes as a robots.txt in every profile. Checks that nothing panics, spans lie
//! within the file, records come in order, and the verdicts for each product token in the file
//! are those of the naive oracle.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/it/support/naive.rs"]
mod naive;
#[path = "../../tests/it/support/whole_file.rs"]
mod whole_file;

fuzz_target!(|bytes: &[u8]| {
    // The file's own bytes make a good URL, because they contain what its rules do.
    let tail = &bytes[bytes.len().saturating_sub(100)..];
    let path = [b"/", tail].concat();
    whole_file::look_at(bytes, &[tail, &path, b"/", b"/robots.txt"]);
});
