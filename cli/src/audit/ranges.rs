//! `--ranges`: files with the addresses of crawlers, by their names or URLs.

use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

use robotsieve_owners::audit::{Audit, PublishedRanges, Ranges};
use robotsieve_owners::block::check_token;
use robotsieve_owners::enforce::OwnAddresses;
use url::Url;

use crate::error::Failure;
use crate::known::{Known, refused_name};
use crate::read::small_file;
use crate::read::web::{self, Web};

/// `--ranges`: `googlebot.json`, or `Googlebot=FILE`, or `Google=FILE`.
#[derive(Clone, Debug)]
pub struct RangesOption {
    /// As given, or as the file is named.
    name: String,
    is_named: bool,
    place: PathBuf,
}

impl From<&str> for RangesOption {
    fn from(text: &str) -> RangesOption {
        match text.split_once('=') {
            Some((name, place)) if !name.contains(['/', '\\']) => {
                RangesOption { name: name.to_owned(), is_named: true, place: place.into() }
            }
            _ => {
                let name = Path::new(text).file_stem().unwrap_or_default().to_string_lossy();
                RangesOption { name: name.into_owned(), is_named: false, place: text.into() }
            }
        }
    }
}

impl RangesOption {
    /// The file or URL.
    pub fn place(&self) -> &Path {
        &self.place
    }
}

/// Adds the addresses of a file to an audit.
///
/// # Errors
/// Returns an error if it cannot be read or is no such file, or if nobody knows whose addresses it has.
pub fn add(option: &RangesOption, known: &Known, audit: &mut Audit<'_>) -> Result<(), Failure> {
    let (_, crawlers) = crawlers(option, known)?;
    audit.add_published(&option.name, &crawlers);
    Ok(())
}

/// The addresses of the one crawler that a file is for.
///
/// # Errors
/// Returns an error in the same cases, and if the file is for all crawlers of an operator: nobody says that each of
/// them comes from no other address.
pub fn of_one(option: &RangesOption, known: &Known) -> Result<OwnAddresses, Failure> {
    let (file, crawlers) = crawlers(option, known)?;
    let [(token, ranges)] = &crawlers[..] else {
        return Err(Failure::Usage(format!(
            "--ranges {}: this is for several crawlers, of which some may come from other addresses too; name the one of \
             which it has all, as Googlebot={0}",
            option.place.display()
        )));
    };
    let created = file.created().map(str::to_owned);
    Ok(OwnAddresses { token: token.clone(), ranges: ranges.clone(), created })
}

/// The file, and the crawlers that it is for.
fn crawlers(
    option: &RangesOption,
    known: &Known,
) -> Result<(PublishedRanges, Vec<(String, Ranges)>), Failure> {
    let file = read(&option.place)?;
    let is_operator = known.of_operator(&option.name).next().is_some();
    if option.is_named && !is_operator {
        let wrong = |wrong| Failure::Usage(format!("--ranges {wrong}"));
        check_token(&option.name).map_err(wrong)?;
    }
    let question = known.misspelt(&option.name);
    if let Some(question) = question.filter(|_| option.is_named && !is_operator) {
        let place = option.place.display();
        return Err(refused_name(format_args!("--ranges {}={place}: {question}", option.name)));
    }
    let crawlers = match option.is_named {
        true => Some(file.crawlers(&option.name, known)),
        false => file.crawlers_of_file(&option.name, known),
    };
    let Some(crawlers) = crawlers else {
        return Err(Failure::Usage(format!(
            "--ranges {}: no known crawler has the name '{}'; write NAME={0}, with the token of a \
             crawler or the name of an operator (Google, OpenAI) before it",
            option.place.display(),
            option.name
        )));
    };
    Ok((file, crawlers))
}

fn read(place: &Path) -> Result<PublishedRanges, Failure> {
    let bytes = match web::url(place) {
        Some(name) => {
            let wrong = |cause| Failure::Usage(format!("--ranges: '{name}' is no URL: {cause}"));
            let url: Url = name.parse().map_err(wrong)?;
            Web::of(&url, Some(&url))?.get(url)?.0
        }
        None => small_file(place).map_err(|cause| cannot_read(place, cause))?,
    };
    PublishedRanges::read(&bytes)
        .map_err(|wrong| cannot_read(place, Error::new(ErrorKind::InvalidData, wrong)))
}

fn cannot_read(place: &Path, cause: Error) -> Failure {
    let action = format!("cannot read the address ranges in '{}'", place.display());
    Failure::io(action, cause).advise(
        "it is JSON like {\"prefixes\":[{\"ipv4Prefix\":\"192.0.2.0/24\"}]}, as operators publish it",
    )
}
