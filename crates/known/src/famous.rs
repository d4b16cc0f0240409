//! The crawlers that most owners of sites look for, in the order in which they are named.

/// Product tokens. Others follow in alphabetical order.
#[rustfmt::skip]
const FAMOUS: [&str; 30] = [
    "Googlebot", "bingbot", "GPTBot", "ClaudeBot", "Google-Extended", "PerplexityBot",
    "OAI-SearchBot", "ChatGPT-User", "Applebot", "Applebot-Extended", "CCBot", "meta-externalagent",
    "Amazonbot", "Bytespider", "DuckDuckBot", "YandexBot", "Baiduspider", "Googlebot-Image",
    "Googlebot-News", "Claude-SearchBot", "Claude-User", "Perplexity-User", "facebookexternalhit",
    "Twitterbot", "LinkedInBot", "Slackbot-LinkExpanding", "AdsBot-Google", "AhrefsBot",
    "SemrushBot", "archive.org_bot",
];

/// The place of a product token among those that people look for; all others have the last one.
pub(super) fn place(token: &str) -> usize {
    FAMOUS.iter().position(|famous| famous.eq_ignore_ascii_case(token)).unwrap_or(FAMOUS.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KnownCrawlers;

    #[test]
    fn they_are_known() {
        let known = KnownCrawlers::built_in();
        for (number, token) in FAMOUS.iter().enumerate() {
            assert!(known.by_token(token).is_some(), "{token}");
            assert_eq!(place(&token.to_uppercase()), number);
        }
        assert_eq!(place("FooBot"), FAMOUS.len());
    }
}
