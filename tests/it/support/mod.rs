//! Shared by the integration tests: the oracles, the configurations, random numbers.

pub mod base64;
pub mod compared;
pub mod configs;
pub mod corpus;
#[allow(dead_code, reason = "the fuzz target `pack` uses it too")]
pub mod crafted;
pub mod every_config;
pub mod generate;
pub mod hostile_packs;
pub mod naive;
pub mod random;
pub mod regex;
mod say;
pub mod switches;
pub mod thread_time;
pub mod whole_file;
pub mod whole_pack;

pub use say::say;
