//! `--ranges`: files with the addresses of a crawler.

use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

use robotsieve::audit::Ranges;
use serde::Deserialize;

use crate::error::Failure;
use crate::read::small_file;

/// `--ranges`: `googlebot.json`, or `Googlebot=FILE`.
#[derive(Clone, Debug)]
pub struct RangesOption {
    /// As given, or as the file is named.
    pub name: String,
    pub is_named: bool,
    pub path: PathBuf,
}

impl From<&str> for RangesOption {
    fn from(text: &str) -> RangesOption {
        match text.split_once('=') {
            Some((name, path)) if !name.contains(['/', '\\']) => {
                RangesOption { name: name.to_owned(), is_named: true, path: path.into() }
            }
            _ => {
                let name = Path::new(text).file_stem().unwrap_or_default().to_string_lossy();
                RangesOption { name: name.into_owned(), is_named: false, path: text.into() }
            }
        }
    }
}

#[derive(Deserialize)]
struct File {
    prefixes: Vec<Prefix>,
}

#[derive(Deserialize)]
struct Prefix {
    #[serde(rename = "ipv4Prefix", alias = "ipv6Prefix")]
    prefix: String,
}

/// Reads a file as Google, Bing and OpenAI publish it.
///
/// # Errors
/// Returns an error if it cannot be read, or is not such a file.
pub fn read(path: &Path) -> Result<Ranges, Failure> {
    let wrong = |text: String| Error::new(ErrorKind::InvalidData, text);
    let read = small_file(path).and_then(|bytes| {
        let file: File =
            serde_json::from_slice(&bytes).map_err(|cause| wrong(cause.to_string()))?;
        let prefixes = file.prefixes.iter().map(|prefix| &prefix.prefix);
        Ranges::of(prefixes).map_err(|(place, _)| {
            let prefix = &file.prefixes[place].prefix;
            wrong(format!("'{prefix}' is not an address with a prefix length"))
        })
    });
    read.map_err(|cause| {
        let action = format!("cannot read the address ranges in '{}'", path.display());
        Failure::io(action, cause).advise(
            "it is JSON like {\"prefixes\":[{\"ipv4Prefix\":\"192.0.2.0/24\"}]}, as operators \
             publish it",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("googlebot.json");
        let file = r#"{"creationTime":"2026-11-01T00:00:00","prefixes":[
            {"ipv6Prefix":"2001:4860:4801:10::/64"},{"ipv4Prefix":"66.249.64.32/27","service":"x"}]}"#;
        std::fs::write(&path, file).unwrap();
        let ranges = Ranges::of(["2001:4860:4801:10::/64", "66.249.64.32/27"]).unwrap();
        assert_eq!(read(&path).unwrap(), ranges);
        for wrong in
            ["", "{}", "[]", r#"{"prefixes":[{}]}"#, r#"{"prefixes":[{"ipv4Prefix":"x"}]}"#]
        {
            std::fs::write(&path, wrong).unwrap();
            assert!(read(&path).is_err(), "{wrong}");
        }
    }
}
