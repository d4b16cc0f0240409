//! Reads arbitrary bytes as a User-Agent header. Checks that names lie in the header, come by
//! certainty, differ, and are product tokens; that the crawler with these names finds the group of
//! its surest name in every profile but that of google, which takes fewer bytes for tokens; and
//! that a name that is refused finds no group.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robotsieve::{Crawler, Profile, Robots, UserAgent};

fuzz_target!(|bytes: &[u8]| {
    let read = UserAgent::read(bytes);
    let names = read.names();
    assert!(names.len() <= UserAgent::MAX_NAMES);
    assert!(names.is_sorted_by_key(|name| name.certainty));
    for (number, name) in names.iter().enumerate() {
        assert_eq!(&bytes[name.span.clone()], name.name);
        assert!(name.name.iter().any(u8::is_ascii_alphanumeric));
        assert!(Crawler::try_name(name.name, &Profile::RFC9309).is_ok());
        let is_same =
            |other: &robotsieve::HeaderName<'_>| other.name.eq_ignore_ascii_case(name.name);
        assert!(!names[..number].iter().any(is_same));
    }
    let crawler = Crawler::from_user_agent(bytes);
    assert_eq!(crawler, read.crawler());
    if let Some(surest) = names.first() {
        let file = [b"User-agent: ", surest.name, b"\nDisallow: /"].concat();
        for profile in [Profile::RFC9309, Profile::GOOGLE_CLASSIC, Profile::ORIGINAL_1994] {
            let policy = Robots::parse(&file, &profile).policy(&crawler);
            assert_eq!(policy.is_allowed("/x"), Ok(false));
        }
    }
    // The same bytes as a name.
    let line = [b"User-agent: ", bytes, b"\nDisallow: /"].concat();
    for (_, profile) in Profile::NAMED {
        if let Err(error) = Crawler::try_name(bytes, profile)
            && !error.is_header()
        {
            // A line break in the name can end the line behind `*`, which names everybody.
            let robots = Robots::parse(&line, profile);
            let by_name = robots.group_of(&Crawler::name(bytes));
            let by_none = robots.group_of(&Crawler::names([""; 0]));
            assert_eq!(by_name, by_none);
        }
    }
});
