//! Shared by the integration tests: the oracles, the configurations, random numbers.

// Without the optional features some of it is unused.
#![allow(dead_code)]

pub mod base64;
#[cfg(feature = "rights")]
pub mod compared;
pub mod configs;
pub mod corpus;
#[cfg(feature = "pack")]
pub mod crafted;
pub mod every_config;
pub mod generate;
#[cfg(feature = "pack")]
pub mod hostile_packs;
pub mod naive;
pub mod random;
pub mod regex;
mod say;
pub mod switches;
pub mod whole_file;
#[cfg(feature = "pack")]
pub mod whole_pack;

pub use say::say;
