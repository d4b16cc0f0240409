//! `-o/--output`, which is always a path.

use std::path::PathBuf;

use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Args, ValueHint};

/// Of commands that print a whole file.
#[derive(Args, Debug)]
pub struct OutputOption {
    /// Write to this file instead of standard output
    ///
    /// It is replaced only when all is done, and keeps its owner and mode (no
    /// access lists). What the shell's '>' is given is emptied at once.
    #[arg(short, long, value_name = "PATH", value_parser = parser(), verbatim_doc_comment)]
    #[arg(value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
}

/// The formats that some command prints. A path of this name is more likely a mistake.
const FORMATS: [&str; 12] = [
    "text", "json", "jsonl", "tsv", "urls", "denied", "sarif", "github", "human", "junit",
    "markdown", "toml",
];

/// A path to write to. `-` and the name of a format are refused: `./-` and `./json` are files.
pub fn parser() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match path.to_str() {
        Some("-") => Err("the output cannot be standard output; './-' is a file".to_owned()),
        Some(format) if FORMATS.contains(&format) => {
            Err(format!("a path is expected, not a format; './{format}' is a file"))
        }
        _ => Ok(path),
    })
}
