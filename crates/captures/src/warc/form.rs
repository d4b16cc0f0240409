//! The form of the records of a file.

use std::io;

/// With what a record begins.
pub const VERSION: &[u8] = b"WARC/1.";
/// The drafts of WARC 1.0 that have its form.
pub const DRAFTS: [&[u8]; 2] = [b"WARC/0.17", b"WARC/0.18"];

/// The form of the records of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Warc,
    /// WARC 0.17 or 0.18.
    Draft,
    /// ARC, the format before WARC: <https://archive.org/web/researcher/ArcFileFormat.php>
    Arc,
}

impl Form {
    /// The form of a file that begins with these bytes.
    ///
    /// # Errors
    /// Returns an error if it is a container of such files.
    pub fn of(beginning: &[u8]) -> io::Result<Form> {
        if beginning.starts_with(b"PK\x03\x04") {
            return Err(damage(
                "it is a ZIP file, as WACZ files are: unpack it, and give the files in its folder 'archive'",
            ));
        }
        Ok(match beginning {
            begin if begin.starts_with(b"filedesc:") => Form::Arc,
            begin if DRAFTS.iter().any(|draft| begin.starts_with(draft)) => Form::Draft,
            _ => Form::Warc,
        })
    }

    /// With what a record begins, to search for one.
    pub fn begins(self) -> &'static [u8] {
        match self {
            Form::Warc => VERSION,
            Form::Draft => b"WARC/0.1",
            Form::Arc => b"http",
        }
    }
}

/// Something is wrong with the bytes, not with the disk.
pub fn damage(text: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}
