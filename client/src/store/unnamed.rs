//! Files that get their name only once they are complete.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::Duration;

/// A new file that has no name yet.
pub(super) enum Unnamed {
    /// The system removes it when nobody has it open, however the process ends.
    #[cfg(target_os = "linux")]
    Nameless(File),
    /// Has a temporary name. If the process is killed, the file stays, and the next
    /// [`Unnamed::in_folder`] removes it.
    Temporary(tempfile::NamedTempFile),
}

/// The beginning of temporary names.
pub(super) const PREFIX: &str = ".robotsieve-store-";
/// Creating a store takes milliseconds: a temporary file that was not changed for an hour is
/// nobody's.
const LEFT_BEHIND: Duration = Duration::from_secs(3600);

impl Unnamed {
    pub(super) fn in_folder(folder: &Path) -> io::Result<Unnamed> {
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{Mode, OFlags};
            let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
            // The permissions of any new file, less the user's mask.
            if let Ok(file) = rustix::fs::open(folder, flags, Mode::from_raw_mode(0o666)) {
                return Ok(Unnamed::Nameless(file.into()));
            }
            // Some file systems do not have it; others say below what is wrong.
        }
        Unnamed::temporary_in(folder)
    }

    fn temporary_in(folder: &Path) -> io::Result<Unnamed> {
        remove_left_behind(folder);
        let mut named = tempfile::Builder::new();
        named.prefix(PREFIX);
        #[cfg(unix)]
        named.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        Ok(Unnamed::Temporary(named.tempfile_in(folder)?))
    }

    /// Another handle of the file.
    pub(super) fn file(&self) -> io::Result<File> {
        match self {
            #[cfg(target_os = "linux")]
            Unnamed::Nameless(file) => file.try_clone(),
            Unnamed::Temporary(file) => file.as_file().try_clone(),
        }
    }

    /// Gives the file its name, in place of an empty file. Returns `false` if there is another
    /// file by now.
    pub(super) fn name(self, path: &Path) -> io::Result<bool> {
        let named = match self {
            #[cfg(target_os = "linux")]
            Unnamed::Nameless(file) => {
                use std::os::fd::AsRawFd;
                let place = format!("/proc/self/fd/{}", file.as_raw_fd());
                let link = || {
                    use rustix::fs::{AtFlags, CWD, linkat};
                    linkat(CWD, &place, CWD, path, AtFlags::SYMLINK_FOLLOW)
                };
                let linked = match link() {
                    Err(rustix::io::Errno::EXIST) if remove_empty(path)? => link(),
                    linked => linked,
                };
                linked.map_err(io::Error::from)
            }
            Unnamed::Temporary(file) => {
                let file = file.into_temp_path();
                let persisted = match file.persist_noclobber(path) {
                    Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
                        match remove_empty(path)? {
                            true => error.path.persist_noclobber(path),
                            false => Err(error),
                        }
                    }
                    persisted => persisted,
                };
                persisted.map_err(|error| error.error)
            }
        };
        match named {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// Removes a file if it is empty. Returns whether it was. Processes do this one after another,
/// so none removes the store that another has just put in place of the empty file.
fn remove_empty(path: &Path) -> io::Result<bool> {
    let file = match File::options().read(true).write(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(error),
    };
    file.lock()?;
    let found = match fs::metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(error),
    };
    let is_empty = found.is_file() && found.len() == 0 && file.metadata()?.len() == 0;
    if is_empty {
        fs::remove_file(path)?;
    }
    Ok(is_empty)
}

/// Removes what killed processes have left. If that fails, it stays.
fn remove_left_behind(folder: &Path) {
    let Ok(files) = fs::read_dir(folder) else { return };
    for file in files.filter_map(Result::ok) {
        let is_ours = file.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        let is_old = || {
            let modified = file.metadata().and_then(|found| found.modified()).ok();
            modified.and_then(|at| at.elapsed().ok()).is_some_and(|age| age > LEFT_BEHIND)
        };
        if is_ours && is_old() {
            fs::remove_file(file.path()).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::time::SystemTime;

    use super::*;

    /// Both kinds of files, named where nothing is, in place of an empty file, and of another.
    #[test]
    fn names() {
        for make in [Unnamed::in_folder, Unnamed::temporary_in] {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("store");
            for (before, is_named) in [(None, true), (Some(""), true), (Some("x"), false)] {
                fs::remove_file(&path).ok();
                if let Some(text) = before {
                    fs::write(&path, text).expect("writes");
                }
                let unnamed = make(folder.path()).expect("a file");
                unnamed.file().expect("a handle").write_all(b"complete").expect("writes");
                assert_eq!(unnamed.name(&path).expect("an answer"), is_named, "{before:?}");
                let wanted = if is_named { "complete" } else { "x" };
                assert_eq!(fs::read_to_string(&path).expect("reads"), wanted);
                assert_eq!(fs::read_dir(folder.path()).expect("reads").count(), 1);
            }
            drop(make(folder.path()).expect("a file"));
            assert_eq!(fs::read_dir(folder.path()).expect("reads").count(), 1);
        }
    }

    #[test]
    fn old_files_are_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |name: &str, age: u64| {
            let file = File::create(folder.path().join(name)).expect("a file");
            file.set_modified(SystemTime::now() - Duration::from_secs(age)).expect("sets");
        };
        file(".robotsieve-store-old", 4000);
        file(".robotsieve-store-new", 60);
        file("other", 4000);
        drop(Unnamed::temporary_in(folder.path()).expect("a file"));
        let names = fs::read_dir(folder.path()).expect("reads").map(|file| file.expect("a file"));
        let mut names: Vec<_> = names.map(|file| file.file_name()).collect();
        names.sort();
        assert_eq!(names, [".robotsieve-store-new", "other"]);
    }
}
