//! The robots.txt that is tested.

use robotsieve::{Profile, Robots, Verdict};
use robotsieve_known::{KnownCrawler, KnownCrawlers, Operators};
use robotsieve_report::tally::Tally;

/// A robots.txt, read in each profile in which expectations must hold.
#[derive(Debug)]
pub struct Subject<'f> {
    pub(super) name: String,
    /// One for each profile.
    pub(super) robots: Vec<Robots<'f>>,
    pub(super) operators: Operators<'f>,
    pub(super) answer: Option<Answer>,
}

/// What the file's URL answered in the place of a file.
#[derive(Debug)]
pub(super) struct Answer {
    /// `HTTP 503`.
    pub(super) cause: String,
    /// What follows from it.
    pub(super) meaning: String,
}

impl<'f> Subject<'f> {
    /// A file, with its name for messages and reports.
    #[must_use]
    pub fn new(name: impl Into<String>, file: &'f [u8], profiles: &[Profile]) -> Subject<'f> {
        let robots = profiles.iter().map(|profile| Robots::parse(file, profile)).collect();
        Subject { name: name.into(), robots, operators: Operators::default(), answer: None }
    }

    /// Reads the file, as it was given, for each known crawler as its operator does, where that is known.
    #[must_use]
    pub fn by_operators(mut self, file: &'f [u8], known: &KnownCrawlers) -> Subject<'f> {
        if let Some(robots) = self.robots.first() {
            self.operators = Operators::of(file, robots.profile(), known.iter());
        }
        self
    }

    /// Says that the file stands for what its URL answered instead, such as `HTTP 503`, and what
    /// follows from that, in a sentence.
    #[must_use]
    pub fn answered(mut self, cause: impl Into<String>, meaning: impl Into<String>) -> Subject<'f> {
        self.answer = Some(Answer { cause: cause.into(), meaning: meaning.into() });
        self
    }

    /// The file as each profile reads it.
    pub fn robots(&self) -> &[Robots<'f>] {
        &self.robots
    }

    /// The file as it is read for a crawler in a profile.
    pub(super) fn robots_for(&self, number: usize, known: Option<&KnownCrawler>) -> &Robots<'f> {
        let asked = &self.robots[number];
        known.map_or(asked, |known| self.operators.robots(known, asked))
    }

    pub(super) fn profile_name(&self, number: usize) -> &'static str {
        self.robots[number].profile().name().unwrap_or("custom")
    }

    /// A tally that tells what decides where a verdict is not as expected.
    pub(super) fn tally(&self, expected: Verdict) -> Tally {
        let cause = self.answer.as_ref().map(|answer| answer.cause.as_str());
        Tally::new(expected.opposite(), cause)
    }
}
