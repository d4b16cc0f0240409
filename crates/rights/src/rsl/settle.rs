//! From a document to statements about a URL.

use robotsieve::Origin;

use crate::place::Place;
use crate::purpose::{Purpose, Purposes};
use crate::result::Rights;
use crate::rsl::content::Content;
use crate::rsl::document::Rsl;
use crate::rsl::terms::{Term, Terms};
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
    /// licences of one content are a choice.
    pub(crate) fn settle(&self, page: Page<'_>, rights: &mut Rights) -> bool {
        let mut covering: Vec<(u32, u32)> = Vec::new();
        self.paths.all(page.target, |number, length| covering.push((number, length)));
        if page.has_document {
            let empty = self.contents.iter().zip(0..).filter(|(content, _)| content.url.is_empty());
            covering.extend(empty.map(|(_, number)| (number, 0)));
        }
        covering.retain(|(number, _)| {
            let content = self.contents.get(*number as usize);
            content.is_some_and(|content| content.url.is_empty() || content.is_of(page.origin))
        });
        let Some(longest) = covering.iter().map(|(_, length)| *length).max() else { return false };
        rights.set_speaks_of_ai_index();
        // In the order of the document, so that the statements of one licence are neighbours.
        covering.sort_unstable();
        let wider = covering.iter().filter(|(_, length)| *length < longest);
        let wider = wider.filter_map(|(number, _)| self.contents.get(*number as usize));
        let wider: Vec<&Terms> = wider.flat_map(|content| &content.licences).collect();
        for (number, length) in covering {
            let Some(content) = self.contents.get(number as usize) else { continue };
            if length == longest {
                self.settle_content(number, content, &wider, rights);
            } else {
                self.prohibit(number, content, rights);
            }
        }
        true
    }

    /// Adds what the licences of a content say, one of which can be chosen. What wider contents prohibit
    /// for some, or in words that are not known, may be prohibited here.
    fn settle_content(
        &self,
        number: u32,
        content: &Content,
        wider: &[&Terms],
        rights: &mut Rights,
    ) {
        let strongest = |purpose: Purpose| {
            let terms =
                content.licences.iter().map(|terms| terms.term(purpose, content.has_server));
            terms.min().unwrap_or(Term::Unknown)
        };
        let wanted: Vec<(Purpose, Term)> =
            Purposes::USES.iter().map(|purpose| (purpose, strongest(purpose))).collect();
        for (terms, licence) in content.licences.iter().zip(1..) {
            let mut statement = self.statement(number, licence);
            for (purpose, strongest) in &wanted {
                if terms.term(*purpose, content.has_server) != *strongest {
                    continue;
                }
                let is_permitted = matches!(strongest, Term::Permitted | Term::Silent);
                if is_permitted && wider.iter().any(|terms| terms.prohibits_for_some()) {
                    let prohibited = wider.iter().flat_map(|terms| terms.prohibited_for());
                    prohibited.for_each(|some| rights.add_condition(*purpose, some));
                    state(&mut statement, *purpose, Term::Conditional, terms, rights);
                } else {
                    state(&mut statement, *purpose, *strongest, terms, rights);
                }
            }
            rights.add(statement);
        }
    }

    /// Adds what the licences of a wider content prohibit.
    fn prohibit(&self, number: u32, content: &Content, rights: &mut Rights) {
        for (terms, licence) in content.licences.iter().zip(1..) {
            if !terms.prohibits.is_empty() {
                rights.add(self.statement(number, licence).disallowing(terms.prohibits));
            }
        }
    }

    fn statement(&self, content: u32, licence: u32) -> Statement {
        let document = self.name.clone();
        let content = content.saturating_add(1);
        Statement::new(Place::Rsl { document, content, licence }, Version::Rsl)
    }
}

/// Adds what a licence says of a purpose to its statement.
fn state(
    statement: &mut Statement,
    purpose: Purpose,
    term: Term,
    terms: &Terms,
    rights: &mut Rights,
) {
    let purposes = Purposes::from(purpose);
    match term {
        Term::Prohibited | Term::NotListed => statement.disallows |= purposes,
        Term::Sold => {
            statement.disallows |= purposes;
            statement.licensable |= purposes;
        }
        Term::Permitted | Term::Silent => {
            statement.allows |= purposes;
            terms.conditions().for_each(|condition| rights.add_condition(purpose, condition));
        }
        Term::Conditional | Term::SilentConditional => {
            terms.conditions().for_each(|condition| rights.add_condition(purpose, condition));
        }
        Term::Unknown => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::purpose::Ruling;

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
