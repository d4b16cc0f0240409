//! `robotsieve explain`: why a URL is allowed or not.

mod json;
mod shown;
mod text;

use std::io::{self, Write};

use robotsieve::{Explanation, InvalidUrl, Profile, ProfileComparison, Robots, explain_profiles};

use crate::args::{ExplainArgs, ExplainFormat};
use crate::error::{Failure, Status, say};
use crate::record::{Record, Source, sha256};
use crate::robots_file;

/// What is explained, and in which profiles.
struct Explained<'e> {
    args: &'e ExplainArgs,
    file: &'e [u8],
    url: &'e [u8],
    answers: Answers<'e>,
}

enum Answers<'e> {
    One(&'static str, Box<Result<Explanation<'e>, InvalidUrl>>),
    All(Box<ProfileComparison<'e>>),
}

impl<'e> Explained<'e> {
    /// By the names of their profiles.
    fn explanations(
        &self,
    ) -> impl Iterator<Item = (&'static str, &Result<Explanation<'e>, InvalidUrl>)> {
        let (one, all) = match &self.answers {
            Answers::One(name, why) => (Some((*name, &**why)), None),
            Answers::All(compared) => (None, Some(compared)),
        };
        let all = all.into_iter().flat_map(|compared| &compared.explanations);
        one.into_iter().chain(all.map(|(name, why)| (*name, why)))
    }

    fn comparison(&self) -> Option<&ProfileComparison<'e>> {
        match &self.answers {
            Answers::One(..) => None,
            Answers::All(compared) => Some(compared),
        }
    }
}

/// Explains one verdict, in one profile or in all.
pub fn run(args: &ExplainArgs) -> Result<Status, Failure> {
    let file = robots_file::read(&args.of.robots)?;
    let crawler = args.of.crawler();
    let url = args.url.as_encoded_bytes();
    let answers = if args.all_profiles {
        Answers::All(Box::new(explain_profiles(&file, &crawler, url)))
    } else {
        let profile = args.of.profile;
        // The option takes no others.
        let name = Profile::NAMED.iter().find(|(_, named)| *named == profile);
        let why = Robots::parse(&file, &profile).explain(&crawler, url);
        Answers::One(name.map_or("rfc9309", |(name, _)| name), Box::new(why))
    };
    let explained = Explained { args, file: &file, url, answers };
    let out = if args.record {
        records(&explained)
    } else {
        match args.format {
            ExplainFormat::Text => text::render(&explained),
            ExplainFormat::Json => json::render(&explained),
        }
    };
    match io::stdout().lock().write_all(&out) {
        // The exit status is an answer too.
        Err(cause) if cause.kind() == io::ErrorKind::BrokenPipe => {}
        written => {
            written.map_err(|cause| Failure::io("cannot write to standard output", cause))?;
        }
    }
    Ok(status(&explained))
}

fn records(explained: &Explained<'_>) -> Vec<u8> {
    let Explained { args, file, url, .. } = explained;
    let source = Source { path: &args.of.robots, sha256: &sha256(file) };
    let mut out = Vec::new();
    for (name, why) in explained.explanations() {
        let record = Record::new(&source, &args.of.agent(), url, name, why);
        serde_json::to_writer(&mut out, &record).expect("a vector has room for any text");
        out.push(b'\n');
    }
    out
}

/// As of `check`, over all profiles that were asked for.
fn status(explained: &Explained<'_>) -> Status {
    let mut status = Status::Done;
    for (name, why) in explained.explanations() {
        match why {
            Err(invalid) => {
                say(&format_args!(
                    "{invalid} (in profile {name}; with --profile google no URL is invalid)"
                ));
                return Status::Usage;
            }
            Ok(why) if !why.verdict.is_allow() => status = Status::Disallowed,
            Ok(_) => {}
        }
    }
    status
}
