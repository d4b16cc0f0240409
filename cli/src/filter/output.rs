//! The output for a line, and its way to the writer.

use std::io::{self, IsTerminal, Write};

use super::feed::Buffers;
use crate::read::inputs::CHUNK_BYTES;
use crate::turns::{Turn, Turns};
use crate::write::{bytes, screen, stdout};
use robotsieve::Answer;

/// Why a chunk's output was not finished.
pub enum Unwritten {
    /// Another worker failed to write.
    Over,
    /// This one did.
    Failed(io::Error),
}

/// The first bytes of a buffer, and how many.
type Rest = (Vec<u8>, usize);

/// Standard output, to which workers write in the order of the chunks.
pub struct Output {
    pub turns: Turns<Rest>,
    is_terminal: bool,
}

impl Output {
    /// So many chunks may wait before no more are read.
    pub fn new(most_waiting: usize) -> Output {
        Output { turns: Turns::new(most_waiting), is_terminal: io::stdout().is_terminal() }
    }

    fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let write = || stdout::lock()?.write_all(bytes);
        // The bar is in the way only if both are on the same screen.
        if self.is_terminal { screen::without_bar(write) } else { write() }
    }

    /// Writes the rest of a chunk's output when its turn comes.
    ///
    /// # Errors
    /// Returns an error if it cannot be written.
    pub fn finish(&self, turn: Turn<'_, Rest>, rest: Rest, buffers: &Buffers) -> io::Result<()> {
        turn.finish(rest, |(output, len)| {
            self.write(&output[..len])?;
            buffers.give(output);
            Ok(())
        })
    }
}

/// The output of one chunk. If it grows large, it is written in pieces.
pub struct Pieces<'w> {
    pub bytes: Vec<u8>,
    output: &'w Output,
    turn: Turn<'w, Rest>,
}

impl<'w> Pieces<'w> {
    pub fn new(output: &'w Output, turn: Turn<'w, Rest>, buffers: &Buffers) -> Pieces<'w> {
        let mut bytes = buffers.take();
        bytes.clear();
        Pieces { bytes, output, turn }
    }

    /// Must be called after each line; writes output that has grown large.
    #[inline]
    pub fn line_done(&mut self) -> Result<(), Unwritten> {
        if self.bytes.len() < 2 * CHUNK_BYTES { Ok(()) } else { self.write() }
    }

    #[cold]
    fn write(&mut self) -> Result<(), Unwritten> {
        let written = self.turn.part(|| self.output.write(&self.bytes));
        self.bytes.clear();
        if written.map_err(Unwritten::Failed)? { Ok(()) } else { Err(Unwritten::Over) }
    }

    /// Writes the rest when its turn comes.
    pub fn finish(self, buffers: &Buffers) -> Result<(), Unwritten> {
        let len = self.bytes.len();
        self.output.finish(self.turn, (self.bytes, len), buffers).map_err(Unwritten::Failed)
    }
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

/// The member `by` after [`json_answer`], if there are places that decided.
pub fn json_by(out: &mut Vec<u8>, by: &[String]) {
    for (number, place) in by.iter().enumerate() {
        out.extend_from_slice(if number == 0 { b",\"by\":[\"" } else { b",\"" });
        // A place has no character that JSON escapes: it is a line of robots.txt.
        out.extend_from_slice(place.as_bytes());
        out.push(b'"');
    }
    if !by.is_empty() {
        out.push(b']');
    }
}

/// The member `why` after the others: a name without characters that JSON escapes.
pub fn json_why(out: &mut Vec<u8>, why: &str) {
    out.extend_from_slice(b",\"why\":\"");
    out.extend_from_slice(why.as_bytes());
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
