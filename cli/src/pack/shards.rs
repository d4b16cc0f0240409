//! A folder of shards that becomes visible as a whole.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use robotsieve::pack::shard_of_name;
use robotsieve_client::pack_files::Lock;
use tempfile::TempDir;

use crate::error::Failure;
use crate::write::file::{folder_of, forget_folder, remove_at_end};

/// A folder of shards that is being written, beside the one that it becomes. It is removed unless
/// it becomes that, also when a signal ends the program.
pub struct Folder {
    temporary: TempDir,
    target: PathBuf,
}

impl Folder {
    /// # Errors
    /// Returns an error if there is something else at `target` than a folder of shards, or if
    /// nothing can be written beside it.
    pub fn new(target: &Path) -> Result<Folder, Failure> {
        let cannot =
            |cause| Failure::io(format!("cannot write shards to '{}'", target.display()), cause);
        match fs::metadata(target) {
            Ok(found) if !found.is_dir() => {
                return Err(Failure::Usage(format!(
                    "'{}' is a file: with --shards, name a folder with -o PATH",
                    target.display()
                )));
            }
            Ok(_) => only_shards(target).map_err(cannot)?.map_or(Ok(()), |other| {
                Err(Failure::Usage(format!(
                    "'{}' is in '{}', which the shards would replace: name another folder with -o \
                     PATH",
                    other.display(),
                    target.display()
                )))
            })?,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
            Err(cause) => return Err(cannot(cause)),
        }
        // Through links, so that the folder that is meant is replaced.
        let target = fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
        let beside = folder_of(&target).to_owned();
        let temporary = remove_at_end(&beside).map_err(|cause| match cause.kind() {
            io::ErrorKind::NotFound => {
                let none = format!("there is no folder '{}'", beside.display());
                cannot(io::Error::new(io::ErrorKind::NotFound, none))
            }
            _ => cannot(cause),
        })?;
        // It may be for its owner only.
        if let Ok(found) = fs::metadata(&target) {
            fs::set_permissions(temporary.path(), found.permissions()).map_err(cannot)?;
        }
        Ok(Folder { temporary, target })
    }

    /// Where a shard is to be written.
    pub fn path(&self, name: &str) -> PathBuf {
        self.temporary.path().join(name)
    }

    /// Puts the complete folder in its place, where it replaces the one before.
    pub fn persist(self) -> io::Result<()> {
        let new = self.temporary.path().to_owned();
        sync(&new)?;
        let _lock = Lock::to_replace(&self.target)?;
        if self.target.exists() {
            // The old one takes the place of the temporary one, and is removed with it.
            exchange(&new, &self.target)?;
            forget_folder(&new);
            self.temporary.close()?;
        } else {
            fs::rename(&new, &self.target)?;
            forget_folder(&new);
            // There is nothing left to remove.
            let _ = self.temporary.keep();
        }
        sync(folder_of(&self.target))
    }
}

/// What is in a folder beside shards, if there is anything.
fn only_shards(folder: &Path) -> io::Result<Option<PathBuf>> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_str().and_then(shard_of_name).is_none() {
            return Ok(Some(entry.path()));
        }
    }
    Ok(None)
}

/// Waits until the names in a folder are on the disk.
fn sync(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { fs::File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Swaps two folders, in one step where the system can do that.
fn exchange(new: &Path, old: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        match renameat_with(CWD, new, CWD, old, RenameFlags::EXCHANGE) {
            // Some file systems cannot.
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {}
            done => return Ok(done?),
        }
    }
    let aside = new.with_extension("old");
    fs::rename(old, &aside)?;
    fs::rename(new, old)?;
    fs::rename(&aside, new)
}
