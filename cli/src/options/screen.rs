//! What a terminal shows: `--color` and `--progress`.

use clap::Args;

pub use crate::write::screen::When;

/// `--color`.
#[derive(Args, Clone, Copy, Debug)]
pub struct ColorOption {
    /// When to use colors: auto, always or never
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = When::Auto, hide_possible_values = true)]
    #[arg(long_help = "When to use colors: auto, always or never. 'auto' uses them if\n\
        standard output is a terminal and neither NO_COLOR is set nor TERM\n\
        is 'dumb'")]
    pub color: When,
}

/// `--progress`.
#[derive(Args, Clone, Copy, Debug)]
pub struct ProgressOption {
    /// When to show progress: auto, always or never
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = When::Auto, hide_possible_values = true)]
    #[arg(long_help = "When to show progress: auto, always or never. 'auto' shows it if\n\
        standard error is a terminal, after one second, without --quiet")]
    pub progress: When,
}
