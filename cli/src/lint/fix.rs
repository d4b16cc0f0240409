//! `lint --fix` and `lint --diff`: applies the fixes that findings carry.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use robotsieve_lint as lint;
use robotsieve_lint::{Apply, Effect, Fix, Fixed, Options, Selection};
use robotsieve_report::{CUT_SHORT, FixReport, together_said};

use crate::error::Failure;
use crate::lint::args::Fixes;
use crate::read::robots_file;
use crate::write::file;
use crate::write::stderr;
use crate::write::stdout::Stdout;
use crate::write::unified;

/// What is done about fixes.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    apply: Apply,
    /// True if changes are shown instead of written.
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

    /// Fixes what has a selected code in a file, and returns what is in it then. If changes are
    /// shown, that is the file as it is.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written. It is then as it was.
    pub fn fix(
        self,
        path: &Path,
        bytes: Vec<u8>,
        options: &Options,
        selection: &Selection,
        out: &mut Stdout,
    ) -> Result<Vec<u8>, Failure> {
        let fixed = lint::fix_codes(&bytes, options, self.apply, |code| selection.has(code));
        let name = robots_file::shown(path);
        self.say_others(&name, &fixed);
        if fixed.file == bytes {
            return Ok(bytes);
        }
        if self.is_shown {
            out.print(unified::diff(&name, &bytes, &fixed.file))?;
            say(&name, &fixed, "could be applied", options);
            return Ok(bytes);
        }
        replace(path, &bytes, &fixed.file)?;
        say(&name, &fixed, "applied", options);
        Ok(fixed.file)
    }
}

impl Plan {
    /// Says what could be done besides.
    fn say_others(self, name: &str, fixed: &Fixed) {
        let fixes = fixed.report.findings.iter().filter_map(|finding| finding.fix.as_ref());
        let fixes: Vec<_> = fixes.filter(|fix| fix.effect != Effect::None).collect();
        let of_use = |fix: &&Fix| matches!(fix.effect, Effect::Rights(_));
        let of_pace = |fix: &&Fix| match &fix.effect {
            Effect::Verdicts(changes) => changes.iter().any(|change| change.pace.is_some()),
            _ => false,
        };
        let mut what = "verdicts".to_owned();
        if fixes.iter().any(of_pace) {
            what += " or the pace of crawlers";
        }
        if fixes.iter().any(of_use) {
            what += " or what is said of use";
        }
        let fixes = fixes.len();
        if fixes > 0 && self.apply == Apply::Unchanging {
            let (es, s) = if fixes == 1 { ("", "s") } else { ("es", "") };
            let diff = if self.is_shown { " --diff" } else { "" };
            stderr::note(&format_args!(
                "{name}: {fixes} more fix{es} change{s} {what}: see --fix=all{diff}"
            ));
        }
        if fixed.is_cut_short {
            stderr::note(&format_args!("{name}: {CUT_SHORT}"));
        }
    }
}

/// Says how many fixes there are, and what they do together.
fn say(name: &str, fixed: &Fixed, done: &str, options: &Options) {
    let count = fixed.applied.len();
    let es = if count == 1 { "" } else { "es" };
    let report = FixReport::new(None, options, fixed);
    let effect = together_said(report.effect.as_deref());
    stderr::note(&format_args!("{name}: {count} fix{es} {done}; {effect}"));
}

/// Replaces a file at once. It keeps its owner and permissions.
///
/// # Errors
/// Returns an error if it cannot be replaced, must not be written, has several names, or is not
/// what it was.
fn replace(path: &Path, old: &[u8], new: &[u8]) -> Result<(), Failure> {
    let write = || {
        let found = fs::metadata(path)?;
        if found.permissions().readonly() {
            return Err(io::Error::other("it is read-only"));
        }
        fs::OpenOptions::new().append(true).open(path)?;
        #[cfg(unix)]
        if std::os::unix::fs::MetadataExt::nlink(&found) > 1 {
            let message = "it has other names too (hard links), which would keep the old text; \
                           apply the output of --diff";
            return Err(io::Error::other(message));
        }
        let mut temporary = file::temporary(path)?;
        temporary.take_after(&found)?;
        temporary.write_all(new)?;
        if fs::read(path)? != old {
            return Err(io::Error::other("it changed while it was fixed; nothing was written"));
        }
        temporary.persist().map(drop)
    };
    write().map_err(|cause| {
        Failure::io(format!("cannot write robots.txt '{}'", path.display()), cause)
    })
}
