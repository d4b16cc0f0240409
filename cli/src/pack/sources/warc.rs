//! Captures in WARC files.

use std::ffi::OsString;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;
use std::{thread, vec};

use robotsieve_captures::packs::GatherInput;
use robotsieve_captures::warc::{self, Counts, WarcItem};

use super::source::{CaptureSource, Faults};
use crate::error::Failure;
use crate::read::warc_files::{self, Damage, tell_unreadable};
use crate::write::stderr;

/// The number of captures that are handed on together, and about how many bytes.
const BATCH: usize = 256;
const BATCH_BYTES: usize = 1 << 20;

/// The number of batches that may wait.
const WAITING: usize = 8;

/// The captures of some files, in their order. The files are read by threads of their own.
pub struct Warc {
    batches: Option<Receiver<Vec<GatherInput>>>,
    batch: vec::IntoIter<GatherInput>,
    reader: Option<JoinHandle<Result<(Counts, u64), Failure>>>,
}

impl Warc {
    /// Begins to read the files; `-` is standard input.
    ///
    /// # Errors
    /// Returns an error if there can be no threads.
    pub fn open(names: Vec<OsString>, threads: usize) -> Result<Warc, Failure> {
        let (sender, receiver) = sync_channel::<Vec<GatherInput>>(WAITING);
        let read = move || {
            let (mut batch, mut bytes, mut missing) = (Vec::new(), 0, 0);
            let mut damage = Damage::default();
            let gone = |_| Failure::Thread("pack");
            let take = |item| {
                let captures = match item {
                    WarcItem::Capture(capture) => vec![capture],
                    WarcItem::Known(known) => {
                        if let Some(lack) = known.lacks() {
                            missing += 1;
                            stderr::error(&format_args!("{}: {lack}", known.place));
                        }
                        known.captures()
                    }
                    WarcItem::Damaged { place, what } => {
                        damage.tell(&place, &what);
                        return Ok(());
                    }
                    WarcItem::Unreadable(unreadable) => {
                        tell_unreadable(unreadable);
                        return Ok(());
                    }
                };
                for capture in captures {
                    let input = GatherInput::Capture(capture);
                    bytes += input.weight();
                    batch.push(input);
                }
                if batch.len() < BATCH && bytes < BATCH_BYTES {
                    return Ok(());
                }
                bytes = 0;
                sender.send(std::mem::take(&mut batch)).map_err(gone)
            };
            let counts = warc::read(warc_files::opened(&names), threads, take, |_| ())?;
            sender.send(batch).map_err(gone)?;
            Ok((counts, missing))
        };
        let reader = thread::Builder::new()
            .name("warc".into())
            .spawn(read)
            .map_err(|cause| Failure::io("cannot start threads", cause))?;
        Ok(Warc { batches: Some(receiver), batch: Vec::new().into_iter(), reader: Some(reader) })
    }
}

impl CaptureSource for Warc {
    fn next(&mut self, faults: &Faults) -> Option<GatherInput> {
        loop {
            if let Some(input) = self.batch.next() {
                return Some(input);
            }
            match self.batches.as_ref()?.recv() {
                Ok(batch) => self.batch = batch.into_iter(),
                Err(_) => {
                    self.batches = None;
                    match self.reader.take()?.join() {
                        Ok(Ok((counts, missing))) => {
                            faults.told(counts.damaged + counts.unreadable + missing);
                        }
                        Ok(Err(failure)) => faults.add(&failure),
                        Err(_) => faults.add(&Failure::Thread("WARC")),
                    }
                }
            }
        }
    }
}
