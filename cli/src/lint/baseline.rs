//! Findings that are known: `--baseline` and `--write-baseline`.
//!
//! A finding is known by its file, its code, its severity and the text of its line, so it stays known
//! when lines move. Equal ones are counted.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use robotsieve_client::outcome::ContentHash;
use robotsieve_lint::{Code, Finding, Report};
use robotsieve_report::Lines;
use serde::{Deserialize, Serialize};

use crate::error::Failure;
use crate::read::small_file;
use crate::write::file::temporary;
use crate::write::stderr;

/// The version of the file's format.
const VERSION: u32 = 1;

/// A longer line is known by its hash.
const SHOWN_BYTES: usize = 200;

/// Findings by what they are known by, with how many there are.
#[derive(Debug, Default)]
pub struct Baseline {
    counts: BTreeMap<Key, usize>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Key {
    file: String,
    /// Its number.
    code: String,
    /// The same line can mean more than it did.
    severity: String,
    #[serde(flatten)]
    line: Text,
}

/// The text of a line, without white space around it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Text {
    /// Empty if the finding is about the file as a whole.
    Text(String),
    /// In hexadecimal digits, if the line is long or not UTF-8.
    Sha256(String),
}

#[derive(Serialize, Deserialize)]
struct Document {
    version: u32,
    findings: Vec<Counted>,
}

#[derive(Serialize, Deserialize)]
struct Counted {
    #[serde(flatten)]
    key: Key,
    count: usize,
}

/// What findings of a file are known by.
struct Keys<'f> {
    /// The file's name as it was given.
    file: String,
    bytes: &'f [u8],
    lines: Lines,
}

impl<'f> Keys<'f> {
    fn of(name: &str, bytes: &'f [u8]) -> Keys<'f> {
        let file = name.replace(std::path::MAIN_SEPARATOR, "/");
        let file = file.strip_prefix("./").unwrap_or(&file).to_owned();
        Keys { file, bytes, lines: Lines::of(bytes) }
    }

    fn key(&self, finding: &Finding) -> Key {
        // Their lines say nothing about them.
        let of_file = [Code::ByteOrderMark, Code::Utf16, Code::Html, Code::SizeLimit];
        let is_of_file = of_file.contains(&finding.code) || finding.code == Code::ContentType;
        let line = if is_of_file { 0..0 } else { self.lines.span(finding.line) };
        let line = self.bytes[line].trim_ascii();
        let line = match str::from_utf8(line) {
            Ok(text) if text.len() <= SHOWN_BYTES => Text::Text(text.to_owned()),
            _ => Text::Sha256(ContentHash::of(line).to_string()),
        };
        let (code, severity) = (finding.code.number(), finding.severity.as_str());
        let file = self.file.clone();
        Key { file, code: code.to_owned(), severity: severity.to_owned(), line }
    }
}

/// What is done about findings that are known.
pub enum Known<'p> {
    /// None is known.
    Nothing,
    /// Those of a baseline are not reported.
    Taken {
        /// What is left of it.
        baseline: Baseline,
        /// The number that were found again.
        count: usize,
        /// The files that were linted.
        files: HashSet<String>,
    },
    /// All go to a baseline.
    Written(Baseline, &'p Path),
}

impl<'p> Known<'p> {
    /// Reads the one baseline, or begins the other.
    ///
    /// # Errors
    /// Returns an error if the one cannot be read or is no baseline, or if the other would replace
    /// a file that is none.
    pub fn of(read: Option<&Path>, written: Option<&'p Path>) -> Result<Known<'p>, Failure> {
        Ok(match (read, written) {
            (Some(path), _) => {
                let baseline = Baseline::read(path)?;
                Known::Taken { baseline, count: 0, files: HashSet::new() }
            }
            (None, Some(path)) => {
                Baseline::refuse_other(path)?;
                Known::Written(Baseline::default(), path)
            }
            (None, None) => Known::Nothing,
        })
    }

    /// Takes the findings of a file out that are known, the first of equal ones first; or writes
    /// all of them down, and returns `true`.
    pub fn take(&mut self, name: &str, bytes: &[u8], found: &mut Report) -> bool {
        match self {
            Known::Nothing => false,
            Known::Taken { baseline, count, files } => {
                let keys = Keys::of(name, bytes);
                let before = found.findings.len();
                found.findings.retain(|finding| !baseline.has(&keys.key(finding)));
                *count += before - found.findings.len();
                files.insert(keys.file);
                false
            }
            Known::Written(baseline, _) => {
                let keys = Keys::of(name, bytes);
                for finding in &found.findings {
                    *baseline.counts.entry(keys.key(finding)).or_default() += 1;
                }
                true
            }
        }
    }

    /// The number of findings that were known.
    pub fn count(&self) -> usize {
        if let Known::Taken { count, .. } = self { *count } else { 0 }
    }

    /// Says how many findings of these files are in the baseline and did not occur.
    pub fn say_gone(&self) {
        let Known::Taken { baseline, files, .. } = self else { return };
        let of_them = baseline.counts.iter().filter(|(key, _)| files.contains(&key.file));
        let gone: usize = of_them.map(|(_, count)| count).sum();
        if gone > 0 {
            stderr::note(&format_args!(
                "{gone} of the findings in the baseline {} no longer there: --write-baseline writes \
                 it anew",
                if gone == 1 { "is" } else { "are" }
            ));
        }
    }

    /// Writes the baseline, if one is to be written: returns whether that is so.
    ///
    /// # Errors
    /// Returns an error if a file could not be read, or if it cannot be written.
    pub fn write(&mut self, failed: bool) -> Result<bool, Failure> {
        let Known::Written(baseline, path) = self else { return Ok(false) };
        if failed {
            return Err(Failure::Incomplete(format!(
                "baseline '{}' was not written, because a file could not be read",
                path.display()
            )));
        }
        let count = std::mem::take(baseline).write(path)?;
        let findings = if count == 1 { "finding" } else { "findings" };
        stderr::note(&format_args!("wrote {count} {findings} to '{}'", path.display()));
        Ok(true)
    }
}

impl Baseline {
    /// Reads a baseline.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or is no baseline.
    fn read(path: &Path) -> Result<Baseline, Failure> {
        let failed = |cause| {
            let action = format!("cannot read baseline '{}'", path.display());
            Failure::io(action, cause).advise("'lint --write-baseline FILE' makes baselines")
        };
        let text = small_file(path).map_err(failed)?;
        let document: Document = serde_json::from_slice(&text).map_err(|cause| {
            failed(io::Error::new(io::ErrorKind::InvalidData, cause.to_string()))
        })?;
        if document.version != VERSION {
            let version = document.version;
            return Err(failed(io::Error::other(format!(
                "its version is {version}, and this program reads version {VERSION}"
            ))));
        }
        let mut counts = BTreeMap::new();
        for Counted { key, count } in document.findings {
            *counts.entry(key).or_default() += count;
        }
        Ok(Baseline { counts })
    }

    /// Refuses to replace a file that is no baseline: a forgotten name would cost a robots.txt.
    ///
    /// # Errors
    /// Returns an error if the file exists and is neither empty nor a baseline.
    fn refuse_other(path: &Path) -> Result<(), Failure> {
        let is_other = fs::metadata(path).is_ok_and(|found| found.len() > 0)
            && small_file(path)
                .ok()
                .is_none_or(|text| serde_json::from_slice::<Document>(&text).is_err());
        if is_other {
            return Err(Failure::Usage(format!(
                "'{}' exists and is not a baseline: name another file with --write-baseline FILE",
                path.display()
            )));
        }
        Ok(())
    }

    /// Takes a finding out, if it is there.
    fn has(&mut self, key: &Key) -> bool {
        match self.counts.get_mut(key) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        }
    }

    /// Writes the baseline in the place of a file, which stays as it is if that fails. Returns how
    /// many findings it has.
    fn write(self, path: &Path) -> Result<usize, Failure> {
        let failed =
            |cause| Failure::io(format!("cannot write baseline '{}'", path.display()), cause);
        let count = self.counts.values().sum();
        let findings = self.counts.into_iter().map(|(key, count)| Counted { key, count });
        let document = Document { version: VERSION, findings: findings.collect() };
        let mut file = temporary(path).map_err(failed)?;
        let text = serde_json::to_string_pretty(&document).map_err(io::Error::from);
        text.and_then(|text| writeln!(file, "{text}")).map_err(failed)?;
        file.persist().map_err(failed)?;
        Ok(count)
    }
}
