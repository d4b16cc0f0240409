//! The robots.txt of one invented host: a CMS default, an individual file or a large shop.

use crate::individual::individual;
use crate::names::{MODEL_CRAWLERS, host_name};
use crate::rng::Rng;
use crate::words::{NOUNS, PARAMETERS, SECTIONS};

/// What each stream of random numbers decides.
const STREAM_KIND: u64 = 1;
const STREAM_TEXT: u64 = 2;

/// The kind of a host's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A file that many hosts serve byte for byte.
    Cms,
    /// A file of its own.
    Individual,
    /// A shop with hundreds of star rules.
    LargeShop,
}

/// The kind of a host's file: 1 in 300 is a large shop; of the others 55 % serve a CMS default.
fn kind(seed: u64, host: u64) -> Kind {
    let mut rng = Rng::new(seed, host, STREAM_KIND);
    if rng.below(300) == 0 {
        Kind::LargeShop
    } else if rng.percent(55) {
        Kind::Cms
    } else {
        Kind::Individual
    }
}

/// The robots.txt of host number `host`; the same `seed` always gives the same file.
///
/// About 55 % are CMS defaults, the same on many hosts; about 45 % are individual files in the sizes
/// of real ones, from a few bytes to some 100 kB; 1 in 300 is a large shop with hundreds of star
/// rules. The median is about 400 bytes, the mean about 1,300. corpora/README.md compares them with
/// real files. Lines end in LF, in some files in CRLF. Cost: O(size of the file).
///
/// ```
/// assert_eq!(robotsieve_corpora::robots(1, 2), robotsieve_corpora::robots(1, 2));
/// ```
pub fn robots(seed: u64, host: u64) -> Vec<u8> {
    let mut rng = Rng::new(seed, host, STREAM_TEXT);
    match kind(seed, host) {
        Kind::Cms => cms(&mut rng).into_bytes(),
        Kind::Individual => individual(&mut rng, host),
        Kind::LargeShop => large_shop(&mut rng, host).into_bytes(),
    }
}

/// A CMS default with few variations, so that hosts share files.
fn cms(rng: &mut Rng) -> String {
    match rng.below(100) {
        0..24 => wordpress(rng),
        24..34 => page_builder(rng),
        34..50 => portal(rng),
        50..64 => hosted_shop(),
        64..71 => own_shop(rng),
        71..77 => wiki(rng),
        77..84 => model_crawlers_closed(rng),
        84..88 => String::new(),
        88..93 => "User-agent: *\nDisallow:\n".into(),
        93..95 => "User-agent: *\nDisallow: /\n".into(),
        95..98 => "User-agent: *\nAllow: /\n".into(),
        _ => "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>Page not \
              found</title></head>\n<body>\n<h1>404</h1>\n<p>There is no such page: go to <a \
              href=\"/\">the start</a>.</p>\n</body>\n</html>\n"
            .into(),
    }
}

fn wordpress(rng: &mut Rng) -> String {
    let mut text = String::from(
        "# Pages are open, the office is not.\nUser-agent: *\nAllow: /wp-admin/admin-ajax.php\n\
         Disallow: /wp-admin/\n",
    );
    match rng.below(4) {
        0 => {}
        1 | 2 => text.push_str(
            "Disallow: /wp-includes/\nDisallow: /wp-login.php\nDisallow: /xmlrpc.php\n\
             Disallow: /*?replytocom=\nDisallow: /?s=\nDisallow: /search/\n\
             Disallow: /trackback/\nDisallow: /*/trackback/\nDisallow: /*/feed/\n\
             Disallow: /comments/feed/\nDisallow: /wp-json/\n",
        ),
        _ => text.push_str(
            "Disallow: /wp-content/uploads/wc-logs/\nDisallow: /*?add-to-cart=\n\
             Disallow: /*&add-to-cart=\nDisallow: /cart/\nDisallow: /checkout/\n\
             Disallow: /my-account/\nDisallow: /*?orderby=\n",
        ),
    }
    text
}

fn portal(rng: &mut Rng) -> String {
    let mut text = String::from(
        "#\n# robots.txt\n#\n# Keeps crawlers out of the parts of the site that are not pages.\n\
         # The file counts only at the root of the host.\n\nUser-agent: *\n# Style and script\n\
         Allow: /engine/*.css$\nAllow: /engine/*.css?\nAllow: /engine/*.js$\nAllow: /engine/*.js?\n\
         Allow: /engine/*.gif\nAllow: /engine/*.jpg\nAllow: /engine/*.png\nAllow: /engine/*.svg\n\
         Allow: /setups/*.css$\nAllow: /setups/*.js$\n# Folders\nDisallow: /engine/\n\
         Disallow: /setups/\n# Files\nDisallow: /NOTES.txt\nDisallow: /host.config\n\
         # Paths with clean URLs\nDisallow: /admin/\nDisallow: /reply/to/\n\
         Disallow: /help/format\nDisallow: /item/new/\nDisallow: /search/\n\
         Disallow: /member/join\nDisallow: /member/reset\nDisallow: /member/enter\n\
         Disallow: /member/leave\n",
    );
    if rng.percent(60) {
        text.push_str(
            "# Paths without clean URLs\nDisallow: /app.php/admin/\n\
             Disallow: /app.php/reply/to/\nDisallow: /app.php/item/new/\n\
             Disallow: /app.php/search/\nDisallow: /app.php/member/enter\n",
        );
    }
    text
}

fn page_builder(rng: &mut Rng) -> String {
    let mut text = String::from("User-agent: *\n");
    for folder in [
        "rest",
        "backoffice",
        "frame",
        "parts",
        "cachefiles",
        "langpacks",
        "addons",
        "setup",
        "scratch",
        "logfiles",
        "shared",
        "jobs-run",
        "cli-tools",
        "vendors",
        "layouts-src",
    ] {
        text.push_str(&format!("Disallow: /{folder}/\n"));
    }
    if rng.percent(30) {
        text.push_str("Allow: /*.js$\nAllow: /*.css$\nAllow: /media/\n");
    }
    text
}

fn hosted_shop() -> String {
    "# The shop runs on a hosted platform.\n\nUser-agent: *\nDisallow: /office\nDisallow: /bag\n\
     Disallow: /purchases\nDisallow: /tills/\nDisallow: /payment\nDisallow: /bags\n\
     Disallow: /me\nDisallow: /lists/*sorted*\nDisallow: /*/lists/*sorted*\n\
     Disallow: /lists/*+*\nDisallow: /lists/*%2B*\nDisallow: /lists/*%2b*\n\
     Disallow: /journal/*+*\nDisallow: /journal/*%2B*\nDisallow: /*?*mailid=*\n\
     Disallow: /*draft_theme*\nDisallow: /*draft_script*\nDisallow: /terms/\n\
     Disallow: /find\nDisallow: /app-link-file\nDisallow: /also-bought/items\n\
     \nUser-agent: adsbot-example\nDisallow: /tills/\nDisallow: /payment\nDisallow: /bags\n\
     Disallow: /purchases\n\nUser-agent: AhrefsBot\nCrawl-delay: 10\nDisallow: /office\n\
     Disallow: /bag\nDisallow: /payment\n\nUser-agent: MJ12bot\nCrawl-delay: 10\n\n\
     User-agent: Pinterest\nCrawl-delay: 1\n"
        .into()
}

fn own_shop(rng: &mut Rng) -> String {
    let mut text = String::from("User-agent: *\n");
    for rule in [
        "/front.php/",
        "/*?",
        "/till/",
        "/program/",
        "/libs/",
        "/*.php$",
        "/packages/",
        "/reports/",
        "/runtime/",
        "/range/",
        "/client/",
        "/tellfriend/",
        "/opinions/",
        "/*SESS=",
        "/downloader/",
        "/shopsearch/",
        "/*?dir=",
        "/*?limit=",
        "/*?mode=",
    ] {
        text.push_str(&format!("Disallow: {rule}\n"));
    }
    if rng.percent(40) {
        text.push_str("Allow: /*?p=\nAllow: /media/range/\n");
    }
    text
}

fn wiki(rng: &mut Rng) -> String {
    let mut text = String::from(
        "User-agent: *\nDisallow: /engine/\nDisallow: /index.php?\nDisallow: /wiki/Tool:\n\
         Disallow: /wiki/Tool%3A\nDisallow: /wiki/System:\nDisallow: /wiki/User_talk:\n\
         Disallow: /pit/\nDisallow: /*?action=\nDisallow: /*&oldid=\n",
    );
    if rng.percent(50) {
        text.push_str("Allow: /engine/loader.php?\nAllow: /engine/api.php?action=compact&\n");
    }
    text
}

fn model_crawlers_closed(rng: &mut Rng) -> String {
    let mut text = String::from("# Content of this site is not for training.\n");
    let count = if rng.percent(50) { 6 } else { MODEL_CRAWLERS.len() };
    for name in &MODEL_CRAWLERS[..count] {
        text.push_str(&format!("User-agent: {name}\nDisallow: /\n\n"));
    }
    text.push_str("User-agent: *\nContent-Signal: search=yes,ai-train=no\nAllow: /\n");
    text
}

/// 300 to 700 rules, nearly all with stars: the filters of a faceted catalogue.
fn large_shop(rng: &mut Rng, host: u64) -> String {
    let mut text = format!("# {}: facets and internal pages\nUser-agent: *\n", host_name(host));
    for _ in 0..300 + rng.below(400) {
        let (a, b) = (rng.pick(NOUNS), rng.pick(NOUNS));
        let parameter = rng.pick(PARAMETERS);
        let line = match rng.below(10) {
            0..3 => format!("Disallow: /*{parameter}={a}\n"),
            3..5 => format!("Disallow: /*_{a}*/shop/{b}\n"),
            5 => format!("Disallow: /*/{a}/*-{b}-\n"),
            6 => format!("Disallow: /shop/*/{a}*{b}$\n"),
            7 => format!("Disallow: /*?*{parameter}=*&*{a}\n"),
            8 => format!("Allow: /*/{a}/{b}/$\n"),
            _ => format!("Disallow: /{}/{a}/\n", rng.pick(SECTIONS)),
        };
        text.push_str(&line);
    }
    text.push_str(&format!("\nSitemap: https://{}/sitemap.xml\n", host_name(host)));
    text
}

/// An honest file of about 600 kB whose rules straddle the limit of 512,000 bytes.
///
/// `Disallow: /before-the-limit/` is the first rule, `Disallow: /after-the-limit/` the last, and
/// `Disallow: /over-the-limit/xxx…` begins before the limit and ends after it. There is one group,
/// for `*`, and most rules have no star.
///
/// ```
/// let big = robotsieve_corpora::big();
/// assert!(big.len() > 590_000 && big[511_999] != b'\n');
/// ```
pub fn big() -> Vec<u8> {
    let mut rng = Rng::new(0, 0, STREAM_TEXT);
    let mut text = String::from("User-agent: *\nDisallow: /before-the-limit/\n");
    let mut number = 0;
    let mut over = false;
    while text.len() < 600_000 {
        if !over && text.len() >= 511_940 {
            // Lines are shorter than 60 bytes, so this one begins before the limit.
            text.push_str(&format!("Disallow: /over-the-limit/{}\n", "x".repeat(80)));
            over = true;
        }
        let (a, b) = (rng.pick(SECTIONS), rng.pick(NOUNS));
        // The number makes each rule unique, so that a test can name it.
        text.push_str(&match number % 50 {
            49 => format!("Allow: /{a}/{b}/open-{number}/\n"),
            24 => format!("Disallow: /*/{b}-{number}?\n"),
            0 if number > 0 => format!("\n# part {}\n", number / 50),
            _ => format!("Disallow: /{a}/{b}/item-{number}\n"),
        });
        number += 1;
    }
    text.push_str("Disallow: /after-the-limit/\n");
    text.into_bytes()
}
