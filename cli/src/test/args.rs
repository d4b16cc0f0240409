//! The arguments of `robotsieve test`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use robotsieve::Profile;

use crate::known::KnownOption;
use crate::options::{ColorOption, ProfilesOption, ProgressOption, values};
use crate::sitemap::{SiteOption, SitemapOption};

/// Test that a robots.txt does what you expect of it
///
/// EXPECTATIONS are files with one expectation a line, as in:
///
///   allow     Googlebot     /
///   allow     *             /products/1
///   disallow  @ai-training  /              # all known crawlers for AI training
///   disallow  FooBot,Foo    /cart?id=1
///
/// The first field is the verdict. The second says who: a crawler's product token,
/// several names of one crawler from most to least specific, '*' for a crawler
/// that no group names, '@PURPOSE' for every known crawler of a purpose, or '@all'
/// for all of them. The third is a URL, or a path that starts with '/', or
/// '@sitemap' for every URL of the sitemap given with --sitemap. Fields are
/// separated by blanks. A '#' begins a comment at the start of a line or after a
/// blank.
///
/// A failure shows the expectation, and what decides in the robots.txt. If a line
/// is no expectation, nothing is tested.
///
/// Without --profile each known crawler reads the file as its operator does:
/// Google's in profile google, all others in rfc9309.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    override_usage = "\
robotsieve test [OPTIONS] ROBOTS EXPECTATIONS...
       robotsieve test --init [OPTIONS] ROBOTS [URL...] > EXPECTATIONS",
    after_help = "\
Examples:
  robotsieve test --init robots.txt > robots.expect
  robotsieve test robots.txt robots.expect
  robotsieve test --profile rfc9309 --profile google robots.txt robots.expect
  echo 'allow Googlebot @sitemap' | robotsieve test robots.txt - \\
      --sitemap sitemap.xml
  robotsieve test --format junit robots.txt robots.expect > robots.xml
  robotsieve test --format github robots.txt tests/*.expect
  echo 'disallow @ai-training /' | robotsieve test robots.txt -

Purposes:
  search, ai-training, ai-assistants, archive, seo, ads, link-preview,
  monitoring and other. '@TOKEN' is the known crawler with this product token:
  with the names whose groups it obeys if none has its token, and without the
  group of '*' if it ignores that. --crawlers adds known crawlers.

docs/testing.md describes the formats.

Exit status:
  0  every expectation holds
  1  some expectation does not hold
  2  wrong usage, some line is no expectation, or there is none at all; or no
     URL of a sitemap is of the site
  3  a file could not be read, or a part of a sitemap"
)]
pub struct TestArgs {
    #[command(flatten)]
    profiles: ProfilesOption,

    /// Use all four profiles
    ///
    /// An expectation must hold in each of them, or in each --profile that
    /// is given. A failure names those in which it does not.
    #[arg(long, conflicts_with = "profile", verbatim_doc_comment)]
    all_profiles: bool,

    #[command(flatten)]
    pub known: KnownOption,

    #[command(flatten)]
    pub sitemap: SitemapOption,

    #[command(flatten)]
    pub site: SiteOption,

    /// What to print: text, json, junit, github or sarif
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = TestFormat::Text)]
    #[arg(hide_possible_values = true, long_help = values::<TestFormat>("What to print"))]
    pub format: TestFormat,

    /// The most failures to show with the lines concerned; 0 is all
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub max_failures: usize,

    /// Print expectations that hold today, instead of testing
    ///
    /// For '*' and the crawlers that the file names, and for purposes whose
    /// known crawlers all differ from '*'. They are about the URLs given, or
    /// about the shortest paths on which the file's rules decide. With
    /// --sitemap, also about the URLs of the sitemap.
    #[arg(long, conflicts_with_all = ["format", "max_failures"], verbatim_doc_comment)]
    pub init: bool,

    #[command(flatten)]
    pub color: ColorOption,

    #[command(flatten)]
    pub progress: ProgressOption,

    /// The robots.txt: a file, an http(s) URL, or '-'
    #[arg(value_name = "ROBOTS")]
    pub robots: PathBuf,

    /// Files with expectations, plain, gzip or zstd; '-' is standard input
    #[arg(value_name = "EXPECTATIONS", required_unless_present = "init")]
    #[arg(long_help = "Files with expectations, plain, gzip or zstd; '-' is standard input.\n\
        With --init, URLs or paths")]
    pub rest: Vec<OsString>,
}

impl TestArgs {
    /// Returns true if no profile is given: then each known crawler's operator decides how it reads the file.
    pub fn by_operators(&self) -> bool {
        !self.all_profiles && self.profiles.is_default()
    }

    /// The profiles in which expectations must hold, with their names.
    pub fn profiles(&self) -> Vec<(&'static str, Profile)> {
        if self.all_profiles { Profile::NAMED.to_vec() } else { self.profiles.get() }
    }

    /// How many failures to show with the lines concerned.
    pub fn most(&self, failed: usize) -> usize {
        if self.max_failures == 0 { failed } else { failed.min(self.max_failures) }
    }
}

/// What `test` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TestFormat {
    /// For people: each failure with the lines concerned
    Text,
    /// One JSON document with every expectation
    Json,
    /// JUnit XML, which CI systems show as test results
    Junit,
    /// Workflow commands that GitHub shows next to the lines
    Github,
    /// One SARIF 2.1.0 document, for code review tools
    Sarif,
}
