//! Helpers of several tests.

#[cfg(feature = "store")]
pub mod folder;
#[cfg(feature = "store")]
pub mod generated;
#[cfg(feature = "store")]
pub mod random;
#[cfg(feature = "fetch")]
pub mod servers;
#[cfg(feature = "fetch")]
pub mod time;
