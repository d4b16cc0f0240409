//! `robotsieve pack merge`: writes several packs into one.

use std::time::Instant;

use robotsieve::pack::Pack;
use robotsieve_captures::packs::Making;

use super::args::MergeArgs;
use super::make::{pool, refuse_inputs, required};
use super::output::{NamedPack, cannot_write, making_like, to_file, to_shards};
use crate::error::{Failure, Status};
use crate::options::crawler_names;
use crate::read::output::Output;
use crate::read::packs;
use crate::write::progress;
use crate::write::stderr;

pub fn run(args: &MergeArgs) -> Result<Status, Failure> {
    let start = Instant::now();
    let output = required(args.writing.output.as_deref())?;
    if let Some(shards) = args.writing.shards.shards.filter(|_| output.is_file()) {
        return Err(Failure::Usage(format!(
            "'{}' is a file: name a folder for {shards} shards with -o PATH",
            output.display()
        )));
    }
    refuse_inputs(&args.packs, &Output::new(output))?;
    let mut packs: Vec<&'static Pack<'static>> = Vec::new();
    for path in &args.packs {
        packs.push(packs::open(path)?);
    }
    let making = Making { seed: args.writing.seed.get(), ..making_like(packs[0], &args.packs[0])? };
    for (pack, path) in packs.iter().zip(&args.packs) {
        if let Some((what, this, other)) = difference(packs[0], pack) {
            return Err(Failure::Usage(format!(
                "'{}' and '{}' differ in their {what}: {this} and {other}; make one of them again, \
                 like the other",
                args.packs[0].display(),
                path.display()
            )));
        }
    }
    let inputs: Vec<NamedPack<'_>> =
        packs.iter().zip(&args.packs).map(|(pack, path)| (*pack, &**path)).collect();
    let write = || match args.writing.shards.shards {
        None => to_file(&inputs, &making, output),
        Some(count) => {
            let threads =
                pool(args.writing.threads).map_err(|cause| cannot_write(output, cause))?;
            threads.install(|| to_shards(&inputs, &making, output, count))
        }
    };
    let made = progress::with_spinner(args.writing.progress.progress, "merging", write)?;
    stderr::note(&format_args!(
        "origins {} bytes {} seconds {:.3}",
        made.origins,
        made.bytes,
        start.elapsed().as_secs_f64()
    ));
    Ok(Status::Done)
}

/// In what two packs differ that cannot be merged, and what each has.
fn difference(one: &Pack<'_>, other: &Pack<'_>) -> Option<(&'static str, String, String)> {
    let names =
        |pack: &Pack<'_>| pack.crawlers().iter().map(crawler_names).collect::<Vec<_>>().join("; ");
    let kept = |is_kept| if is_kept { "kept" } else { "not kept" }.to_owned();
    let points = [
        ("profiles", one.profile_name().to_owned(), other.profile_name().to_owned()),
        ("crawlers", names(one), names(other)),
        ("rules", kept(one.keeps_rules()), kept(other.keeps_rules())),
        ("sitemaps", kept(one.keeps_sitemaps()), kept(other.keeps_sitemaps())),
        ("rights", kept(one.keeps_rights()), kept(other.keeps_rights())),
    ];
    points.into_iter().find(|(_, one, other)| one != other)
}
