//! The one answer to the question whether an output would take the place of what is read.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::stdin;
use crate::error::Failure;
use crate::write::file::{folder_of, target};

/// A path that is going to be written, and is none of those that are read.
#[derive(Debug)]
pub struct Output<'p> {
    path: &'p Path,
    /// What to do if it is one of them.
    way_out: &'static str,
    place: Option<Place>,
}

impl<'p> Output<'p> {
    /// What `-o PATH` names.
    pub fn new(path: &'p Path) -> Output<'p> {
        Output::named_by(path, "name another file with -o PATH")
    }

    /// What is named in another way, which `way_out` says.
    pub fn named_by(path: &'p Path, way_out: &'static str) -> Output<'p> {
        Output { path, way_out, place: Place::of(path) }
    }

    /// The path as it was given.
    pub fn path(&self) -> &'p Path {
        self.path
    }

    /// Refuses to write over a file that is read, whatever links lead there. `-` is standard input.
    ///
    /// # Errors
    /// Returns an error if the output is that file.
    pub fn refuse_input(&self, input: impl AsRef<OsStr>) -> Result<(), Failure> {
        let input = Path::new(input.as_ref());
        let is_stdin = stdin::is_meant(input);
        let place = if is_stdin { Place::of_stdin() } else { Place::of(input) };
        if self.place.is_none() || place != self.place {
            return Ok(());
        }
        let known_as = match () {
            () if is_stdin => " (standard input)".to_owned(),
            () if input == self.path => String::new(),
            () => format!(" ('{}')", input.display()),
        };
        Err(Failure::Usage(format!(
            "'{}' is one of the files to read{known_as}: {}",
            self.path.display(),
            self.way_out
        )))
    }

    /// [`Output::refuse_input`] for several.
    ///
    /// # Errors
    /// Returns an error if the output is one of them.
    pub fn refuse_inputs<N: AsRef<OsStr>>(
        &self,
        inputs: impl IntoIterator<Item = N>,
    ) -> Result<(), Failure> {
        inputs.into_iter().try_for_each(|input| self.refuse_input(input))
    }
}

/// [`Output::refuse_inputs`] for a command that prints, or writes what `-o PATH` names.
///
/// # Errors
/// Returns an error if the output is one of the inputs.
pub fn refuse_inputs<N: AsRef<OsStr>>(
    output: Option<&Path>,
    inputs: impl IntoIterator<Item = N>,
) -> Result<(), Failure> {
    output.map_or(Ok(()), |path| Output::new(path).refuse_inputs(inputs))
}

/// What tells files apart, by whatever path they are named.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    /// A file that is there, or a folder: its device and its number on it.
    #[cfg(unix)]
    There(u64, u64),
    /// The path without links; with Unix, of a file that is not there yet.
    Path(PathBuf),
}

impl Place {
    /// Opens nothing: a pipe would wait for its writer. `None` if there is no such folder, or if nothing is lost
    /// when that is written to.
    fn of(path: &Path) -> Option<Place> {
        #[cfg(unix)]
        if let Ok(found) = fs::metadata(path) {
            return Place::number(&found);
        }
        if let Ok(path) = fs::canonicalize(path) {
            return Some(Place::Path(path));
        }
        let path = target(path).ok()?;
        let folder = fs::canonicalize(folder_of(&path)).ok()?;
        Some(Place::Path(folder.join(path.file_name()?)))
    }

    /// `None` for terminals, pipes and devices that keep nothing.
    #[cfg(unix)]
    fn number(found: &fs::Metadata) -> Option<Place> {
        use std::os::unix::fs::{FileTypeExt, MetadataExt};
        let kind = found.file_type();
        let keeps = kind.is_file() || kind.is_dir() || kind.is_block_device();
        keeps.then(|| Place::There(found.dev(), found.ino()))
    }

    /// The file that standard input is read from. `None` if that is not known.
    #[cfg(unix)]
    fn of_stdin() -> Option<Place> {
        let input = same_file::Handle::stdin().ok()?;
        Place::number(&input.as_file().metadata().ok()?)
    }

    #[cfg(not(unix))]
    fn of_stdin() -> Option<Place> {
        None
    }
}
