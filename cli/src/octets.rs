//! Octets that are shown to people and written into JSON.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// Octets for people: as they are where they are printable, else escaped.
pub fn shown(octets: &[u8]) -> String {
    match str::from_utf8(octets) {
        Ok(text) if !text.chars().any(char::is_control) => text.to_owned(),
        _ => octets.escape_ascii().to_string(),
    }
}

/// Octets as text, and where they are not UTF-8 in Base64 too.
pub fn put(value: &mut Value, name: &str, octets: &[u8]) {
    value[name] = String::from_utf8_lossy(octets).into();
    if str::from_utf8(octets).is_err() {
        value[format!("{name}_base64")] = STANDARD.encode(octets).into();
    }
}

/// The lines that count: without the CR at a line's end, and without the empty ones.
pub fn lines(octets: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = octets.split(|octet| *octet == b'\n');
    lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line)).filter(|line| !line.is_empty())
}
