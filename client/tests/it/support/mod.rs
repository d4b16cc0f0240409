//! What several tests share.

#[cfg(feature = "store")]
pub mod generated;
#[cfg(feature = "store")]
pub mod random;
#[cfg(feature = "fetch")]
pub mod servers;
