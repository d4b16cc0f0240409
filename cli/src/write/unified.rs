//! Unified diffs.

use similar::TextDiff;

use super::bytes::harmless;

/// A unified diff, which `patch -p0` and `git apply -p0` take. Bytes are as in the files.
pub fn diff(name: &str, old: &[u8], new: &[u8]) -> Vec<u8> {
    // Only these end a line for `patch`.
    let lines = |text: &'_ [u8]| -> Vec<Vec<u8>> {
        text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
    };
    let (old, new) = (lines(old), lines(new));
    let diff = TextDiff::configure().diff_slices(&refs(&old), &refs(&new));
    // A tab ends a name with spaces.
    let name: String = name.chars().map(harmless).collect();
    let end = if name.contains(' ') { "\t" } else { "" };
    let mut text = format!("--- {name}{end}\n+++ {name}{end}\n").into_bytes();
    for hunk in diff.unified_diff().iter_hunks() {
        text.extend_from_slice(format!("{}\n", hunk.header()).as_bytes());
        for change in hunk.iter_changes() {
            text.extend_from_slice(change.tag().to_string().as_bytes());
            text.extend_from_slice(change.value());
            if !change.value().ends_with(b"\n") {
                text.extend_from_slice(b"\n\\ No newline at end of file\n");
            }
        }
    }
    text
}

fn refs(lines: &[Vec<u8>]) -> Vec<&[u8]> {
    lines.iter().map(Vec::as_slice).collect()
}
