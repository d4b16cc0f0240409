//! The files of a pack: where they are, mapped into memory, and locked while they change.
//!
//! A pack is one file, or a folder of shards. Any number of processes have its files mapped, as
//! `&[u8]`, which Rust takes for bytes that never change. So nobody may write to bytes that a reader
//! may have mapped, nor cut a file. All who change packs keep to these rules:
//!
//! - A new pack is written to a file or folder beside the old one, and takes its name when it is
//!   complete. The old one stays as it was for those who have it open.
//! - An update appends a layer to a file, behind all bytes that are there. A reader that opens the
//!   file meanwhile leaves out what is not complete: [`Pack::unfinished`].
//! - What is left behind a pack by an update that was killed stays where it is. The next update writes
//!   the bytes of the pack to a new file, which takes the name of the old one.
//! - Whoever updates a pack has its [`Lock`] before it reads anything, so there is one update at a
//!   time. The lock is on a file beside the pack, `NAME.lock`, which is never replaced. Readers need
//!   none. Whoever replaces a whole pack waits until no update is under way ([`Lock::to_replace`]).
//!
//! Each file of a folder is always as it was before an update, or as it is after it. A folder that is
//! replaced while it is opened is opened again, so that its files are of one pack.
//!
//! [`map`] is the only place in this crate where a pack is mapped, and says why that is sound.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use memmap2::Mmap;
use robotsieve::pack::{FileError, Pack, PackError, ShardsError, check_shards, shard_of_name};

/// A file of an open pack.
#[derive(Clone, Debug)]
pub struct PackFile {
    /// Where it was opened.
    pub path: PathBuf,
    id: FileId,
}

impl PackFile {
    /// Opens the file again to append to it. Nothing but that is allowed.
    ///
    /// # Errors
    /// Returns an error if the file cannot be opened, or if another one has taken its place.
    pub fn to_append(&self) -> io::Result<File> {
        let file = OpenOptions::new().read(true).write(true).open(&self.path)?;
        if FileId::of(&file.metadata()?) == self.id { Ok(file) } else { Err(replaced()) }
    }

    /// Returns an error if another file has taken its place.
    ///
    /// # Errors
    /// That one, or the one that the system gives.
    pub fn is_in_its_place(&self) -> io::Result<()> {
        if FileId::of(&fs::metadata(&self.path)?) == self.id { Ok(()) } else { Err(replaced()) }
    }

    /// The file that is now at its path.
    ///
    /// # Errors
    /// Returns an error if there is none.
    pub fn again(&self) -> io::Result<PackFile> {
        let id = FileId::of(&fs::metadata(&self.path)?);
        Ok(PackFile { path: self.path.clone(), id })
    }
}

fn replaced() -> io::Error {
    io::Error::other("another program has replaced it meanwhile: update it again")
}

/// Tells files apart, as long as they are open or mapped. Equal for all files where the system does not
/// say more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileId(u64, u64);

impl FileId {
    #[cfg(unix)]
    fn of(file: &Metadata) -> FileId {
        use std::os::unix::fs::MetadataExt;
        FileId(file.dev(), file.ino())
    }

    #[cfg(not(unix))]
    fn of(_: &Metadata) -> FileId {
        FileId(0, 0)
    }
}

/// The reason why the files of a pack cannot be used.
#[derive(Debug)]
pub struct FilesError {
    /// The file or folder that it is about.
    pub path: PathBuf,
    /// What is wrong.
    pub cause: FilesCause,
}

/// What is wrong with the files of a pack.
#[derive(Debug)]
#[non_exhaustive]
pub enum FilesCause {
    /// A file or folder cannot be read.
    Io(io::Error),
    /// A folder has not all files of one pack.
    Shards(ShardsError),
    /// A file is no pack, or is damaged.
    Pack(PackError),
}

impl fmt::Display for FilesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path.display())?;
        match &self.cause {
            FilesCause::Io(error) => error.fmt(f),
            FilesCause::Shards(error) => error.fmt(f),
            FilesCause::Pack(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for FilesError {}

/// Opens the pack at a path: a file, or a folder of shards. What an update has not completed is left
/// out.
///
/// # Errors
/// Returns an error if a file cannot be mapped or is not a pack, or if a shard is missing.
pub fn open(pack: &Path) -> Result<(Pack<'static>, Vec<PackFile>), FilesError> {
    loop {
        // Held, so that no other folder gets its number. Opening a pipe would wait for its writer.
        let folder = pack.is_dir().then(|| File::open(pack).ok()).flatten();
        let opened = paths(pack).and_then(|paths| open_all(&paths));
        let id = folder.as_ref().and_then(|folder| folder.metadata().ok());
        match (id, fs::metadata(pack)) {
            // Another folder was put in its place, perhaps between two of its files.
            (Some(was), Ok(is)) if FileId::of(&was) != FileId::of(&is) => {}
            _ => return opened,
        }
    }
}

/// Opens the files of a pack, in any order, as [`open`] does.
///
/// # Errors
/// The same as for [`open`].
pub fn open_all(paths: &[PathBuf]) -> Result<(Pack<'static>, Vec<PackFile>), FilesError> {
    let (mut maps, mut files) = (Vec::with_capacity(paths.len()), Vec::with_capacity(paths.len()));
    for path in paths {
        let failed = |error| FilesError { path: path.clone(), cause: FilesCause::Io(error) };
        let (map, id) = map_at(path).map_err(failed)?;
        maps.push(map);
        files.push(PackFile { path: path.clone(), id });
    }
    match Pack::open_shards(maps) {
        Ok(pack) => Ok((pack, files)),
        Err(FileError { file, error }) => {
            let path = paths.get(file).cloned().unwrap_or_default();
            Err(FilesError { path, cause: FilesCause::Pack(error) })
        }
    }
}

/// The files of the pack at a path: that file, or the shards in that folder, in their order.
///
/// # Errors
/// Returns an error if the folder cannot be listed, has no shards, or has those of several sets.
pub fn paths(pack: &Path) -> Result<Vec<PathBuf>, FilesError> {
    if !pack.is_dir() {
        return Ok(vec![pack.to_owned()]);
    }
    let failed = |cause| FilesError { path: pack.to_owned(), cause };
    let mut shards = Vec::new();
    for entry in fs::read_dir(pack).map_err(|error| failed(FilesCause::Io(error)))? {
        let entry = entry.map_err(|error| failed(FilesCause::Io(error)))?;
        if let Some(shard) = entry.file_name().to_str().and_then(shard_of_name) {
            shards.push((shard, entry.path()));
        }
    }
    shards.sort_unstable();
    let (numbers, paths): (Vec<(u32, u32)>, Vec<PathBuf>) = shards.into_iter().unzip();
    check_shards(&numbers).map_err(|error| failed(FilesCause::Shards(error)))?;
    Ok(paths)
}

/// Maps a file into memory: its bytes as they are now. It may grow meanwhile.
///
/// # Errors
/// Returns an error if that cannot be done.
#[expect(unsafe_code, reason = "maps a file: see Safety")]
pub fn map(file: &File) -> io::Result<Mapped> {
    // SAFETY: the bytes of a map must not change while it exists. Nothing of robotsieve writes to bytes
    // that a file of a pack has, or cuts it, as the top of this module says: `pack update` writes only
    // behind the end that the file had before, and the map ends at an end that it has had. Files without
    // a name are mapped by the process that wrote them, when they are complete. That no other program
    // changes or cuts the file cannot be enforced; the documentation of packs asks it of the user.
    unsafe { Mmap::map(file) }.map(Mapped)
}

/// The bytes of a mapped file.
#[derive(Debug)]
pub struct Mapped(Mmap);

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

fn map_at(path: &Path) -> io::Result<(Mapped, FileId)> {
    // Opening a pipe would wait for its writer.
    let found = fs::metadata(path)?;
    if found.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !found.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let file = File::open(path)?;
    Ok((map(&file)?, FileId::of(&file.metadata()?)))
}

/// The right to change a pack. It ends when it is dropped, and with the process, however that ends.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// How long an update tries to get its lock. Those who only look whether it is taken hold it for some
/// microseconds.
const PATIENCE: Duration = Duration::from_secs(1);

impl Lock {
    /// Takes the lock of a pack, to update it. Returns `None` if another update has it.
    ///
    /// Take it before anything of the pack is read.
    ///
    /// # Errors
    /// Returns an error if there is no such pack, or if the lock's file cannot be made or locked.
    pub fn to_update(pack: &Path) -> io::Result<Option<Lock>> {
        let path = lock_path(pack)?;
        let start = Instant::now();
        loop {
            let mut options = OpenOptions::new();
            let file = match options.write(true).create(true).truncate(false).open(&path) {
                // Another user made it. Most systems lock files that are open for reading, too.
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => File::open(&path)?,
                file => file?,
            };
            match file.try_lock() {
                Ok(()) if is_at(&file, &path)? => return Ok(Some(Lock { _file: file })),
                // Somebody has removed it in between.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) if start.elapsed() >= PATIENCE => return Ok(None),
                Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(5)),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }

    /// Waits until no update of a pack is under way, and keeps others from beginning, so that the pack
    /// can be replaced. Returns `None` if there is no pack, or if it was never updated.
    ///
    /// # Errors
    /// Returns an error if the lock's file cannot be opened or locked.
    pub fn to_replace(pack: &Path) -> io::Result<Option<Lock>> {
        let none = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => Ok(None),
            _ => Err(error),
        };
        let path = match lock_path(pack) {
            Ok(path) => path,
            Err(error) => return none(error),
        };
        loop {
            let file = match File::open(&path) {
                Ok(file) => file,
                Err(error) => return none(error),
            };
            file.lock()?;
            match is_at(&file, &path) {
                Ok(true) => return Ok(Some(Lock { _file: file })),
                Ok(false) => {}
                Err(error) => return none(error),
            }
        }
    }
}

/// Returns true if an update of a pack is under way.
pub fn is_being_updated(pack: &Path) -> bool {
    let file = lock_path(pack).and_then(File::open);
    file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// The file beside a pack that is locked while the pack changes.
fn lock_path(pack: &Path) -> io::Result<PathBuf> {
    // Through links, so that there is one for each pack.
    let mut path: OsString = fs::canonicalize(pack)?.into();
    path.push(".lock");
    Ok(path.into())
}

/// Returns true if a file has this path.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    match fs::metadata(path) {
        Ok(found) => Ok(FileId::of(&found) == FileId::of(&file.metadata()?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}
