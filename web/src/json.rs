//! Writes JSON.
//!
//! By hand, because serde's `Serialize` with `serde_json` would make the module a fifth larger, and
//! what goes to JavaScript has spans in other units than the library's own representation.

use std::fmt::Write as _;

/// The most JSON. Engines have strings of up to 512 MiB, and the objects made of it take several
/// times as much.
const MOST_BYTES: usize = 128 << 20;

/// JSON that is being written.
#[derive(Default)]
pub struct Json {
    text: String,
    too_long: bool,
}

impl Json {
    /// The JSON of one value; empty if it would be too long, which JavaScript takes for an error.
    pub fn of(write: impl FnOnce(&mut Json)) -> String {
        let mut json = Json::default();
        write(&mut json);
        json.check();
        if json.too_long { String::new() } else { json.text }
    }

    /// Begins anew where it is too long, so that memory is not used up.
    fn check(&mut self) {
        if self.text.len() > MOST_BYTES {
            *self = Json { text: String::new(), too_long: true };
        }
    }

    /// Values and keys are parted by commas. What was written last tells whether one is due: a key
    /// ends in `:`, and every value ends in another byte than these.
    fn part(&mut self) {
        self.check();
        if !matches!(self.text.as_bytes().last(), None | Some(b'{' | b'[' | b':')) {
            self.text.push(',');
        }
    }

    /// The key of the value that is written next.
    pub fn key(&mut self, key: &'static str) -> &mut Json {
        self.text(key);
        self.text.push(':');
        self
    }

    pub fn object(&mut self, fill: impl FnOnce(&mut Json)) {
        self.part();
        self.text.push('{');
        fill(self);
        self.text.push('}');
    }

    pub fn array<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut each: impl FnMut(&mut Json, T),
    ) {
        self.part();
        self.text.push('[');
        for item in items {
            each(self, item);
        }
        self.text.push(']');
    }

    /// A value, or `null`.
    pub fn option<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Json, T)) {
        match value {
            Some(value) => write(self, value),
            None => self.null(),
        }
    }

    pub fn null(&mut self) {
        self.part();
        self.text.push_str("null");
    }

    pub fn bool(&mut self, value: bool) {
        self.part();
        self.text.push_str(if value { "true" } else { "false" });
    }

    pub fn number(&mut self, value: usize) {
        self.part();
        let _ = write!(self.text, "{value}");
    }

    pub fn line(&mut self, line: u32) {
        self.number(line as usize);
    }

    /// A number that is finite.
    pub fn float(&mut self, value: f64) {
        self.part();
        let _ = write!(self.text, "{value}");
    }

    pub fn text(&mut self, text: &str) {
        self.part();
        self.text.push('"');
        let mut rest = text;
        while let Some(at) =
            rest.bytes().position(|byte| byte < b' ' || byte == b'"' || byte == b'\\')
        {
            let (plain, special) = rest.split_at(at);
            self.text.push_str(plain);
            match special.as_bytes()[0] {
                byte @ (b'"' | b'\\') => {
                    self.text.push('\\');
                    self.text.push(char::from(byte));
                }
                byte => {
                    let _ = write!(self.text, "\\u{byte:04x}");
                }
            }
            rest = &special[1..];
        }
        self.text.push_str(rest);
        self.text.push('"');
    }

    /// Bytes as `TextDecoder` decodes them: what is not UTF-8 becomes U+FFFD.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.text(&String::from_utf8_lossy(bytes));
    }

    /// What a value displays as.
    pub fn display(&mut self, value: &dyn std::fmt::Display) {
        self.text(&value.to_string());
    }
}
