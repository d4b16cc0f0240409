//! The sites of packs, written into other packs.

use std::error::Error;
use std::fmt;
use std::io::{self, Write};

use robotsieve::pack::{Pack, PackError, Site, Writer};
use robotsieve::{Origin, Profile, SiteKind};
use robotsieve_client::outcome::{AsOf, Protocol};

use super::captured::{add, basis};
use crate::{Basis, History};

/// Copies sites to the writers that `which` names for their origins. What several packs have for an
/// origin is its history, and the last pack comes last of those with equally new answers. Returns
/// the number of origins.
///
/// # Errors
/// Returns an error if a pack is damaged, which is a [`CopyError`], or a writer fails.
pub fn copy<W: Write>(
    packs: &[&Pack<'_>],
    profile: &Profile,
    writers: &mut [Writer<'static, W>],
    which: impl Fn(&Origin<'_>) -> Option<usize>,
) -> io::Result<u64> {
    let protocol = Protocol::of(profile);
    let mut count = 0;
    for (number, pack) in packs.iter().enumerate() {
        for site in pack.sites() {
            let site = site.map_err(|error| CopyError::io(number, error))?;
            let mut copied = None;
            for origin in site.origins() {
                // The other schemes have the same shard.
                let Some(writer) = which(&origin) else { break };
                let told = told(packs, &protocol, (number, site), &origin)?;
                let Some((kind, basis)) = told else { continue };
                let writer = &mut writers[writer];
                let outcome = kind.try_with(|| {
                    if copied.is_none() {
                        let put = writer.put_site(&site);
                        copied = put.map_err(|error| CopyError::of(number, error))?.rules();
                    }
                    copied.ok_or_else(|| io::Error::other("rules without a file"))
                })?;
                add(writer, &origin, outcome, basis)?;
                count += 1;
            }
        }
    }
    Ok(count)
}

/// What all packs come to for an origin, and on what that rests, if it comes from this site of
/// the pack with this number.
fn told(
    packs: &[&Pack<'_>],
    protocol: &Protocol,
    (number, site): (usize, Site<'_>),
    origin: &Origin<'_>,
) -> io::Result<Option<(SiteKind, Basis)>> {
    let (mut history, mut is_alone) = (History::default(), true);
    for (of, pack) in packs.iter().enumerate() {
        let site = match of == number {
            true => Some(site),
            false => pack.get(origin).map_err(|error| CopyError::io(of, error))?,
        };
        let Some(site) = site else { continue };
        is_alone &= of == number;
        history.push_kept(site.kind(), basis(&site), of);
    }
    if is_alone {
        return Ok(Some((site.kind(), basis(&site))));
    }
    let settled = history.settle(protocol, AsOf::Capture).filter(|settled| settled.of == number);
    Ok(settled.map(|settled| (settled.holds, settled.basis)))
}

/// Damage of a pack that is copied.
#[derive(Debug)]
pub struct CopyError {
    /// The number of the pack.
    pub number: usize,
    /// The damage.
    pub error: PackError,
}

impl CopyError {
    fn io(number: usize, error: PackError) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, CopyError { number, error })
    }

    /// The same of what a writer says of a pack that it reads.
    fn of(number: usize, error: io::Error) -> io::Error {
        match error.downcast::<PackError>() {
            Ok(damage) => CopyError::io(number, damage),
            Err(error) => error,
        }
    }
}

impl fmt::Display for CopyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl Error for CopyError {}
