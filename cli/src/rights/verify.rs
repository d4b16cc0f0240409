//! `robotsieve rights --verify`: are records what the archives say?
//!
//! The settings of the records are taken from the first; the archives are judged with them, as for new records,
//! and each record is compared with the one of the same place, member by member. A line with a basis has to have
//! the digest that it names; records whose basis does not, or is not there, differ.

use std::collections::HashMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use robotsieve_client::lines::{Line, Lines, RECORD_BYTES};
use robotsieve_report::RIGHTS_SCHEMA;
use serde_json::{Map, Value};

use super::args::{AsOfDocuments, RightsArgs};
use super::row::{AFTER_DIGEST, BEFORE_DIGEST, digest};
use crate::error::{Failure, Status};
use crate::options::Agent;
use crate::write::bytes::shown;
use crate::write::stderr;

/// Records to compare.
pub struct Verification {
    /// The records by the place of their response, each with its line in the file.
    records: HashMap<Key, Vec<(u64, Value)>>,
    /// For the place of each record but for its file: the file in which the archives have the same response.
    files: HashMap<Place, Option<String>>,
    name: String,
    same: u64,
    differ: u64,
}

/// URL, time, file without its folder, and offset.
type Key = (String, String, String, Option<u64>);

/// The same without the file, and with the digest of the response.
type Place = (String, String, Option<u64>, String);

/// The most records that differ which are told one by one.
const MOST_TOLD: u64 = 20;

/// The members whose values are the same in all records of a run.
const SETTINGS: [&str; 6] =
    ["agent", "profile", "reading", "vocabulary", "as_of", "and_later_refusals"];

impl Verification {
    /// Reads records, and puts their settings in the place of the arguments.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, is empty, or has a line that is no record, or one with other
    /// settings than the first.
    pub fn read(name: &Path, args: &mut RightsArgs) -> Result<Verification, Failure> {
        let file = File::open(name);
        let name = shown(name.as_os_str().as_encoded_bytes());
        let cannot = |cause| Failure::io(format!("cannot read records '{name}'"), cause);
        let mut read = Lines::of(BufReader::new(file.map_err(cannot)?), RECORD_BYTES);
        let mut verification = Verification {
            records: HashMap::new(),
            files: HashMap::new(),
            name: name.clone(),
            same: 0,
            differ: 0,
        };
        let mut bases: HashMap<String, Option<Map<String, Value>>> = HashMap::new();
        // By their digests.
        let mut lines: HashMap<String, u64> = HashMap::new();
        let mut first: Option<Value> = None;
        let mut no_record = None;
        while let Some((number, line)) = read.next_line().map_err(cannot)? {
            let Line::Whole(line) = line else {
                return Err(Failure::Usage(format!(
                    "{name}:{number}: longer than {RECORD_BYTES} bytes"
                )));
            };
            if line.trim_ascii().is_empty() {
                continue;
            }
            if let Some((claimed, rest)) = split_basis(line) {
                let basis = serde_json::from_slice::<Map<String, Value>>(&rest).ok();
                let basis = basis.filter(|_| digest(&rest) == claimed);
                if basis.is_none() {
                    let what =
                        "its digest is not that of its members: it, or the digest, was changed";
                    verification.differs(number, what);
                }
                // Of two lines with one digest both have to be right.
                let known = bases.entry(claimed).or_insert_with(|| basis.clone());
                if basis.is_none() {
                    *known = None;
                }
                continue;
            }
            let record = serde_json::from_slice::<Value>(line).ok();
            // Which of two counts, readers disagree.
            if record.as_ref().is_some_and(|record| members(record) != members_in(line)) {
                verification.differs(number, "it has a member twice");
                continue;
            }
            let Some((key, mut record)) = record.and_then(|record| Some((key(&record)?, record)))
            else {
                no_record.get_or_insert(number);
                let what =
                    format!("expected a record of 'robotsieve rights --warc' ({RIGHTS_SCHEMA})");
                verification.differs(number, &what);
                continue;
            };
            // Without a place in the file, two may be of two responses.
            if key.3.is_some() {
                let first = *lines.entry(digest(line)).or_insert(number);
                if first != number {
                    verification
                        .differs(number, &format!("it is the record of line {first} again"));
                    continue;
                }
            }
            let basis = record["basis"].as_str().and_then(|basis| bases.get(basis)?.as_ref());
            let Some(basis) = basis else {
                let basis = shown(record["basis"].to_string().as_bytes());
                verification.differs(
                    number,
                    &format!("no line before it is the basis {basis} that it names"),
                );
                continue;
            };
            if let Some((member, _)) = basis
                .iter()
                .find(|(member, value)| record.get(member).is_some_and(|own| own != *value))
            {
                let member = shown(member.as_bytes());
                verification.differs(number, &format!("its basis has another '{member}' than it"));
                continue;
            }
            let members = basis.iter().map(|(name, value)| (name.clone(), value.clone()));
            record.as_object_mut().into_iter().for_each(|record| record.extend(members.clone()));
            if record["schema"] != RIGHTS_SCHEMA {
                let schema = shown(record["schema"].to_string().as_bytes());
                verification.differs(
                    number,
                    &format!("its basis is of another schema than {RIGHTS_SCHEMA}: {schema}"),
                );
                continue;
            }
            let first = first.get_or_insert_with(|| record.clone());
            let other = SETTINGS.iter().find(|setting| first[**setting] != record[**setting]);
            if let Some(setting) = other {
                return Err(Failure::Usage(format!(
                    "{name}:{number}: its '{setting}' is not that of the first record: verify the records of \
                     each run for themselves"
                )));
            }
            // The time is that of the run; only some records name it.
            if first["now"].is_null() {
                first["now"] = record["now"].clone();
            }
            verification.files.insert(place(&key, &record), None);
            verification.records.entry(key).or_default().push((number, record));
        }
        if first.is_none() && !bases.is_empty() && verification.differ > 0 {
            return Ok(verification);
        }
        let Some(first) = first else {
            return Err(Failure::Usage(match no_record {
                Some(line) => format!(
                    "{name}:{line}: expected a record of 'robotsieve rights --warc' ({RIGHTS_SCHEMA})"
                ),
                None => format!("'{name}' has no record"),
            }));
        };
        let text = |member: &str| first[member].as_str().unwrap_or_default();
        let of = |member: &str| {
            let what =
                format!("'{name}': this robotsieve does not know the {member} '{}'", text(member));
            Failure::Usage(what)
        };
        // No name has a slash, and every header that names a crawler has.
        let is_header = text("agent").contains('/');
        args.agent.0 = Some(Agent { text: text("agent").into(), is_header });
        args.reading = text("reading").parse().map_err(|_| of("reading"))?;
        let vocabulary = text("vocabulary").trim_start_matches("aipref-vocab-");
        args.vocabulary = Some(vocabulary.parse().map_err(|_| of("vocabulary"))?);
        args.profile.profile =
            Some(robotsieve::Profile::named(text("profile")).ok_or_else(|| of("profile"))?);
        args.now = match text("now") {
            "" => None,
            now => Some(now.parse().map_err(|_| of("now"))?),
        };
        args.as_of_documents = match text("as_of") {
            "newest" => AsOfDocuments::Newest,
            _ => AsOfDocuments::Page,
        };
        args.and_later_refusals = first["and_later_refusals"] == true;
        Ok(verification)
    }

    /// Returns true if nothing is left to be compared with the archives.
    pub fn is_done(&self) -> bool {
        self.records.is_empty()
    }

    fn differs(&mut self, line: u64, what: &str) {
        self.differ += 1;
        if self.differ <= MOST_TOLD {
            stderr::error(&format_args!("{}:{line}: {what}", self.name));
        }
    }

    /// Compares what the archives say of a response with its record, if there is one.
    pub fn compare(&mut self, now: &Value) {
        let Some(key) = key(now) else { return };
        if let Some(file) = self.files.get_mut(&place(&key, now)) {
            file.get_or_insert_with(|| key.2.clone());
        }
        let Some(records) = self.records.remove(&key) else { return };
        let now = without_folders(now.clone());
        for (line, record) in records {
            let record = without_folders(record);
            // The version of the tool says who judged; the digest of a basis covers it, and was looked at.
            let differs = |member: &&String| {
                !matches!(member.as_str(), "basis" | "tool_version")
                    && record.get(&**member) != now.get(&**member)
            };
            let members = [&record, &now].into_iter().flat_map(|value| value.as_object());
            match members.flat_map(Map::keys).find(differs) {
                None => self.same += 1,
                Some(member) => {
                    let said = |of: &Value| match of.get(member) {
                        Some(value) => shown(value.to_string().as_bytes()),
                        None => "missing".to_owned(),
                    };
                    let (was, is) = (said(&record), said(&now));
                    let member = shown(member.as_bytes());
                    self.differs(line, &format!("'{member}' is {was}, but {is} by the archives"));
                }
            }
        }
    }

    /// Tells what was found. The records that were not compared have no response here.
    ///
    /// # Errors
    /// Never; it is as its callers want it.
    pub fn tell(self, has_faults: bool) -> Result<Status, Failure> {
        let Verification { records, files, name, same, differ } = self;
        let mut missing: Vec<(u64, String)> = Vec::new();
        for (key, records) in records {
            let file = shown(key.2.as_bytes());
            for (line, record) in records {
                let what = match files.get(&place(&key, &record)) {
                    Some(Some(other)) => format!(
                        "its response is in a file '{}' now, and was in '{file}': give the file the name that it had",
                        shown(other.as_bytes())
                    ),
                    _ => format!(
                        "the archives do not have its response, which was in a file '{file}'"
                    ),
                };
                missing.push((line, what));
            }
        }
        missing.sort_unstable();
        for (line, what) in missing.iter().take(MOST_TOLD as usize) {
            stderr::error(&format_args!("{name}:{line}: {what}"));
        }
        let (count, missing) = (same + differ + missing.len() as u64, missing.len());
        stderr::note(&format_args!(
            "records {count} same {same} differ {differ} missing {missing}"
        ));
        Ok(match () {
            () if differ > 0 || missing > 0 => Status::No,
            () if has_faults => Status::Failed,
            () => Status::Done,
        })
    }
}

/// The place of a record. `None` if it names none.
fn key(record: &Value) -> Option<Key> {
    let text = |member: &str| Some(record[member].as_str()?.to_owned());
    let file = text("file")?;
    let file = file_name(&file).to_owned();
    Some((text("url")?, text("captured")?, file, record["offset"].as_u64()))
}

/// The place of a record in whatever file.
fn place((url, captured, _, offset): &Key, record: &Value) -> Place {
    let sha256 = record["sha256"].as_str().unwrap_or_default().to_owned();
    (url.clone(), captured.clone(), *offset, sha256)
}

/// The digest that a line with a basis names, and the basis without it. `None` if it is no such line.
fn split_basis(line: &[u8]) -> Option<(String, Vec<u8>)> {
    let after = line.strip_prefix(BEFORE_DIGEST.as_bytes())?;
    let end = memchr::memmem::find(after, AFTER_DIGEST.as_bytes())?;
    let rest = &after[end + AFTER_DIGEST.len()..];
    let digest = String::from_utf8_lossy(&after[..end]).into_owned();
    Some((digest, [b"{", rest.trim_ascii_end()].concat()))
}

/// The number of members in a value.
fn members(value: &Value) -> usize {
    match value {
        Value::Object(all) => all.len() + all.values().map(members).sum::<usize>(),
        Value::Array(all) => all.iter().map(members).sum(),
        _ => 0,
    }
}

/// The number of members in a text that is JSON: of strings before a colon.
fn members_in(text: &[u8]) -> usize {
    let (mut count, mut at) = (0, 0);
    while let Some(quote) = memchr::memchr(b'"', &text[at..]) {
        at += quote + 1;
        while let Some(&byte) = text.get(at).filter(|byte| **byte != b'"') {
            at += 1 + usize::from(byte == b'\\');
        }
        at = text.len().min(at + 1);
        count += usize::from(text[at..].trim_ascii_start().starts_with(b":"));
    }
    count
}

/// A record without the folders of its files: they are those of whoever read the archives.
fn without_folders(mut record: Value) -> Value {
    let name = |file: &mut Value| {
        if let Some(name) = file.as_str().map(|file| file_name(file).to_owned()) {
            *file = name.into();
        }
    };
    record.get_mut("file").into_iter().for_each(name);
    let documents = record.get_mut("documents").and_then(Value::as_array_mut);
    let documents = documents.into_iter().flatten();
    documents.filter_map(|document| document.get_mut("file")).for_each(name);
    record
}

fn file_name(file: &str) -> &str {
    file.rsplit(['/', '\\']).next().unwrap_or_default()
}
