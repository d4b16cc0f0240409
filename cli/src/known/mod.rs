//! The options about known crawlers: `--crawlers` and `--purpose`.

use std::fmt::Display;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
pub use robotsieve_known::{KnownCrawler, KnownCrawlers as Known, Purpose};

use crate::error::Failure;
use crate::options::list as values_of;
use crate::read::bounded;

/// The longest file that is read, in bytes: twenty times the built-in one.
const MAX_BYTES: u64 = 4 << 20;

/// `--crawlers`, for every command that knows crawlers by name.
#[derive(Args, Clone, Debug, Default)]
pub struct KnownOption {
    /// Add known crawlers from a TOML file
    ///
    /// An entry takes the place of the built-in one with the same token. With
    /// 'replace = true' as the first line of the file, the built-in crawlers
    /// are left out. 'robotsieve crawlers --list --format toml' prints such a
    /// file. Repeat the option for several files.
    #[arg(id = "crawlers_files", long = "crawlers", value_name = "FILE")]
    #[arg(verbatim_doc_comment, value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
}

impl KnownOption {
    /// The built-in crawlers with those of the files.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read or is wrong; the text names the file and the line.
    pub fn read(&self) -> Result<Known, Failure> {
        let mut known = Known::built_in().clone();
        for path in &self.files {
            let cannot = |cause| {
                let action = format!("cannot read the known crawlers in '{}'", path.display());
                Failure::io(action, cause)
            };
            let text = read(path).map_err(|cause| {
                cannot(cause)
                    .advise("'robotsieve crawlers --list --format toml' prints such a file")
            })?;
            known.add_file(&text).map_err(|wrong| {
                cannot(io::Error::other(wrong)).advise(
                    "mend the entry; 'robotsieve crawlers --list --format toml' shows how entries \
                     look",
                )
            })?;
        }
        Ok(known)
    }
}

/// Refuses a name, by the question whether another one was meant, and says the way out.
pub fn refused_name(question: impl Display) -> Failure {
    Failure::Usage(format!(
        "{question} If it is the name of another crawler, add that with --crawlers FILE"
    ))
}

fn read(path: &Path) -> io::Result<String> {
    let bytes = bounded(File::open(path)?, MAX_BYTES, "it is longer than 4 MiB")?;
    String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8"))
}

/// `--purpose`, for commands that are about some of the known crawlers.
#[derive(Args, Clone, Debug, Default)]
pub struct PurposeOption {
    /// Only crawlers of this purpose; repeat the option for several
    #[arg(id = "purpose", long = "purpose", value_name = "PURPOSE", value_parser = parser())]
    #[arg(hide_possible_values = true, long_help = LONG_HELP.as_str())]
    pub purposes: Vec<Purpose>,
}

fn possible_values() -> impl Iterator<Item = PossibleValue> {
    Purpose::all().map(|purpose| PossibleValue::new(purpose.as_str()).help(purpose.description()))
}

fn parser() -> impl TypedValueParser<Value = Purpose> {
    PossibleValuesParser::new(possible_values()).try_map(|name| name.parse::<Purpose>())
}

static LONG_HELP: LazyLock<String> = LazyLock::new(|| {
    let values: Vec<PossibleValue> = possible_values().collect();
    values_of("Only crawlers of this purpose; repeat the option for several", &values)
});

impl PurposeOption {
    /// Whether the option was given with this purpose.
    pub fn has(&self, purpose: Purpose) -> bool {
        self.purposes.contains(&purpose)
    }
}
