//! From a document to statements about a URL.

use robotsieve::Origin;

use crate::note::Note;
use crate::place::Place;
use crate::purpose::Purposes;
use crate::result::Rights;
use crate::rsl::compiled::{LicenceSays, Licences};
use crate::rsl::document::Rsl;
use crate::statement::Statement;
use crate::version::Version;

/// The page that a document is asked about.
#[derive(Clone, Copy)]
pub(crate) struct Page<'p> {
    /// The path with its query, normalised.
    pub(crate) target: &'p [u8],
    pub(crate) origin: Option<&'p Origin<'p>>,
    /// True if the document stands in the page, so that a content without a `url` is the page.
    pub(crate) has_document: bool,
}

impl Rsl {
    /// Adds what the document states about a page. Returns `false` if it does not cover the page.
    ///
    /// The most specific content supplies the permissions, and prohibitions of wider ones stay. The
    /// licences of one content are a choice. What wider contents prohibit for some, or in words that are not
    /// known, may be prohibited here, and so may what a content does not permit whose `url` is not known.
    pub(crate) fn settle(&self, page: Page<'_>, rights: &mut Rights) -> bool {
        let unread = self.compiled.unread(page.has_document);
        if !unread.is_empty() {
            rights.add_note_without(Note::LicenceUnknownTerm, Purposes::USES.without(unread));
        }
        let covered = self.compiled.covered(page.target, page.origin, page.has_document);
        let Some(covered) = covered else { return false };
        rights.set_speaks_of_ai_index();
        let (mut licences, mut of_wider) = (Licences::default(), Licences::default());
        covered.longest().for_each(|said| licences.extend(&said.licences));
        covered.wider().for_each(|said| of_wider.extend(&said.licences));
        let allowed = licences.allow();
        let for_some = covered.wider().any(|said| said.for_some);
        if covered.longest().chain(covered.wider()).any(|said| said.has_unknown) {
            let by_name = if for_some { Purposes::NONE } else { allowed };
            rights.add_note_without(Note::LicenceUnknownTerm, by_name);
        }
        if for_some {
            // Nothing is allowed to everybody.
            licences.listed.iter_mut().for_each(|licence| licence.says.allows = Purposes::NONE);
            licences.others.iter_mut().for_each(|says| says.allows = Purposes::NONE);
        }
        // In the order of the document, so that the statements of one licence are neighbours.
        let mut listed = licences.listed;
        if !of_wider.listed.is_empty() {
            listed.append(&mut of_wider.listed);
            listed.sort_unstable_by_key(|licence| (licence.content, licence.licence));
        }
        for LicenceSays { content, licence, says } in listed {
            let (document, content) = (self.name.clone(), content.saturating_add(1));
            let place = Place::Rsl { document, content, licence };
            rights.add(Statement {
                licensable: says.licensable,
                ..Statement::new(place, Version::Rsl)
                    .allowing(says.allows)
                    .disallowing(says.disallows)
            });
        }
        for says in licences.others.into_iter().chain(of_wider.others) {
            rights.add_unplaced(says.allows, says.disallows, says.licensable);
        }
        let of_longest = covered.longest().map(|said| (Purposes::USES, &said.conditions));
        let of_wider = covered.wider().filter(|_| for_some).map(|said| (allowed, &said.conditions));
        let mut conditions =
            of_longest.chain(of_wider).filter(|(_, all)| !all.is_empty()).peekable();
        // Most documents have none, and need no table.
        if conditions.peek().is_some() {
            rights.add_conditions(|to| conditions.for_each(|(of, all)| to.extend(of, all)));
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use robotsieve::internals::{RawRule, RuleSet};

    use super::*;
    use crate::purpose::{Purpose, Ruling};
    use crate::rsl::content::Content;
    use crate::rsl::parse;
    use crate::rsl::terms::{Term, Terms};

    fn rights(body: &str, url: &str, in_page: bool) -> Option<Rights> {
        let document = format!(r#"<rsl xmlns="https://rslstandard.org/rsl">{body}</rsl>"#);
        let document = Rsl::parse(document.as_bytes(), "d").unwrap();
        let origin = Origin::of(url).unwrap();
        let target =
            robotsieve::Target::from_url(url, &robotsieve::Profile::RFC9309).unwrap().to_vec();
        let page = Page { target: &target, origin: Some(&origin), has_document: in_page };
        let mut rights = Rights::default();
        document.settle(page, &mut rights).then_some(rights)
    }

    /// Search (index and snippet alike), input, training, index of AI systems; `$` can be licensed. Then
    /// who decided on each.
    fn shown(body: &str, url: &str) -> String {
        let Some(rights) = rights(body, url, false) else { return "none".into() };
        assert_eq!(rights.ruling(Purpose::Index), rights.ruling(Purpose::Snippet));
        let uses = [Purpose::Index, Purpose::AiInput, Purpose::AiTrain, Purpose::AiIndex];
        let sign = |purpose| match rights.ruling(purpose) {
            Ruling::Allow => '+',
            Ruling::Disallow if rights.licensable().contains(purpose) => '$',
            Ruling::Disallow => '-',
            Ruling::Unknown => '?',
        };
        let by = |purpose| {
            let places = rights.by(purpose).map(|by| by.place.to_string().replace("rsl:d:", ""));
            places.collect::<Vec<_>>().join("+")
        };
        let signs: String = uses.map(sign).iter().collect();
        format!("{signs} {}", uses.map(by).join(" ")).trim_end().into()
    }

    const URL: &str = "https://e.com/data/1";

    fn one(terms: &str) -> String {
        shown(&format!("<content url='/'><license>{terms}</license></content>"), URL)
    }

    fn permits(tokens: &str) -> String {
        format!("<permits type='usage'>{tokens}</permits>")
    }

    fn prohibits(tokens: &str) -> String {
        format!("<prohibits type='usage'>{tokens}</prohibits>")
    }

    #[test]
    fn one_licence() {
        let (search, train) = (permits("search"), permits("ai-train"));
        for (terms, wanted) in [
            ("", "++++"),
            (&*search, "+---"),
            (&permits("ai-all"), "-+++"),
            (&permits(""), "----"),
            (&prohibits("ai-train"), "++-+"),
            (&(permits("all") + &prohibits("ai-train")), "++-+"),
            (&(prohibits("all") + &permits("all")), "----"),
            // Words that are not known grant nothing silently.
            (&prohibits("ai-dance"), "????"),
            (&(prohibits("ai-dance") + &train), "--+-"),
            ("<permits>all</permits>", "????"),
            ("<payment type='purchase'/>", "$$$$"),
            (&(train.clone() + "<payment type='subscription'/>"), "--$-"),
            ("<payment type='training'/>", "++$+"),
            ("<payment type='use'/>", "+$++"),
            (&(prohibits("ai-train") + "<payment type='purchase'/>"), "$$-$"),
            ("<payment type='attribution'/>", "++++"),
            ("<reporting type='telemetry'/>", "$$$$"),
            ("<prohibits type='geo'>US</prohibits>", "????"),
            (&(train.clone() + "<permits type='user'>education</permits>"), "--?-"),
            (
                &(train + "<permits type='user'>education</permits><payment type='purchase'/>"),
                "--$-",
            ),
        ] {
            assert_eq!(one(terms).split(' ').next(), Some(wanted), "{terms}");
        }
        // What may be prohibited in words that are not known is not allowed by others either.
        for (terms, wanted, is_noted) in [
            (prohibits("AI-Train"), Ruling::Unknown, true),
            ("<prohibits>ai-train</prohibits>".into(), Ruling::Unknown, true),
            (permits("ai-train") + &prohibits("AI-Train"), Ruling::Allow, true),
            // A type that is not known may restrict what is permitted by name.
            (permits("all") + "<prohibits type='purpose'>x</prohibits>", Ruling::Unknown, true),
            (permits("all") + "<prohibits>ai-train</prohibits>", Ruling::Unknown, true),
            (permits("ai-train") + "<permits type='purpose'>x</permits>", Ruling::Unknown, true),
            (permits("ai-train x"), Ruling::Allow, false),
            ("<prohibits type='geo'>US</prohibits>".into(), Ruling::Allow, false),
        ] {
            let content = format!("<content url='/'><license>{terms}</license></content>");
            let wider = content.clone() + "<content url='/data/'><license/></content>";
            let mut rights = rights(&content, URL, false).unwrap();
            let signal = crate::place::HeaderField::ContentSignal;
            let yes = Statement::new(Place::header(signal), Version::ContentSignals);
            rights.add(yes.allowing(Purposes::USES));
            assert_eq!(rights.ruling(Purpose::AiTrain), wanted, "{terms}");
            assert_eq!(rights.notes().contains(Note::LicenceUnknownTerm), is_noted, "{terms}");
            let notes = self::rights(&wider, URL, false).unwrap().notes();
            assert_eq!(notes.contains(Note::LicenceUnknownTerm), is_noted, "{terms}");
        }
        let server = format!(
            "<content url='/' server='https://l.com'><license>{search}</license></content>"
        );
        assert!(shown(&server, URL).starts_with("$---"));
    }

    #[test]
    fn licences_are_a_choice() {
        let two = |one: &str, other: &str| {
            let licences = format!("<license>{one}</license><license>{other}</license>");
            shown(&format!("<content url='/'>{licences}</content>"), URL)
        };
        // A named permit beats another's closed list.
        assert_eq!(two(&permits("search"), &permits("ai-train")), "+-+- 1.1 1.1+1.2 1.2 1.1+1.2");
        // No prohibition is lifted.
        assert_eq!(
            two(&permits("search ai-train"), &prohibits("ai-train")),
            "+--- 1.1 1.1 1.2 1.1"
        );
        // What is free need not be bought.
        let sold = permits("all") + "<payment type='purchase'/>";
        assert_eq!(two(&sold, &permits("search")), "+$$$ 1.2 1.1 1.1 1.1");
        // A silent permission beats no closed list.
        assert_eq!(two("", &permits("search")), "+--- 1.2 1.2 1.2 1.2");
        assert_eq!(two("", "<payment type='purchase'/>"), "$$$$ 1.2 1.2 1.2 1.2");
    }

    #[test]
    fn contents_by_path() {
        let content = |url: &str, terms: &str| {
            format!("<content url='{url}'><license>{terms}</license></content>")
        };
        let both = content("/", &permits("search")) + &content("/data/", &permits("ai-train"));
        assert_eq!(shown(&both, URL), "--+- 2.1 2.1 2.1 2.1");
        assert_eq!(shown(&both, "https://e.com/x"), "+--- 1.1 1.1 1.1 1.1");
        // Prohibitions of wider contents stay, their closed lists do not.
        let wider = content("/", &prohibits("ai-train")) + &content("/data/", &permits("all"));
        assert_eq!(shown(&wider, URL), "++-+ 2.1 2.1 1.1 2.1");
        // Of equal length the most restrictive counts.
        let equal =
            content("/data/", &permits("search")) + &content("/data/", &permits("ai-train"));
        assert_eq!(shown(&equal, URL), "---- 2.1 1.1+2.1 1.1 1.1+2.1");
        assert_eq!(shown(&content("/x", ""), URL), "none");
        assert_eq!(shown(&content("/*1$", ""), URL), "++++ 1.1 1.1 1.1 1.1");
        assert_eq!(shown(&content("https://e.com/data", ""), URL), "++++ 1.1 1.1 1.1 1.1");
        assert_eq!(shown(&content("https://f.com/data", ""), URL), "none");
        assert_eq!(shown(&content("data", ""), URL), "none");
        // Without a url it is the page.
        assert_eq!(shown(&content("", ""), URL), "none");
        let page = rights(&content("", &permits("search")), URL, true).unwrap();
        assert_eq!(page.ruling(Purpose::Index), Ruling::Allow);
    }

    /// A content whose `url` cannot be read may be for any page.
    #[test]
    fn urls_that_are_not_known() {
        let content = |url: &str, terms: &str| {
            format!("<content url='{url}'><license>{terms}</license></content>")
        };
        let of = |url: &str, terms: &str, in_page: bool| {
            let body = content(url, terms) + &content("/", &permits("all"));
            let rights = rights(&body, URL, in_page).unwrap();
            assert_eq!(rights.ruling(Purpose::Index), Ruling::Allow, "{url}");
            (rights.ruling(Purpose::AiTrain), rights.notes().contains(Note::LicenceUnknownTerm))
        };
        for url in ["https://*.e.com/", "*://e.com/*", "e.com/", "//e.com/", "https://", ""] {
            assert_eq!(of(url, &prohibits("ai-train"), false), (Ruling::Unknown, true), "{url}");
            assert_eq!(of(url, "", false), (Ruling::Allow, false), "{url}");
        }
        assert_eq!(of("", &prohibits("ai-train"), true), (Ruling::Allow, false));
        assert_eq!(of("https://f.com/", &prohibits("ai-train"), false), (Ruling::Allow, false));
    }

    /// What is settled once says of each URL what comparing it with all contents says.
    #[test]
    fn as_all_contents_say() {
        const URLS: [&str; 24] = [
            "/",
            "/a",
            "/a/",
            "/a*",
            "/a**",
            "/a$",
            "/a/b",
            "/%61/b",
            "/a/b$",
            "/*b",
            "/*b$",
            "/a*c",
            "/ab",
            "/ab*$",
            "*",
            "https://e.com/a",
            "https://e.com/",
            "https://f.com/",
            "/b",
            "/a/b/*",
            "/*a*b",
            "/*a*b$",
            "/*b*b$",
            "/a*/*$",
        ];
        const TERMS: [&str; 9] = [
            "",
            "<permits type='usage'>all</permits>",
            "<permits type='usage'>search ai-train</permits>",
            "<prohibits type='usage'>ai-train</prohibits>",
            "<prohibits type='usage'>ai-dance</prohibits>",
            "<prohibits type='geo'>US</prohibits>",
            "<permits type='usage'>ai-input</permits><prohibits type='user'>x</prohibits>",
            "<payment type='purchase'/>",
            "<permits type='usage'>ai-all</permits><payment type='attribution'/>",
        ];
        let mut seed = 3u32;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) as usize % below
        };
        for _ in 0..1_000 {
            let mut body = String::new();
            for _ in 0..1 + random(6) {
                body += &format!("<content url='{}'>", URLS[random(URLS.len())]);
                for _ in 0..1 + random(2) {
                    body += &format!("<license>{}</license>", TERMS[random(TERMS.len())]);
                }
                body += "</content>";
            }
            for path in ["/", "/a", "/a/b", "/a/bc", "/ab", "/a/b/c", "/b", "/c"] {
                let url = format!("https://e.com{path}");
                assert_eq!(
                    rights(&body, &url, false).map(summary),
                    naive(&body, &url),
                    "{url} {body}"
                );
            }
        }
    }

    /// Of each purpose the ruling, the places, and the conditions.
    type Summary = Vec<(Ruling, BTreeSet<String>, BTreeSet<String>)>;

    fn summary(rights: Rights) -> Summary {
        let of = |purpose| {
            let places = rights.by(purpose).map(|by| by.place.to_string()).collect();
            let conditions = rights.conditions(purpose).map(str::to_owned).collect();
            (rights.ruling(purpose), places, conditions)
        };
        Purposes::USES.iter().map(of).collect()
    }

    /// The same by comparing all contents with the URL.
    fn naive(body: &str, url: &str) -> Option<Summary> {
        let document = format!(r#"<rsl xmlns="https://rslstandard.org/rsl">{body}</rsl>"#);
        let contents = parse::contents(document.as_bytes()).unwrap();
        let origin = Origin::of(url).unwrap();
        let target =
            robotsieve::Target::from_url(url, &robotsieve::Profile::RFC9309).unwrap().to_vec();
        let covering = |content: &Content| {
            let value = content.path()?.as_bytes();
            content.site()?.is_none_or(|key| *key == *origin.key()).then_some(())?;
            let rule = RawRule { line: 1, verdict: robotsieve::Verdict::Disallow, value };
            let rules = RuleSet::new(std::iter::once(rule), &robotsieve::Profile::RFC9309);
            rules.matching(&target).next().map(|index| rules.get(index).precedence)
        };
        let lengths: Vec<Option<u32>> = contents.iter().map(covering).collect();
        let longest = lengths.iter().flatten().max()?;
        let wider = || {
            contents.iter().zip(&lengths).filter(|(_, own)| own.is_some_and(|own| own < *longest))
        };
        let wider_terms: Vec<_> = wider().flat_map(|(content, _)| &content.licences).collect();
        let for_some = wider_terms.iter().any(|terms| terms.prohibits_for_some());
        let mut rights = Rights::default();
        for (number, (content, own)) in (1..).zip(contents.iter().zip(&lengths)) {
            for (terms, licence) in content.licences.iter().zip(1..) {
                let place = Place::Rsl { document: "d".into(), content: number, licence };
                let statement = || Statement::new(place.clone(), Version::Rsl);
                if own.is_none_or(|own| own < *longest) {
                    if own.is_some() {
                        rights.add(statement().disallowing(terms.prohibits));
                    }
                    continue;
                }
                for purpose in Purposes::USES.iter() {
                    let term = |terms: &Terms| terms.term(purpose, content.has_server);
                    let strongest = content.licences.iter().map(term).min().unwrap();
                    if term(terms) != strongest {
                        continue;
                    }
                    let mut add = |purpose: Purpose, condition: &str| {
                        rights.add_conditions(|to| to.add(purpose.into(), condition));
                    };
                    match strongest {
                        Term::Prohibited | Term::NotListed | Term::Sold => {
                            rights.add(statement().disallowing(purpose.into()));
                        }
                        Term::Unknown => {}
                        _ => {
                            terms.conditions().for_each(|condition| add(purpose, condition));
                            if matches!(strongest, Term::Permitted | Term::Silent) {
                                if for_some {
                                    let some =
                                        wider_terms.iter().flat_map(|terms| terms.prohibited_for());
                                    some.for_each(|condition| add(purpose, condition));
                                } else {
                                    rights.add(statement().allowing(purpose.into()));
                                }
                            }
                        }
                    }
                }
            }
        }
        Some(summary(rights))
    }

    #[test]
    fn conditions() {
        let of = |terms: &str, purpose| {
            let body = format!("<content url='/'><license>{terms}</license></content>");
            let rights = rights(&body, URL, false).unwrap();
            rights.conditions(purpose).map(str::to_owned).collect::<Vec<_>>()
        };
        let terms = permits("ai-train") + "<payment type='attribution'/>";
        assert_eq!(of(&terms, Purpose::AiTrain), ["attribution"]);
        assert_eq!(of(&terms, Purpose::Index), [""; 0]);
        let terms = terms + "<prohibits type='geo'>US</prohibits>";
        assert_eq!(of(&terms, Purpose::AiTrain), ["not-geo:US", "attribution"]);
    }
}
