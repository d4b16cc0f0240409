//! The end of a body that was cut off.

use robotsieve::internals::ByteOrder;

/// The number of bytes in the whole lines of a body that was cut off. Lines end as in the library:
/// CR, LF or both. `is_before_line_end` says whether the next byte is known, and ends a line.
pub(crate) fn whole_lines(body: &[u8], is_before_line_end: bool) -> usize {
    if let Some((order, text)) = ByteOrder::of(body) {
        let ends = |unit: &[u8; 2]| u8::try_from(order.unit(*unit)).is_ok_and(is_line_end);
        let units = text.as_chunks().0;
        let after = units.len() - units.iter().rposition(ends).map_or(0, |last| last + 1);
        return body.len() - text.len() % 2 - 2 * after;
    }
    match is_before_line_end {
        true => body.len(),
        false => body.iter().rposition(|byte| is_line_end(*byte)).map_or(0, |last| last + 1),
    }
}

pub(crate) fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}
