//! The values of `Content-Usage` and `Content-Signal`, as far as they are not read by the crate `robotsieve-rights`.

use memchr::memchr2;

/// The preferences of `Content-Usage` or `Content-Signal` about the use of content. **Drafts** define
/// both. The crate `robotsieve-rights` reads the statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Preferences<'a> {
    /// The pattern of the paths for which they hold, if the value begins with one.
    #[cfg_attr(
        feature = "serde",
        serde(serialize_with = "crate::bytes_as_text::serialize_option")
    )]
    pub path: Option<&'a [u8]>,
    /// The preferences as written, such as `train-ai=n, search=y`.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::bytes_as_text::serialize"))]
    pub statement: &'a [u8],
}

impl<'a> Preferences<'a> {
    /// A value, split into path and statement. A path begins with `/`, and ends before the first space or tab.
    ///
    /// draft-ietf-aipref-attach-05 §3.2: `[ path 1*WS ] statement`.
    #[must_use]
    pub fn of(value: &'a [u8]) -> Preferences<'a> {
        if value.first() != Some(&b'/') {
            return Preferences { path: None, statement: value };
        }
        let end = memchr2(b' ', b'\t', value).unwrap_or(value.len());
        let (path, mut statement) = value.split_at(end);
        while let [b' ' | b'\t', after @ ..] = statement {
            statement = after;
        }
        Preferences { path: Some(path), statement }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitting() {
        let split = |value: &'static str| {
            let Preferences { path, statement } = Preferences::of(value.as_bytes());
            (path.map(|path| str::from_utf8(path).unwrap()), str::from_utf8(statement).unwrap())
        };
        assert_eq!(split("a=y"), (None, "a=y"));
        assert_eq!(split("/a \t b=y"), (Some("/a"), "b=y"));
        assert_eq!(split("/a"), (Some("/a"), ""));
        assert_eq!(split(""), (None, ""));
        assert_eq!(split("*.pdf a=y"), (None, "*.pdf a=y"));
    }
}
