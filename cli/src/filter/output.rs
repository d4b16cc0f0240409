//! The output for a line, and its way to the writer.

use std::sync::mpsc::SyncSender;

use super::feed::Buffers;
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

/// A `jsonl` line: the URL, then for each crawler its name and the members that [`json_answer`] and
/// [`json_rule`] wrote.
pub fn json_line<'v>(
    out: &mut Vec<u8>,
    url: &[u8],
    verdicts: impl Iterator<Item = (&'v AgentMember, &'v [u8])>,
) {
    out.push(b'{');
    json_bytes(out, "url", url);
    out.extend_from_slice(b",\"verdicts\":[");
    for (at, (agent, members)) in verdicts.enumerate() {
        out.extend_from_slice(if at == 0 { b"{" } else { b",{" });
        out.extend_from_slice(&agent.0);
        out.push(b',');
        out.extend_from_slice(members);
        out.push(b'}');
    }
    out.extend_from_slice(b"]}\n");
}

/// The member `verdict`.
pub fn json_answer(out: &mut Vec<u8>, answer: Answer) {
    out.extend_from_slice(b"\"verdict\":\"");
    out.extend_from_slice(answer.as_str().as_bytes());
    out.push(b'"');
}

/// The members `line` and `rule` after [`json_answer`], for the rule that decided.
pub fn json_rule(out: &mut Vec<u8>, line: u32, rule: &[u8]) {
    out.extend_from_slice(b",\"line\":");
    out.extend_from_slice(line.to_string().as_bytes());
    out.push(b',');
    json_bytes(out, "rule", rule);
}

/// The member `agent`, written once for all lines.
pub struct AgentMember(Vec<u8>);

impl AgentMember {
    pub fn new(agent: &[u8]) -> AgentMember {
        let mut bytes = Vec::new();
        json_bytes(&mut bytes, "agent", agent);
        AgentMember(bytes)
    }
}

/// A member for bytes, and another with their base64 if they are not UTF-8.
fn json_bytes(out: &mut Vec<u8>, name: &str, bytes: &[u8]) {
    // Nearly all are UTF-8: without a copy.
    if let Ok(text) = std::str::from_utf8(bytes) {
        return json_member(out, name, "", text);
    }
    let (text, base64) = bytes::text(bytes);
    json_member(out, name, "", &text);
    out.push(b',');
    json_member(out, name, "_base64", &base64.unwrap_or_default());
}

fn json_member(out: &mut Vec<u8>, name: &str, suffix: &str, text: &str) {
    for part in ["\"", name, suffix, "\":"] {
        out.extend_from_slice(part.as_bytes());
    }
    serde_json::to_writer(out, text).expect("a vector has room for any text");
}
