//! The rights of a URL: all statements about it, combined.

use std::sync::Arc;

use robotsieve::Verdict;
use smallvec::SmallVec;

use crate::conditions::{Conditions, Joiner};
use crate::licence::{Licence, LicenceKind, LicenceState};
use crate::limits::{Limits, UseCeiling};
use crate::note::{Note, Notes};
use crate::place::Place;
use crate::purpose::{Purpose, Purposes, Ruling};
use crate::statement::Statement;
use crate::version::Version;

/// What a crawler may do with a URL and its content, and which places say so.
///
/// The most restrictive statement wins: a purpose is disallowed if any statement disallows it, else
/// allowed if any allows it, else unknown. Silence is never permission, and what one mechanism
/// allows lifts nothing of another. What could have said no and was not read makes a purpose that others
/// allow unknown, and a note names it ([`Note::withholds`]). Crawling follows Allow and Disallow of robots.txt alone.
///
/// With the feature `serde` it is a map: a ruling for each purpose (`ai-index` only if an RSL
/// document covers the URL), `by` with the places that decided, and, if they are not empty,
/// `licences`, `licensable`, `conditions`, `limits`, `use` and `notes`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rights {
    statements: SmallVec<[Statement; 6]>,
    crawl: Ruling,
    allowed: Purposes,
    disallowed: Purposes,
    /// The purposes that some statement disallows that no licence lifts.
    not_licensable: Purposes,
    /// What purposes are allowed under.
    conditions: Conditions,
    licences: Vec<Licence>,
    limits: Limits,
    ceiling: Option<UseCeiling>,
    notes: Notes,
    /// The purposes that something which was not read could disallow.
    withheld: Purposes,
    speaks_of_ai_index: bool,
}

impl Rights {
    /// The ruling on a purpose.
    pub fn ruling(&self, purpose: Purpose) -> Ruling {
        if purpose == Purpose::Crawl {
            self.crawl
        } else if self.disallowed.contains(purpose) {
            Ruling::Disallow
        } else if self.allowed.without(self.withheld).contains(purpose) {
            Ruling::Allow
        } else {
            Ruling::Unknown
        }
    }

    /// The statements that decided on a purpose: those that disallow it if any does, else those that
    /// allow it. Each has its place and the version of the text that it follows.
    ///
    /// Empty if the ruling is unknown, if a URL may be crawled because no rule is about it, and if the rule is in
    /// a pack that keeps no rules.
    pub fn by(&self, purpose: Purpose) -> impl Iterator<Item = &Statement> {
        let ruling = self.ruling(purpose);
        self.statements.iter().filter(move |statement| match ruling {
            Ruling::Disallow => statement.disallows.contains(purpose),
            Ruling::Allow => statement.allows.contains(purpose),
            Ruling::Unknown => false,
        })
    }

    /// All statements, those included that did not decide.
    pub fn statements(&self) -> &[Statement] {
        &self.statements
    }

    /// The licences that the site names for the URL.
    pub fn licences(&self) -> &[Licence] {
        &self.licences
    }

    /// The disallowed purposes for which a licence can be had: whatever disallows them says so.
    pub fn licensable(&self) -> Purposes {
        self.disallowed.without(self.not_licensable)
    }

    /// The conditions of a purpose: `attribution`, `contribution`, or `user:…`, `not-user:…`, `geo:…` and
    /// `not-geo:…`, on which it depends whether it is allowed. None for a purpose that is disallowed, and
    /// 256 different ones at most.
    pub fn conditions(&self, purpose: Purpose) -> impl Iterator<Item = &str> {
        let counts = !self.disallowed.contains(purpose);
        let conditions =
            self.conditions.iter().filter(move |(of, _)| counts && of.contains(purpose));
        conditions.map(|(_, condition)| condition)
    }

    /// What robots tags restrict without disallowing it.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The ceiling that Content Signals set with `use=`.
    pub fn use_ceiling(&self) -> Option<UseCeiling> {
        self.ceiling
    }

    /// The purposes that some statement allows, and that are unknown because something that could disallow
    /// them was not read: a note names it.
    pub fn withheld(&self) -> Purposes {
        (self.allowed & self.withheld).without(self.disallowed)
    }

    /// What else there is to know.
    pub fn notes(&self) -> Notes {
        let mut notes = self.notes;
        // Of what a permission extends to nothing is to be said where there is none.
        if self.ruling(Purpose::AiTrain) != Ruling::Allow {
            notes.remove(Note::FoundationModels);
        }
        notes
    }

    /// The purposes that a report lists: all, but [`Purpose::AiIndex`] only if an RSL document covers
    /// the URL.
    pub fn purposes(&self) -> impl Iterator<Item = Purpose> {
        let all = Purpose::ALL.iter().copied();
        all.filter(|purpose| *purpose != Purpose::AiIndex || self.speaks_of_ai_index)
    }

    /// The same with a verdict on crawling that another reader of robots.txt has found, and the line of
    /// the rule that decided if one did: for rights that were read without a robots.txt.
    ///
    /// ```
    /// use robotsieve_rights::{Documents, Purpose, Response, RightsReader, Ruling};
    /// use robotsieve::{Crawler, Verdict};
    ///
    /// let reader = RightsReader::new(&Crawler::name("ExampleBot"));
    /// let rights = reader.rights("/a", None, &Response::new(), &Documents::new())?;
    /// assert_eq!(rights.ruling(Purpose::Crawl), Ruling::Unknown);
    /// let rights = rights.with_crawl(Verdict::Disallow, Some(2));
    /// assert_eq!(rights.ruling(Purpose::Crawl), Ruling::Disallow);
    /// assert_eq!(rights.by(Purpose::Crawl).next().unwrap().place.to_string(), "robots.txt:2");
    /// # Ok::<(), robotsieve::InvalidUrl>(())
    /// ```
    #[must_use]
    pub fn with_crawl(mut self, verdict: Verdict, line: Option<u32>) -> Rights {
        let is_allowed = verdict.is_allow();
        self.set_crawl(if is_allowed { Ruling::Allow } else { Ruling::Disallow });
        if let Some(line) = line {
            let statement = Statement::new(Place::Robots { line }, Version::Rfc9309);
            let crawl = Purpose::Crawl.into();
            self.add(match verdict {
                Verdict::Allow => statement.allowing(crawl),
                Verdict::Disallow => statement.disallowing(crawl),
            });
        }
        self
    }

    /// The same where a newer robots.txt is not known, for whoever gathers what is read: whether it may be crawled is unknown,
    /// unless that is disallowed.
    #[must_use]
    pub fn with_crawl_unknown(mut self) -> Rights {
        if self.ruling(Purpose::Crawl) == Ruling::Allow {
            self.set_crawl(Ruling::Unknown);
        }
        self
    }

    /// The same with another note: for whoever gathers what is read, and knows what is missing. What the note
    /// [withholds](Note::withholds) is not allowed any more.
    #[must_use]
    pub fn with_note(mut self, note: Note) -> Rights {
        self.add_note(note);
        self
    }

    /// The same with what other rights disallow, as they are known from a later time: never with what those
    /// allow.
    ///
    /// ```
    /// use robotsieve_rights::{Documents, Purpose, Response, RightsReader, Ruling};
    ///
    /// let reader = RightsReader::new(&"ExampleBot".into());
    /// let of = |signals: &str| {
    ///     let response = Response::new().with_headers([("Content-Signal", signals)]);
    ///     reader.rights("/a", None, &response, &Documents::new())
    /// };
    /// let rights = of("ai-train=yes")?.with_refusals(&of("ai-train=no, search=yes")?, |_| None);
    /// assert_eq!(rights.ruling(Purpose::AiTrain), Ruling::Disallow);
    /// assert_eq!(rights.ruling(Purpose::Index), Ruling::Unknown);
    /// # Ok::<(), robotsieve::InvalidUrl>(())
    /// ```
    ///
    /// `captured` says when the document of a place was captured, if that was later: the place of the refusal is then
    /// [`Place::Later`].
    #[must_use]
    pub fn with_refusals(
        mut self,
        later: &Rights,
        captured: impl Fn(&Place) -> Option<Arc<str>>,
    ) -> Rights {
        if later.crawl == Ruling::Disallow {
            self.set_crawl(Ruling::Disallow);
        }
        for statement in later.statements.iter().filter(|one| !one.disallows.is_empty()) {
            let refusal = Statement { allows: Purposes::NONE, ..statement.clone() };
            if self.statements.contains(&refusal) || self.statements.contains(statement) {
                continue;
            }
            let refusal = Statement { place: refusal.place.later(&captured), ..refusal };
            if !self.statements.contains(&refusal) {
                self.add(refusal);
            }
        }
        // Those included whose places are not listed.
        self.disallowed |= later.disallowed;
        self.not_licensable |= later.not_licensable;
        self
    }

    pub(crate) fn set_crawl(&mut self, crawl: Ruling) {
        self.crawl = crawl;
    }

    /// Adds a statement, if it is about any purpose. Neighbours of one place and version are one.
    pub(crate) fn add(&mut self, statement: Statement) {
        if statement.is_empty() {
            return;
        }
        self.allowed |= statement.allows;
        self.disallowed |= statement.disallows;
        self.not_licensable |= statement.disallows.without(statement.licensable);
        match self.statements.last_mut() {
            Some(last) if last.place == statement.place && last.version == statement.version => {
                // What one part of it disallows for good, no other part sells.
                let final_ones = last.disallows.without(last.licensable)
                    | statement.disallows.without(statement.licensable);
                last.allows |= statement.allows;
                last.disallows |= statement.disallows;
                last.licensable = last.disallows.without(final_ones);
            }
            _ => self.statements.push(statement),
        }
    }

    /// Disallows purposes by a statement whose place is not known.
    pub(crate) fn disallow(&mut self, purposes: Purposes) {
        self.disallowed |= purposes;
        self.not_licensable |= purposes;
    }

    /// The same for purposes that are allowed or disallowed by statements whose places are not listed.
    pub(crate) fn add_unplaced(
        &mut self,
        allows: Purposes,
        disallows: Purposes,
        licensable: Purposes,
    ) {
        self.allowed |= allows;
        self.disallowed |= disallows;
        self.not_licensable |= disallows.without(licensable);
        self.mention(Note::Cut);
    }

    /// Adds conditions, with what `add` does. What is not kept is noted.
    pub(crate) fn add_conditions(&mut self, add: impl FnOnce(&mut Joiner<'_>)) {
        add(&mut self.conditions.joiner());
        if self.conditions.is_cut() {
            self.notes.add(Note::Cut);
        }
    }

    /// Adds an RSL document that is not in the page. `None` if it was not given.
    pub(crate) fn add_document(&mut self, url: &str, via: Place, state: Option<LicenceState>) {
        let state = state.unwrap_or(LicenceState::NotGiven);
        match state {
            LicenceState::NotGiven => self.add_note(Note::LicenceNotGiven),
            LicenceState::Invalid => self.add_note(Note::LicenceInvalid),
            _ => {}
        }
        let is_https = url.get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case("https:"));
        if !is_https {
            self.add_note(Note::LicenceNotHttps);
        }
        let (kind, url, state) = (LicenceKind::Rsl, Some(url.into()), Some(state));
        self.add_licence(Licence { kind, url, via, state });
    }

    pub(crate) fn add_licence(&mut self, licence: Licence) {
        self.licences.push(licence);
    }

    pub(crate) fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    pub(crate) fn lower_ceiling(&mut self, ceiling: Option<UseCeiling>) {
        self.ceiling = match (self.ceiling, ceiling) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
    }

    pub(crate) fn add_note(&mut self, note: Note) {
        self.notes.add(note);
        self.withheld |= note.withholds();
    }

    /// The same of something that could not have changed the ruling on some purposes.
    pub(crate) fn add_note_without(&mut self, note: Note, purposes: Purposes) {
        self.notes.add(note);
        self.withheld |= note.withholds().without(purposes);
    }

    pub(crate) fn add_notes(&mut self, notes: Notes) {
        self.notes.add_all(notes);
        self.withheld |= notes.withhold();
    }

    /// Adds a note of something that could not have changed a ruling.
    pub(crate) fn mention(&mut self, note: Note) {
        self.notes.add(note);
    }

    pub(crate) fn set_speaks_of_ai_index(&mut self) {
        self.speaks_of_ai_index = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statement(line: u32) -> Statement {
        Statement::new(Place::Robots { line }, Version::ContentSignals)
    }

    fn lines(rights: &Rights, purpose: Purpose) -> Vec<String> {
        rights.by(purpose).map(|statement| statement.place.to_string()).collect()
    }

    #[test]
    fn most_restrictive_wins() {
        let mut rights = Rights::default();
        assert_eq!(rights.ruling(Purpose::AiTrain), Ruling::Unknown);
        rights.add(statement(1).allowing(Purposes::AI));
        rights.add(statement(2).disallowing(Purpose::AiTrain.into()));
        rights.add(statement(3));
        assert_eq!(rights.ruling(Purpose::AiTrain), Ruling::Disallow);
        assert_eq!(rights.ruling(Purpose::AiInput), Ruling::Allow);
        assert_eq!(rights.ruling(Purpose::Index), Ruling::Unknown);
        assert_eq!(rights.ruling(Purpose::Crawl), Ruling::Unknown);
        assert_eq!(lines(&rights, Purpose::AiTrain), ["robots.txt:2"]);
        assert_eq!(lines(&rights, Purpose::AiInput), ["robots.txt:1"]);
        assert_eq!(rights.statements().len(), 2);
    }

    /// Whatever could have said no and was not read takes a permission away, and nothing else.
    #[test]
    fn what_was_not_read_withholds() {
        for note in Note::ALL {
            let mut rights = Rights::default();
            rights.add(statement(1).allowing(Purposes::USES));
            rights.add(statement(2).disallowing(Purpose::Snippet.into()));
            let rights = rights.with_note(*note);
            for purpose in Purposes::USES.without(Purpose::Snippet.into()).iter() {
                let is_withheld = note.withholds().contains(purpose);
                let wanted = if is_withheld { Ruling::Unknown } else { Ruling::Allow };
                assert_eq!(rights.ruling(purpose), wanted, "{note} {purpose}");
                assert_eq!(rights.by(purpose).count(), usize::from(!is_withheld));
                assert_eq!(rights.withheld().contains(purpose), is_withheld);
            }
            assert_eq!(lines(&rights, Purpose::Snippet), ["robots.txt:2"]);
        }
    }

    #[test]
    fn licensable_only_if_all_that_disallow_are() {
        let purchase =
            Statement { licensable: Purposes::AI, ..statement(1).disallowing(Purposes::AI) };
        let mut rights = Rights::default();
        rights.add(purchase.clone());
        assert_eq!(rights.licensable(), Purposes::AI);
        rights.add(statement(2).disallowing(Purpose::AiTrain.into()));
        assert_eq!(rights.licensable(), Purposes::AI.without(Purpose::AiTrain.into()));
        // In one place too.
        let mut rights = Rights::default();
        rights.add(purchase);
        rights.add(statement(1).disallowing(Purpose::AiTrain.into()));
        assert_eq!(rights.licensable(), Purposes::AI.without(Purpose::AiTrain.into()));
        assert_eq!(rights.statements()[0].licensable, rights.licensable());
    }

    #[test]
    fn conditions_and_ceilings() {
        let mut rights = Rights::default();
        rights.add_conditions(|to| to.add(Purpose::AiTrain.into(), "attribution"));
        rights.add_conditions(|to| to.add(Purpose::AiTrain.into(), "attribution"));
        assert_eq!(rights.conditions(Purpose::AiTrain).collect::<Vec<_>>(), ["attribution"]);
        rights.add(statement(1).disallowing(Purpose::AiTrain.into()));
        assert_eq!(rights.conditions(Purpose::AiTrain).count(), 0);
        rights.lower_ceiling(Some(UseCeiling::Reference));
        rights.lower_ceiling(None);
        rights.lower_ceiling(Some(UseCeiling::Full));
        assert_eq!(rights.use_ceiling(), Some(UseCeiling::Reference));
    }
}
