//! Every switch of a profile in each of its positions, each with a file and a URL that show
//! the difference.

use std::collections::BTreeSet;

use crate::support::say;
use crate::support::switches::field_names;
use robotsieve::{
    ByteOrderMark, ControlCharacters, Crawler, GroupMatch, OtherRecords, Profile, Robots,
    RulePrecedence, Sides, TargetForm, TokenBytes, is_allowed_once,
};

/// What is asked in one row: a file, a crawler's names separated by commas, a URL.
struct Question {
    file: Vec<u8>,
    agent: &'static str,
    url: Vec<u8>,
}

/// A switch in one position, with the verdict that it must lead to: `allow`, `disallow` or
/// `invalid`.
struct Row {
    /// The field.
    switch: &'static str,
    /// The position, for messages.
    position: String,
    profile: Profile,
    question: Question,
    expected: &'static str,
}

/// The group that most rows are about, with these lines.
fn group(lines: &str) -> Vec<u8> {
    [b"User-agent: *\n", lines.as_bytes(), b"\n"].concat()
}

fn ask(file: impl AsRef<[u8]>, url: impl AsRef<[u8]>) -> Question {
    ask_as("bot", file, url)
}

fn ask_as(agent: &'static str, file: impl AsRef<[u8]>, url: impl AsRef<[u8]>) -> Question {
    Question { file: file.as_ref().to_vec(), agent, url: url.as_ref().to_vec() }
}

/// Adds the rows of a switch: one question, and the verdict in each position.
macro_rules! switch {
    ($rows:ident, $field:ident, $base:expr, $question:expr, $($position:expr => $expected:literal),+ $(,)?) => {
        $({
            let mut profile: Profile = $base;
            profile.$field = $position;
            $rows.push(Row {
                switch: stringify!($field),
                position: format!("{:?}", profile.$field),
                profile,
                question: $question,
                expected: $expected,
            });
        })+
    };
}

fn rows() -> Vec<Row> {
    use Profile as P;
    let mut rows = Vec::new();
    let rfc = P::RFC9309;
    let google = P::GOOGLE;

    let mark = |bytes: &[u8]| ask([bytes, &group("Disallow: /")].concat(), "/a");
    switch!(rows, byte_order_mark, rfc, mark(b"\xEF\xBB\xBF"),
        ByteOrderMark::Keep => "allow",
        ByteOrderMark::Skip => "disallow",
        ByteOrderMark::SkipPartial => "disallow",
    );
    switch!(rows, byte_order_mark, rfc, mark(b"\xEF\xBB"),
        ByteOrderMark::Keep => "allow",
        ByteOrderMark::Skip => "allow",
        ByteOrderMark::SkipPartial => "disallow",
    );
    // No part of a mark, whatever the switch.
    switch!(rows, byte_order_mark, rfc, mark(b"\xBB"),
        ByteOrderMark::Keep => "allow",
        ByteOrderMark::SkipPartial => "allow",
    );

    let prefix = || ask(group("Disallowed: /a"), "/a");
    switch!(rows, field_prefixes, rfc, prefix(), true => "disallow", false => "allow");
    let prefix = || ask("User-agents: *\nDisallow: /a", "/a");
    switch!(rows, field_prefixes, rfc, prefix(), true => "disallow", false => "allow");

    for typo in ["Dissallow", "Dissalow", "Disalow", "Diasllow", "Disallaw"] {
        let misspelt = || ask(group(&format!("{typo}: /a")), "/a");
        switch!(rows, misspelt_fields, rfc, misspelt(), true => "disallow", false => "allow");
    }
    for typo in ["Useragent", "User agent"] {
        let misspelt = || ask(format!("{typo}: *\nDisallow: /a"), "/a");
        switch!(rows, misspelt_fields, rfc, misspelt(), true => "disallow", false => "allow");
    }
    // `site-map` shows only where a sitemap ends a run of user-agent lines.
    let misspelt = || ask("User-agent: bot\nSite-map: x\nUser-agent: b\nDisallow: /a", "/a");
    let classic = P::GOOGLE_CLASSIC;
    switch!(rows, misspelt_fields, classic, misspelt(), true => "allow", false => "disallow");

    for white in ["\x0B", "\x0C"] {
        let white = || ask(group(&format!("{white}Disallow{white}:{white}/a{white}")), "/a");
        switch!(rows, ascii_white_space, rfc, white(), true => "disallow", false => "allow");
    }

    let missing = || ask(group("Disallow \t/a"), "/a");
    switch!(rows, missing_colon, rfc, missing(), true => "disallow", false => "allow");
    // Three words are no record in either position.
    let missing = || ask(group("Disallow /a b"), "/a");
    switch!(rows, missing_colon, rfc, missing(), true => "allow", false => "allow");

    let nul = || ask(group("Disallow: /a\0b"), "/a");
    switch!(rows, control_characters, google, nul(),
        ControlCharacters::Ordinary => "allow",
        ControlCharacters::NulEndsLine => "disallow",
        ControlCharacters::InvalidateRecord => "allow",
    );
    let control = || ask(group("Disallow: /a\x01"), "/a\x01");
    switch!(rows, control_characters, google, control(),
        ControlCharacters::Ordinary => "disallow",
        ControlCharacters::NulEndsLine => "disallow",
        ControlCharacters::InvalidateRecord => "allow",
    );
    // A tab is no control character here, and neither is what stands in a comment.
    let control = || ask(group("Disallow:\t/a\t#\x01"), "/a");
    switch!(rows, control_characters, google, control(),
        ControlCharacters::Ordinary => "disallow",
        ControlCharacters::InvalidateRecord => "disallow",
    );

    let long = || {
        let comment = format!("{}\n", "#".repeat(99)).repeat(P::MIN_SIZE_LIMIT / 100 + 1);
        ask([comment.as_bytes(), &group("Disallow: /a")].concat(), "/a")
    };
    switch!(rows, size_limit, rfc, long(),
        None => "disallow",
        Some(P::MIN_SIZE_LIMIT) => "allow",
        Some(2 * P::MIN_SIZE_LIMIT) => "disallow",
    );
    // Raised to what RFC 9309 demands.
    let short = || ask(group("Disallow: /a"), "/a");
    switch!(rows, size_limit, rfc, short(), Some(1) => "disallow");

    let long = || ask(group("Disallow: /aaaaaaaa"), "/aa");
    switch!(rows, line_limit, rfc, long(), None => "allow", Some(13) => "disallow");

    let blank = || ask("User-agent: a\n\nUser-agent: bot\n\nDisallow: /a", "/a");
    switch!(rows, blank_line_ends_group, rfc, blank(), true => "allow", false => "disallow");
    // A line that is only a comment is not blank.
    let comment = || ask("User-agent: bot\n#\nDisallow: /a", "/a");
    switch!(rows, blank_line_ends_group, rfc, comment(), true => "disallow", false => "disallow");

    let sitemap = || ask("User-agent: bot\nSitemap: x\nUser-agent: b\nDisallow: /a", "/a");
    switch!(rows, sitemap_ends_agents, rfc, sitemap(), true => "allow", false => "disallow");
    // Other fields mean nothing, and a sitemap means nothing to the rules after it.
    let delay = || ask("User-agent: bot\nCrawl-delay: 1\nUser-agent: b\nDisallow: /a", "/a");
    switch!(rows, sitemap_ends_agents, rfc, delay(), true => "disallow", false => "disallow");
    use OtherRecords as O;
    switch!(rows, other_records, rfc, delay(),
        O::EndNothing => "disallow",
        O::DelaysEndAgents => "allow",
        O::AllEndAgents => "allow",
    );
    for other in ["Sitemap: x", "Foo: x", "cache: x", "Host: e.com"] {
        let other = || ask(format!("User-agent: bot\n {other}\nUser-agent: b\nDisallow: /a"), "/a");
        switch!(rows, other_records, rfc, other(),
            O::EndNothing => "disallow",
            O::DelaysEndAgents => "disallow",
            O::AllEndAgents => "allow",
        );
    }
    for pace in ["Request-rate: 1/5", "visit_time: x"] {
        let pace = || ask(format!("User-agent: bot\n{pace}\nUser-agent: b\nDisallow: /a"), "/a");
        switch!(rows, other_records, rfc, pace(),
            O::EndNothing => "disallow",
            O::DelaysEndAgents => "allow",
            O::AllEndAgents => "allow",
        );
    }
    // Records after the first rule, and before the first user-agent line, end nothing.
    let after = || ask("Foo: 1\nUser-agent: bot\nFoo: 1\nAllow: /b\nFoo: 1\nDisallow: /a", "/a");
    switch!(rows, other_records, rfc, after(), O::EndNothing => "disallow", O::AllEndAgents => "disallow");

    for (head, tail) in [
        ("", ""),
        ("", "User-agent: zz\nAllow: /"),
        ("Foo: 1\n\n", "User-agent: *\nDisallow: /x"),
        ("Crawl-delay: 1\n", ""),
    ] {
        let before = || ask(format!("{head}Disallow: /a\n\nAllow: /b\n{tail}"), "/a");
        switch!(rows, rules_before_agents, rfc, before(), true => "disallow", false => "allow");
        switch!(rows, rules_before_agents, P::ORIGINAL_1994, before(), true => "disallow", false => "allow");
    }
    let named = || ask("Disallow: /a\nUser-agent: bot\nDisallow: /b", "/a");
    switch!(rows, rules_before_agents, rfc, named(), true => "allow", false => "allow");
    let later = || ask("User-agent: b\nDisallow: /b\n\nDisallow: /a", "/a");
    switch!(rows, rules_before_agents, P::ORIGINAL_1994, later(), true => "allow", false => "allow");
    let rule = || ask("User-agent: bot\nSitemap: x\nDisallow: /a", "/a");
    switch!(rows, sitemap_ends_agents, rfc, rule(), true => "disallow", false => "disallow");

    let digits = || ask_as("b0t", "User-agent: b0t\nDisallow: /a", "/a");
    switch!(rows, token_bytes, rfc, digits(),
        TokenBytes::LettersDigits => "disallow",
        TokenBytes::Letters => "allow",
        TokenBytes::UpToSlash => "disallow",
    );
    let spaces = || ask_as("my bot", "User-agent: my bot /1.0\nDisallow: /a", "/a");
    switch!(rows, token_bytes, rfc, spaces(),
        TokenBytes::LettersDigits => "allow",
        TokenBytes::Letters => "allow",
        TokenBytes::UpToSlash => "disallow",
    );

    let prefix = || ask_as("Bot-News", "User-agent: bot\nDisallow: /a", "/a");
    switch!(rows, group_match, rfc, prefix(),
        GroupMatch::Equal => "allow",
        GroupMatch::LongestPrefix => "disallow",
        GroupMatch::FirstSubstring => "disallow",
    );
    let inside = || ask_as("My-Bot/2.1", "User-agent: bot\nDisallow: /a", "/a");
    switch!(rows, group_match, rfc, inside(),
        GroupMatch::Equal => "allow",
        GroupMatch::LongestPrefix => "allow",
        GroupMatch::FirstSubstring => "disallow",
    );
    let longest = || {
        ask_as("bot-news", "User-agent: bot\nAllow: /a\n\nUser-agent: bot-news\nDisallow: /a", "/a")
    };
    switch!(rows, group_match, rfc, longest(),
        GroupMatch::Equal => "disallow",
        GroupMatch::LongestPrefix => "disallow",
        GroupMatch::FirstSubstring => "allow",
    );

    let twice = || ask("User-agent: bot\nDisallow: /b\n\nUser-agent: bot\nDisallow: /a", "/a");
    switch!(rows, merge_groups, rfc, twice(), true => "disallow", false => "allow");

    let names = || {
        let file = "User-agent: bot\nDisallow: /a\n\nUser-agent: bot-news\nDisallow: /b";
        ask_as("bot-news,bot", file, "/a")
    };
    switch!(rows, merge_names, rfc, names(), true => "disallow", false => "allow");

    let empty = || ask_as("", "User-agent:\nDisallow: /a", "/a");
    switch!(rows, empty_token_names_empty, rfc, empty(), true => "disallow", false => "allow");

    let star = || ask("User-agent: * all\nDisallow: /a", "/a");
    switch!(rows, star_then_space, rfc, star(), true => "disallow", false => "allow");
    let star = || ask("User-agent: *all\nDisallow: /a", "/a");
    switch!(rows, star_then_space, rfc, star(), true => "allow", false => "allow");

    let allow = || ask(group("Disallow: /a\nAllow: /ab"), "/ab");
    switch!(rows, allow_rules, rfc, allow(), true => "allow", false => "disallow");

    let star = || ask(group("Disallow: /*b"), "/ab");
    switch!(rows, wildcards, rfc, star(), true => "disallow", false => "allow");
    let star = || ask(group("Disallow: /*b"), "/*b");
    switch!(rows, wildcards, google, star(), true => "disallow", false => "disallow");
    let dollar = || ask(group("Disallow: /a$"), "/a");
    switch!(rows, wildcards, google, dollar(), true => "disallow", false => "allow");
    let dollar = || ask(group("Disallow: /a$"), "/a$b");
    switch!(rows, wildcards, google, dollar(), true => "allow", false => "disallow");

    let counted = || ask(group("Allow: /a\nDisallow: /a*"), "/ab");
    switch!(rows, trailing_stars_dropped, rfc, counted(), true => "allow", false => "disallow");

    let relative = || ask(group("Disallow: a/"), "/a/");
    switch!(rows, leading_slash_assumed, rfc, relative(), true => "disallow", false => "allow");
    let star = || ask(group("Disallow: *b"), "/ab");
    switch!(rows, leading_slash_assumed, rfc, star(), true => "disallow", false => "disallow");

    let longer = || ask(group("Disallow: /a\nAllow: /ab"), "/ab");
    switch!(rows, rule_precedence, rfc, longer(),
        RulePrecedence::Longest => "allow",
        RulePrecedence::AnyDisallow => "disallow",
    );
    let equal = || ask(group("Disallow: /a*\nAllow: /ab"), "/ab");
    switch!(rows, rule_precedence, rfc, equal(),
        RulePrecedence::Longest => "allow",
        RulePrecedence::AnyDisallow => "disallow",
    );

    let itself = || ask(group("Disallow: /"), "http://e.com/robots.txt");
    switch!(rows, robots_txt_allowed, rfc, itself(), true => "allow", false => "disallow");
    let query = || ask(group("Disallow: /"), "http://e.com/robots.txt?");
    switch!(rows, robots_txt_allowed, rfc, query(), true => "disallow", false => "disallow");

    let index = || ask(group("Disallow: /\nAllow: /a/index.html"), "/a/");
    switch!(rows, index_htm_is_directory, google, index(), true => "allow", false => "disallow");
    let below = || ask(group("Disallow: /\nAllow: /a/index.html"), "/a/b");
    switch!(rows, index_htm_is_directory, google, below(), true => "disallow", false => "disallow");

    let bare = || ask(group("Disallow: /a"), "e.com/a");
    switch!(rows, target_form, google, bare(),
        TargetForm::Strict => "invalid",
        TargetForm::Google => "disallow",
    );
    let parameter = || ask(group("Disallow: /;a"), "http://e.com;a");
    switch!(rows, target_form, google, parameter(),
        TargetForm::Strict => "allow",
        TargetForm::Google => "disallow",
    );
    let nul = || ask(group("Disallow: /a$"), "/a\0b");
    switch!(rows, target_form, google, nul(),
        TargetForm::Strict => "allow",
        TargetForm::Google => "disallow",
    );

    let plain = || ask(group("Disallow: /é"), "/é");
    switch!(rows, high_bytes_encoded, rfc, plain(),
        Sides::Neither => "disallow",
        Sides::Rule => "allow",
        Sides::Both => "disallow",
    );
    let rule = || ask(group("Disallow: /é"), "/%C3%A9");
    switch!(rows, high_bytes_encoded, rfc, rule(),
        Sides::Neither => "allow",
        Sides::Rule => "disallow",
        Sides::Both => "disallow",
    );
    let target = || ask(group("Disallow: /%C3%A9"), "/é");
    switch!(rows, high_bytes_encoded, rfc, target(),
        Sides::Neither => "allow",
        Sides::Rule => "allow",
        Sides::Both => "disallow",
    );

    let forbidden = || ask(group("Disallow: /a b"), "/a%20b");
    switch!(rows, forbidden_bytes_encoded, rfc, forbidden(), true => "disallow", false => "allow");
    let forbidden = || ask(group("Disallow: /a%7Cb"), "/a|b");
    switch!(rows, forbidden_bytes_encoded, rfc, forbidden(), true => "disallow", false => "allow");

    let rule = || ask(group("Disallow: /%2f"), "/%2F");
    switch!(rows, hex_upper_case, google, rule(),
        Sides::Neither => "allow",
        Sides::Rule => "disallow",
        Sides::Both => "disallow",
    );
    let target = || ask(group("Disallow: /%2F"), "/%2f");
    switch!(rows, hex_upper_case, google, target(),
        Sides::Neither => "allow",
        Sides::Rule => "allow",
        Sides::Both => "disallow",
    );
    let same = || ask(group("Disallow: /%2f"), "/%2f");
    switch!(rows, hex_upper_case, google, same(),
        Sides::Neither => "disallow",
        Sides::Rule => "allow",
        Sides::Both => "disallow",
    );

    // The one digit of a rule that ends within an escape is as those of escapes are.
    let digit = || ask(group("Disallow: /%e"), "/%e3%83%84");
    switch!(rows, hex_upper_case, google, digit(),
        Sides::Neither => "disallow",
        Sides::Rule => "disallow",
        Sides::Both => "disallow",
    );
    let digit = || ask(group("Disallow: /%e"), "/%E3%83%84");
    switch!(rows, hex_upper_case, google, digit(),
        Sides::Neither => "allow",
        Sides::Rule => "allow",
        Sides::Both => "disallow",
    );

    let rule = || ask(group("Disallow: /%62%61%7A"), "/baz");
    switch!(rows, unreserved_decoded, rfc, rule(), true => "disallow", false => "allow");
    let target = || ask(group("Disallow: /baz"), "/%62%61%7A");
    switch!(rows, unreserved_decoded, rfc, target(), true => "disallow", false => "allow");
    let reserved = || ask(group("Disallow: /a/b"), "/a%2Fb");
    switch!(rows, unreserved_decoded, rfc, reserved(), true => "allow", false => "allow");

    let star = || ask(group("Disallow: /%2A"), "/*");
    switch!(rows, special_bytes_encoded, rfc, star(), true => "disallow", false => "allow");
    let dollar = || ask(group("Disallow: /%24"), "/$");
    switch!(rows, special_bytes_encoded, rfc, dollar(), true => "disallow", false => "allow");
    let inside = || ask(group("Disallow: /$a"), "/%24a");
    switch!(rows, special_bytes_encoded, rfc, inside(), true => "disallow", false => "allow");

    let stray = || ask(group("Disallow: /%25zz"), "/%zz");
    switch!(rows, stray_percent_encoded, rfc, stray(), true => "disallow", false => "allow");
    let stray = || ask(group("Disallow: /%$"), "/%25");
    switch!(rows, stray_percent_encoded, rfc, stray(), true => "disallow", false => "allow");
    let begun = || ask(group("Disallow: /*%"), "/a%20b");
    switch!(rows, stray_percent_encoded, rfc, begun(), true => "allow", false => "disallow");
    rows
}

/// Each switch in each of its positions.
pub fn positions() -> Vec<(&'static str, Profile)> {
    rows().into_iter().map(|row| (row.switch, row.profile)).collect()
}

fn answer(row: &Row) -> &'static str {
    let question = &row.question;
    let robots = Robots::parse(&question.file, &row.profile);
    let crawler = Crawler::names(question.agent.split(','));
    let policy = robots.policy(&crawler);
    let once = is_allowed_once(&question.file, &row.profile, &crawler, &question.url);
    assert_eq!(once, policy.is_allowed(&question.url), "{} asked once", row.switch);
    match policy.decide(&question.url) {
        Ok(decision) => decision.verdict.as_str(),
        Err(_) => "invalid",
    }
}

#[test]
fn every_switch_in_every_position() {
    let rows = rows();
    let wrong: Vec<String> = rows
        .iter()
        .filter(|row| answer(row) != row.expected)
        .map(|row| {
            let Row { switch, position, question, expected, .. } = row;
            let file = &question.file[..question.file.len().min(200)];
            format!(
                "{switch} = {position}: expected {expected}, got {}: {} {} {}",
                answer(row),
                file.escape_ascii(),
                question.agent,
                question.url.escape_ascii()
            )
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

/// Every field has rows, and each of its positions decides otherwise than another.
#[test]
fn every_field_is_in_the_table() {
    let rows = rows();
    let named: BTreeSet<&str> = rows.iter().map(|row| row.switch).collect();
    let fields = field_names();
    let fields: BTreeSet<&str> = fields.iter().map(String::as_str).collect();
    assert_eq!(named, fields);
    for field in fields {
        let of_field = || rows.iter().filter(|row| row.switch == field);
        let positions: BTreeSet<&str> = of_field().map(|row| row.position.as_str()).collect();
        let told_apart = |a: &str, b: &str| {
            of_field().filter(|row| row.position == a).any(|one| {
                let same = |row: &&Row| {
                    row.position == b
                        && row.question.file == one.question.file
                        && row.question.url == one.question.url
                };
                of_field().find(same).is_some_and(|two| one.expected != two.expected)
            })
        };
        assert!(positions.len() >= 2, "{field} has one position");
        for position in &positions {
            // The smaller size limits are all the same one.
            if *position == "Some(1)" {
                continue;
            }
            let other = positions.iter().any(|other| told_apart(position, other));
            assert!(other, "{field} = {position} makes no difference");
        }
        // Of the enums with three positions all pairs must differ somewhere.
        if positions.len() == 3 && field != "size_limit" {
            for a in &positions {
                for b in positions.iter().filter(|b| a != *b) {
                    assert!(told_apart(a, b), "{field}: {a} and {b} look the same");
                }
            }
        }
    }
    say(&format!("{} rows for {} switches", rows.len(), named.len()));
}

/// A profile is a plain value: one that is changed back is the same again.
#[test]
fn profiles_are_values() {
    for &(name, profile) in Profile::NAMED {
        assert_eq!(Profile::named(name), Some(profile));
        let mut changed = profile;
        changed.allow_rules = !changed.allow_rules;
        assert_ne!(changed, profile);
        changed.allow_rules = !changed.allow_rules;
        assert_eq!(changed, profile);
    }
    assert_eq!(Profile::default(), Profile::RFC9309);
    assert_eq!(Profile::named("RFC9309"), None);
}

/// Rules that are URLs, with the origin of the file. What they are in WWW::RobotRules 6.02 (`parse`: scheme,
/// host and port are compared, then `path_query`) and rep-cpp (`Agent::is_external`: the host alone).
#[test]
fn rules_that_are_urls_of_the_own_host() {
    const OWN: &str = "https://own.example";
    for (rule, path, is_disallowed) in [
        ("https://own.example/private", "/private/x", true),
        ("HTTPS://Own.Example:443/private", "/private/x", true),
        ("http://own.example/private", "/private/x", true),
        ("https://own.example/private", "/x", false),
        ("https://own.example", "/", true),
        ("https://own.example?q", "/?q=1", true),
        ("https://own.example?q", "/x", false),
        ("https://own.example/*.gif$", "/a.gif", true),
        ("https://own.example/x # comment", "/x", true),
        ("https://own.example:8443/private", "/private/x", false),
        ("https://www.own.example/private", "/private/x", false),
        ("https://other.example/private", "/private/x", false),
        ("https://other.example/private", "/https://other.example/private", false),
        ("https://other.example", "/", false),
        ("/private", "/private/x", true),
        ("/go?to=https://own.example/private", "/private/x", false),
        ("/go?to=https://own.example/private", "/go?to=https://own.example/private", true),
    ] {
        let origin = robotsieve::Origin::of(OWN).unwrap();
        for &(name, profile) in Profile::NAMED {
            if name == "original-1994" && rule.contains('*') {
                continue;
            }
            let file = format!("User-agent: *\nDisallow: {rule}\nDisallow: /last");
            let text = robotsieve::own_rules(file.as_bytes(), &profile, &origin);
            assert_eq!(text.len(), file.len(), "{rule} in {name}");
            let policy = Robots::parse(&text, &profile).policy(&"FooBot".into());
            let url = |path: &str| format!("{OWN}{path}");
            assert_eq!(policy.is_allowed(&url(path)), Ok(!is_disallowed), "{rule} in {name}");
            assert_eq!(policy.is_allowed(&url("/last")), Ok(false), "{rule} in {name}");
        }
    }
}
