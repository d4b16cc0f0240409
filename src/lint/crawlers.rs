//! Crawlers that are well known.

/// Search engines on which sites depend, by the tokens that their crawlers obey.
pub(super) const SEARCH_ENGINES: [(&str, &str); 5] = [
    ("googlebot", "Google"),
    ("bingbot", "Bing"),
    ("duckduckbot", "DuckDuckGo"),
    ("yandex", "Yandex"),
    ("baiduspider", "Baidu"),
];

/// Product tokens that robots.txt files often name, as their operators write them.
#[rustfmt::skip]
const WELL_KNOWN: &[&str] = &[
    "AdIdxBot", "AdsBot-Google", "AdsBot-Google-Mobile", "AhrefsBot", "Amazonbot", "anthropic-ai",
    "APIs-Google", "Applebot", "Applebot-Extended", "archive.org_bot", "Baiduspider", "Bingbot",
    "BingPreview", "BLEXBot", "Bytespider", "CCBot", "ChatGPT-User", "Claude-SearchBot",
    "Claude-User", "Claude-Web", "ClaudeBot", "cohere-ai", "DataForSeoBot", "DeepSeekBot",
    "Diffbot", "Discordbot", "DotBot", "DuckAssistBot", "DuckDuckBot", "Exabot", "FacebookBot",
    "facebookexternalhit", "FeedFetcher-Google", "Google-CloudVertexBot", "Google-Extended",
    "Google-InspectionTool", "Googlebot", "Googlebot-Image", "Googlebot-News", "Googlebot-Video",
    "GoogleOther", "GPTBot", "heritrix", "ia_archiver", "ImagesiftBot", "LinkedInBot",
    "Mediapartners-Google", "meta-externalagent", "meta-externalfetcher", "MistralAI-User",
    "MJ12bot", "MojeekBot", "msnbot", "NaverBot", "OAI-SearchBot", "omgili", "omgilibot",
    "Perplexity-User", "PerplexityBot", "PerplexityUser", "PetalBot", "Pinterestbot", "Qwantbot",
    "rogerbot", "Scrapy", "SemrushBot", "SeznamBot", "SiteAuditBot", "Slackbot", "Slurp", "Sogou",
    "Storebot-Google", "TelegramBot", "TikTokSpider", "Timpibot", "Twitterbot", "WhatsApp",
    "Yandex", "YandexBot", "YandexImages", "Yeti", "YouBot",
];

/// The well-known crawler whose name was probably meant by a token that no well-known one has.
///
/// The names differ in hyphens alone, or in one slip of the pen. Short names are taken as they are:
/// `roverbot` and `msrbot` are crawlers, and no misspelt `rogerbot` and `msnbot`.
pub(super) fn misspelt(token: &[u8]) -> Option<&'static str> {
    const MAX_LEN: usize = 32;
    let token = str::from_utf8(token).ok().filter(|token| token.len() <= MAX_LEN)?;
    let token = token.to_ascii_lowercase();
    if WELL_KNOWN.iter().any(|known| known.eq_ignore_ascii_case(&token)) {
        return None;
    }
    WELL_KNOWN.iter().copied().find(|known| is_slip(&token, &known.to_ascii_lowercase()))
}

fn is_slip(token: &str, known: &str) -> bool {
    /// Names of this length differ by chance in one byte more, less or swapped, or replaced.
    const SHIFTED: usize = 7;
    const REPLACED: usize = 9;
    let is_hyphen = |c: &char| matches!(c, '-' | '_' | '.');
    let letters = |name: &str| name.chars().filter(|c| !is_hyphen(c)).collect::<String>();
    if letters(token) == letters(known) {
        return true;
    }
    if token.len().abs_diff(known.len()) > 1 || strsim::osa_distance(token, known) != 1 {
        return false;
    }
    let sorted = |name: &str| {
        let mut bytes = name.as_bytes().to_vec();
        bytes.sort_unstable();
        bytes
    };
    let is_replaced = token.len() == known.len() && sorted(token) != sorted(known);
    known.len() >= if is_replaced { REPLACED } else { SHIFTED }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips() {
        for (token, wanted) in [
            ("Googlbot", Some("Googlebot")),
            ("GoogelBot", Some("Googlebot")),
            ("gogglebot", Some("Googlebot")),
            ("Google-bot", Some("Googlebot")),
            ("GPT-Bot", Some("GPTBot")),
            ("gptbot", None),
            ("GPTBots", None),
            ("Googlebot-Image", None),
            ("GooglebotImage", Some("Googlebot-Image")),
            ("PerplexityBots", Some("PerplexityBot")),
            ("roverbot", None),
            ("msrbot", None),
            ("discobot", None),
            ("jooblebot", None),
            ("aibot", None),
            ("", None),
        ] {
            assert_eq!(misspelt(token.as_bytes()), wanted, "{token}");
        }
    }
}
