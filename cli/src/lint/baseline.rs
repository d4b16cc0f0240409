//! Findings that are known: `--baseline` and `--write-baseline`.
//!
//! A finding is known by its file, its code, its severity and the text of its line, so it stays known
//! when lines move. Equal ones are counted.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use robotsieve::lint::{Code, Finding};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::Failure;
use crate::lint::Linted;
use crate::read::small_file;
use crate::write::file::temporary;

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

impl Key {
    fn of(linted: &Linted, finding: &Finding) -> Key {
        // Their lines say nothing about them.
        let of_file = [Code::ByteOrderMark, Code::Utf16, Code::Html, Code::SizeLimit];
        let is_of_file = of_file.contains(&finding.code) || finding.code == Code::ContentType;
        let line = if is_of_file { 0..0 } else { linted.lines.span(finding.line) };
        let line = linted.bytes[line].trim_ascii();
        let line = match str::from_utf8(line) {
            Ok(text) if text.len() <= SHOWN_BYTES => Text::Text(text.to_owned()),
            _ => Text::Sha256(Sha256::digest(line).iter().map(|o| format!("{o:02x}")).collect()),
        };
        let file = file_of(linted);
        let (code, severity) = (finding.code.number(), finding.severity.as_str());
        Key { file, code: code.to_owned(), severity: severity.to_owned(), line }
    }
}

/// What a file is known by: its name as it was given.
pub fn file_of(linted: &Linted) -> String {
    let name = linted.name.replace(std::path::MAIN_SEPARATOR, "/");
    name.strip_prefix("./").unwrap_or(&name).to_owned()
}

impl Baseline {
    /// Reads a baseline.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or is no baseline.
    pub fn read(path: &Path) -> Result<Baseline, Failure> {
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
    pub fn refuse_other(path: &Path) -> Result<(), Failure> {
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

    /// Takes the findings out that are in the baseline, the first of equal ones first. Returns how
    /// many.
    pub fn take_known(&mut self, linted: &mut Linted) -> usize {
        let mut findings = std::mem::take(&mut linted.findings);
        let before = findings.len();
        findings.retain(|finding| match self.counts.get_mut(&Key::of(linted, finding)) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        });
        linted.findings = findings;
        before - linted.findings.len()
    }

    /// How many findings of these files are in the baseline and did not occur.
    pub fn gone(&self, files: &HashSet<String>) -> usize {
        let of_them = self.counts.iter().filter(|(key, _)| files.contains(&key.file));
        of_them.map(|(_, count)| count).sum()
    }

    /// Adds the findings of a file.
    pub fn add(&mut self, linted: &Linted) {
        for finding in &linted.findings {
            *self.counts.entry(Key::of(linted, finding)).or_default() += 1;
        }
    }

    /// Writes the baseline in the place of a file, which stays as it is if that fails. Returns how
    /// many findings it has.
    pub fn write(self, path: &Path) -> Result<usize, Failure> {
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
