//! Makes the dictionary that the store compresses bodies with, `client/src/store/dictionary`.
//!
//! It is trained on files of the generator, of another seed than the ones that benchmarks
//! measure, and on the hand-written ones of `corpora/robots`:
//! `cargo run --release -p robotsieve-client --example dictionary`. The same libraries make the
//! same bytes; `-- FILE` writes them to another place.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Not the seed of the benchmarks.
const SEED: u64 = 7;
const SAMPLES: usize = 5_000;
/// Larger files are no small bodies, for which a dictionary is.
const MAX_SAMPLE_BYTES: usize = 20_000;
/// Twice the size shortens the bodies of the generator by 4 %, and no real ones.
const MAX_BYTES: usize = 16 << 10;

fn main() -> io::Result<()> {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path =
        env::args_os().nth(1).map_or(crate_folder.join("src/store/dictionary"), PathBuf::from);

    let mut samples = BTreeSet::new();
    for entry in fs::read_dir(crate_folder.join("../corpora/robots"))? {
        samples.insert(fs::read(entry?.path())?);
    }
    let generated = (0..).map(|host| robotsieve_corpora::robots(SEED, host));
    for body in generated.filter(|body| body.len() <= MAX_SAMPLE_BYTES) {
        samples.insert(body);
        if samples.len() == SAMPLES {
            break;
        }
    }
    let samples = Vec::from_iter(samples);
    let dictionary = zstd::dict::from_samples(&samples, MAX_BYTES)?;
    fs::write(&path, &dictionary)?;
    println!("{}: {} bytes from {} bodies", path.display(), dictionary.len(), samples.len());
    Ok(())
}
