//! Files of one host alone, in the sizes and with the rules that real files have.
//!
//! The tables of quantiles follow 2,384 real files, rounded; corpora/README.md compares the two.
//! What matters most for the automata is that star rules come in families: most files have none, and
//! those that have many repeat a few folders, extensions or parameters.

use crate::names::{MODEL_CRAWLERS, host_name};
use crate::rng::Rng;
use crate::words::{EXTENSIONS, NOUNS, PARAMETERS, SECTIONS, slug};

/// Quantiles: of 1,000 draws so many are below this value.
type Quantiles = &'static [(u64, u64)];

/// Rules with a value in the group for `*`.
const RULES: Quantiles = &[
    (0, 0),
    (60, 1),
    (150, 2),
    (260, 4),
    (400, 8),
    (550, 14),
    (680, 27),
    (800, 42),
    (900, 65),
    (950, 95),
    (985, 220),
    (1000, 900),
];

/// Groups that do nothing but close the site to one crawler, where a file has a list of them.
const CLOSED: Quantiles = &[(0, 2), (400, 6), (700, 25), (850, 90), (1000, 400)];

/// `Sitemap` lines.
const SITEMAPS: Quantiles =
    &[(0, 0), (450, 0), (500, 1), (800, 1), (900, 4), (960, 10), (1000, 60)];

/// Bytes of a web page that is served as robots.txt.
const PAGE: Quantiles = &[(0, 500), (250, 4_000), (500, 18_000), (750, 45_000), (1000, 110_000)];

/// Crawlers that may get a group of their own.
#[rustfmt::skip]
const NAMED: &[&str] = &[
    "Googlebot", "Bingbot", "AhrefsBot", "SemrushBot", "MJ12bot", "YandexBot", "Baiduspider",
    "Googlebot-Image", "Googlebot-News", "DuckDuckBot", "Applebot", "PetalBot", "dotbot",
    "facebookexternalhit", "Slurp",
];

/// Extensions of what pages are built from, which sites like to allow.
const PARTS: &[&str] = &["css$", "css?", "js$", "js?", "gif", "jpg", "jpeg", "png", "svg"];

/// A value between two neighbouring quantiles, evenly.
fn draw(rng: &mut Rng, quantiles: Quantiles) -> u64 {
    let at = rng.below(1_000);
    let above = quantiles.iter().position(|(share, _)| *share > at).expect("the last is 1,000");
    let ((from, low), (to, high)) = (quantiles[above - 1], quantiles[above]);
    low + ((high - low + 1) * (at - from) + rng.below(high - low + 1)) / (to - from).max(1)
}

/// The file of host number `host`.
pub(crate) fn individual(rng: &mut Rng, host: u64) -> Vec<u8> {
    if rng.percent(3) {
        return page(rng, host).into_bytes();
    }
    let mut text = String::new();
    if rng.percent(30) {
        header(rng, &mut text, host);
    }
    let rules = if rng.percent(5) { 0 } else { draw(rng, RULES) };
    let shared = rules_of_a_site(rng, rules);
    let named_first = rng.percent(20);
    if !named_first {
        group(rng, &mut text, &["*"], &shared);
    }
    if rng.percent(25) {
        let first = rng.below(6) as usize;
        let names = &MODEL_CRAWLERS[first..first + 1 + rng.below(6) as usize];
        group(rng, &mut text, names, &["Disallow: /".into()]);
    }
    if rng.percent(18) {
        for _ in 0..1 + rng.below(3) {
            named_group(rng, &mut text, &shared);
        }
    }
    if rng.percent(7) {
        closed_groups(rng, &mut text);
    }
    if named_first {
        group(rng, &mut text, &["*"], &shared);
    }
    for number in 0..draw(rng, SITEMAPS) {
        text.push_str(&format!("Sitemap: https://{}/sitemap-{number}.xml\n", host_name(host)));
    }
    if rng.percent(30) {
        text = text.replace('\n', "\r\n");
    }
    text.into_bytes()
}

/// The site's page for everything that does not exist, or its start page: no line is a record.
pub(crate) fn page(rng: &mut Rng, host: u64) -> String {
    let bytes = draw(rng, PAGE) as usize;
    let name = host_name(host);
    let mut text = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>{name}</title></head>\n<body>\n"
    );
    while text.len() < bytes {
        let (section, noun) = (rng.pick(SECTIONS), rng.pick(NOUNS));
        text.push_str(&format!(
            "<div class=\"{section}\"><a href=\"/{section}/{noun}/{}.html\">The {noun} and the {}</a></div>\n",
            rng.below(10_000),
            rng.pick(NOUNS)
        ));
    }
    text.push_str("</body>\n</html>\n");
    text
}

fn header(rng: &mut Rng, text: &mut String, host: u64) {
    text.push_str(&format!("# robots.txt of {}\n", host_name(host)));
    let lines = if rng.percent(25) { 5 + rng.below(40) } else { rng.below(5) };
    for _ in 0..lines {
        text.push_str(&format!("# {}: see /{}/\n", slug(rng), rng.pick(SECTIONS)));
    }
    text.push('\n');
}

/// The lines of one group. `lines` may be empty: then nothing is disallowed.
fn group(rng: &mut Rng, text: &mut String, names: &[&str], lines: &[String]) {
    for name in names {
        text.push_str(&format!("User-agent: {name}\n"));
    }
    if rng.percent(10) {
        text.push_str(&format!("Crawl-delay: {}\n", 1 + rng.below(30)));
    }
    if lines.is_empty() {
        text.push_str("Disallow:\n");
    }
    for line in lines {
        if rng.percent(2) {
            text.push_str(&format!("# {} {}\n", rng.pick(NOUNS), rng.pick(SECTIONS)));
        }
        text.push_str(line);
        text.push('\n');
    }
    text.push('\n');
}

/// A group for one crawler: closed, open, a few rules, or those of everybody else once more.
fn named_group(rng: &mut Rng, text: &mut String, shared: &[String]) {
    let name = rng.pick(NAMED);
    match rng.below(20) {
        0..9 => group(rng, text, &[name], &["Disallow: /".into()]),
        9..11 => group(rng, text, &[name], &[]),
        11..16 => {
            let count = 1 + rng.below(4);
            let lines = rules_of_a_site(rng, count);
            group(rng, text, &[name], &lines);
        }
        16..18 => group(rng, text, &[name], shared),
        _ => {
            let mut lines = shared.to_vec();
            lines.push(format!("Disallow: {}", plain(rng, &[])));
            group(rng, text, &[name], &lines);
        }
    }
}

/// A list of crawlers that are not wanted, each with a group of its own.
fn closed_groups(rng: &mut Rng, text: &mut String) {
    for number in 0..draw(rng, CLOSED) {
        let name = match number % 4 {
            0 => rng.pick(NAMED).to_owned(),
            1 => format!("{}bot", rng.pick(NOUNS)),
            2 => format!("{}-spider", rng.pick(NOUNS)),
            _ => format!("{} {}", rng.pick(NOUNS), rng.pick(SECTIONS)),
        };
        text.push_str(&format!("User-agent: {name}\nDisallow: /\n\n"));
    }
}

/// `count` rule lines as one webmaster writes them: with the folders of the site, and star rules of
/// one or two families, or none.
fn rules_of_a_site(rng: &mut Rng, count: u64) -> Vec<String> {
    let with_stars = rng.percent(match count {
        0..3 => 8,
        3..6 => 20,
        6..21 => 42,
        21..41 => 60,
        _ => 72,
    });
    let mut stars = 0;
    if with_stars {
        let percent = match count {
            0..161 => 5 + rng.below(50),
            _ => 1 + rng.below(20),
        };
        stars = (count * percent / 100).max(1).min(count);
    }
    // Folders that many of the rules lie in.
    let bases: Vec<String> = (0..rng.below(5)).map(|_| base(rng)).collect();
    let trailing = if rng.percent(20) { 25 } else { 0 };
    let mut lines = Vec::new();
    while (lines.len() as u64) < count - stars {
        let mut pattern = plain(rng, &bases);
        if pattern.ends_with('/') && pattern.len() > 1 && rng.percent(6) {
            lines.push(format!("Allow: {pattern}{}", rng.pick(NOUNS)));
        }
        if rng.percent(trailing) {
            pattern.push('*');
        }
        let field = if rng.percent(4) { "Allow" } else { "Disallow" };
        lines.push(format!("{field}: {pattern}"));
    }
    let half = if stars > 3 && rng.percent(40) { stars / 2 } else { stars };
    family(rng, &mut lines, half, &bases);
    family(rng, &mut lines, stars - half, &bases);
    lines
}

/// A folder of the site, one to three deep.
fn base(rng: &mut Rng) -> String {
    let mut base = format!("/{}", rng.pick(SECTIONS));
    for _ in 0..rng.below(3) {
        base.push('/');
        base.push_str(rng.pick(NOUNS));
    }
    base
}

/// A pattern without a star, inside one of the `bases` or anywhere.
fn plain(rng: &mut Rng, bases: &[String]) -> String {
    let mut pattern = String::new();
    if !bases.is_empty() && rng.percent(60) {
        pattern.push_str(&bases[rng.below(bases.len() as u64) as usize]);
    }
    let section = rng.pick(SECTIONS);
    let noun = rng.pick(NOUNS);
    pattern.push_str(&match rng.below(20) {
        0..6 => format!("/{section}/"),
        6..9 => format!("/{section}"),
        9..12 => format!("/{section}/{noun}/"),
        12..14 => format!("/{section}.{}", rng.pick(EXTENSIONS)),
        14 => format!("/{section}-{noun}"),
        15 => format!("/{section}/{noun}-{}", rng.below(1000)),
        16 => format!("/{section}?{}=", rng.pick(PARAMETERS)),
        17 => format!("/{noun}/{section}/{}/", rng.pick(NOUNS)),
        _ => format!("/{section}/{}.{}", slug(rng), rng.pick(EXTENSIONS)),
    });
    pattern
}

/// `count` star rules of one family.
fn family(rng: &mut Rng, lines: &mut Vec<String>, count: u64, bases: &[String]) {
    let kind = rng.below(20);
    let folder = match bases.first() {
        Some(base) if rng.percent(50) => base.clone(),
        _ => base(rng),
    };
    // Of a grid: so many folders, each with the same extensions.
    let folders: Vec<&str> = (0..1 + count / 8).map(|_| rng.pick(SECTIONS)).collect();
    for number in 0..count {
        let (section, noun) = (rng.pick(SECTIONS), rng.pick(NOUNS));
        let parameter = rng.pick(PARAMETERS);
        lines.push(match kind {
            0..6 => {
                let part = PARTS[(number % 8) as usize];
                format!("Allow: /{}/*.{part}", folders[(number / 8) as usize])
            }
            6..11 => match rng.below(10) {
                0..4 => format!("Disallow: /*?{parameter}="),
                4..6 => format!("Disallow: /*&{parameter}="),
                6..9 => format!("Disallow: /*{parameter}=*"),
                _ => format!("Disallow: /*?*{parameter}="),
            },
            11..14 => match rng.below(3) {
                0 => format!("Disallow: /*/{section}"),
                1 => format!("Disallow: /*/{section}/*"),
                _ => format!("Disallow: /*/{section}/{noun}/"),
            },
            14..16 => format!("Disallow: {folder}/*{section}"),
            16..18 => match rng.below(3) {
                0 => format!("Disallow: /*.{}$", rng.pick(EXTENSIONS)),
                1 => format!("Disallow: /*{noun}*"),
                _ => format!("Disallow: /*-{noun}.{}", rng.pick(EXTENSIONS)),
            },
            _ => match rng.below(4) {
                0 if number < 6 => format!("Disallow: /{section}/*/{noun}/"),
                1 if number < 6 => format!("Disallow: /{section}?*{parameter}="),
                2 => format!("Disallow: /*/{noun}"),
                _ => format!("Disallow: {folder}/*/{noun}"),
            },
        });
    }
}
