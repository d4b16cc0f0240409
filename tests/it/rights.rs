//! The published cases of rights, and some of our own: each through the whole engine, compared as a whole.
//!
//! The published ones lie in the folder `rights` beside the corpus of robots.txt files. Their `expect` is the
//! document that rights serialise as; what is absent in it must be absent or empty, lists compare as
//! sets, and `notes` are those that must be there.

use std::collections::BTreeSet;

use robotsieve::{Crawler, Profile, Robots};
use robotsieve_rights::{Documents, Note, Response, RightsReader};
use serde_json::Value;

use crate::support::compared::differences;
use crate::support::corpus;

#[corpus::test]
fn published_cases() {
    check(&corpus::rights("cases.json"), 133, |_, found| found);
}

/// More of them, each of which says only what it settles. Those with records of an archive run in the tests
/// of the command.
#[corpus::test]
fn more_published_cases() {
    let only_what_is_expected = |expect: &Value, found: Value| {
        let Value::Object(mut found) = found else { panic!("an object") };
        found.retain(|key, _| expect.get(key).is_some());
        Value::Object(found)
    };
    check(&corpus::rights("cases_more.json"), 247, only_what_is_expected);
}

/// No real robots.txt that is text counts as one that is none.
#[corpus::test]
fn real_files_are_text() {
    let reader = RightsReader::new(&Crawler::name("x"));
    let is_unread = |file: &[u8]| {
        let profile = Profile::RFC9309.with_size_limit(None);
        let text = robotsieve::text_of(file, &profile);
        let rights = reader.robots(&Robots::parse(&text, &profile)).rights("/").expect("rights");
        rights.notes().contains(Note::RobotsNotRead)
    };
    let files = corpus::files();
    let unread = files.iter().filter(|(_, file)| is_unread(file)).map(|(host, _)| &**host);
    // An icon.
    assert_eq!(unread.collect::<Vec<_>>(), ["www.pch.com"]);
}

/// Published cases that are read in another way, with the reason.
const READ_OTHERWISE: [(&str, &str); 2] = [
    (
        "rsl/one-doc-invalid",
        "RIGHTS.md section 12: a licence that is given and cannot be read could have said no, so what another \
         permits is unknown (the case calls itself open)",
    ),
    (
        "meta/utf16-nobom",
        "RIGHTS.md section 12: what could have said no is read. A header may name UTF-16 for a page without a byte \
         order mark, and the page says no in it (the case calls itself a reading, of what was documented then)",
    ),
];
/// What the published cases do not reach.
#[test]
fn own_cases() {
    check(include_str!("rights_cases.json"), 42, |_, found| found);
}

/// `of_case` takes what a case expects and what was found, and returns what of it is compared.
fn check(text: &str, count: usize, of_case: impl Fn(&Value, Value) -> Value) {
    let cases: Vec<Value> = serde_json::from_str(text).expect("cases");
    assert_eq!(cases.len(), count);
    let ids: BTreeSet<_> = cases.iter().map(|case| case["id"].as_str()).collect();
    assert_eq!(ids.len(), count, "ids are unique");
    let mut failures = Vec::new();
    let is_here = |case: &&Value| {
        case["input"]["captures"].is_null()
            && !READ_OTHERWISE.iter().any(|(id, _)| case["id"] == *id)
    };
    for case in cases.iter().filter(is_here) {
        let found = of_case(&case["expect"], rights(&case["input"]));
        let differences = differences(&case["expect"], &found);
        if !differences.is_empty() {
            let (id, input) = (&case["id"], &case["input"]);
            failures.push(format!("{id}: {}\n{input}\n", differences.join("; ")));
        }
    }
    assert!(failures.is_empty(), "{} of {count}:\n{}", failures.len(), failures.join("\n"));
}

/// The rights that a case asks for, as their document.
fn rights(input: &Value) -> Value {
    let text = |key: &str| input[key].as_str();
    let crawler = Crawler::names(text("crawler").expect("crawler").split(',').map(str::trim));
    let mut reader = RightsReader::new(&crawler);
    if let Some(reading) = text("reading") {
        reader = reader.with_reading(reading.parse().expect("a reading"));
    }
    if let Some(now) = text("now") {
        let now: jiff::Timestamp = now.parse().expect("a time");
        reader = reader.with_now(now.as_second());
    }
    if let Some(vocabulary) = input["versions"]["aipref-vocab"].as_str() {
        reader = reader.with_vocabulary(vocabulary.parse().expect("a vocabulary"));
    }
    let file = text("robots").map(|file| Robots::parse(file.as_bytes(), &Profile::RFC9309));
    let robots = file.map(|file| reader.robots(&file));
    let headers = input["headers"].as_array().into_iter().flatten();
    let pair = |pair: &Value| {
        let part = |number: usize| pair[number].as_str().expect("a header").to_owned();
        (part(0), part(1))
    };
    let mut response = Response::new().with_headers(headers.map(pair));
    if let Some(header) = text("headers_text") {
        response = response.with_header_text(header.as_bytes()).expect("a header");
    }
    if let Some(html) = text("html") {
        response = response.with_html(html.as_bytes());
    }
    if let Some(html) = text("html_base64") {
        response = response.with_html(&base64(html));
    }
    let mut documents = Documents::new();
    for (address, file) in input["files_base64"].as_object().into_iter().flatten() {
        documents.add(address, &base64(file.as_str().expect("a file")));
    }
    for (address, file) in input["files"].as_object().into_iter().flatten() {
        documents.add(address, file.as_str().expect("a file").as_bytes());
    }
    let url = text("url").expect("a URL");
    let rights = reader.rights(url, robots.as_ref(), &response, &documents).expect("rights");
    serde_json::to_value(rights).expect("a document")
}

/// The bytes of a text in base64.
fn base64(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digit = |byte| DIGITS.iter().position(|digit| *digit == byte);
    let digits: Vec<usize> = text.bytes().map_while(digit).collect();
    let bytes = digits.chunks(4).flat_map(|four| {
        let all = four.iter().fold(0, |all, digit| all << 6 | digit) << (6 * (4 - four.len()));
        all.to_be_bytes().into_iter().skip(size_of::<usize>() - 3).take(four.len() - 1)
    });
    bytes.collect()
}

/// The page says what each note means.
#[test]
fn documented_notes() {
    let page = include_str!("../../docs/rights.md");
    for note in Note::ALL {
        assert!(page.contains(&format!("`{note}`")), "docs/rights.md lacks {note}");
        assert!(!note.sentence().ends_with('.'), "{note}");
    }
}
