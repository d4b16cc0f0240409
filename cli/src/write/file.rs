//! Files that replace another one only when they are complete.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use tempfile::{Builder, NamedTempFile, TempDir};

use super::stdout;
use crate::error::{Failure, Status};

/// The files and folders that are to be removed if a signal ends the program. Locked while one of
/// them comes or goes.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A file that is removed unless it is complete: when it is dropped, and when a signal ends the
/// program.
pub struct Temporary {
    /// `None` only once it was persisted or dropped.
    file: Option<NamedTempFile>,
    target: PathBuf,
}

/// A temporary file in the folder of the file that it is going to replace: `path`, or what it
/// links to.
///
/// # Errors
/// Returns an error if `path` exists and is not a regular file, such as a device or a pipe.
pub fn temporary(path: &Path) -> io::Result<Temporary> {
    temporary_by(target(path)?, None)
}

/// As [`temporary`], but what replaces a link is the file itself: for files in a folder that others may
/// write to, too.
///
/// # Errors
/// As for [`temporary`].
pub fn temporary_beside_links(path: &Path) -> io::Result<Temporary> {
    match fs::symlink_metadata(path) {
        Ok(found) if !found.is_file() && !found.is_symlink() => {
            Err(io::Error::other("it exists and is not a regular file"))
        }
        _ => temporary_by(path.to_owned(), None),
    }
}

/// As [`temporary`], for one who holds a lock on `path`, so that nobody else makes such a file. Its name
/// follows from `path`, and [`remove_leftover`] finds what a program left that was killed.
///
/// # Errors
/// As for [`temporary`].
pub fn temporary_of_one(path: &Path) -> io::Result<Temporary> {
    let target = target(path)?;
    let name = leftover(&target);
    remove_leftover(&target);
    temporary_by(target, Some(&name))
}

/// Removes what a killed program left of a file that was going to replace this one.
pub fn remove_leftover(path: &Path) {
    // Mostly there is none. If it cannot be removed, making it anew will say so.
    let _ =
        target(path).and_then(|target| fs::remove_file(folder_of(&target).join(leftover(&target))));
}

fn leftover(target: &Path) -> OsString {
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(".new");
    name
}

/// A temporary file of a random name, or of this one.
fn temporary_by(target: PathBuf, name: Option<&OsStr>) -> io::Result<Temporary> {
    watch_signals()?;
    let folder = folder_of(&target);
    let mut builder = Builder::new();
    if let Some(name) = name {
        builder.prefix(name).rand_bytes(0);
    }
    // What it replaces may be for its owner only. Others are as any new file: the system applies the umask.
    let found = fs::symlink_metadata(&target).ok().filter(fs::Metadata::is_file);
    #[cfg(unix)]
    if found.is_none() {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    let file = builder.tempfile_in(folder).map_err(|cause| match cause.kind() {
        // Without the name of a file that the user never gave.
        kind @ io::ErrorKind::NotFound => {
            io::Error::new(kind, format!("there is no folder '{}'", folder.display()))
        }
        _ => cause,
    })?;
    unfinished.push(file.path().to_owned());
    if let Some(found) = found {
        file.as_file().set_permissions(found.permissions())?;
    }
    Ok(Temporary { file: Some(file), target })
}

impl Temporary {
    /// Gives it the owner and the permissions of the file that it is going to replace.
    pub fn take_after(&mut self, found: &fs::Metadata) -> io::Result<()> {
        let file = self.file.as_ref().expect("not persisted yet").as_file();
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt, fchown};
            let own = file.metadata()?;
            if (own.uid(), own.gid()) != (found.uid(), found.gid()) {
                fchown(file, Some(found.uid()), Some(found.gid()))?;
            }
        }
        file.set_permissions(found.permissions())
    }

    /// Moves the complete file to its place and returns its size in bytes.
    pub fn persist(self) -> io::Result<u64> {
        self.file.as_ref().expect("not persisted yet").as_file().sync_all()?;
        self.place()
    }

    /// Like [`Temporary::persist`], for one of many files: does not wait for the disk, so a
    /// machine that loses power may lose the file.
    pub fn place(mut self) -> io::Result<u64> {
        let file = self.file.as_ref().expect("not persisted yet").as_file();
        let bytes = file.metadata()?.len();
        self.go(|file, target| file.persist(target).map(|_| ()).map_err(|error| error.error))?;
        Ok(bytes)
    }

    /// Ends what `act` does with the file before a signal can end the program.
    fn go<T: Default>(
        &mut self,
        act: impl FnOnce(NamedTempFile, &Path) -> io::Result<T>,
    ) -> io::Result<T> {
        let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(file) = self.file.take() else { return Ok(T::default()) };
        let path = file.path().to_owned();
        let done = act(file, &self.target);
        unfinished.retain(|unfinished| *unfinished != path);
        done
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // A file that cannot be removed is no reason to fail: whatever went wrong is reported.
        let _ = self.go(|file, _| file.close());
    }
}

impl Write for Temporary {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_mut().expect("not persisted yet").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().expect("not persisted yet").flush()
    }
}

/// A temporary folder, as open to others as the umask says, that is removed unless [`forget_folder`] is called: when it is dropped, and
/// when a signal ends the program.
///
/// # Errors
/// Returns an error if it cannot be made.
pub fn remove_at_end(beside: &Path) -> io::Result<TempDir> {
    watch_signals()?;
    let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    let mut builder = Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o777));
    }
    let folder = builder.prefix(".tmp").tempdir_in(beside)?;
    unfinished.push(folder.path().to_owned());
    Ok(folder)
}

/// A folder stays, however the program ends.
pub fn forget_folder(path: &Path) {
    let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    unfinished.retain(|unfinished| unfinished != path);
}

/// Sees to it that unfinished files are removed when a signal ends the program.
fn watch_signals() -> io::Result<()> {
    static WATCHED: OnceLock<()> = OnceLock::new();
    if WATCHED.set(()).is_err() {
        return Ok(());
    }
    #[cfg(unix)]
    super::signals::before_the_end(|| {
        let unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        for path in &*unfinished {
            let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        }
        // Whoever waits for the lock goes on no more: the program ends.
        std::mem::forget(unfinished);
    })?;
    Ok(())
}

/// Prints the whole output of a command, or writes it to a file, which it replaces at once.
///
/// # Errors
/// Returns an error if it cannot be written. Then a file is as it was.
pub fn print_or_write(path: Option<&Path>, text: impl AsRef<[u8]>) -> Result<Status, Failure> {
    let Some(path) = path else { return stdout::print(text) };
    let write = || {
        let mut file = temporary(path)?;
        if let Ok(found) = fs::metadata(path) {
            file.take_after(&found)?;
        }
        file.write_all(text.as_ref())?;
        file.persist()
    };
    write().map_err(|cause| Failure::io(format!("cannot write '{}'", path.display()), cause))?;
    Ok(Status::Done)
}

/// The file to replace or to create.
pub fn target(path: &Path) -> io::Result<PathBuf> {
    match fs::metadata(path) {
        Ok(found) if found.is_file() => fs::canonicalize(path),
        Ok(_) => Err(io::Error::other("it exists and is not a regular file")),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => match fs::read_link(path) {
            // A link to a file that is not there yet, and no circle: metadata would have said so.
            Ok(to) => target(&folder_of(path).join(to)),
            Err(_) => Ok(path.to_owned()),
        },
        Err(cause) => Err(cause),
    }
}

/// The folder that a file is in.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."))
}
