//! Files of half a megabyte that are made to be slow to lint and to compare, in any way we know.
//!
//! [`hostile`] attacks the automaton of one policy. These attack what comes around
//! it: many groups, many policies, long names, long lines, many findings.

use crate::hostile;
use crate::rng::Rng;

/// The most bytes of a file: what every crawler must read of it (RFC 9309, 500 KiB).
pub const SIZE: usize = 500 << 10;

/// Every crafted file with its name, those of [`hostile`] included. The same in
/// every run; none is longer than [`SIZE`].
///
/// ```
/// use robotsieve_corpora::crafted;
///
/// assert!(crafted::all().iter().all(|(_, file)| file.len() <= crafted::SIZE));
/// ```
pub fn all() -> Vec<(&'static str, Vec<u8>)> {
    let mut all = hostile::all();
    all.extend(one_group());
    all.extend(groups());
    all.extend(lines());
    for (_, file) in &mut all {
        file.truncate(SIZE);
    }
    all
}

/// `start` and then the lines of `line`, as many as fit.
fn filled(start: &str, mut line: impl FnMut(usize) -> String) -> Vec<u8> {
    let mut file = start.as_bytes().to_vec();
    for number in 0.. {
        let line = line(number);
        if file.len() + line.len() > SIZE {
            break;
        }
        file.extend_from_slice(line.as_bytes());
    }
    file
}

/// Letters only: product tokens end at digits in some profiles.
fn letters(mut number: usize) -> String {
    let mut text = String::new();
    loop {
        text.push(char::from(b'a' + (number % 26) as u8));
        number /= 26;
        if number == 0 {
            return text;
        }
    }
}

fn allow_or_disallow(number: usize) -> &'static str {
    if number.is_multiple_of(2) { "Disallow" } else { "Allow" }
}

/// Rules of one group, for `*`.
fn one_group() -> Vec<(&'static str, Vec<u8>)> {
    const STAR: &str = "User-agent: *\n";
    let a = |count: usize| "a".repeat(count);
    let mut rng = Rng::new(0, 0, 3);
    let of = |values: &[String]| {
        let line = |value: &String| format!("Disallow: {value}\n");
        let lines: String = values.iter().map(line).collect();
        format!("{STAR}{lines}").into_bytes()
    };
    let with_stars = |at: usize| format!("/{}*{}", a(400), letters(at));
    vec![
        ("one_rule", of(&[format!("/{}", a(SIZE - 40))])),
        ("one_rule_star", of(&[format!("/*{}b", a(SIZE - 40))])),
        ("two_rules", of(&[format!("/{}b", a(240_000)), format!("/*{}c", a(240_000))])),
        ("two_rules_nested", of(&[format!("/{}", a(240_000)), format!("/{}", a(240_001))])),
        ("rule_of_stars", of(&[format!("/{}b", "*a".repeat(250_000))])),
        (
            "two_rules_of_stars",
            of(&["b", "c"].map(|end| format!("/{}{end}", "*a".repeat(125_000)))),
        ),
        ("only_stars", filled(STAR, |_| format!("Disallow: {}\n", "*".repeat(100)))),
        (
            "alternating_prefixes",
            filled(STAR, |n| format!("{}: /{}\n", allow_or_disallow(n), a(n))),
        ),
        ("long_common_prefix", filled(STAR, |n| format!("Disallow: /{}{}\n", a(400), letters(n)))),
        (
            "long_common_prefix_star",
            filled(STAR, |n| format!("{}: {}\n", allow_or_disallow(n), with_stars(n))),
        ),
        (
            "star_common_prefix",
            filled(STAR, |n| format!("{}: /*{}{}\n", allow_or_disallow(n), a(400), letters(n))),
        ),
        (
            "dollars",
            filled(STAR, |n| {
                let value = letters(n / 5);
                let end = ["$", "", "*$", "%24", "$$"][n % 5];
                format!("{}: /{value}{end}\n", allow_or_disallow(n))
            }),
        ),
        (
            "never_wins",
            filled(STAR, |n| {
                let value = letters(n / 3);
                let rest = format!("/{value}x*{value}y*{value}z");
                format!("Disallow: {}{rest}\n", ["*", "", "/*"][n % 3])
            }),
        ),
        ("short_stars", filled(STAR, |n| format!("{}: /*{}*\n", allow_or_disallow(n), letters(n)))),
        (
            "random_stars",
            filled(STAR, |n| {
                let pick = |_| char::from(rng.pick(b"aab*b*/$"));
                let value: String = (0..12).map(pick).collect();
                format!("{}: /{value}\n", allow_or_disallow(n))
            }),
        ),
        ("identical_rules", filled(STAR, |_| "Disallow: /x\n".to_owned())),
        ("identical_star_rules", filled(STAR, |_| "Disallow: /*a*b*c\n".to_owned())),
        ("empty_rules", filled(STAR, |_| "Disallow:\n".to_owned())),
        (
            "empty_rules_beside_one",
            filled(&format!("{STAR}Disallow: /x\n"), |_| "Disallow:\n".to_owned()),
        ),
        ("relative_rules", filled(STAR, |n| format!("Disallow: {}\n", letters(n)))),
        ("short_prefixes", filled(STAR, |n| format!("Disallow: /{n}\n"))),
    ]
}

/// Groups and the names of crawlers.
fn groups() -> Vec<(&'static str, Vec<u8>)> {
    let agent = |name: &str| format!("User-agent: {name}\n");
    let a = |count: usize| "a".repeat(count);
    // As many nested names as fit with a rule each.
    let nested = |n: usize| format!("{}Disallow: /{n}\n", agent(&a(n + 1)));
    let nested_names = 970;
    // A large group for many crawlers, each of which has a small group too.
    let shared = |names: usize, rules: &dyn Fn(usize) -> String| {
        let agents: String = (0..names).map(|n| agent(&letters(n))).collect();
        let rules: String = (0..)
            .map(rules)
            .scan(0, |len, r| {
                *len += r.len();
                (*len < 200_000).then_some(r)
            })
            .collect();
        let mut n = 0;
        filled(&format!("{agents}{rules}"), |_| {
            n += 1;
            format!("{}Disallow: /{n}\n", agent(&letters(n - 1)))
        })
    };
    let mut rng = Rng::new(0, 0, 4);
    let small_alphabet = |n: usize| {
        let name: Vec<u8> = (0..17).map(|bit| b"ab"[n >> bit & 1]).collect();
        String::from_utf8(name).expect("letters")
    };
    vec![
        ("crawlers", filled("", |n| format!("{}Disallow: /{n}\n\n", agent(&letters(n))))),
        ("crawlers_same_rule", filled("", |n| format!("{}Disallow: /\n", agent(&letters(n))))),
        (
            "crawlers_with_digits",
            filled("", |n| format!("{}Disallow: /{n}\n", agent(&format!("a{n}")))),
        ),
        ("one_crawler", filled("", |n| format!("{}Disallow: /{n}\n", agent("bot")))),
        (
            "one_crawler_stars",
            filled("", |n| format!("{}Allow: /*{}*x\n", agent("bot"), letters(n))),
        ),
        ("everybody", filled("", |n| format!("{}Disallow: /{n}\n", agent("*")))),
        ("names_of_one_group", filled("", |n| agent(&letters(n)))),
        ("names_and_rules", {
            let mut file =
                filled("", |n| if n < 14_000 { agent(&letters(n)) } else { "x".repeat(SIZE) });
            file.extend(filled("", |n| format!("Disallow: /{n}*x\n")));
            file
        }),
        ("groups_without_rules", filled("", |n| format!("{}Sitemap:\n\n", agent(&letters(n))))),
        ("same_group_without_rules", filled("", |_| format!("{}Disallow:\n", agent("bot")))),
        ("nested_names", filled("", nested)),
        ("nested_names_longest_first", filled("", |n| nested(nested_names - n.min(nested_names)))),
        ("nested_names_of_one_group", filled("", |n| agent(&a(n + 1)))),
        (
            "two_long_names",
            format!(
                "{}Disallow: /x\n{}Disallow: /y\n",
                agent(&format!("{}b", a(120_000))),
                agent(&format!("{}c", a(360_000)))
            )
            .into_bytes(),
        ),
        (
            "long_name_and_many",
            filled(&format!("{}Disallow: /x\n", agent(&a(250_000))), |n| {
                format!("{}Disallow: /y\n", agent(&format!("aaaaaaaab{}", letters(n))))
            }),
        ),
        (
            "names_with_common_prefix",
            filled("", |n| {
                format!("{}Disallow: /{n}\n", agent(&format!("{}{}", a(200), letters(n))))
            }),
        ),
        (
            "names_of_two_letters",
            filled("", |n| format!("{}Disallow: /{n}\n", agent(&small_alphabet(n)))),
        ),
        (
            "names_in_two_cases",
            filled("", |n| {
                let name = letters(n / 2);
                let name = if n % 2 == 0 { name } else { name.to_uppercase() };
                format!("{}Disallow: /{n}\n", agent(&name))
            }),
        ),
        // Each crawler obeys half of all groups.
        (
            "merged_at_random",
            filled("", |n| {
                let agents: String =
                    (0..100).filter(|_| rng.percent(50)).map(|n| agent(&letters(n))).collect();
                format!("{agents}Disallow: /{n}*x\nAllow: /{n}y\n")
            }),
        ),
        ("merged_with_large", shared(7_000, &|n| format!("Disallow: /{}\n", letters(n)))),
        (
            "merged_with_large_stars",
            shared(7_000, &|n| {
                format!("{}: /*{}*{}x\n", allow_or_disallow(n), letters(n), letters(n * 7))
            }),
        ),
        ("merged_with_few_long", shared(7_000, &|_| format!("Disallow: /{}\n", a(50_000)))),
        (
            "merged_300_with_stars",
            shared(300, &|n| format!("Disallow: /*{}*{}*x\n", letters(n), letters(n * 7))),
        ),
        // Each small enough for an automaton that is over its budget.
        (
            "crawlers_over_budget",
            filled("", |n| {
                let rules: String = (0..14)
                    .map(|rule| format!("Disallow: /*a{0}{n}*A{0}\n", char::from(b'b' + rule)))
                    .collect();
                format!("{}{rules}", agent(&letters(n)))
            }),
        ),
        (
            "crawlers_with_20_stars",
            filled("", |n| {
                let rules: String = (0..20)
                    .map(|rule| {
                        format!(
                            "{}: /*{}{}*{}\n",
                            allow_or_disallow(rule),
                            letters(rule),
                            n % 10,
                            letters(n + rule)
                        )
                    })
                    .collect();
                format!("{}{rules}", agent(&letters(n)))
            }),
        ),
        (
            "headers_as_names",
            filled("", |n| {
                format!(
                    "{}Disallow: /\n",
                    agent(&format!("Mozilla/5.0 (compatible; {}/1.0)", letters(n)))
                )
            }),
        ),
    ]
}

/// Lines and bytes.
fn lines() -> Vec<(&'static str, Vec<u8>)> {
    const STAR: &str = "User-agent: *\n";
    let line = |text: &str| filled("", |_| text.to_owned());
    let long = |start: &str, piece: &str| {
        let count = (SIZE - STAR.len() - start.len() - 1) / piece.len();
        format!("{STAR}{start}{}\n", piece.repeat(count)).into_bytes()
    };
    let mut rng = Rng::new(0, 0, 5);
    let random = (0..SIZE).map(|_| rng.below(256) as u8).collect();
    let mut crlf = hostile::prefixes();
    crlf.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b'\r');
    vec![
        ("lines_a", line("a\n")),
        ("lines_colon", line(":\n")),
        ("lines_star", line("*\n")),
        ("lines_hash", line("#\n")),
        ("lines_nul", line("\0\n")),
        ("lines_blank", line("\n")),
        ("lines_cr", line("\r")),
        ("lines_a_colon", line("a:\n")),
        ("lines_user_agent", line("user-agent:\n")),
        ("lines_sitemap", line("sitemap:\n")),
        ("lines_disallow_outside", line("disallow:/\n")),
        ("nuls", vec![0; SIZE]),
        ("line_of_a", vec![b'a'; SIZE]),
        ("line_of_spaces", vec![b' '; SIZE]),
        ("line_of_colons", vec![b':'; SIZE]),
        ("line_of_stars", vec![b'*'; SIZE]),
        ("long_field", long("", "disallow").into_iter().chain(*b": /x").collect()),
        ("long_misspelt_field", long("Disallo", "w")),
        ("long_user_agent", long("User-agent: ", "ab")),
        ("long_user_agent_words", long("User-agent: ", "ab ")),
        ("long_sitemap", long("Sitemap: ", "x/")),
        ("long_crawl_delay", long("Crawl-delay: ", "1")),
        ("long_percent", long("Disallow: /", "%")),
        ("long_percent_41", long("Disallow: /", "%41")),
        ("long_percent_c3", long("Disallow: /", "%c3")),
        ("long_utf8", long("Disallow: /", "é")),
        ("long_dollars", long("Disallow: /", "$")),
        ("percent", filled(STAR, |n| format!("Disallow: /%4{:x}%c3%{}\n", n % 16, letters(n)))),
        ("utf8", filled(STAR, |n| format!("Disallow: /é{}ü\n", letters(n)))),
        ("misspelt", filled(STAR, |n| format!("Disalow: /{}\n", letters(n)))),
        ("unknown_fields", filled(STAR, |n| format!("{}: x\n", letters(n)))),
        ("fields_of_32_bytes", filled(STAR, |_| format!("{}: x\n", "request-ratee".repeat(2)))),
        ("no_colon", filled(STAR, |n| format!("Disallow /{}\n", letters(n)))),
        (
            "html",
            filled("<!DOCTYPE html>\n<html>\n", |n| {
                format!(
                    "<div class=\"a: b\"><a href=\"https://example.com/{n}\">Allow: x</a></div>\n"
                )
            }),
        ),
        ("html_one_line", filled("<html>", |n| format!("<p id=\"x{n}\">Disallow: /</p>"))),
        ("cr_only", crlf),
        ("controls", filled(STAR, |n| format!("Disallow: /{}\x01\x02\n", letters(n)))),
        ("random_bytes", random),
    ]
}
