//! Files that replace another one only when they are complete.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// A temporary file in the folder of the file that it is going to replace: `path`, or what it
/// links to.
///
/// # Errors
/// Returns an error if `path` exists and is not a regular file, such as a device or a pipe.
pub fn temporary(path: &Path) -> io::Result<NamedTempFile> {
    let target = target(path)?;
    let folder = target.parent().filter(|path| *path != Path::new("")).unwrap_or(Path::new("."));
    NamedTempFile::new_in(folder).map_err(|cause| match cause.kind() {
        // Without the name of a file that the user never gave.
        kind @ io::ErrorKind::NotFound => {
            io::Error::new(kind, format!("there is no folder '{}'", folder.display()))
        }
        _ => cause,
    })
}

/// Moves a complete file to its place and returns its size in bytes.
pub fn persist(file: NamedTempFile, path: &Path) -> io::Result<u64> {
    let target = target(path)?;
    share(file.as_file())?;
    file.as_file().sync_all()?;
    let bytes = file.as_file().metadata()?.len();
    file.persist(target)?;
    Ok(bytes)
}

/// The file to replace or to create.
fn target(path: &Path) -> io::Result<PathBuf> {
    match fs::metadata(path) {
        Ok(found) if found.is_file() => fs::canonicalize(path),
        Ok(_) => Err(io::Error::other("it exists and is not a regular file")),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(path.to_owned()),
        Err(cause) => Err(cause),
    }
}

/// Whether two paths lead to the same file.
pub fn is_same(one: &Path, other: &Path) -> bool {
    // Most files are told apart by their names, without asking the system.
    one.file_name() == other.file_name()
        && fs::canonicalize(one)
            .is_ok_and(|one| fs::canonicalize(other).is_ok_and(|other| one == other))
}

/// Temporary files are readable by their owner only; the result should be like any other file.
#[cfg(unix)]
fn share(file: &fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn share(_: &fs::File) -> io::Result<()> {
    Ok(())
}
