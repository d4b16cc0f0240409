//! The words that paths are made of.

use crate::rng::Rng;

/// First segments: sections of a site, and folders that sites often disallow.
#[rustfmt::skip]
pub(crate) const SECTIONS: &[&str] = &[
    "about", "account", "admin", "ajax", "api", "archive", "articles", "assets", "author", "basket",
    "blog", "brands", "cache", "calendar", "cart", "catalog", "category", "cgi-bin", "checkout",
    "community", "compare", "contact", "customer", "docs", "download", "embed", "events", "export",
    "feed", "files", "forum", "gallery", "help", "history", "images", "includes", "internal",
    "jobs", "legal", "lib", "login", "logs", "mail", "media", "members", "mobile", "modules",
    "news", "old", "order", "pages", "partners", "photos", "plugins", "preview", "print", "private",
    "products", "profile", "promo", "rss", "scripts", "search", "services", "shop", "sitemap",
    "stats", "store", "support", "tag", "temp", "test", "themes", "tmp", "tools", "topic",
    "tracking", "upload", "user", "video", "vendor", "wishlist", "widgets",
];

/// Words for later segments and slugs.
pub(crate) const NOUNS: &[&str] = &[
    "apple", "autumn", "balance", "basic", "bicycle", "birch", "blue", "bottle", "bread", "bridge",
    "budget", "butter", "camera", "candle", "carpet", "chair", "city", "classic", "coffee",
    "cotton", "daily", "desk", "energy", "family", "field", "finance", "flower", "forest",
    "garden", "glass", "green", "guide", "harbour", "health", "holiday", "house", "island",
    "jacket", "kitchen", "lake", "lamp", "leather", "letter", "light", "linen", "market", "meadow",
    "mirror", "modern", "mountain", "music", "ocean", "office", "orange", "paper", "party",
    "pepper", "picture", "planet", "pocket", "price", "quiet", "rain", "recipe", "report", "river",
    "road", "sale", "school", "season", "shoe", "silver", "simple", "small", "smart", "song",
    "spring", "station", "stone", "story", "summer", "table", "theatre", "ticket", "tour", "town",
    "travel", "village", "walk", "water", "weather", "week", "white", "window", "winter", "wood",
    "world", "yellow",
];

/// Names of query parameters.
#[rustfmt::skip]
pub(crate) const PARAMETERS: &[&str] = &[
    "sort", "order", "dir", "limit", "page", "p", "q", "s", "id", "sid", "filter", "color", "size",
    "price", "lang", "ref", "utm_source", "utm_medium", "sessionid", "print", "replytocom", "view",
    "mode", "variant", "currency", "from", "year",
];

/// File name extensions.
pub(crate) const EXTENSIONS: &[&str] = &[
    "html", "htm", "php", "aspx", "jsp", "pdf", "jpg", "png", "gif", "js", "css", "xml", "json",
    "doc", "zip", "cgi",
];

/// Words with non-ASCII bytes, percent-encoded as crawlers meet them.
pub(crate) const ESCAPED: &[&str] = &[
    "caf%C3%A9",
    "m%C3%BCnchen",
    "s%C3%A3o-paulo",
    "%E6%97%A5%E6%9C%AC",
    "fran%C3%A7ais",
    "a%20b",
    "50%25-off",
    "%D0%BD%D0%BE%D0%B2%D0%BE%D1%81%D1%82%D0%B8",
    "na%c3%afve",
    "c%2Fd",
    "%7Ejohn",
];

/// Two to five nouns joined by hyphens, sometimes followed by a number.
pub(crate) fn slug(rng: &mut Rng) -> String {
    let mut slug = String::from(rng.pick(NOUNS));
    for _ in 0..1 + rng.below(4) {
        slug.push('-');
        slug.push_str(rng.pick(NOUNS));
    }
    if rng.percent(30) {
        slug.push_str(&format!("-{}", rng.below(100_000)));
    }
    slug
}
