//! Rights (feature `rights`): of URLs by a compiled robots.txt, of URLs with headers from a column, and
//! of pages. Asserts the number of URLs that may not be trained on, and of statements.
//!
//! `cargo bench -p robotsieve-benches --bench rights`

use std::hint::black_box;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use robotsieve::{Crawler, Profile, Robots};
use robotsieve_rights::{Documents, Purpose, Response, RightsReader, RobotsRights, Ruling};

/// As Cloudflare's managed robots.txt begins, with rules of the site and paths of its own.
const ROBOTS: &[u8] = b"User-agent: *\nContent-Signal: search=yes,ai-train=no,use=reference\nAllow: /\n\n\
User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /admin/\nDisallow: /*?sort=\nDisallow: /cart\n\
Content-Usage: train-ai=n, search=y\nContent-Usage: /open/ train-ai=y\nContent-Signal: /open/ ai-train=yes\n";

/// The header of a usual response, and in every eleventh something about rights.
const HEADER: &[(&str, &str)] = &[
    ("Date", "Wed, 25 Nov 2026 10:00:00 GMT"),
    ("Content-Type", "text/html; charset=utf-8"),
    ("Connection", "keep-alive"),
    ("Vary", "Accept-Encoding"),
    ("Cache-Control", "max-age=600, public"),
    ("Link", "<https://e.com/wp-json/>; rel=\"https://api.w.org/\""),
    ("Strict-Transport-Security", "max-age=31536000; includeSubDomains"),
    ("Server", "nginx"),
    ("Content-Encoding", "gzip"),
];
const ABOUT_RIGHTS: [&[(&str, &str)]; 4] = [
    &[("X-Robots-Tag", "noindex, nofollow")],
    &[("Content-Usage", "train-ai=n, search=y")],
    &[("Content-Signal", "search=yes, ai-train=no")],
    &[("tdm-reservation", "1"), ("X-Robots-Tag", "max-snippet:50")],
];

const URLS: usize = 10_000;
const PAGE_BYTES: usize = 50_000;

fn urls() -> Vec<String> {
    let folder = |number: usize| ["blog", "open", "admin", "a/b/c"][number % 4];
    (0..URLS).map(|n| format!("https://www.example.com/{}/article-{n}?page=2", folder(n))).collect()
}

fn headers() -> Vec<Vec<(&'static str, &'static str)>> {
    let more = |number: usize| match number % 11 {
        0 => ABOUT_RIGHTS[number / 11 % 4],
        _ => &[],
    };
    (0..URLS).map(|number| [HEADER, more(number)].concat()).collect()
}

/// A page with a head, scripts, and a body of text and links. The last element that matters is in the
/// head, as in most pages, or at the very end.
fn page(at_the_end: bool) -> Vec<u8> {
    let mut page = String::from(
        "<!doctype html><html lang=en><head><meta charset=\"utf-8\"><title>An article</title>",
    );
    for number in 0..20 {
        page += &format!("<link rel=\"stylesheet\" href=\"/assets/{number}.css\" media=\"all\">\n");
        page += &format!("<meta property=\"og:x{number}\" content=\"Some words &amp; more\">\n");
    }
    page += "<meta name=\"robots\" content=\"noindex, max-snippet:-1\">\n";
    for number in 0..10 {
        let code = "function f(a, b) { if (a < b && b > 1) { return a + '<p>' + b; } }\n".repeat(8);
        page +=
            &format!("<script async src=\"/js/{number}.js\"></script><script>{code}</script>\n");
    }
    page += "</head><body class=\"single\">";
    while page.len() < PAGE_BYTES - 100 {
        page += "<div class=\"card wide\" id=\"c\"><a href=\"/blog/an-article\" title=\"An article\">An article</a>\
            <p>Some text of an article that goes on for a while, as texts do, with <em>a word</em> or two.</p>\
            <img src=\"/img/a.jpg\" alt=\"A picture\" width=300 height=200></div>\n";
    }
    if at_the_end {
        page += "<meta itemprop=\"name\" content=\"x\">";
    }
    (page + "</body></html>").into_bytes()
}

fn measured<'c>(c: &'c mut Criterion, throughput: Throughput) -> BenchmarkGroup<'c, WallTime> {
    let mut group = c.benchmark_group("rights");
    group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    group.throughput(throughput);
    group
}

fn reader_and_robots() -> (RightsReader, RobotsRights<'static>) {
    let reader = RightsReader::new(&Crawler::name("ExampleBot"));
    let robots = reader.robots(&Robots::parse(ROBOTS, &Profile::RFC9309));
    robots.policy().as_policy().expect("of a file").compile();
    (reader, robots)
}

fn of_urls(c: &mut Criterion) {
    let (reader, robots) = reader_and_robots();
    let (urls, headers) = (urls(), headers());
    let is_barred = |ruling: Ruling| usize::from(ruling == Ruling::Disallow);
    let mut group = measured(c, Throughput::Elements(URLS as u64));
    group.bench_function("training, by robots.txt alone", |b| {
        b.iter(|| {
            let ruling = |url: &String| robots.ruling(Purpose::AiTrain, url).expect("a URL");
            let barred: usize = black_box(&urls).iter().map(|url| is_barred(ruling(url))).sum();
            assert_eq!(barred, URLS * 3 / 4);
        });
    });
    group.bench_function("all, by robots.txt and a column of headers", |b| {
        let documents = Documents::new();
        b.iter(|| {
            let (mut barred, mut statements) = (0, 0);
            for (url, header) in black_box(&urls).iter().zip(&headers) {
                let response = Response::new().with_headers(header.iter().copied());
                let rights = reader.rights(url, Some(&robots), &response, &documents);
                let rights = rights.expect("a URL");
                barred += is_barred(rights.ruling(Purpose::AiTrain));
                statements += rights.statements().len();
            }
            assert_eq!((barred, statements), (7_727, 30_910));
        });
    });
    group.finish();
}

fn of_pages(c: &mut Criterion) {
    let (reader, robots) = reader_and_robots();
    let documents = Documents::new();
    for (name, at_the_end) in [("a usual page", false), ("a page that is read to its end", true)] {
        let page = page(at_the_end);
        let mut group = measured(c, Throughput::Bytes(page.len() as u64));
        group.bench_function(name, |b| {
            b.iter(|| {
                let response = Response::new().with_html(black_box(&page));
                let url = "https://www.example.com/blog/x";
                let rights = reader.rights(url, Some(&robots), &response, &documents);
                assert_eq!(rights.expect("a URL").ruling(Purpose::Index), Ruling::Disallow);
            });
        });
        group.finish();
    }
}

fn of_files(c: &mut Criterion) {
    let reader = RightsReader::new(&Crawler::name("ExampleBot"));
    let mut group = measured(c, Throughput::Bytes(ROBOTS.len() as u64));
    group.bench_function("a robots.txt compiled", |b| {
        b.iter(|| reader.robots(&Robots::parse(black_box(ROBOTS), &Profile::RFC9309)));
    });
    group.finish();
}

criterion_group!(benches, of_urls, of_pages, of_files);
criterion_main!(benches);
