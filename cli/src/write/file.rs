//! Files that replace another one only when they are complete.

use std::fs;
use std::io;
use std::path::Path;

use tempfile::NamedTempFile;

/// A temporary file in the folder of `path`, which it is going to replace.
pub fn temporary(path: &Path) -> io::Result<NamedTempFile> {
    let folder = path.parent().filter(|path| *path != Path::new("")).unwrap_or(Path::new("."));
    NamedTempFile::new_in(folder)
}

/// Moves a complete file to its place and returns its size in bytes.
pub fn persist(file: NamedTempFile, path: &Path) -> io::Result<u64> {
    share(file.as_file())?;
    file.as_file().sync_all()?;
    let bytes = file.as_file().metadata()?.len();
    file.persist(path)?;
    Ok(bytes)
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
