//! A picture of a table, as Graphviz DOT.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::automaton::table::Table;
use crate::automaton::table::format::{LITERAL, WAIT, header_len};
use crate::verdict::Verdict;

impl Table<'_> {
    /// The records as a graph.
    ///
    /// An ellipse reads bytes; a hexagon comes after a star and skips bytes until one of its
    /// own. Their colour is the verdict if the haystack ends there. Every other byte takes the
    /// dashed edge and is read again where that leads. Boxes are final verdicts.
    pub(crate) fn to_dot(self) -> String {
        let mut dot = String::from(
            "digraph policy {\n  rankdir=LR;\n  node [style=filled, fontname=\"monospace\"];\n  \
             edge [fontname=\"monospace\"];\n  begin [label=\"/\", shape=plaintext, style=\"\"];\n",
        );
        let (mut places, mut records) = (Vec::new(), Vec::new());
        let mut place = header_len(self.width());
        while let Some(record) = self.record(place) {
            places.push(place as u32);
            place += record.len;
            records.push(record);
        }
        let name = |target: u32| match target {
            0 => "allow".to_string(),
            1 => "disallow".to_string(),
            place => format!("r{}", places.binary_search(&place).map_or(0, |index| index + 1)),
        };
        let mut finals = [false; 2];
        let mut edges = String::new();
        let mut edge = |from: &str, to: u32, attributes: &str| {
            if let Some(is_used) = finals.get_mut(to as usize) {
                *is_used = true;
            }
            let _ = writeln!(edges, "  {from} -> {}{attributes};", name(to));
        };
        edge("begin", self.start(), "");
        for (&place, record) in places.iter().zip(records) {
            let from = name(place);
            let next = place + record.len as u32;
            let shape = if record.head.kind() == WAIT { "hexagon" } else { "ellipse" };
            let colour = match record.head.at_end() {
                Verdict::Allow => "palegreen",
                Verdict::Disallow => "lightsalmon",
            };
            let label = if record.head.kind() == WAIT { "*" } else { "" };
            let _ =
                writeln!(dot, "  {from} [label=\"{label}\", shape={shape}, fillcolor={colour}];");
            if record.head.kind() == LITERAL {
                let label = format!(" [label=\"{}\"]", escape(record.bytes, ""));
                edge(&from, record.then.unwrap_or(next), &label);
            } else {
                let mut by_target: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
                for (byte, target) in record.bytes.iter().zip(&record.targets) {
                    by_target.entry(*target).or_default().push(*byte);
                }
                for (target, bytes) in by_target {
                    edge(&from, target, &format!(" [label=\"{}\"]", escape(&bytes, " ")));
                }
            }
            if let Some(otherwise) = record.otherwise {
                edge(&from, otherwise, " [style=dashed]");
            }
        }
        for (verdict, colour, is_used) in
            [("allow", "palegreen", finals[0]), ("disallow", "lightsalmon", finals[1])]
        {
            if is_used {
                let _ = writeln!(dot, "  {verdict} [shape=box, fillcolor={colour}];");
            }
        }
        dot.push_str(&edges);
        dot.push_str("}\n");
        dot
    }
}

/// Bytes as the inside of a DOT string, with `separator` between them.
fn escape(bytes: &[u8], separator: &str) -> String {
    let mut text = String::new();
    for (i, byte) in bytes.iter().enumerate() {
        if i > 0 {
            text.push_str(separator);
        }
        match byte {
            b'"' | b'\\' => {
                text.push('\\');
                text.push(char::from(*byte));
            }
            b' ' => text.push('␠'),
            0x21..=0x7E => text.push(char::from(*byte)),
            _ => {
                let _ = write!(text, "\\\\x{byte:02X}");
            }
        }
    }
    text
}
