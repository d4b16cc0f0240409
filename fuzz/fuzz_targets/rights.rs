//! Reads arbitrary bytes by one parser of rights, chosen by the first byte, and settles what it found.
//! Checks that nothing panics, that reading is the same twice, that no purpose is allowed that something
//! disallows, and that every ruling names its places.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robotsieve::{Crawler, Profile, Robots};
use robotsieve_rights::{
    ContentSignals, ContentUsage, Documents, Purpose, Response, Rights, RightsReader, Ruling,
    TagReading, Vocabulary,
};

const URL: &str = "https://example.com/a/b?c";
const LICENCE: &str = "https://example.com/l.xml";

const FIELDS: [&str; 7] = [
    "Content-Usage",
    "Content-Signal",
    "X-Robots-Tag",
    "Robots-Tag",
    "tdm-reservation",
    "tdm-policy",
    "Link",
];

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    let crawler = Crawler::names(["ExampleBot", "a"]);
    for reading in TagReading::ALL {
        let reader = RightsReader::new(&crawler).with_reading(*reading).with_now(1_800_000_000);
        let rights = rights(&reader, *choice, bytes);
        check(&rights);
        let again = self::rights(&reader, *choice, bytes);
        assert_eq!(rights, again);
    }
    let _ = ContentSignals::parse(bytes);
    if let Ok(usage) = ContentUsage::parse(bytes) {
        for vocabulary in Vocabulary::ALL {
            usage.allows(*vocabulary);
            usage.notes(*vocabulary);
        }
    }
});

/// The rights that the bytes give, as what the first byte says.
fn rights(reader: &RightsReader, choice: u8, bytes: &[u8]) -> Rights {
    let (none, mut documents) = (Response::new(), Documents::new());
    let mut robots = None;
    let mut response = none;
    match choice % 11 {
        // The last of their kind, so that the others keep their numbers.
        _ if choice == u8::MAX => response = response.with_xmp(bytes),
        _ if choice == u8::MAX - 1 => {
            let head = [("Content-Type", "application/xhtml+xml")];
            response = response.with_headers(head).with_html(bytes);
        }
        number @ 0..=6 => {
            let field = FIELDS[usize::from(number)];
            // Lines of the header are lines of the input.
            let lines = bytes.split(|byte| *byte == b'\n').map(|line| (field, line));
            response = response.with_headers(lines);
        }
        7 => response = response.with_html(bytes),
        8 => documents.add("/.well-known/tdmrep.json", bytes),
        9 => {
            documents.add(LICENCE, bytes);
            let link = format!("<{LICENCE}>; rel=license; type=\"application/rsl+xml\"");
            response = response.with_headers([("Link", link)]);
        }
        _ => robots = Some(reader.robots(&Robots::parse(bytes, &Profile::RFC9309))),
    }
    let rights = reader.rights(URL, robots.as_ref(), &response, &documents).expect("a URL");
    if let Some(robots) = robots {
        for purpose in Purpose::ALL {
            assert_eq!(robots.ruling(*purpose, URL), Ok(rights.ruling(*purpose)));
        }
    }
    rights
}

fn check(rights: &Rights) {
    for purpose in Purpose::ALL {
        let ruling = rights.ruling(*purpose);
        let named = rights.by(*purpose).count();
        let is_crawl = *purpose == Purpose::Crawl;
        assert!(is_crawl || (ruling == Ruling::Unknown) == (named == 0));
        for by in rights.by(*purpose) {
            let said = if ruling == Ruling::Disallow { by.disallows } else { by.allows };
            assert!(said.contains(*purpose));
            assert!(!by.place.to_string().is_empty());
        }
        assert!(!rights.licensable().contains(*purpose) || ruling == Ruling::Disallow);
        assert!(rights.conditions(*purpose).next().is_none() || ruling != Ruling::Disallow);
    }
}
