//! Captures as they stream in: files are compiled by all threads and written to the pack at once;
//! what is left of a capture is a small row that waits on disk.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use robotsieve::Origin;
use robotsieve::pack::{Pack, Packed, Recipe, Writer};
use robotsieve_client::Timestamp;
use robotsieve_client::outcome::{AsOf, Said};
use serde::{Deserialize, Serialize};

use super::spill::{Spill, partition_of};
use crate::error::Failure;
use crate::read::{packs, robots_file};
use crate::write::stderr;
use robotsieve_client::captures::{Answer, Capture, Key};

/// What a source yields.
pub enum Input {
    Capture(Capture),
    /// A file of a folder or a list, which is read by the thread that compiles it. It counts as
    /// answered with 200 at an unknown time.
    File {
        keys: Vec<String>,
        path: PathBuf,
    },
}

impl Input {
    /// About how much memory it takes.
    pub fn weight(&self) -> usize {
        match self {
            // Robots.txt files are small.
            Input::File { .. } => 4096,
            Input::Capture(capture) => 256 + capture.answer.body().map_or(0, <[u8]>::len),
        }
    }
}

/// What is left of a capture.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Row<'r> {
    /// What was asked for: [`Capture::key`].
    pub key: &'r str,
    /// Seconds since 1970; 0 if unknown.
    pub at: u64,
    /// Captures are numbered as they come.
    pub number: u64,
    #[serde(borrow)]
    pub what: What<'r>,
}

/// What a capture says.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum What<'r> {
    /// A final answer after so many redirects, and where its file is.
    Said(u8, Said, #[serde(borrow)] Place<'r>),
    /// A redirect to this key.
    Redirect(&'r str),
    /// The same as another capture: its key and time.
    Same(&'r str, u64),
    /// A redirect to what the sources do not have.
    Lost,
}

/// Where the compiled file of an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Place<'r> {
    /// There is no file.
    Nowhere,
    /// In the pack that is being written.
    Put([u8; 8]),
    /// In the pack that is being updated: it is what that has for this origin.
    Before(&'r str),
}

/// A redirect, or a reference to an equal capture, that waits for its target.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Request<'r> {
    /// What is looked for.
    pub target: &'r str,
    /// The origin that wants to know.
    pub source: &'r str,
    /// Time and number of the capture with the first redirect.
    pub at: u64,
    pub number: u64,
    /// How many redirects led here.
    pub hops: u8,
    /// The time of the capture that is meant; `None` for the nearest one.
    pub exactly: Option<u64>,
}

/// Reads captures and keeps what is left of them.
pub struct Gather<'g, W> {
    pub writer: Writer<'static, W>,
    recipe: Recipe,
    /// The pack that is being updated, if there is one.
    before: Option<&'g Pack<'g>>,
    /// Later captures are left out.
    as_of: AsOf,
    pub rows: Spill,
    pub requests: Spill,
    pub counts: Counts,
}

/// What there was.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub captures: u64,
    /// Captures that were left out because they are later than wanted.
    pub later: u64,
    /// Files that could not be read.
    pub unreadable: u64,
}

/// A capture that was read, and compiled if need be.
struct Ready {
    keys: Vec<String>,
    /// Whether the keys are those of origins.
    is_origin: bool,
    at: u64,
    what: ReadyWhat,
}

enum ReadyWhat {
    Said(Said),
    File(File, Option<u32>),
    Redirect(Option<String>),
    Same(String, u64),
    /// It says nothing of the site.
    Nothing,
    Unreadable(Failure),
}

/// A file and what is to be done with it.
struct File {
    bytes: Vec<u8>,
    content: u128,
    packed: Option<Packed>,
    /// For each key whether the pack that is being updated has the same for it.
    as_before: Vec<bool>,
}

impl<'g, W: Write + Send> Gather<'g, W> {
    /// `folder` takes the temporary files.
    ///
    /// # Errors
    /// Returns an error if they cannot be made.
    pub fn new(
        writer: Writer<'static, W>,
        before: Option<&'g Pack<'g>>,
        as_of: AsOf,
        folder: &Path,
    ) -> io::Result<Gather<'g, W>> {
        let recipe = writer.recipe().clone();
        let (rows, requests) = (Spill::new(folder)?, Spill::new(folder)?);
        let counts = Counts::default();
        Ok(Gather { writer, recipe, before, as_of, rows, requests, counts })
    }

    /// Takes captures, with all threads of the present pool.
    ///
    /// # Errors
    /// Returns an error if the pack or a temporary file cannot be written, or if the pack that is
    /// being updated is damaged.
    pub fn add(&mut self, inputs: Vec<Input>) -> io::Result<()> {
        let mut ready: Vec<Ready> =
            inputs.into_par_iter().map(|input| read(&self.recipe, input)).collect();
        if let AsOf::Time(as_of) = self.as_of {
            let later = ready.extract_if(.., |ready| ready.at > as_of.0);
            self.counts.later += later.map(|ready| ready.keys.len() as u64).sum::<u64>();
        }
        let mut met = HashSet::new();
        let compile = ready.iter_mut().filter_map(|ready| match &mut ready.what {
            ReadyWhat::File(file, _) => {
                // An update compares each file with what the pack has for its origin.
                let is_new = self.before.is_some()
                    || self.writer.known(file.content).is_none() && met.insert(file.content);
                is_new.then_some((&ready.keys, file))
            }
            _ => None,
        });
        let compile: Vec<_> = compile.collect();
        compile.into_par_iter().try_for_each(|(keys, file)| {
            let packed = self.recipe.pack(&file.bytes);
            if let Some(before) = self.before {
                let holds = keys.iter().map(|key| holds(before, key, &packed));
                file.as_before = holds.collect::<io::Result<_>>()?;
            }
            file.packed = Some(packed);
            io::Result::Ok(())
        })?;
        ready.into_iter().try_for_each(|ready| self.keep(ready))
    }

    fn keep(&mut self, ready: Ready) -> io::Result<()> {
        let Ready { keys, is_origin, at, what } = ready;
        let target: String;
        let mut as_before = Vec::new();
        let what = match what {
            ReadyWhat::Nothing => return Ok(()),
            ReadyWhat::Unreadable(failure) => {
                self.counts.unreadable += 1;
                stderr::error(&format_args!("{failure}; its host is not in the pack"));
                return Ok(());
            }
            ReadyWhat::Said(said) => What::Said(0, said, Place::Nowhere),
            ReadyWhat::Redirect(None) => What::Said(0, Said::NoTarget, Place::Nowhere),
            ReadyWhat::Redirect(Some(to)) => {
                target = to;
                What::Redirect(&target)
            }
            ReadyWhat::Same(key, at) => {
                target = key;
                What::Same(&target, at)
            }
            // What the pack has for one of the origins is new for the others, but need not be
            // written again.
            ReadyWhat::File(file, lifetime) if file.as_before.contains(&true) => {
                as_before = file.as_before;
                let first = as_before.iter().position(|is_as_before| *is_as_before);
                let place = first.map_or(Place::Nowhere, |first| Place::Before(&keys[first]));
                What::Said(0, Said::File(lifetime), place)
            }
            ReadyWhat::File(file, lifetime) => {
                let put = match self.writer.known(file.content) {
                    Some(put) => put,
                    None => {
                        let packed = file.packed.unwrap_or_else(|| self.recipe.pack(&file.bytes));
                        self.writer.put(&packed)?
                    }
                };
                What::Said(0, Said::File(lifetime), Place::Put(put.to_bytes()))
            }
        };
        for (key_number, key) in keys.iter().enumerate() {
            let what = match what {
                What::Said(redirects, said, _) if as_before.get(key_number) == Some(&true) => {
                    What::Said(redirects, said, Place::Before(key))
                }
                what => what,
            };
            let number = self.counts.captures;
            self.counts.captures += 1;
            self.rows.put(partition_of(key), &Row { key, at, number, what })?;
            let (target, hops, exactly) = match what {
                What::Redirect(target) => (target, 1, None),
                What::Same(target, at) => (target, 0, Some(at)),
                _ => continue,
            };
            if is_origin {
                let request = Request { target, source: key, at, number, hops, exactly };
                self.requests.put(partition_of(target), &request)?;
            }
        }
        Ok(())
    }
}

/// Whether a pack has this for an origin.
fn holds(pack: &Pack<'_>, key: &str, packed: &Packed) -> io::Result<bool> {
    let Ok(origin) = Origin::of(key) else { return Ok(false) };
    match pack.get(&origin).map_err(packs::as_io)? {
        Some(site) => site.holds(packed).map_err(packs::as_io),
        None => Ok(false),
    }
}

fn read(recipe: &Recipe, input: Input) -> Ready {
    let file = |bytes: Vec<u8>| {
        let content = recipe.content(&bytes);
        File { bytes, content, packed: None, as_before: Vec::new() }
    };
    match input {
        Input::File { keys, path } => {
            let what = match robots_file::read(&path) {
                Ok(bytes) => ReadyWhat::File(file(bytes), None),
                Err(failure) => ReadyWhat::Unreadable(failure),
            };
            Ready { keys, is_origin: true, at: 0, what }
        }
        Input::Capture(capture) => {
            let (at, key) = (capture.time().0, capture.key().to_owned());
            let what = match capture.answer {
                Answer::Redirect(redirect) => {
                    let key = Key::of(&redirect.to);
                    ReadyWhat::Redirect(key.map(|key| key.as_str().to_owned()))
                }
                Answer::Same(same) => ReadyWhat::Same(same.key.into(), same.at.0),
                answer => match (answer.said(Timestamp(at)), answer) {
                    (None, _) => ReadyWhat::Nothing,
                    (Some(Said::File(lifetime)), Answer::Final(response)) => {
                        ReadyWhat::File(file(response.body), lifetime)
                    }
                    (Some(said), _) => ReadyWhat::Said(said),
                },
            };
            let is_origin = capture.other.is_none();
            Ready { keys: vec![key], is_origin, at, what }
        }
    }
}
