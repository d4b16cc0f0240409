//! `--threads`.

use std::thread;

use clap::{Args, value_parser};

/// `--threads`, one per core by default.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct Threads {
    /// Use this many threads [default: one per core]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

impl Threads {
    /// The number given, or the number of cores.
    pub fn get(self) -> usize {
        self.threads
            .map_or_else(|| thread::available_parallelism().map_or(1, usize::from), usize::from)
    }
}
