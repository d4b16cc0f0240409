//! Captures as they stream in: files are compiled by all threads and written to the pack at once;
//! what is left of a capture is a small row that waits on disk.

use std::collections::HashSet;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;

use rayon::prelude::*;
use robotsieve::Origin;
use robotsieve::SiteRules;
use robotsieve::pack::{Pack, Packed, Recipe, Writer, Written};
use robotsieve_client::Timestamp;
use robotsieve_client::outcome::{AsOf, Said};
use robotsieve_rights::packed;

use super::making::Judging;
use super::settle::{PackedAt, PackedOrigin, as_io, held_before, settled};
use crate::{Answered, Capture, Gathered, Lead, RecordNames, Says, SiteAnswer};

/// An input of packs.
#[expect(clippy::large_enum_variant, reason = "nearly all are captures")]
pub enum GatherInput {
    /// What a site answered.
    Capture(Capture),
    /// A file of these origins, which is read by the thread that compiles it. It counts as answered
    /// with 200 at an unknown time; one that cannot be read as an answer that is not known.
    File {
        /// The keys of the origins.
        keys: Vec<String>,
        /// Reads it.
        read: ReadFile,
    },
}

/// Reads a file, or says why it cannot be read.
pub type ReadFile = Box<dyn FnOnce() -> Result<Vec<u8>, Unread> + Send>;

/// Why a file could not be read.
pub type Unread = Box<dyn Display + Send>;

impl GatherInput {
    /// About how much memory it takes.
    #[must_use]
    pub fn weight(&self) -> usize {
        match self {
            // Robots.txt files are small.
            GatherInput::File { .. } => 4096,
            GatherInput::Capture(capture) => 256 + capture.answer.body().map_or(0, <[u8]>::len),
        }
    }
}

/// Captures on their way into a pack.
pub struct Gather<'g, W> {
    writer: Writer<'static, W>,
    recipe: Recipe,
    /// The pack that is being updated, if there is one.
    before: Option<&'g Pack<'g>>,
    judging: &'g Judging,
    rows: Gathered<PackedAt>,
    later: u64,
    unread: u64,
}

/// The number of captures there were.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Captures that count.
    pub captures: u64,
    /// Captures that were left out because they are later than wanted.
    pub later: u64,
    /// Redirects and revisits of what the sources do not have.
    pub lost: u64,
}

/// A capture that was read, and compiled if need be.
struct Ready {
    keys: Vec<String>,
    /// True if the keys are those of origins.
    is_origin: bool,
    at: Timestamp,
    says: ReadySays,
    names: RecordNames,
}

enum ReadySays {
    /// Something without a file.
    Says(Says<Box<str>, PackedAt>),
    File(ReadyFile, Option<u32>),
}

/// A file and what is to be done with it.
struct ReadyFile {
    bytes: Vec<u8>,
    is_cut: bool,
    content: u128,
    packed: Option<Packed>,
    /// For each key whether the pack that is being updated has the same for it.
    as_before: Vec<bool>,
}

impl<'g, W: Write + Send> Gather<'g, W> {
    /// Begins a pack, or the update of one. `folder` takes the temporary files.
    ///
    /// # Errors
    /// Returns an error if they cannot be made.
    pub fn new(
        writer: Writer<'static, W>,
        before: Option<&'g Pack<'g>>,
        judging: &'g Judging,
        folder: &Path,
    ) -> io::Result<Gather<'g, W>> {
        let (recipe, rows) = (writer.recipe().clone(), Gathered::new(folder)?);
        Ok(Gather { writer, recipe, before, judging, rows, later: 0, unread: 0 })
    }

    /// Takes captures, with all threads of the present pool. Returns why files could not be read.
    ///
    /// # Errors
    /// Returns an error if the pack or a temporary file cannot be written, or if the pack that is
    /// being updated is damaged.
    pub fn add(&mut self, inputs: Vec<GatherInput>) -> io::Result<Vec<Unread>> {
        let (mut ready, mut unread) = (Vec::with_capacity(inputs.len()), Vec::new());
        let read: Vec<(Option<Ready>, Option<Unread>)> =
            inputs.into_par_iter().map(|input| read(&self.recipe, input)).collect();
        for (capture, cause) in read {
            let origins = capture.as_ref().map_or(0, |capture| capture.keys.len() as u64);
            self.unread += if cause.is_some() { origins } else { 0 };
            ready.extend(capture);
            unread.extend(cause);
        }
        if let AsOf::Time(as_of) = self.judging.as_of {
            let later = ready.extract_if(.., |ready| ready.at > as_of);
            self.later += later.map(|ready| ready.keys.len() as u64).sum::<u64>();
        }
        let mut met = HashSet::new();
        let compile = ready.iter_mut().filter_map(|ready| match &mut ready.says {
            ReadySays::File(file, _) => {
                // An update compares each file with what the pack has for its origin.
                let is_new = self.before.is_some()
                    || self.writer.known(file.content).is_none() && met.insert(file.content);
                is_new.then_some((&ready.keys, file))
            }
            ReadySays::Says(_) => None,
        });
        let compile: Vec<_> = compile.collect();
        compile.into_par_iter().try_for_each(|(keys, file)| {
            let packed = packed::pack(&self.recipe, &file.bytes, file.is_cut);
            if let Some(before) = self.before {
                let holds = keys.iter().map(|key| holds(before, key, &packed));
                file.as_before = holds.collect::<io::Result<_>>()?;
            }
            file.packed = Some(packed);
            io::Result::Ok(())
        })?;
        ready.into_iter().try_for_each(|ready| self.keep(ready))?;
        Ok(unread)
    }

    fn keep(&mut self, ready: Ready) -> io::Result<()> {
        let Ready { keys, is_origin, at, says, names } = ready;
        let (file, lifetime) = match says {
            ReadySays::File(file, lifetime) => (file, lifetime),
            ReadySays::Says(says) => {
                let says = says.map(|key| &**key, PackedAt::clone);
                return keys
                    .iter()
                    .try_for_each(|key| self.rows.put(key, is_origin, at, says.clone(), &names));
            }
        };
        // What the pack has for one of the origins is new for the others, but need not be written
        // again.
        let place = match file.as_before.iter().position(|is_as_before| *is_as_before) {
            Some(first) => PackedAt::Before((&*keys[first]).into()),
            None => PackedAt::Put(match self.writer.known(file.content) {
                Some(put) => put.to_bytes(),
                None => {
                    let pack = || packed::pack(&self.recipe, &file.bytes, file.is_cut);
                    let packed = file.packed.unwrap_or_else(pack);
                    self.writer.put(&packed)?.to_bytes()
                }
            }),
        };
        for (number, key) in keys.iter().enumerate() {
            let place = match file.as_before.get(number) {
                Some(true) => PackedAt::Before((&**key).into()),
                _ => place.clone(),
            };
            let says = Says::Answer(Said::File(lifetime), Some(place));
            self.rows.put(key, is_origin, at, says, &names)?;
        }
        Ok(())
    }

    /// Follows redirects, finds out what holds for each origin, and gives it to `act`: in the order
    /// of [`Gathered::settle`].
    ///
    /// # Errors
    /// Returns an error if a temporary file cannot be read, if the pack that is being updated is
    /// damaged, or if `act` fails.
    pub fn settle(
        self,
        mut act: impl FnMut(&mut Writer<'static, W>, &Origin<'_>, PackedOrigin) -> io::Result<()>,
    ) -> io::Result<(Writer<'static, W>, Counts)> {
        let (before, judging) = (self.before, self.judging);
        self.histories(|writer, origin, answers| match settled(origin, answers, before, judging)? {
            Some(settled) => act(writer, origin, settled),
            None => Ok(()),
        })
    }

    /// Follows redirects, and gives all answers of each origin to `act`, with the places of their files: in
    /// the order of [`Gathered::settle`].
    ///
    /// # Errors
    /// Returns an error if a temporary file cannot be read, if the pack that is being updated is
    /// damaged, or if `act` fails.
    pub fn histories(
        self,
        mut act: impl FnMut(
            &mut Writer<'static, W>,
            &Origin<'_>,
            &[Answered<'_, PackedAt>],
        ) -> io::Result<()>,
    ) -> io::Result<(Writer<'static, W>, Counts)> {
        let Gather { mut writer, before, rows, later, unread, .. } = self;
        let captures = rows.count() - unread;
        let elsewhere = |lead: &Lead<&str>| match lead.exactly {
            None => held_before(before, lead.to),
            Some(_) => Ok(None),
        };
        let lost = rows.settle(elsewhere, |origin, answers| act(&mut writer, origin, answers))?;
        Ok((writer, Counts { captures, later, lost }))
    }
}

impl PackedOrigin {
    /// What was put into the pack that is being written.
    ///
    /// # Errors
    /// Returns an error for what is in the pack that is being updated.
    pub fn outcome(self) -> io::Result<SiteRules<Written>> {
        self.holds.kind().try_with(|| match self.holds.rules() {
            Some(place) => place.written(),
            None => Err(io::Error::other("rules without a file")),
        })
    }
}

impl PackedAt {
    /// What was put into the pack that is being written.
    ///
    /// # Errors
    /// Returns an error for what is in the pack that is being updated.
    pub fn written(&self) -> io::Result<Written> {
        match self {
            PackedAt::Put(bytes) => Ok(Written::from_bytes(*bytes)),
            PackedAt::Before(_) => Err(io::Error::other("rules of another pack")),
        }
    }
}

/// Whether a pack has this for an origin.
fn holds(pack: &Pack<'_>, key: &str, packed: &Packed) -> io::Result<bool> {
    let Ok(origin) = Origin::of(key) else { return Ok(false) };
    match pack.get(&origin).map_err(as_io)? {
        Some(site) => site.holds(packed).map_err(as_io),
        None => Ok(false),
    }
}

/// What is to be kept of an input, or nothing if it says nothing of its site; and why its file could not be read.
fn read(recipe: &Recipe, input: GatherInput) -> (Option<Ready>, Option<Unread>) {
    let file = |bytes: Vec<u8>, is_cut, lifetime| {
        let content = packed::content(recipe, &bytes, is_cut);
        let (packed, as_before) = (None, Vec::new());
        ReadySays::File(ReadyFile { bytes, is_cut, content, packed, as_before }, lifetime)
    };
    match input {
        GatherInput::File { keys, read } => {
            let (says, unread) = match read() {
                Ok(bytes) => (Some(file(bytes, false, None)), None),
                Err(unread) => {
                    (SiteAnswer::unknown().says(Timestamp(0)).map(ReadySays::Says), Some(unread))
                }
            };
            let (at, names) = (Timestamp(0), RecordNames::default());
            (says.map(|says| Ready { keys, is_origin: true, at, says, names }), unread)
        }
        GatherInput::Capture(capture) => {
            let (at, keys) = (capture.time(), vec![capture.key().to_owned()]);
            let is_origin = capture.other.is_none();
            let ready = capture.answer.says(at).map(|says| {
                let says = match (says, capture.answer) {
                    (Says::Answer(Said::File(lifetime), _), SiteAnswer::Final(response)) => {
                        let is_cut = response.is_truncated || response.is_part();
                        file(response.body, is_cut, lifetime)
                    }
                    (says, _) => ReadySays::Says(says),
                };
                Ready { keys, is_origin, at, says, names: capture.names }
            });
            (ready, None)
        }
    }
}
