//! A store written anew, to another file.

use std::fs::File;
use std::path::Path;
use std::{io, iter};

use super::error::{Fault, StoreError};
use super::file::{CACHE_BYTES, StoreFile};
use super::sweep::Pruned;
use super::unnamed::PREFIX;
use super::writer::{put_files, put_many};
use crate::time::Timestamp;

/// Writes the origins that are not older, and their bodies, to a new store. It gets its name when it is
/// complete.
pub(super) fn copy(
    store: &StoreFile,
    path: &Path,
    older_than: Timestamp,
) -> Result<Pruned, StoreError> {
    let failed = |cause: io::Error| Fault::from(cause).at(path);
    if path.symlink_metadata().is_ok() {
        let text = "it exists already; name a new file";
        return Err(failed(io::Error::new(io::ErrorKind::AlreadyExists, text)));
    }
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let folder = folder.unwrap_or(Path::new("."));
    let mut named = tempfile::Builder::new();
    // As open to others as any new file.
    #[cfg(unix)]
    named.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let new = named.prefix(PREFIX).tempfile_in(folder).map_err(failed)?;
    let new = new.into_temp_path();
    // An error is told as that of the file that is wanted.
    let of_new = |error: StoreError| error.fault().clone().at(path);
    let (from, mut pruned, mut damage) = (store.snapshot(), Pruned::default(), None);
    let copy = StoreFile::open_or_create(&new, CACHE_BYTES).map_err(of_new)?;
    let mut rows = from.rows()?;
    let rows = iter::from_fn(|| from.next_of(&mut rows).transpose());
    let rows = rows.filter_map(|row| match row {
        Ok((_, state)) if state.attempted < older_than => {
            pruned.origins += 1;
            None
        }
        Ok((key, state)) => {
            let found = from.get_with_body(&key);
            Some(found.map(|found| (key, state, found.and_then(|(_, body)| body))))
        }
        Err(error) => Some(Err(error)),
    });
    let rows = rows.map_while(|row| row.map_err(|error| damage = Some(error)).ok());
    put_many(&copy, rows).map_err(of_new)?;
    damage.map_or(Ok(()), Err)?;
    for url in from.file_urls()? {
        match from.file(&url)? {
            Some((state, body)) if state.attempted >= older_than => {
                put_files(&copy, [(url, state, body)]).map_err(of_new)?;
            }
            _ => pruned.files += 1,
        }
    }
    let bodies = copy.snapshot().bodies_len()?;
    pruned.bodies = from.bodies_len()?.saturating_sub(bodies);
    drop(copy);
    StoreFile::compact(&new).map_err(of_new)?;
    new.persist_noclobber(path).map_err(|error| failed(error.error))?;
    // Where folders cannot be opened, the name is durable anyway.
    if let Ok(folder) = File::open(folder) {
        folder.sync_all().ok();
    }
    Ok(pruned)
}
