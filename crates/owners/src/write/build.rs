//! Builds a robots.txt from intentions.

use robotsieve::Profile;
use robotsieve_known::{KnownCrawlers, notes};

use super::fault::{CannotBuild, Fault, Place};
use super::intentions::Intentions;
use super::prove::prove;
use super::robots_txt::RobotsTxt;
use super::roles::Roles;
use super::shorten::shortened;
use super::text::{self, Outside};
use super::values::{self, Values};
use crate::test::{Expectations, Subject};

impl RobotsTxt {
    /// Begins intentions, with nothing asked for: [`Intentions::build`] ends them.
    #[must_use]
    pub fn builder() -> Intentions {
        Intentions::default()
    }
}

impl Intentions {
    /// Builds the file. See [`compose`](super) for what it looks like and what is proven.
    ///
    /// # Errors
    /// Returns an error if a value cannot stand in a file, if a profile would read the file otherwise than
    /// asked for, or not provably so, and if an expectation does not hold: all of that with the places.
    pub fn build(&self, known: &KnownCrawlers) -> Result<RobotsTxt, CannotBuild> {
        let profiles = self.profiles_or_default();
        let (outside, roles) = CannotBuild::or_both(self.outside(), Roles::of(self, known))?;
        let (rules, is_complete) = shortened(&roles, &profiles);
        let written = text::write(&roles, &rules, &outside, &profiles);
        let mut said = match prove(&written, &roles, known, &profiles) {
            Ok(said) => said,
            Err(faults) => {
                CannotBuild::unless_proven(faults, &written.text)?;
                Vec::new()
            }
        };
        self.test(written.text.as_bytes(), known, &profiles)?;
        if !is_complete {
            said.push(
                "some rules may change nothing: the search for such ones had to end early"
                    .to_owned(),
            );
        }
        let members = roles.members.iter();
        let restricted = members.filter(|member| !rules[member.role].is_empty());
        let restricted: Vec<_> = restricted.filter_map(|member| member.known).collect();
        let mut all = notes(restricted);
        all.extend(roles.others_notes(known));
        if written.text.is_empty() {
            all.push(
                "nothing is asked of anybody, so the file is empty and allows everything"
                    .to_owned(),
            );
        }
        all.extend(said);
        Ok(RobotsTxt { text: written.text, notes: all, profiles })
    }

    fn profiles_or_default(&self) -> Vec<Profile> {
        if !self.profiles.is_empty() {
            let mut each: Vec<Profile> = Vec::new();
            for profile in &self.profiles {
                if !each.contains(profile) {
                    each.push(*profile);
                }
            }
            return each;
        }
        vec![Profile::RFC9309, Profile::GOOGLE, Profile::GOOGLE_CLASSIC]
    }

    /// The lines outside the groups.
    fn outside(&self) -> Result<Outside, CannotBuild> {
        let mut faults = Vec::new();
        let mut outside = Outside::default();
        for (index, text) in self.comment.iter().enumerate() {
            match values::comment(text) {
                Ok(lines) => outside.comment.extend(lines),
                Err(message) => faults.push(Fault::new(Place::of("comment", index), message)),
            }
        }
        let mut before = Values::new(&mut faults);
        before.add("License", &self.license, |index| Place::of("license", index));
        outside.before = before.lines;
        let mut after = Values::new(&mut faults);
        after.add("Host", &self.host, |index| Place::of("host", index));
        after.add("Sitemap", &self.sitemap, |index| Place::of("sitemap", index));
        outside.after = after.lines;
        CannotBuild::unless_empty(faults)?;
        Ok(outside)
    }

    /// Tests the expectations.
    fn test(
        &self,
        file: &[u8],
        known: &KnownCrawlers,
        profiles: &[Profile],
    ) -> Result<(), CannotBuild> {
        let mut faults = Vec::new();
        let subject = Subject::new("robots.txt", file, profiles);
        let mut expectations = Expectations::new(subject, known).where_nameable();
        for (index, line) in self.expect.iter().enumerate() {
            let place = || Place::of("expect", index);
            let has_two = line.contains(['\n', '\r']);
            let added = match expectations.add_line(index as u64 + 1, line.as_bytes()) {
                _ if has_two => Err("an expectation is one line".to_owned()),
                added => added,
            };
            if let Err(message) = added {
                faults.push(Fault::new(place(), message));
            }
        }
        CannotBuild::unless_empty(faults)?;
        let tested = expectations.test();
        let failed = tested.failures().map(|failure| {
            let place =
                Place::of("expect", usize::try_from(failure.line() - 1).unwrap_or_default());
            let reasons = failure.reasons();
            let why = reasons.first().map_or_else(String::new, |why| format!("; {}", why.clause));
            Fault::new(place, failure.sentence() + &why)
        });
        CannotBuild::unless_proven(failed.collect(), &String::from_utf8_lossy(file))
    }
}
