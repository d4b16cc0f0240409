//! `robotsieve rights --verify`: are records what the archives say?
//!
//! The settings of the records are taken from the first; the archives are judged with them, as for new records,
//! and each record is compared with the one of the same place, member by member.

use std::collections::HashMap;
use std::path::Path;

use robotsieve_report::RIGHTS_SCHEMA;
use serde_json::Value;

use super::args::{AsOfDocuments, RightsArgs};
use crate::error::{Failure, Status};
use crate::options::Agent;
use crate::write::bytes::shown;
use crate::write::stderr;

/// Records to compare.
pub struct Verification {
    /// The records by the place of their response, each with its line in the file.
    records: HashMap<Key, (u64, Value)>,
    name: String,
    same: u64,
    differ: u64,
}

/// URL, time, file without its folder, and offset.
type Key = (String, String, String, Option<u64>);

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
        let text = std::fs::read(name);
        let name = shown(name.as_os_str().as_encoded_bytes());
        let text = text.map_err(|cause| Failure::io(format!("cannot read records '{name}'"), cause))?;
        let mut records = HashMap::new();
        let mut first: Option<Value> = None;
        for (line, number) in text.split(|byte| *byte == b'\n').zip(1..) {
            if line.trim_ascii().is_empty() {
                continue;
            }
            let record = serde_json::from_slice::<Value>(line).ok();
            let record = record.filter(|record| record["schema"] == RIGHTS_SCHEMA);
            let Some((record, key)) = record.and_then(|record| key(&record).map(|key| (record, key))) else {
                return Err(Failure::Usage(format!(
                    "{name}:{number}: expected a record of 'robotsieve rights --warc' ({RIGHTS_SCHEMA})"
                )));
            };
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
            records.insert(key, (number, record));
        }
        let Some(first) = first else {
            return Err(Failure::Usage(format!("'{name}' has no record")));
        };
        let text = |member: &str| first[member].as_str().unwrap_or_default();
        let of = |member: &str| {
            let what = format!("'{name}': this robotsieve does not know the {member} '{}'", text(member));
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
        Ok(Verification { records, name, same: 0, differ: 0 })
    }

    /// Compares what the archives say of a response with its record, if there is one.
    pub fn compare(&mut self, now: &Value) {
        let Some((line, record)) = key(now).and_then(|key| self.records.remove(&key)) else { return };
        let differs = |member: &&String| {
            // The folder of the archives is that of whoever read them; the version of the tool says who did.
            !matches!(member.as_str(), "file" | "tool_version") && record[&**member] != now[&**member]
        };
        let members = |value: &Value| -> Vec<String> {
            value.as_object().into_iter().flatten().map(|(member, _)| member.clone()).collect()
        };
        let mut all = members(&record);
        all.extend(members(now));
        match all.iter().find(differs) {
            None => self.same += 1,
            Some(member) => {
                self.differ += 1;
                if self.differ <= MOST_TOLD {
                    stderr::error(&format_args!(
                        "{}:{line}: '{member}' is {}, but {} by the archives",
                        self.name,
                        shown(record[member].to_string().as_bytes()),
                        shown(now[member].to_string().as_bytes())
                    ));
                }
            }
        }
    }

    /// Tells what was found. The records that were not compared have no response here.
    ///
    /// # Errors
    /// Never; it is as its callers want it.
    pub fn tell(self, has_faults: bool) -> Result<Status, Failure> {
        let Verification { records, name, same, differ } = self;
        let mut missing: Vec<u64> = records.values().map(|(line, _)| *line).collect();
        missing.sort_unstable();
        for line in missing.iter().take(MOST_TOLD as usize) {
            stderr::error(&format_args!("{name}:{line}: the archives do not have its response"));
        }
        let (count, missing) = (same + differ + missing.len() as u64, missing.len());
        stderr::note(&format_args!("records {count} same {same} differ {differ} missing {missing}"));
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
    let file = file.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    Some((text("url")?, text("captured")?, file, record["offset"].as_u64()))
}
