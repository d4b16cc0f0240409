//! From a document to statements about a URL.

use crate::origin::Origin;
use crate::rights::place::Place;
use crate::rights::purpose::{Purpose, Purposes};
use crate::rights::result::Rights;
use crate::rights::rsl::content::Content;
use crate::rights::rsl::document::Rsl;
use crate::rights::rsl::terms::{Term, Terms};
use crate::rights::statement::Statement;
use crate::rights::version::Version;

/// The page that a document is asked about.
#[derive(Clone, Copy)]
pub(in crate::rights) struct Page<'p> {
    /// The path with its query, normalised.
    pub(in crate::rights) target: &'p [u8],
    pub(in crate::rights) origin: Option<&'p Origin<'p>>,
    /// True if the document stands in the page, so that a content without a `url` is the page.
    pub(in crate::rights) has_document: bool,
}

impl Rsl {
    /// Adds what the document states about a page. Returns `false` if it does not cover the page.
    ///
    /// The most specific content supplies the permissions, and prohibitions of wider ones stay. The
    /// licences of one content are a choice.
    pub(in crate::rights) fn settle(&self, page: Page<'_>, rights: &mut Rights) -> bool {
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
        for (number, length) in covering {
            let Some(content) = self.contents.get(number as usize) else { continue };
            if length == longest {
                self.settle_content(number, content, rights);
            } else {
                self.prohibit(number, content, rights);
            }
        }
        true
    }

    /// Adds what the licences of a content say, one of which can be chosen.
    fn settle_content(&self, number: u32, content: &Content, rights: &mut Rights) {
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
                if terms.term(*purpose, content.has_server) == *strongest {
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
