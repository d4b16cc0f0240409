//! `lint --fix` and `lint --diff`: applies the fixes that findings carry.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use robotsieve::lint::{self, Apply, Code, Fixed, Options};
use similar::TextDiff;

use crate::error::Failure;
use crate::lint::args::Fixes;
use crate::read::robots_file;
use crate::write::file;
use crate::write::stderr;
use crate::write::stdout::Stdout;

/// What is done about fixes.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    apply: Apply,
    /// Whether changes are shown instead of written.
    is_shown: bool,
}

impl Plan {
    /// `None` if findings are only reported.
    pub fn of(fix: Option<Fixes>, is_shown: bool) -> Option<Plan> {
        let apply = match fix {
            None if !is_shown => return None,
            None | Some(Fixes::Unchanging) => Apply::Unchanging,
            Some(Fixes::All) => Apply::All,
        };
        Some(Plan { apply, is_shown })
    }

    /// Fixes what has a wanted code in a file, and returns what is in it then. If changes are shown, that is the file as it
    /// is.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written. It is then as it was.
    pub fn fix(
        self,
        path: &Path,
        bytes: Vec<u8>,
        options: &Options,
        is_wanted: impl Fn(Code) -> bool,
        out: &mut Stdout,
    ) -> Result<Vec<u8>, Failure> {
        let fixed = lint::fix_codes(&bytes, options, self.apply, is_wanted);
        if fixed.file == bytes {
            return Ok(bytes);
        }
        let name = robots_file::shown(path);
        if self.is_shown {
            out.print(diff(&name, &bytes, &fixed.file))?;
            say(&name, &fixed, "could be applied");
            return Ok(bytes);
        }
        replace(path, &fixed.file)?;
        say(&name, &fixed, "applied");
        Ok(fixed.file)
    }
}

/// Says how many fixes there are, and what they do together.
fn say(name: &str, fixed: &Fixed, done: &str) {
    let count = match fixed.applied.len() {
        1 => "1 fix".to_owned(),
        n => format!("{n} fixes"),
    };
    let effect = match &fixed.effect {
        Some(effect) => format!("together this {effect}"),
        None => "what they do together could not be proven".to_owned(),
    };
    stderr::note(&format_args!("{name}: {count} {done}; {effect}"));
}

/// A unified diff, which `patch -p0` and `git apply -p0` take.
fn diff(name: &str, old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    let diff = TextDiff::configure().diff_lines(old, new);
    let written = diff.unified_diff().header(name, name).to_writer(&mut text);
    written.expect("a vector takes all that is written");
    text
}

/// Replaces a file at once, and keeps its permissions.
fn replace(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let write = || {
        let permissions = fs::metadata(path)?.permissions();
        let mut temporary = file::temporary(path)?;
        temporary.write_all(bytes)?;
        temporary.persist()?;
        fs::set_permissions(path, permissions)
    };
    write().map_err(|cause| {
        Failure::io(format!("cannot write robots.txt '{}'", path.display()), cause)
    })
}
