//! A document settled once, so that a URL costs a walk.
//!
//! Of the contents that cover a URL those with the longest path supply the permissions, and what wider ones
//! prohibit stays. Both are settled when the document is read, for each place that a walk can end at:
//!
//! - paths without a `*` within are texts in order, each of which knows the longest other one that it begins
//!   with; a target finds the last one not behind it, and goes up from there to one that it begins with. What
//!   covers all below a text is settled there, so nothing above it is looked at;
//! - paths with a `*` within are tried. There are few: a document with more is refused.
//!
//! Lists have a most, so that no document makes a URL slow or an answer long: what goes beyond it still counts,
//! and is not listed.

use std::cell::OnceCell;
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use memchr::memmem::Finder;
use robotsieve::internals::{Pattern, RawRule, RuleSet};
use robotsieve::{Origin, Profile, Verdict};
use smallvec::SmallVec;

use crate::conditions::{Conditions, Joiner};
use crate::purpose::{Purpose, Purposes};
use crate::rsl::content::Content;
use crate::rsl::terms::Term;

/// The most places that are listed of the contents with the longest path, and of wider ones.
const MOST_PLACES: usize = 32;

/// The most paths with a `*` within for one site, the stars in them, and the conditions listed of them. Each path is
/// tried for each URL, and what those say that match is joined: that takes less than 5 microseconds for a URL of 400
/// bytes that all of them cover (`settled_documents`).
const MOST_WILDCARDS: usize = 16;
const MOST_STARS: usize = 128;
const MOST_CONDITIONS: usize = 80;

/// What a licence says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LicenceSays {
    /// Which content, from 0.
    pub(super) content: u32,
    /// Which licence of it, from 1.
    pub(super) licence: u32,
    pub(super) says: Says,
}

/// Purposes that are allowed and disallowed, and those among the latter that can be licensed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Says {
    pub(super) allows: Purposes,
    pub(super) disallows: Purposes,
    pub(super) licensable: Purposes,
}

impl Says {
    fn and(self, other: Says) -> Says {
        let disallows = self.disallows | other.disallows;
        let for_good =
            self.disallows.without(self.licensable) | other.disallows.without(other.licensable);
        Says {
            allows: self.allows | other.allows,
            disallows,
            licensable: disallows.without(for_good),
        }
    }
}

/// What licences say.
#[derive(Clone, Debug, Default)]
pub(super) struct Licences {
    pub(super) listed: SmallVec<[LicenceSays; 2]>,
    /// What those say that are not listed.
    pub(super) others: Option<Says>,
}

impl Licences {
    fn add(&mut self, licence: LicenceSays) {
        if licence.says == Says::default() {
            return;
        }
        if self.listed.len() < MOST_PLACES {
            self.listed.push(licence);
        } else {
            self.add_others(licence.says);
        }
    }

    fn add_others(&mut self, says: Says) {
        self.others = Some(self.others.unwrap_or_default().and(says));
    }

    pub(super) fn extend(&mut self, other: &Licences) {
        other.listed.iter().for_each(|licence| self.add(*licence));
        other.others.into_iter().for_each(|says| self.add_others(says));
    }

    /// What they allow, those included that are not listed.
    pub(super) fn allow(&self) -> Purposes {
        let others = self.others.unwrap_or_default().allows;
        self.listed.iter().fold(others, |all, licence| all | licence.says.allows)
    }
}

/// What contents say together.
#[derive(Clone, Debug, Default)]
pub(super) struct Said {
    pub(super) licences: Licences,
    pub(super) conditions: Conditions,
    /// True if some prohibit something to some users or places, or in words that are not known.
    pub(super) for_some: bool,
    /// True if some have terms that are not known.
    pub(super) has_unknown: bool,
}

impl Said {
    fn is_empty(&self) -> bool {
        self.licences.listed.is_empty()
            && self.conditions.is_empty()
            && !self.for_some
            && !self.has_unknown
    }

    fn extend(&mut self, other: &Said) {
        self.licences.extend(&other.licences);
        if !other.conditions.is_empty() {
            self.conditions.joiner().extend(Purposes::USES, &other.conditions);
            self.conditions.share();
        }
        self.for_some |= other.for_some;
        self.has_unknown |= other.has_unknown;
    }
}

fn joined(one: &Arc<Said>, other: &Arc<Said>) -> Arc<Said> {
    if other.is_empty() {
        return Arc::clone(one);
    }
    let mut both = Arc::clone(other);
    if !one.is_empty() {
        both = Arc::clone(one);
        Arc::make_mut(&mut both).extend(other);
    }
    both
}

/// What the contents say that cover a URL.
#[derive(Clone, Debug)]
pub(super) struct Covering {
    /// The bytes of the longest path.
    length: u32,
    /// What the contents with the longest path say.
    pub(super) longest: Arc<Said>,
    /// What they would prohibit where a longer path counts.
    as_wider: Arc<Said>,
    /// What wider contents prohibit.
    pub(super) wider: Arc<Said>,
}

impl Covering {
    /// What contents with the same path say.
    fn of(contents: &[Content], numbers: &[u32], length: u32) -> Covering {
        let (mut longest, mut as_wider) = (Said::default(), Said::default());
        let (mut of_longest, mut of_wider) = (Conditions::default(), Conditions::default());
        let (mut to_longest, mut to_wider) = (of_longest.joiner(), of_wider.joiner());
        for number in numbers {
            let Some(content) = contents.get(*number as usize) else { continue };
            settle(*number, content, &mut longest, &mut to_longest);
            prohibit(*number, content, &mut as_wider, &mut to_wider);
        }
        longest.conditions = of_longest;
        as_wider.conditions = of_wider;
        longest.conditions.share();
        as_wider.conditions.share();
        let wider = Arc::default();
        Covering { length, longest: longest.into(), as_wider: as_wider.into(), wider }
    }

    /// What both say of a URL that both cover. `below` is `self.wider` and `self.as_wider` together.
    fn and(&self, other: &Covering, below: impl FnOnce() -> Arc<Said>) -> Covering {
        match self.length.cmp(&other.length) {
            Ordering::Equal => Covering {
                length: self.length,
                longest: joined(&self.longest, &other.longest),
                as_wider: joined(&self.as_wider, &other.as_wider),
                wider: joined(&self.wider, &other.wider),
            },
            Ordering::Less => Covering { wider: joined(&below(), &other.wider), ..other.clone() },
            Ordering::Greater => {
                let wider = joined(&self.wider, &joined(&other.as_wider, &other.wider));
                Covering { wider, ..self.clone() }
            }
        }
    }

    fn below(&self) -> Arc<Said> {
        joined(&self.wider, &self.as_wider)
    }
}

/// What covers a URL: the texts, each path with a `*` within that matches, and the same for all sites.
pub(super) struct Covered<'c> {
    coverings: SmallVec<[&'c Covering; 4]>,
    /// The bytes of the longest path.
    length: u32,
}

impl<'c> Covered<'c> {
    /// What the contents with the longest path say.
    pub(super) fn longest(&self) -> impl Iterator<Item = &'c Said> {
        let longest = self.coverings.iter().filter(|covering| covering.length == self.length);
        longest.map(|covering| &*covering.longest)
    }

    /// What wider contents prohibit.
    pub(super) fn wider(&self) -> impl Iterator<Item = &'c Said> {
        self.coverings.iter().flat_map(|covering| {
            let own = (covering.length < self.length).then_some(&*covering.as_wider);
            own.into_iter().chain([&*covering.wider])
        })
    }
}

/// Adds what the licences of a content say, one of which can be chosen.
fn settle(number: u32, content: &Content, said: &mut Said, conditions: &mut Joiner<'_>) {
    let strongest = |purpose: Purpose| {
        let terms = content.licences.iter().map(|terms| terms.term(purpose, content.has_server));
        terms.min().unwrap_or(Term::Unknown)
    };
    let wanted: Vec<(Purpose, Term)> =
        Purposes::USES.iter().map(|purpose| (purpose, strongest(purpose))).collect();
    for (terms, licence) in content.licences.iter().zip(1..) {
        let mut says = Says::default();
        let mut on_conditions = Purposes::NONE;
        for (purpose, strongest) in &wanted {
            if terms.term(*purpose, content.has_server) != *strongest {
                continue;
            }
            let purpose = Purposes::from(*purpose);
            match strongest {
                Term::Prohibited | Term::NotListed => says.disallows |= purpose,
                Term::Sold => {
                    says.disallows |= purpose;
                    says.licensable |= purpose;
                }
                Term::Permitted | Term::Silent => {
                    says.allows |= purpose;
                    on_conditions |= purpose;
                }
                Term::Conditional | Term::SilentConditional => on_conditions |= purpose,
                Term::Unknown => {}
            }
        }
        said.has_unknown |= terms.has_unknown;
        said.licences.add(LicenceSays { content: number, licence, says });
        if !on_conditions.is_empty() {
            terms.conditions().for_each(|condition| conditions.add(on_conditions, condition));
        }
    }
}

/// Adds what the licences of a content prohibit where a longer path counts.
fn prohibit(number: u32, content: &Content, said: &mut Said, conditions: &mut Joiner<'_>) {
    for (terms, licence) in content.licences.iter().zip(1..) {
        let says = Says { disallows: terms.prohibits, ..Says::default() };
        said.licences.add(LicenceSays { content: number, licence, says });
        if !terms.prohibits_for_some() {
            continue;
        }
        said.for_some = true;
        said.has_unknown |= terms.has_unknown;
        terms.prohibited_for().for_each(|condition| conditions.add(Purposes::USES, condition));
    }
}

/// The contents of a document, settled for each path.
#[derive(Clone, Debug, Default)]
pub(super) struct Compiled {
    /// By the key of the origin that an absolute URL names; without one for all sites.
    sites: HashMap<Option<Box<str>>, Paths>,
    /// The contents without a URL: those of a page.
    page: Option<Covering>,
    /// What the contents do not permit of which it is not known what pages they are for: those with a URL, and those
    /// without one, which are known in a page only.
    unread: Purposes,
    unread_in_file: Purposes,
}

/// Paths of a site.
#[derive(Clone, Debug, Default)]
struct Paths {
    /// In the order of their texts and lengths.
    texts: Vec<Text>,
    /// Those that end with `$`.
    exact: HashMap<Box<[u8]>, Covering>,
    wildcards: Vec<Wildcard>,
}

/// A path with a `*` within.
#[derive(Clone, Debug)]
struct Wildcard {
    /// What stands before the first star.
    head: Box<[u8]>,
    /// What stands behind each star, at least one. Preparing a search takes longer than searching a URL.
    pieces: Vec<Finder<'static>>,
    /// True if a target must end with the last piece.
    is_anchored: bool,
    covering: Covering,
}

impl Wildcard {
    fn new(text: &[u8], is_anchored: bool, covering: Covering) -> Wildcard {
        let mut parts = text.split(|byte| *byte == b'*');
        let head = parts.next().unwrap_or_default().into();
        let pieces = parts.map(|piece| Finder::new(piece).into_owned()).collect();
        Wildcard { head, pieces, is_anchored, covering }
    }

    /// Whether it matches a target, as [`Pattern::matches`] says.
    fn matches(&self, target: &[u8]) -> bool {
        let Some(mut left) = target.strip_prefix(&*self.head) else { return false };
        let Some((last, pieces)) = self.pieces.split_last() else { return false };
        for piece in pieces {
            let Some(at) = piece.find(left) else { return false };
            left = &left[at + piece.needle().len()..];
        }
        match self.is_anchored {
            true => left.ends_with(last.needle()),
            false => last.find(left).is_some(),
        }
    }
}

#[derive(Clone, Debug)]
struct Text {
    text: Box<[u8]>,
    /// The longest other text that this one begins with.
    above: Option<u32>,
    /// What covers all that begins with this text, as far as texts do.
    covering: Covering,
}

/// A path: its text, whether a target must end with it, and its length as written.
type Key = (Box<[u8]>, bool, u32);

impl Compiled {
    /// Settles the contents of a document. The error tells what there is too much of.
    pub(super) fn new(contents: &[Content]) -> Result<Compiled, &'static str> {
        let rules = contents.iter().zip(0..).filter_map(|(content, line)| {
            let value = content.path()?.as_bytes();
            Some(RawRule { line, verdict: Verdict::Disallow, value })
        });
        let rules = RuleSet::new(rules, &Profile::RFC9309);
        let mut by_path: BTreeMap<Option<Box<str>>, BTreeMap<Key, Vec<u32>>> = BTreeMap::new();
        for rule in rules.iter() {
            let Some(content) = contents.get(rule.line as usize) else { continue };
            // One of no origin covers nothing.
            let Some(site) = content.site() else { continue };
            let Pattern { bytes, anchored } = rule.pattern;
            let key = (without_idle_stars(bytes, anchored), anchored, rule.precedence);
            by_path.entry(site).or_default().entry(key).or_default().push(rule.line);
        }
        let mut sites = HashMap::new();
        for (site, by_path) in by_path {
            sites.insert(site, Paths::new(contents, by_path)?);
        }
        let of_page: Vec<u32> =
            (0..).zip(contents).filter(|(_, c)| c.url.is_empty()).map(|(n, _)| n).collect();
        let page = (!of_page.is_empty()).then(|| Covering::of(contents, &of_page, 0));
        let not_permitted = |numbers: &[u32]| {
            let permitted = |number| Covering::of(contents, &[number], 0).longest.licences.allow();
            let of = |number: &u32| Purposes::USES.without(permitted(*number));
            numbers.iter().map(of).fold(Purposes::NONE, |all, own| all | own)
        };
        let of_unread: Vec<u32> =
            (0..).zip(contents).filter(|(_, c)| c.is_unread()).map(|(n, _)| n).collect();
        let (unread, unread_in_file) = (not_permitted(&of_unread), not_permitted(&of_page));
        Ok(Compiled { sites, page, unread, unread_in_file })
    }

    /// What may be prohibited on any page, because it is not known which pages some contents are for.
    pub(super) fn unread(&self, has_document: bool) -> Purposes {
        if has_document { self.unread } else { self.unread | self.unread_in_file }
    }

    /// What covers a page of a site. One that has the document, and that no path covers, is covered by the contents
    /// without a URL.
    pub(super) fn covered(
        &self,
        target: &[u8],
        origin: Option<&Origin<'_>>,
        has_document: bool,
    ) -> Option<Covered<'_>> {
        let own = origin.and_then(|origin| self.sites.get(&Some(origin.key().into())));
        let mut coverings: SmallVec<[&Covering; 4]> = SmallVec::new();
        for paths in self.sites.get(&None).into_iter().chain(own) {
            paths.matching(target, |covering| coverings.push(covering));
        }
        if coverings.is_empty() && has_document {
            coverings.extend(&self.page);
        }
        let length = coverings.iter().map(|covering| covering.length).max()?;
        Some(Covered { coverings, length })
    }
}

/// A pattern without stars that change nothing: those after a star, and those at the end of one that is not
/// anchored.
fn without_idle_stars(pattern: &[u8], anchored: bool) -> Box<[u8]> {
    let mut kept: Vec<u8> = pattern.to_vec();
    kept.dedup_by(|next, before| *next == b'*' && *before == b'*');
    while !anchored && kept.last() == Some(&b'*') {
        kept.pop();
    }
    kept.into()
}

impl Paths {
    fn new(contents: &[Content], by_path: BTreeMap<Key, Vec<u32>>) -> Result<Paths, &'static str> {
        let mut paths = Paths::default();
        let mut below: Vec<OnceCell<Arc<Said>>> = Vec::new();
        let mut exact: Vec<(Box<[u8]>, Covering)> = Vec::new();
        let (mut stars, mut conditions) = (0, 0);
        for ((text, anchored, length), mut numbers) in by_path {
            numbers.sort_unstable();
            let own = Covering::of(contents, &numbers, length);
            let own_stars = text.iter().filter(|byte| **byte == b'*').count();
            if own_stars > 0 {
                stars += own_stars;
                if paths.wildcards.len() == MOST_WILDCARDS || stars > MOST_STARS {
                    return Err(
                        "fewer paths with a '*' within: at most 16 for a site, with 128 of them",
                    );
                }
                // A URL is told one of the two.
                conditions += own.longest.conditions.len().max(own.as_wider.conditions.len());
                if conditions > MOST_CONDITIONS {
                    return Err(
                        "fewer users and places for paths with a '*' within: at most 80 for a site",
                    );
                }
                paths.wildcards.push(Wildcard::new(&text, anchored, own));
                continue;
            }
            if anchored {
                exact.push((text, own));
                continue;
            }
            let above = paths.longest_text(&text);
            let covering =
                match above.and_then(|above| Some((above, paths.texts.get(above as usize)?))) {
                    None => own,
                    Some((above, known)) => known.covering.and(&own, || {
                        let cell = below.get(above as usize);
                        let of_above = || known.covering.below();
                        cell.map_or_else(of_above, |cell| Arc::clone(cell.get_or_init(of_above)))
                    }),
                };
            paths.texts.push(Text { text, above, covering });
            below.push(OnceCell::new());
        }
        for (text, own) in exact {
            let above = paths.longest_text(&text).and_then(|at| paths.texts.get(at as usize));
            let covering = above.map_or_else(
                || own.clone(),
                |above| above.covering.and(&own, || above.covering.below()),
            );
            // Written in two ways, which differ in length.
            let known = paths.exact.remove(&text);
            let covering =
                known.map_or(covering, |known: Covering| known.and(&own, || known.below()));
            paths.exact.insert(text, covering);
        }
        Ok(paths)
    }

    /// Calls `found` with what covers a target: once for the texts, and for each other path that matches.
    fn matching<'p>(&'p self, target: &[u8], mut found: impl FnMut(&'p Covering)) {
        let text = || self.texts.get(self.longest_text(target)? as usize);
        if let Some(exact) = self.exact.get(target) {
            found(exact);
        } else if let Some(text) = text() {
            found(&text.covering);
        }
        let wildcards = self.wildcards.iter().filter(|wildcard| wildcard.matches(target));
        wildcards.for_each(|wildcard| found(&wildcard.covering));
    }

    /// The number of the longest text that a target begins with.
    fn longest_text(&self, target: &[u8]) -> Option<u32> {
        let before = self.texts.partition_point(|known| *known.text <= *target).checked_sub(1)?;
        let shared = |text: &[u8]| text.iter().zip(target).take_while(|(a, b)| a == b).count();
        let shared = shared(&self.texts[before].text);
        let mut at = u32::try_from(before).ok();
        while let Some(number) = at {
            let known = self.texts.get(number as usize)?;
            // All those above begin as this one does.
            if known.text.len() <= shared {
                return Some(number);
            }
            at = known.above;
        }
        None
    }
}
