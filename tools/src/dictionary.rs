//! Trains the dictionary that the store compresses bodies with, `client/src/store/dictionary`.
//!
//! ```text
//! cargo run --release -p robotsieve-tools --bin dictionary [-- FILE]
//! ```
//!
//! The samples are generated files, with another seed than those of the benchmarks, and the
//! hand-written files in `corpora/robots`. The same versions of the libraries give the same bytes.
//! FILE writes the dictionary elsewhere.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The seed of the generated files: not that of the benchmarks.
const SEED: u64 = 7;
const SAMPLES: usize = 5_000;
/// The largest sample. A dictionary helps only with small bodies.
const MAX_SAMPLE_BYTES: usize = 20_000;
/// The size of the dictionary. Twice as much would shorten generated bodies by 4 %, and real
/// ones not at all.
const MAX_BYTES: usize = 16 << 10;

fn main() -> io::Result<()> {
    let repository = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let path =
        env::args_os().nth(1).map_or(repository.join("client/src/store/dictionary"), PathBuf::from);

    let mut samples = BTreeSet::new();
    for entry in fs::read_dir(repository.join("corpora/robots"))? {
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
