//! The output for a line, and its way to the writer.

use std::sync::mpsc::SyncSender;

use robotsieve::Decision;

use super::Buffers;
use super::tally::Tally;
use crate::read::inputs::CHUNK_BYTES;
use crate::write::bytes;
use robotsieve::Answer;

/// What a worker sends to the writer.
pub enum Piece {
    /// Whole lines of output.
    Bytes(Vec<u8>),
    /// The end of the chunk.
    End(Tally),
}

/// The writer is gone.
pub struct Gone;

/// The output of one chunk: usually one piece, several if it grows large.
pub struct Pieces<'w> {
    pub bytes: Vec<u8>,
    to: &'w SyncSender<Piece>,
    buffers: &'w Buffers,
}

impl<'w> Pieces<'w> {
    pub fn new(to: &'w SyncSender<Piece>, buffers: &'w Buffers) -> Pieces<'w> {
        Pieces { bytes: emptied(buffers.take()), to, buffers }
    }

    /// Must be called after each line; sends output that has grown large.
    #[inline]
    pub fn line_done(&mut self) -> Result<(), Gone> {
        if self.bytes.len() < 2 * CHUNK_BYTES { Ok(()) } else { self.send() }
    }

    #[cold]
    fn send(&mut self) -> Result<(), Gone> {
        let piece = std::mem::replace(&mut self.bytes, emptied(self.buffers.take()));
        self.to.send(Piece::Bytes(piece)).map_err(|_| Gone)
    }

    /// Sends the rest.
    pub fn finish(self, tally: Tally) {
        finish(self.to, self.bytes, tally);
    }
}

/// Sends the last lines of a chunk. If the writer is gone, the next chunk finds out.
pub fn finish(to: &SyncSender<Piece>, bytes: Vec<u8>, tally: Tally) {
    let _ = to.send(Piece::Bytes(bytes));
    let _ = to.send(Piece::End(tally));
}

fn emptied(mut buffer: Vec<u8>) -> Vec<u8> {
    buffer.clear();
    buffer
}

/// The URL at the end of a line, unchanged.
#[inline]
pub fn url_line(out: &mut Vec<u8>, url: &[u8]) {
    out.extend_from_slice(url);
    out.push(b'\n');
}

/// One verdict of a `tsv` line; [`url_line`] ends it.
#[inline]
pub fn tsv_verdict(out: &mut Vec<u8>, answer: Answer) {
    out.extend_from_slice(answer.as_str().as_bytes());
    out.push(b'\t');
}

/// A `jsonl` line: the URL, then for each crawler its name and the members that [`json_answer`] or
/// [`json_decision`] wrote.
pub fn json_line<'v>(
    out: &mut Vec<u8>,
    url: &[u8],
    verdicts: impl Iterator<Item = (&'v JsonText, &'v [u8])>,
) {
    out.extend_from_slice(b"{\"url\":");
    match std::str::from_utf8(url) {
        Ok(url) => json_text(out, url),
        Err(_) => {
            let (text, base64) = bytes::text(url);
            json_text(out, &text);
            out.extend_from_slice(b",\"url_base64\":");
            json_text(out, &base64.unwrap_or_default());
        }
    }
    out.extend_from_slice(b",\"verdicts\":[");
    for (at, (agent, members)) in verdicts.enumerate() {
        out.extend_from_slice(if at == 0 { b"{\"agent\":" } else { b",{\"agent\":" });
        out.extend_from_slice(&agent.0);
        out.push(b',');
        out.extend_from_slice(members);
        out.push(b'}');
    }
    out.extend_from_slice(b"]}\n");
}

/// The member `verdict` if no policy decided.
pub fn json_answer(out: &mut Vec<u8>, answer: Answer) {
    out.extend_from_slice(b"\"verdict\":\"");
    out.extend_from_slice(answer.as_str().as_bytes());
    out.push(b'"');
}

/// The members `verdict` and, if a rule decided, `line` and `rule`.
pub fn json_decision(out: &mut Vec<u8>, decision: &Decision<'_>) {
    json_answer(out, Answer::from(decision.verdict));
    if let Some(rule) = decision.rule() {
        out.extend_from_slice(b",\"line\":");
        out.extend_from_slice(rule.line.to_string().as_bytes());
        out.extend_from_slice(b",\"rule\":");
        json_text(out, &String::from_utf8_lossy(rule.value));
    }
}

/// A quoted JSON string, escaped once for all lines.
pub struct JsonText(Vec<u8>);

impl JsonText {
    pub fn new(text: &str) -> JsonText {
        let mut bytes = Vec::new();
        json_text(&mut bytes, text);
        JsonText(bytes)
    }
}

fn json_text(out: &mut Vec<u8>, text: &str) {
    serde_json::to_writer(out, text).expect("a vector has room for any text");
}
