//! Files of overrides: sites whose answer the operator gives.

use std::io::BufReader;
use std::path::Path;
use std::{fs::File, str};

use robotsieve_client::sieve::{Override, Overrides};

use super::robots_dir;
use crate::error::Failure;
use crate::write::bytes::shown;
use robotsieve_client::lines::{Line, Lines, URL_BYTES};

/// Reads a file of overrides. Each line is a site, white space, and `allow`, `disallow` or the path
/// of a robots.txt, relative to the folder of the file. `may_read` refuses such a robots.txt.
///
/// # Errors
/// Returns an error that names the line if the file cannot be read or a line is wrong, and the error of `may_read`.
pub fn read(
    path: &Path,
    may_read: impl Fn(&Path) -> Result<(), Failure>,
) -> Result<Overrides, Failure> {
    let failed =
        |cause| Failure::io(format!("cannot read --overrides '{}'", path.display()), cause);
    let mut lines = Lines::of(BufReader::new(File::open(path).map_err(failed)?), URL_BYTES);
    let mut overrides = Overrides::new();
    while let Some((number, line)) = lines.next_line().map_err(failed)? {
        let wrong = |what: String| {
            Failure::Usage(format!("--overrides '{}', line {number}: {what}", path.display()))
        };
        let line = match line {
            Line::Whole(line) => line.trim_ascii(),
            Line::TooLong(_) => return Err(wrong("too long".into())),
        };
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        let line = str::from_utf8(line).map_err(|_| wrong("not UTF-8".into()))?;
        let Some((site, answer)) = line.split_once(|c: char| c.is_ascii_whitespace()) else {
            return Err(wrong(format!(
                "'{}' has no answer: 'allow', 'disallow' or the path of a robots.txt follows the \
                 site",
                shown(line.as_bytes())
            )));
        };
        let answer = match answer.trim() {
            "allow" => Override::Allow,
            "disallow" => Override::Disallow,
            file => {
                let file = path.parent().unwrap_or(Path::new("")).join(file);
                may_read(&file)?;
                let body = robots_dir::read(&file).map_err(|failure| {
                    wrong(format!("{failure}; a path, 'allow' or 'disallow' follows the site"))
                })?;
                Override::Body(body)
            }
        };
        overrides
            .insert(site, answer)
            .map_err(|cause| wrong(format!("'{}': {cause}", shown(site.as_bytes()))))?;
    }
    Ok(overrides)
}
