//! Dictionaries of RFC 9651 (Structured Field Values for HTTP), as far as preferences need them.

/// A member of a dictionary: the last value of its key, at the position of the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Member<'a> {
    pub(super) key: &'a [u8],
    /// The value if it is a token, without parameters.
    pub(super) token: Option<&'a [u8]>,
}

/// Parses a dictionary (RFC 9651 §4.2.2). `None` if any part of it is invalid, for then the RFC
/// ignores all of it.
///
/// `O(n)`, plus the comparison of each key with all others.
pub(super) fn parse(text: &[u8]) -> Option<Vec<Member<'_>>> {
    /// More keys than any vocabulary has. Bounds the comparison of keys.
    const MAX_MEMBERS: usize = 256;
    let mut members: Vec<Member<'_>> = Vec::new();
    let mut rest = Text(text.trim_ascii());
    while !rest.0.is_empty() {
        let key = rest.key()?;
        let token = if rest.take(b'=') { rest.item_or_list()? } else { None };
        rest.parameters()?;
        match members.iter().position(|member| member.key == key) {
            Some(at) => members[at].token = token,
            None if members.len() == MAX_MEMBERS => return None,
            None => members.push(Member { key, token }),
        }
        rest.white_space();
        if rest.0.is_empty() {
            break;
        }
        if !rest.take(b',') {
            return None;
        }
        rest.white_space();
        // A comma at the end.
        if rest.0.is_empty() {
            return None;
        }
    }
    Some(members)
}

/// The rest of a text.
struct Text<'a>(&'a [u8]);

impl<'a> Text<'a> {
    fn take(&mut self, byte: u8) -> bool {
        match self.0.split_first() {
            Some((first, rest)) if *first == byte => {
                self.0 = rest;
                true
            }
            _ => false,
        }
    }

    fn take_while(&mut self, belongs: impl Fn(u8) -> bool) -> &'a [u8] {
        let len = self.0.iter().position(|byte| !belongs(*byte)).unwrap_or(self.0.len());
        let (taken, rest) = self.0.split_at(len);
        self.0 = rest;
        taken
    }

    fn white_space(&mut self) {
        self.take_while(|byte| matches!(byte, b' ' | b'\t'));
    }

    /// RFC 9651 §4.2.3.3.
    fn key(&mut self) -> Option<&'a [u8]> {
        let first = self.0.first()?;
        if !(first.is_ascii_lowercase() || *first == b'*') {
            return None;
        }
        Some(self.take_while(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-.*".contains(&byte)
        }))
    }

    /// `None` if it is neither an item nor a list, else the token, if it is one.
    fn item_or_list(&mut self) -> Option<Option<&'a [u8]>> {
        if !self.take(b'(') {
            return self.bare_item();
        }
        loop {
            self.take_while(|byte| byte == b' ');
            if self.take(b')') {
                return Some(None);
            }
            self.bare_item()?;
            self.parameters()?;
            if !matches!(self.0.first(), Some(b' ' | b')')) {
                return None;
            }
        }
    }

    fn parameters(&mut self) -> Option<()> {
        while self.take(b';') {
            self.take_while(|byte| byte == b' ');
            self.key()?;
            if self.take(b'=') {
                self.bare_item()?;
            }
        }
        Some(())
    }

    /// RFC 9651 §4.2.3.1. `None` if it is not an item, else the token, if it is one.
    fn bare_item(&mut self) -> Option<Option<&'a [u8]>> {
        match *self.0.first()? {
            b'a'..=b'z' | b'A'..=b'Z' | b'*' => Some(Some(self.take_while(|byte| {
                byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~:/".contains(&byte)
            }))),
            b'-' | b'0'..=b'9' => self.number(true),
            b'@' => {
                self.take(b'@');
                self.number(false)
            }
            b'?' => {
                self.take(b'?');
                (self.take(b'0') || self.take(b'1')).then_some(None)
            }
            b'"' => self.string(),
            b'%' => {
                self.take(b'%');
                self.display_string()
            }
            b':' => {
                self.take(b':');
                self.take_while(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte));
                self.take(b':').then_some(None)
            }
            _ => None,
        }
    }

    fn number(&mut self, decimal: bool) -> Option<Option<&'a [u8]>> {
        self.take(b'-');
        let whole = self.take_while(|byte| byte.is_ascii_digit()).len();
        if self.take(b'.') {
            let fraction = self.take_while(|byte| byte.is_ascii_digit()).len();
            return (decimal && (1..=12).contains(&whole) && (1..=3).contains(&fraction))
                .then_some(None);
        }
        (1..=15).contains(&whole).then_some(None)
    }

    fn string(&mut self) -> Option<Option<&'a [u8]>> {
        self.take(b'"');
        loop {
            self.take_while(|byte| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\'));
            if self.take(b'"') {
                return Some(None);
            }
            if !(self.take(b'\\') && (self.take(b'"') || self.take(b'\\'))) {
                return None;
            }
        }
    }

    /// Checks the digits of escapes, but not that what they encode is UTF-8.
    fn display_string(&mut self) -> Option<Option<&'a [u8]>> {
        if !self.take(b'"') {
            return None;
        }
        loop {
            self.take_while(|byte| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'%'));
            if self.take(b'"') {
                return Some(None);
            }
            let digits = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
            let [b'%', high, low, rest @ ..] = self.0 else { return None };
            if !(digits(high) && digits(low)) {
                return None;
            }
            self.0 = rest;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dictionaries() {
        let tokens = |text: &'static str| -> Option<Vec<(&str, Option<&str>)>> {
            let shown = |bytes: &'static [u8]| str::from_utf8(bytes).unwrap();
            let members = parse(text.as_bytes())?;
            Some(members.iter().map(|m| (shown(m.key), m.token.map(shown))).collect())
        };
        assert_eq!(tokens(""), Some(vec![]));
        assert_eq!(
            tokens(" train-ai=y , search=n"),
            Some(vec![("train-ai", Some("y")), ("search", Some("n"))])
        );
        // Only the last member of a key counts, and only a token is a preference.
        let twice = "train-ai=y, train-ai, search=n, search=\"n\"";
        assert_eq!(tokens(twice), Some(vec![("train-ai", None), ("search", None)]));
        assert_eq!(tokens("train-ai;allow=n, train-ai=y"), Some(vec![("train-ai", Some("y"))]));
        for value in [
            "1",
            "-1.5",
            "?1",
            "@1",
            "\"a\\\"b\"",
            ":YQ==:",
            "(a \"b\";c=1  ?0)",
            "()",
            "%\"a%c3%a9\"",
        ] {
            let text: &'static str = format!("a={value};p;q={}", value.len()).leak();
            assert_eq!(tokens(text), Some(vec![("a", None)]), "{text}");
        }
        for text in [
            "Train-ai=y",
            "a=y b=n",
            "a=y,",
            ",",
            "a=",
            "=y",
            "a=?2",
            "a=1.",
            "a=\"x",
            "a=(b",
            "a=(b)c",
            "a;=1",
            "a=y,,b=n",
            "a=1234567890123456",
            "a=%\"%C3\"",
            "a=é",
            "a=:x",
            "a=\"\\x\"",
            "a y",
        ] {
            assert_eq!(tokens(text), None, "{text}");
        }
    }

    #[test]
    fn too_many_keys() {
        let many: String = (0..1_000).map(|i| format!("a{i},")).collect();
        assert_eq!(parse(many.trim_end_matches(',').as_bytes()), None);
    }
}
