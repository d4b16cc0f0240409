//! `--robots-dir`: a folder of robots.txt files, each named after its host.

use std::path::Path;
use std::{fs, io};

use robotsieve_client::folders::{Folder, FolderError};

use super::robots_file;
use crate::error::Failure;
use crate::write::file::folder_of;
use crate::write::stderr;

/// What follows from a file that cannot be read, as a clause.
pub const COUNTS_AS_UNKNOWN: &str = "what its host says counts as unknown";

/// The robots.txt in a host's place. A device or a pipe there is none: it may be empty, or never end.
///
/// # Errors
/// Returns an error if it cannot be read.
pub fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    match fs::metadata(path) {
        Ok(found) if !found.is_file() => Err(Failure::io(
            format!("cannot read robots.txt '{}'", path.display()),
            io::Error::other("it is no file"),
        )),
        _ => robots_file::read(path),
    }
}

/// The files of a folder, without those of folders in it. Notes hosts with two files.
///
/// # Errors
/// Returns an error if the folder cannot be listed.
pub fn list(path: &Path) -> Result<Folder, Failure> {
    noted(Folder::list(path))
}

/// The files of a folder and of all folders in it. Notes hosts with two files, and what is ignored.
///
/// # Errors
/// Returns an error if a folder cannot be listed.
pub fn walk(path: &Path) -> Result<Folder, Failure> {
    let folder = noted(Folder::walk(path))?;
    if folder.ignored_count > 0 {
        let names: Vec<String> =
            folder.ignored.iter().map(|path| format!("'{}'", path.display())).collect();
        let more = if folder.ignored_count > names.len() as u64 { ", ..." } else { "" };
        stderr::note(&format_args!(
            "ignored {} of '{}' whose names are no hosts: {}{more}",
            folder.ignored_count,
            path.display(),
            names.join(", "),
        ));
    }
    Ok(folder)
}

fn noted(folder: Result<Folder, FolderError>) -> Result<Folder, Failure> {
    let folder = folder.map_err(cannot_list)?;
    folder.warnings.iter().for_each(|warning| stderr::note(warning));
    Ok(folder)
}

fn cannot_list(error: FolderError) -> Failure {
    let FolderError { folder, cause } = error;
    let failure = Failure::io(format!("cannot list --robots-dir '{}'", folder.display()), cause);
    if folder.is_file() {
        failure.advise("a folder of robots.txt files named HOST is expected, not a file")
    } else {
        failure
    }
}

/// Refuses to write a file to such a folder or to one in it, where it would be taken for the robots.txt
/// of a host.
///
/// # Errors
/// Returns an error if `file` is, or would be, beneath the folder.
pub fn refuse_output_beneath(folder: &Path, file: &Path) -> Result<(), Failure> {
    let places = [fs::canonicalize(folder_of(file)), fs::canonicalize(file)];
    let Ok(folder_itself) = fs::canonicalize(folder) else { return Ok(()) };
    let [parent, file_itself] = places;
    let is_beneath = parent.is_ok_and(|parent| parent.starts_with(&folder_itself))
        || file_itself.is_ok_and(|it| it != folder_itself && it.starts_with(&folder_itself));
    if is_beneath { Err(would_be_in(folder, file)) } else { Ok(()) }
}

fn would_be_in(folder: &Path, file: &Path) -> Failure {
    Failure::Usage(format!(
        "'{}' would be in the folder '{}', whose files are read: write it to \
         another folder",
        file.display(),
        folder.display()
    ))
}
