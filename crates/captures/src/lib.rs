//! Captures: what is known of robots.txt files from elsewhere than our own fetcher.
//!
//! Every source of a pack or of a store (a folder, a list, lines of JSON, Parquet, a store, WARC
//! files) yields [`Capture`]s, in any order and several for an origin. What follows from them is the
//! same for whoever brings them together, a pack, a store, or Spark:
//!
//! 1. Captures with equal [`Capture::key`] belong together. A key is that of an origin, or the URL
//!    of something else that redirects may lead to ([`Key`]).
//! 2. A redirect stands for the capture of its target's key that is [`nearest`] in time, which may
//!    be a redirect again ([`CapturesOf::answer`]). After [`MAX_HOPS`] redirects there is no
//!    robots.txt: so loops need no other care. If there is no capture of the target, the redirect
//!    says nothing: it is left out of the history and counted; an origin of which nothing else is
//!    known is unknown. The answer counts at the time of the *first* redirect, with the number of
//!    redirects.
//! 3. A revisit is an answer of its own: its status and header are what the site said then. Where it says
//!    that there is a file ([`SiteAnswer::Same`]), the payload is that of the capture that it refers to:
//!    by the id of its record, else by URL and time, else by the digest of the payload. If that is not
//!    there, or had no file, it says nothing, and is counted likewise; a 304 then speaks of the file
//!    before it. A revisit without a header stands for the whole answer of the other.
//! 4. The answers of an origin are its [`History`], which settles what holds and which of them has
//!    the rules.
//!
//! [`Gathered`] does the second and third step for any number of captures in little memory: what it
//! keeps of a capture is a small row on disk, and the place of the body.
//!
//! Captures come from WARC files ([`warc`]), or from columns and members ([`Fields`]).
#![cfg_attr(docsrs, feature(doc_cfg))]

mod capture;
#[cfg(feature = "store")]
pub mod exchange;
mod fields;
mod gathered;
mod history;
mod in_force;
mod instant;
mod jsonl;
#[cfg(feature = "packs")]
pub mod packs;
mod payload;
mod spill;
pub mod warc;

pub use capture::{
    At, CLOCK_TOLERANCE, Capture, Key, MAX_URL_BYTES, RecordNames, RecordPlace, Same, SiteAnswer,
};
pub use fields::{Fields, time_of};
pub use gathered::{Answered, Gathered, Held};
pub use history::{
    Basis, Captured, CapturesOf, History, Lead, Led, MAX_HOPS, RepeatedAt, Repeats, Says, Settled,
    nearest,
};
pub use in_force::{Fit, Versions};
pub use instant::rfc3339;
pub use jsonl::capture_of_json;
pub use payload::PayloadClaim;
pub use spill::{PARTITIONS, Spill, partition_of};
