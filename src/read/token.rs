//! Product tokens: what a user-agent line names, and what a crawler's name is looked up as.

use crate::profile::{GroupMatch, Profile, TokenBytes};

/// The crawlers that a user-agent line names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names<'a> {
    /// Those that no other line names.
    Everybody,
    /// Those whose names find this token. Empty only if the profile lets an empty token name
    /// somebody.
    Token(&'a [u8]),
    Nobody,
}

impl<'a> Names<'a> {
    pub fn of(value: &'a [u8], profile: &Profile) -> Names<'a> {
        if names_everybody(value, profile) {
            return Names::Everybody;
        }
        let token = token(value, profile.token_bytes);
        if token.is_empty() && !profile.empty_token_names_empty {
            return Names::Nobody;
        }
        Names::Token(token)
    }
}

/// True if a user-agent line's value counts as `*`.
pub fn names_everybody(value: &[u8], profile: &Profile) -> bool {
    let [b'*', after @ ..] = value else { return false };
    // `isspace` of the C locale, vertical tab included.
    let space = after.first().is_some_and(|o| matches!(o, b' ' | 0x09..=0x0D));
    after.is_empty() || profile.star_then_space && space
}

/// Returns true for the bytes of [`TokenBytes::LettersDigits`].
pub fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
}

/// The product token of a user-agent line's value. It may be empty.
pub fn token(value: &[u8], bytes: TokenBytes) -> &[u8] {
    let end = match bytes {
        TokenBytes::LettersDigits => value.iter().position(|byte| !is_token_byte(*byte)),
        TokenBytes::Letters => {
            value.iter().position(|o| !o.is_ascii_alphabetic() && !b"-_".contains(o))
        }
        TokenBytes::UpToSlash => memchr::memchr(b'/', value),
    };
    let len = end.unwrap_or(value.len());
    value[..len].trim_ascii()
}

/// The part of a crawler's name that is compared with tokens.
pub fn looked_up(name: &[u8], group_match: GroupMatch) -> &[u8] {
    match group_match {
        GroupMatch::FirstSubstring => token(name, TokenBytes::UpToSlash),
        GroupMatch::Equal | GroupMatch::LongestPrefix => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What no case in `corpora/cases` asks.
    #[test]
    fn short_tokens() {
        assert_eq!(token(b"123", TokenBytes::Letters), b"");
        assert_eq!(token(b"Foo Bot /2", TokenBytes::UpToSlash), b"Foo Bot");
        assert_eq!(Names::of(b"/1", &Profile::ORIGINAL_1994), Names::Nobody);
    }
}
