//! `robotsieve test`: whether a robots.txt does what is expected of it.

pub mod args;
mod failure;
mod github;
mod init;
mod json;
mod junit;
mod line;
mod sarif;
mod sitemap;
mod text;
mod who;

use std::ffi::OsString;
use std::io::{self, BufReader, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use robotsieve::{Policy, Profile, Robots, Verdict};

use crate::error::{Failure, Status};
use crate::read::inputs;
use crate::read::lines::{Line, Lines, URL_BYTES};
use crate::read::robots_file::{self, Given};
use crate::read::stdin;
use crate::read::web::Answer;
use crate::write::report::{MOST_ALIKE, Report};
use crate::write::stderr;
use crate::write::stdout::{self, Stdout};
use args::{TestArgs, TestFormat};
use failure::{Failed, Miss};
use sitemap::OfSitemap;
use who::{Who, Whos};

/// The longest line of a file of expectations: room for a URL, and for names and a comment.
const LINE_BYTES: usize = URL_BYTES + (64 << 10);

/// How many lines that are no expectations are told one by one.
const MOST_WRONG: u64 = 20;

/// The robots.txt, read in each profile.
struct File<'a> {
    /// As shown next to its lines.
    name: String,
    bytes: &'a [u8],
    /// What its URL answered in the place of a file.
    answer: Option<&'a Answer>,
    profiles: &'a [(&'static str, Profile)],
    /// For each profile.
    robots: &'a [Robots<'a>],
}

impl File<'_> {
    fn profile_name(&self, number: usize) -> &'static str {
        self.profiles[number].0
    }
}

/// What is expected of one URL.
struct Expectation {
    /// The number of the file that it is in, and its line.
    file: usize,
    line: u64,
    verdict: Verdict,
    /// The number of the crawlers.
    who: usize,
    /// Where the whole line is in the text of all, and parts of it.
    text: Range<usize>,
    who_text: Range<usize>,
    url: Range<usize>,
    /// Whether it is about the URLs of the sitemaps.
    is_sitemap: bool,
}

/// The expectations of all files.
struct Expectations<'k, 'r> {
    /// The names of the files, as shown next to their lines.
    files: Vec<String>,
    text: Vec<u8>,
    all: Vec<Expectation>,
    whos: Whos<'k, 'r>,
}

impl<'k> Expectations<'k, '_> {
    fn file(&self, expectation: &Expectation) -> &str {
        &self.files[expectation.file]
    }

    fn line(&self, expectation: &Expectation) -> &[u8] {
        &self.text[expectation.text.clone()]
    }

    fn who(&self, expectation: &Expectation) -> &Who<'k> {
        self.whos.get(expectation.who)
    }

    /// The crawlers as the line names them.
    fn who_text(&self, expectation: &Expectation) -> &[u8] {
        &self.text[expectation.who_text.clone()]
    }

    fn url(&self, expectation: &Expectation) -> &[u8] {
        &self.text[expectation.url.clone()]
    }
}

/// Everything there is to print.
struct Tested<'t, 'k> {
    file: &'t File<'t>,
    expectations: &'t Expectations<'k, 't>,
    sitemap: Option<OfSitemap>,
    failed: Vec<Failed>,
}

/// Tests the expectations, or prints some that hold.
pub fn run(args: &TestArgs) -> Result<Status, Failure> {
    let urls = if args.init { &[][..] } else { &args.rest };
    let inputs = urls.iter().chain(&args.sitemap.names).map(OsString::as_os_str);
    stdin::at_most_once(inputs.chain([args.robots.as_os_str()]))?;
    let known = args.known.read()?;
    let profiles = args.profiles();
    let all: Vec<Profile> = profiles.iter().map(|(_, profile)| *profile).collect();
    let Given { bytes, answer } = robots_file::given_for(&args.robots, &all, &known)?;
    let robots: Vec<Robots<'_>> =
        profiles.iter().map(|(_, profile)| Robots::parse(&bytes, profile)).collect();
    robots.iter().for_each(|robots| robots_file::note_cut(&args.robots, &bytes, robots));
    let name = robots_file::shown(&args.robots);
    let answer = answer.as_ref();
    let file = File { name, bytes: &bytes, answer, profiles: &profiles, robots: &robots };
    let whos = Whos::new(&known, &profiles, &robots);
    if args.init {
        return init::run(args, &file, &known, whos);
    }
    let read = read(args, &file, whos)?;
    let expectations = match read {
        Ok(expectations) => expectations,
        Err(status) => return Ok(status),
    };
    let sitemap = expectations.of_sitemap(args, &file)?;
    let status = sitemap.as_ref().map_or(Status::Done, |sitemap| sitemap.status);
    let failed = judge(&file, &expectations, sitemap.as_ref());
    let (count, failures) = (expectations.all.len(), failed.len());
    let tested = Tested { file: &file, expectations: &expectations, sitemap, failed };
    let mut out = io::BufWriter::new(Stdout::new());
    let printed = match args.format {
        TestFormat::Text => text::print(args, &tested, &mut out),
        TestFormat::Json => json::print(&tested, &mut out),
        TestFormat::Junit => junit::print(args, &tested, &mut out),
        TestFormat::Github => github::print(&tested, &mut out),
        TestFormat::Sarif => sarif::print(&tested, &mut out),
    };
    printed.and_then(|()| out.flush()).map_err(stdout::failed)?;
    for line in tested.sitemap.iter().flat_map(|sitemap| sitemap.split.lines()) {
        stderr::note(&line);
    }
    let s = if count == 1 { "" } else { "s" };
    let each = match profiles.len() {
        1 => String::new(),
        n => format!(" in {n} profiles"),
    };
    stderr::note(&format_args!("{count} expectation{s}{each}, {failures} failed"));
    Ok(match status {
        Status::Done if failures > 0 => Status::No,
        status => status,
    })
}

/// Reads all files. What is wrong is reported; then nothing is tested, and the status says what it was.
fn read<'k, 'r>(
    args: &TestArgs,
    file: &File<'r>,
    whos: Whos<'k, 'r>,
) -> Result<Result<Expectations<'k, 'r>, Status>, Failure> {
    let report = Arc::new(Report::new(args.progress.progress, &args.rest));
    // Which URLs are valid depends on the profile alone.
    let readers: Vec<Policy> =
        file.robots.iter().map(|robots| robots.policy(&who::nobody())).collect();
    let mut read = Expectations { files: Vec::new(), text: Vec::new(), all: Vec::new(), whos };
    let mut wrong = 0;
    for name in &args.rest {
        read.files.push(robots_file::shown(Path::new(name)));
        let input = match inputs::open(name, &report) {
            Ok(input) => input,
            Err(cause) => {
                report.error(&inputs::cannot_read(name, &cause));
                continue;
            }
        };
        let mut lines = Lines::of(BufReader::with_capacity(64 << 10, input), LINE_BYTES);
        loop {
            let (number, line) = match lines.next() {
                Ok(Some(line)) => line,
                Ok(None) => break,
                Err(cause) => {
                    report.error(&inputs::cannot_read(name, &cause));
                    break;
                }
            };
            let added = match line {
                Line::Whole(line) => read.add(number, line, &readers, args.sitemap.is_given()),
                Line::TooLong(_) => Err(format!("the line is longer than {LINE_BYTES} bytes")),
            };
            if let Err(message) = added {
                wrong += 1;
                if wrong <= MOST_WRONG {
                    let name = &read.files[read.files.len() - 1];
                    stderr::error(&format_args!("{name}:{number}: {message}"));
                }
            }
        }
    }
    if wrong > MOST_WRONG {
        stderr::error(&format_args!("{} more lines are no expectations", wrong - MOST_WRONG));
    }
    let status = report.end();
    for note in read.whos.notes.iter().take(MOST_ALIKE as usize) {
        stderr::note(note);
    }
    if let Some(more) = read.whos.notes.len().checked_sub(MOST_ALIKE as usize + 1) {
        stderr::note(&format_args!("{} more names are no product tokens", more + 1));
    }
    if status != Status::Done {
        return Ok(Err(status));
    }
    if wrong > 0 {
        return Ok(Err(Status::Usage));
    }
    if read.all.is_empty() {
        return Err(Failure::Usage(
            "there is no expectation in what was read: 'robotsieve test --init ROBOTS' prints some \
             that hold today"
                .into(),
        ));
    }
    Ok(Ok(read))
}

impl Expectations<'_, '_> {
    /// Adds the expectation of a line of the last file, if it has one.
    fn add(
        &mut self,
        number: u64,
        line: &[u8],
        readers: &[Policy],
        has_sitemap: bool,
    ) -> Result<(), String> {
        // The mark that some editors begin a file with.
        let line =
            if number == 1 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
        let Some(fields) = line::parse(line)? else { return Ok(()) };
        let who = self.whos.find(&line[fields.who.clone()])?;
        let url = &line[fields.url.clone()];
        let is_sitemap = url == sitemap::WORD;
        if is_sitemap && !has_sitemap {
            return Err("'@sitemap' stands for the URLs of a sitemap: give one with --sitemap \
                        FILE|URL"
                .to_owned());
        }
        if !is_sitemap && readers.iter().any(|reader| reader.target(url).is_err()) {
            return Err(format!(
                "'{}' is no URL: write scheme://host/path, or a path that starts with '/'",
                line::short(url)
            ));
        }
        let start = self.text.len();
        self.text.extend_from_slice(line);
        let within = |part: Range<usize>| start + part.start..start + part.end;
        self.all.push(Expectation {
            file: self.files.len() - 1,
            line: number,
            verdict: fields.verdict,
            who,
            text: start..self.text.len(),
            who_text: within(fields.who),
            url: within(fields.url),
            is_sitemap,
        });
        Ok(())
    }
}

/// The expectations that do not hold, in order.
fn judge(
    file: &File<'_>,
    expectations: &Expectations<'_, '_>,
    sitemap: Option<&OfSitemap>,
) -> Vec<Failed> {
    let mut failed = Vec::new();
    let mut misses: Vec<Miss> = Vec::new();
    for (number, expectation) in expectations.all.iter().enumerate() {
        let who = expectations.who(expectation);
        for profile in 0..file.profiles.len() {
            for (asked, one) in who.asked[profile].iter().enumerate() {
                let miss = Miss { profile, asked };
                if expectation.is_sitemap {
                    let tally = sitemap.and_then(|sitemap| {
                        sitemap.tally(expectation.who, miss, expectation.verdict)
                    });
                    misses.extend(tally.filter(|tally| tally.count() > 0).map(|_| miss));
                    continue;
                }
                // It was checked that the URL is valid.
                let Ok(target) = one.policy.target(expectations.url(expectation)) else { continue };
                if one.policy.verdict(&target) != expectation.verdict {
                    misses.push(miss);
                }
            }
        }
        if !misses.is_empty() {
            let misses = std::mem::take(&mut misses).into_boxed_slice();
            failed.push(Failed { number, misses });
        }
    }
    failed
}
