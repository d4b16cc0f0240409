//! Where in a `User-Agent` header a name counts, and whether people send it there.
//!
//! A header is read as [`UserAgent`] reads it, as far as an expression can: what follows `compatible` is surest,
//! then what the header begins with, then `name/version`, then a word. A name is written only for the places in which
//! no header of `people.txt` has it, and as a word only if it says that it is a robot's or its operator's header has
//! it so. What is left is a subset of what the library reads, so nobody is refused whom it would not name. `audit` asks
//! here too: it accuses nobody whose header may be a person's.

use std::sync::LazyLock;

use memchr::memmem;
use robotsieve::UserAgent;
use robotsieve_known::{KnownCrawler, KnownCrawlers};

/// Headers as browsers and apps send them for people.
const PEOPLE: &str = include_str!("people.txt");

/// What the headers have with which phones of people fetch previews of links (Apple's Messages): they name crawlers,
/// and are none.
pub(crate) const PREVIEWS: &str = "Facebot Twitterbot";

/// The same as [`PEOPLE`] in lower case.
static PEOPLE_LOWER: LazyLock<String> = LazyLock::new(|| PEOPLE.to_ascii_lowercase());

/// A place in a header, the surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// After `compatible`.
    Compatible,
    /// The header begins with it.
    Start,
    /// With a version: `FooBot/1.0`.
    Version,
    /// A word that stands anywhere.
    Word,
}

impl Place {
    pub(super) const ALL: [Place; 4] =
        [Place::Compatible, Place::Start, Place::Version, Place::Word];
    /// Where nobody else's header has a name. As a word it may be one that is said to be alike (`TelegramBot (like
    /// TwitterBot)`).
    pub(super) const SURE: [Place; 3] = [Place::Compatible, Place::Start, Place::Version];

    /// What an expression has before and after a name in this place. `looks`: the engine can look around, which finds
    /// the beginnings of names faster.
    pub(super) fn around(self, looks: bool) -> [&'static str; 2] {
        const LOOKS_BEFORE: &str = "(?<![A-Za-z0-9_./@:=%&?-])";
        const LOOKS_AFTER: &str = "(?![A-Za-z0-9_@=-]|\\.[A-Za-z0-9])";
        const BEFORE: &str = "(?:^|[^A-Za-z0-9_./@:=%&?-])";
        const AFTER: &str = "(?:[^A-Za-z0-9_@=.-]|\\.(?:[^A-Za-z0-9]|$)|$)";
        // Where the surest names stand, that of a host is one.
        const LOOKS_AFTER_HOST: &str = "(?![A-Za-z0-9_@=-])";
        const AFTER_HOST: &str = "(?:[^A-Za-z0-9_@=-]|$)";
        const VERSION: &str = "/(?:[vV]?[0-9]|[^A-Za-z0-9_./-]|$)";
        let after = if looks { LOOKS_AFTER } else { AFTER };
        let after_host = if looks { LOOKS_AFTER_HOST } else { AFTER_HOST };
        let before = if looks { LOOKS_BEFORE } else { BEFORE };
        match self {
            Place::Compatible => ["compatible[^A-Za-z0-9_./@:=%&?-]+", after_host],
            Place::Start => ["^", after_host],
            Place::Version => [before, VERSION],
            Place::Word => [before, after],
        }
    }
}

/// A set of places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Places(u8);

impl Places {
    /// Returns true if a word alone does not count.
    pub(super) fn wants_more(self) -> bool {
        !self.has(Place::Word)
    }

    pub(super) fn has(self, place: Place) -> bool {
        self.0 & 1 << place as u8 != 0
    }

    /// Returns true if the crawler's own header has its name in none of these places that are sure.
    pub(super) fn miss_surely(self, entry: &KnownCrawler) -> bool {
        let Some(header) = &entry.header else { return false };
        let own = standing(&header.to_ascii_lowercase(), &entry.token.to_ascii_lowercase());
        !Place::SURE.into_iter().any(|place| own.both(self).has(place))
    }

    fn with(self, place: Place) -> Places {
        Places(self.0 | 1 << place as u8)
    }

    fn of(is_in: impl Fn(Place) -> bool) -> Places {
        Place::ALL.into_iter().filter(|place| is_in(*place)).fold(Places(0), Places::with)
    }

    fn both(self, other: Places) -> Places {
        Places(self.0 & other.0)
    }

    fn without(self, other: Places) -> Places {
        Places(self.0 & !other.0)
    }

    fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// A name as a configuration looks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    /// In lower case.
    pub(super) token: String,
    pub(super) places: Places,
}

/// Why a name is in no configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Why {
    OnlyInRobotsTxt,
    NoToken,
    Cut,
    /// The library reads no name in it, or any crawler's.
    OfBrowsers,
    TooShort,
    OfPeople,
    WithinWords,
    /// It is a part of longer words: a server that knows no words cannot tell it from them.
    Substring,
}

/// The longest token in bytes that is looked for in headers.
const TOKEN_BYTES: usize = 64;
/// Shorter ones are words of devices and languages: `g`, `es`.
const LETTERS: usize = 3;
/// The same for a server that finds them within words.
const LETTERS_ANYWHERE: usize = 5;

/// The places in which a name is looked for, or why there is none. `words`: the server can tell words.
pub(super) fn places(
    token: &str,
    entry: Option<&KnownCrawler>,
    known: &KnownCrawlers,
    words: bool,
) -> Result<Places, Why> {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if entry.is_some_and(|entry| entry.only_in_robots_txt) {
        return Err(Why::OnlyInRobotsTxt);
    }
    if token.len() > TOKEN_BYTES || !token.bytes().all(is_token) {
        return Err(Why::NoToken);
    }
    // Not alone: a word that describes any crawler names one that has no other name.
    let header = format!("Named/1.0 {token}/1.0");
    let is_it = |name: &[u8]| name.eq_ignore_ascii_case(token.as_bytes());
    if !UserAgent::read(&header).names().iter().any(|name| is_it(name.name)) {
        return Err(Why::OfBrowsers);
    }
    if token.bytes().filter(u8::is_ascii_alphanumeric).count() < LETTERS {
        return Err(Why::TooShort);
    }
    let lower = token.to_ascii_lowercase();
    let of_people = of_people(&lower);
    let own = entry.and_then(|entry| entry.header.as_deref());
    let own = own.map(|header| standing(&header.to_ascii_lowercase(), &lower));
    let only_a_word = own.is_some_and(|own| own == Places::default().with(Place::Word));
    let stands_alone = says_robot(&lower) || only_a_word;
    let places = Places::of(|place| place != Place::Word || stands_alone).without(of_people);
    // Of a crawler that nobody knows, a name that people send anywhere is no sign.
    if places.is_empty() || entry.is_none() && !of_people.is_empty() {
        return Err(Why::OfPeople);
    }
    if own.is_some_and(|own| own.both(places).is_empty()) {
        let why = if own == Some(Places::default()) { Why::WithinWords } else { Why::OfPeople };
        return Err(why);
    }
    if !words {
        let is_safe = lower.len() >= LETTERS_ANYWHERE
            && (entry.is_some() || says_robot(&lower))
            && memmem::find(PEOPLE_LOWER.as_bytes(), lower.as_bytes()).is_none()
            && known.iter().filter_map(|one| one.header.as_deref()).all(|header| {
                let header = header.to_ascii_lowercase();
                !header.contains(&lower)
                    || !standing(&header, &lower).is_empty()
                    || longer(known, &lower).any(|other| header.contains(&other))
            });
        return is_safe.then_some(places).ok_or(Why::Substring);
    }
    Ok(places)
}

/// The places in which a name is a sign of its crawler. Finding them reads the headers of all people, so they are found
/// once for each name, not for each header.
#[derive(Debug)]
pub(crate) struct Signs {
    /// The name in lower case.
    lower: String,
    places: Result<Places, Why>,
}

impl Signs {
    pub(crate) fn of(token: &str, entry: Option<&KnownCrawler>, known: &KnownCrawlers) -> Signs {
        Signs { lower: token.to_ascii_lowercase(), places: places(token, entry, known, true) }
    }

    /// Returns true if a header in which the name was read may be a person's: the name stands in no place where it is a
    /// sign of the crawler, or there is none.
    pub(crate) fn may_be_a_persons(&self, header: &[u8]) -> bool {
        if memmem::find(header, PREVIEWS.as_bytes()).is_some() {
            return true;
        }
        match &self.places {
            Ok(places) => {
                let header = String::from_utf8_lossy(header).to_ascii_lowercase();
                standing(&header, &self.lower).both(*places).is_empty()
            }
            // Other names are left out because no expression finds them.
            Err(why) => matches!(why, Why::OfBrowsers | Why::TooShort | Why::OfPeople),
        }
    }
}

/// Returns true if some header of a person has this name.
pub(crate) fn people_send(token: &str) -> bool {
    !of_people(&token.to_ascii_lowercase()).is_empty()
}

/// The tokens of known crawlers that have this one in them, in lower case.
pub(super) fn longer(known: &KnownCrawlers, lower: &str) -> impl Iterator<Item = String> {
    let tokens = known.iter().map(|one| one.token.to_ascii_lowercase());
    tokens.filter(move |token| token.len() > lower.len() && token.contains(lower))
}

/// Returns true if a name says that it is a robot's.
fn says_robot(lower: &str) -> bool {
    ["bot", "crawl", "spider", "scrap", "fetch", "archiv", "agent", "analyz"]
        .iter()
        .any(|word| lower.contains(word))
}

/// The places in which headers of people have a name, in lower case.
fn of_people(token: &str) -> Places {
    let text = PEOPLE_LOWER.as_str();
    let mut places = Places::default();
    for at in memmem::find_iter(text.as_bytes(), token) {
        let from = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
        let header = &text[from..end];
        if !header.starts_with('#') {
            places = Places(places.0 | standing_at(header, at - from, token).0);
        }
    }
    places
}

/// The places in which a name stands in a header, both in lower case.
fn standing(header: &str, token: &str) -> Places {
    let found = memmem::find_iter(header.as_bytes(), token);
    found.fold(Places::default(), |places, at| Places(places.0 | standing_at(header, at, token).0))
}

/// The places in which a name stands where it was found, as the expressions of [`Place::around`] find it.
fn standing_at(header: &str, at: usize, token: &str) -> Places {
    let (before, after) = (&header.as_bytes()[..at], &header.as_bytes()[at + token.len()..]);
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_./@:=%&?-".contains(byte);
    let begins = before.last().is_none_or(|byte| !is_part(byte));
    let ends_host =
        after.first().is_none_or(|next| !next.is_ascii_alphanumeric() && !b"_@=-".contains(next));
    let ends = ends_host && !matches!(after, [b'.', next, ..] if next.is_ascii_alphanumeric());
    let has_version = match after {
        [b'/'] | [b'/', b'v' | b'V', b'0'..=b'9', ..] => true,
        [b'/', next, ..] => {
            next.is_ascii_digit() || !next.is_ascii_alphabetic() && !b"_./-".contains(next)
        }
        _ => false,
    };
    let gap = before.iter().rev().take_while(|byte| !is_part(byte)).count();
    let follows = gap > 0 && before[..before.len() - gap].ends_with(b"compatible");
    Places::of(|place| match place {
        Place::Compatible => follows && ends_host,
        Place::Start => before.is_empty() && ends_host,
        Place::Version => begins && has_version,
        Place::Word => begins && ends,
    })
}

#[cfg(test)]
mod tests {
    use regex_automata::hybrid::regex::Regex;
    use regex_automata::util::syntax;
    use robotsieve::{Certainty, Profile, Robots};
    use robotsieve_known::Operators;

    use super::*;
    use crate::audit::Crawlers;
    use crate::enforce::options::Options;
    use crate::enforce::server::Server;
    use crate::enforce::text::{Written, WrittenClass};
    use crate::enforce::whom::whom;

    fn people() -> impl Iterator<Item = &'static str> {
        PEOPLE.lines().filter(|line| !line.starts_with('#'))
    }

    fn class_of(names: Vec<Name>) -> WrittenClass {
        WrittenClass {
            number: 1,
            names,
            normal: Vec::new(),
            sent: Vec::new(),
            resolved: Vec::new(),
        }
    }

    /// The expressions of a server for these names, as it tries them.
    fn expressions(names: Vec<Name>) -> Vec<Regex> {
        let options = Options::new(Server::Caddy);
        let written = Written {
            options: &options,
            profile: None,
            classes: vec![class_of(names)],
            delays: Default::default(),
            claimed: Vec::new(),
            not_normal: None,
        };
        written.named("(").iter().map(|text| regex(text)).collect()
    }

    fn regex(text: &str) -> Regex {
        let syntax = syntax::Config::new().unicode(false).utf8(false).case_insensitive(true);
        Regex::builder().syntax(syntax).build(text).unwrap()
    }

    fn found<'h>(expressions: &[Regex], header: &'h str) -> Option<&'h str> {
        let found = expressions.iter().find_map(|one| one.find(&mut one.create_cache(), header));
        found.map(|found| &header[found.range()])
    }

    /// The names of all known crawlers, and hundreds that no list has: each that is emitted matches no header of a person,
    /// and where it matches, the library reads the same name.
    #[test]
    fn nobody_is_refused_whom_the_library_does_not_name() {
        let known = KnownCrawlers::built_in();
        let mut names: Vec<Name> = Vec::new();
        let add = |token: &str, names: &mut Vec<Name>| {
            let places = places(token, known.by_token(token), known, true);
            let token = token.to_ascii_lowercase();
            names.extend(places.ok().map(|places| Name { token, places }));
        };
        known.iter().for_each(|one| add(&one.token, &mut names));
        // Every word of a person's header, as the name of a crawler.
        for header in people() {
            for word in header.split(|c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c)) {
                add(word, &mut names);
            }
        }
        names.sort_by(|a, b| a.token.cmp(&b.token));
        names.dedup();
        assert!(names.len() > 500, "{}", names.len());
        for name in &names {
            let expressions = expressions(vec![name.clone()]);
            for header in people() {
                // Any longer check is that of `of_people`; this is the expression's.
                if header.to_ascii_lowercase().contains(&name.token) {
                    assert_eq!(found(&expressions, header), None, "{}: {header}", name.token);
                }
            }
        }
        let all = expressions(names.clone());
        // Traefik's is one for all places.
        let within = regex(&class_of(names).within());
        for header in people() {
            assert_eq!(found(&all, header), None, "{header}");
            assert!(!within.is_match(&mut within.create_cache(), header), "{header}");
        }
        // Cloudflare finds a name anywhere.
        let anywhere =
            known.iter().filter(|one| places(&one.token, Some(one), known, false).is_ok());
        let anywhere: Vec<String> = anywhere.map(|one| one.token.to_ascii_lowercase()).collect();
        assert!(anywhere.len() > 300, "{}", anywhere.len());
        for header in people().map(str::to_ascii_lowercase) {
            let found = anywhere.iter().find(|token| header.contains(token.as_str()));
            assert_eq!(found, None, "{header}");
        }
    }

    /// The crawler that `enforce` refuses and `audit` accuses when this header comes and a file names these crawlers:
    /// both find the same, or none.
    #[track_caller]
    fn named_by_both(agents: &[&str], header: &str) -> Option<String> {
        let known = KnownCrawlers::built_in();
        let lines: String = agents.iter().map(|agent| format!("User-agent: {agent}\n")).collect();
        let file = lines + "Disallow: /\n";
        let robots = || Robots::parse(file.as_bytes(), &Profile::RFC9309);
        let options = Options::new(Server::Caddy);
        let classes = whom(&robots(), &Operators::default(), known, &options).classes;
        let names = classes.into_iter().flat_map(|class| class.names).collect();
        let expressions = expressions(names);
        let refused = found(&expressions, header).map(str::to_ascii_lowercase);
        let crawlers = Crawlers::new(known, vec![robots()], vec![Operators::default()]);
        let accused = crawlers.look_up(header.as_bytes());
        let accused = accused.map(|(name, _)| name.token().to_owned());
        let is_same = match (&refused, &accused) {
            (Some(refused), Some(accused)) => refused.contains(&accused.to_ascii_lowercase()),
            (refused, accused) => refused.is_none() && accused.is_none(),
        };
        assert!(is_same, "{agents:?} {header}: refuses {refused:?}, accuses {accused:?}");
        accused
    }

    #[test]
    fn enforce_and_audit_name_the_same() {
        let chrome = |rest: &str| {
            format!(
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) \
                 Chrome/141.0.0.0 {rest}"
            )
        };
        let outlook =
            "Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.5056; Pro)".to_owned();
        for (agents, header, wanted) in [
            // robots.txt reads the beginnings of these names alone.
            (&["Microsoft URL Control", "Go!Zilla"][..], outlook.clone(), None),
            (&["ChatGPT Agent"], chrome("Safari/537.36 ChatGPT/1.2025.287"), None),
            (&["Quux Reader"], "Quux/1.0".to_owned(), None),
            (&["Quux Reader", "quux"], "Quux/1.0".to_owned(), Some("Quux")),
            // People send these.
            (&["Microsoft"], outlook, None),
            (&["DuckDuckGo"], chrome("Mobile DuckDuckGo/5 Safari/537.36"), None),
            (&["Code", "Cursor"], chrome("Code/1.102.0 Safari/537.36"), None),
            (
                &["Overcast"],
                "Overcast/3.0 (+http://overcast.fm/; iOS podcast app)".to_owned(),
                None,
            ),
            (&["WhatsApp"], "WhatsApp/2.23.20.0 A".to_owned(), None),
            (&["WhatsApp"], "WhatsApp/2".to_owned(), None),
            (&["WhatsApp"], chrome("Safari/537.36 WhatsApp/2.2526.2"), None),
            (&["moto", "G"], "Mozilla/5.0 (Linux; Android 11; moto g power)".to_owned(), None),
            // A word alone may be that of a device.
            (&["Quux"], chrome("Safari/537.36 Quux"), None),
            (&["Quux"], chrome("Safari/537.36 Quux/1.0"), Some("Quux")),
            (&["Quux"], "Mozilla/5.0 (compatible; Quux)".to_owned(), Some("Quux")),
            (&["Quuxbot"], chrome("Safari/537.36 Quuxbot"), Some("Quuxbot")),
            (&["GPTBot"], "Mozilla/5.0 (compatible; GPTBot/1.2)".to_owned(), Some("GPTBot")),
        ] {
            assert_eq!(named_by_both(agents, &header).as_deref(), wanted, "{agents:?} {header}");
        }
        // Every word of a person's header, as the name of a crawler.
        for header in people() {
            let words = header.split(|c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c));
            let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
            assert_eq!(named_by_both(&words, header), None, "{header}");
        }
    }

    /// The function that judges names and the expressions that are written find the same.
    #[test]
    fn places_are_those_of_the_expressions() {
        let mut seen = [[0; 2]; 4];
        for start in ["", "compatible; ", "x", "x ", "x/", "(", "(compatible;(", "+", "a@", "k="] {
            for end in
                ["", "/1", "/v2", "/", "/;", "/x", " 1", ";", ".", ".com", ". ", "-x", "@x", "=1"]
            {
                let header = format!("{start}foobot{end}");
                let standing = standing(&header, "foobot");
                for place in Place::ALL {
                    let one =
                        Name { token: "foobot".to_owned(), places: Places::default().with(place) };
                    let is_found = found(&expressions(vec![one]), &header).is_some();
                    assert_eq!(is_found, standing.has(place), "{header} {place:?}");
                    seen[place as usize][usize::from(is_found)] += 1;
                }
            }
        }
        assert!(seen.iter().flatten().all(|count| *count > 2), "{seen:?}");
    }

    /// Each known header leads to its own crawler, as the library reads it.
    #[test]
    fn known_headers() {
        let known = KnownCrawlers::built_in();
        let with_header = || known.iter().filter(|one| one.header.is_some());
        let mut left_out = Vec::new();
        let mut names = Vec::new();
        for one in with_header() {
            match places(&one.token, Some(one), known, true) {
                Ok(places) => names.push(Name { token: one.token.to_ascii_lowercase(), places }),
                Err(why) => left_out.push((one.token.as_str(), why)),
            }
        }
        println!("{left_out:?}");
        assert!(left_out.len() <= 6, "{left_out:?}");
        let expressions = expressions(names);
        let mut wrong = Vec::new();
        for one in with_header() {
            if left_out.iter().any(|(token, _)| *token == one.token) {
                continue;
            }
            let header = one.header.as_deref().unwrap();
            let found = found(&expressions, header).map(str::to_ascii_lowercase);
            if !found.as_ref().is_some_and(|found| found.contains(&one.token.to_ascii_lowercase()))
            {
                wrong.push(format!("{}: {found:?} in {header}", one.token));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn names_that_are_left_out() {
        let known = KnownCrawlers::built_in();
        let of = |token: &str, words| places(token, known.by_token(token), known, words);
        for (token, why) in [
            ("Mozilla", Why::OfBrowsers),
            ("web", Why::OfBrowsers),
            ("bot", Why::OfBrowsers),
            ("g", Why::TooShort),
            ("es", Why::TooShort),
            ("Microsoft", Why::OfPeople),
            ("DuckDuckGo", Why::OfPeople),
            ("Vivaldi", Why::OfPeople),
            ("CUBOT", Why::OfPeople),
            ("Google-Extended", Why::OnlyInRobotsTxt),
        ] {
            assert_eq!(of(token, true), Err(why), "{token}");
        }
        for token in ["html", "apple", "Image", "Go", "Mobil", "Googl", "WebZIP"] {
            assert!(of(token, false).is_err(), "{token}");
        }
        for token in ["GPTBot", "Googlebot", "SemrushBot", "Bytespider", "ClaudeBot", "CCBot"] {
            assert!(of(token, false).is_ok(), "{token}: {:?}", of(token, false));
            assert!(of(token, true).unwrap().has(Place::Word), "{token}");
        }
        // A number counts with a version.
        let places = of("008", true).unwrap();
        assert!(places.has(Place::Version) && !places.has(Place::Word));
        let read = UserAgent::read("Mozilla/5.0 (compatible; 008/0.85; +http://e.com/)");
        assert_eq!(read.names()[0].certainty, Certainty::Compatible);
    }
}
