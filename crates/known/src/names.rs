//! Crawlers that are well known.

/// Search engines on which sites depend, by the tokens that their crawlers obey: of several the first
/// that a group names.
pub const SEARCH_ENGINES: [(&[&str], &str); 5] = [
    (&["googlebot"], "Google"),
    (&["bingbot"], "Bing"),
    (&["duckduckbot"], "DuckDuckGo"),
    (&["yandexbot", "yandex"], "Yandex"),
    (&["baiduspider"], "Baidu"),
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

/// What people take for the token of a crawler, and its token. Names of operators are in [`BRANDS`].
const MISTAKEN: [(&str, &str); 4] = [
    ("ChatGPT", "ChatGPT-User"),
    ("Claude", "ClaudeBot"),
    ("Perplexity", "PerplexityBot"),
    ("GTPBot", "GPTBot"),
];

/// Words that files name all crawlers by, though `*` is the only one.
pub(crate) const EVERYBODY: [&str; 8] =
    ["all", "any", "bots", "crawlers", "everybody", "everyone", "robots", "spiders"];

/// Names of operators and of their brands by which files mean the crawlers, with the operator, and the token that people
/// take the name for. Other operators' names are, or were, tokens too.
#[rustfmt::skip]
pub(crate) const BRANDS: [(&str, &str, Option<&str>); 17] = [
    ("Ahrefs", "Ahrefs", None), ("Amazon", "Amazon", Some("Amazonbot")),
    ("Anthropic", "Anthropic", Some("ClaudeBot")), ("Apple", "Apple", Some("Applebot")),
    ("Baidu", "Baidu", Some("Baiduspider")), ("Bing", "Microsoft", Some("bingbot")),
    ("ByteDance", "ByteDance", None), ("DuckDuckGo", "DuckDuckGo", Some("DuckDuckBot")),
    ("Facebook", "Meta", Some("facebookexternalhit")), ("Google", "Google", Some("Googlebot")),
    ("Meta", "Meta", Some("meta-externalagent")), ("Microsoft", "Microsoft", Some("bingbot")),
    ("MSN", "Microsoft", None), ("OpenAI", "OpenAI", Some("GPTBot")), ("Semrush", "Semrush", None),
    ("TikTok", "ByteDance", None), ("Yahoo", "Yahoo", None),
];

/// Returns true if it is the token of a well-known crawler.
pub fn is_well_known(token: &[u8]) -> bool {
    WELL_KNOWN.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(token))
}

/// The well-known crawler whose name was probably meant by a token that no well-known one has.
pub fn misspelt(token: &[u8]) -> Option<&'static str> {
    meant(token, WELL_KNOWN.iter().copied())
}

/// The first of these product tokens that was probably meant by a name that is none of them.
///
/// The names differ in hyphens alone, or in one slip of the pen. Short names are taken as they are:
/// `roverbot` and `msrbot` are crawlers, and no misspelt `rogerbot` and `msnbot`.
pub fn meant<'k>(name: &[u8], tokens: impl Iterator<Item = &'k str> + Clone) -> Option<&'k str> {
    const MAX_LEN: usize = 32;
    let name = str::from_utf8(name).ok().filter(|name| name.len() <= MAX_LEN)?;
    let find = |wanted: &str| tokens.clone().find(|token| token.eq_ignore_ascii_case(wanted));
    if is_well_known(name.as_bytes()) || find(name).is_some() {
        return None;
    }
    let mistaken = MISTAKEN.iter().find(|(mistaken, _)| mistaken.eq_ignore_ascii_case(name));
    mistaken
        .and_then(|(_, token)| find(token))
        .or_else(|| tokens.clone().find(|token| is_slip(name.as_bytes(), token.as_bytes())))
}

fn is_slip(token: &[u8], known: &[u8]) -> bool {
    /// Names of this length differ by chance in two bytes swapped or one repeated or at the end, in one more or
    /// less anywhere, or in one replaced.
    const SWAPPED: usize = 5;
    const SHIFTED: usize = 7;
    const REPLACED: usize = 9;
    let is_letter = |byte: &&u8| !matches!(byte, b'-' | b'_' | b'.');
    let lower = |byte: &u8| byte.to_ascii_lowercase();
    if token.iter().filter(is_letter).map(lower).eq(known.iter().filter(is_letter).map(lower)) {
        return true;
    }
    let same = token.iter().zip(known).take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count();
    let is_equal = |a: Option<&[u8]>, b: Option<&[u8]>| {
        a.zip(b).is_some_and(|(a, b)| a.eq_ignore_ascii_case(b))
    };
    let before = same.checked_sub(1).map(|at| token[at]);
    // A long word that many names end in tells no more than "bot".
    let more = |word: &str| {
        let end = known.len().checked_sub(word.len()).map(|at| &known[at..]);
        let ends = end.is_some_and(|end| end.eq_ignore_ascii_case(word.as_bytes()));
        if ends { word.len() - "bot".len() } else { 0 }
    };
    let len = known.len() - more("crawler") - more("spider");
    // What follows the first byte that differs.
    let (token, known) = (&token[same..], &known[same..]);
    let is_swapped = || {
        is_equal(token.get(..1), known.get(1..2))
            && is_equal(token.get(1..2), known.get(..1))
            && is_equal(token.get(2..), known.get(2..))
    };
    let has_one_more = || is_equal(token.get(1..), Some(known));
    let repeats = || {
        let byte = token.first().map(u8::to_ascii_lowercase);
        known.is_empty() || byte == before.map(|before| before.to_ascii_lowercase())
    };
    let is_shifted = || has_one_more() || is_equal(Some(token), known.get(1..));
    len >= SWAPPED && (is_swapped() || has_one_more() && repeats())
        || len >= SHIFTED && is_shifted()
        || len >= REPLACED && is_equal(token.get(1..), known.get(1..))
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
            ("GTPBot", Some("GPTBot")),
            ("ChatGPT", Some("ChatGPT-User")),
            ("claude", Some("ClaudeBot")),
            ("GPTBots", Some("GPTBot")),
            ("GPTBto", Some("GPTBot")),
            ("CCBott", Some("CCBot")),
            ("GPBot", None),
            ("Googlebot-Image", None),
            ("GooglebotImage", Some("Googlebot-Image")),
            ("PerplexityBots", Some("PerplexityBot")),
            ("roverbot", None),
            ("msrbot", None),
            ("discobot", None),
            ("jooblebot", None),
            ("aibot", None),
            ("Bytspider", Some("Bytespider")),
            ("", None),
        ] {
            assert_eq!(misspelt(token.as_bytes()), wanted, "{token}");
        }
        // The names of examples and of own crawlers.
        for name in ["MyCrawler", "OurCrawler", "TheSpider"] {
            let known = ["MBCrawler", "OneCrawler", "7heSpider"].into_iter();
            assert_eq!(meant(name.as_bytes(), known), None, "{name}");
        }
    }
}
