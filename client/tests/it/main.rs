//! All tests of the crate, in one program: linking it once is faster than linking one for each
//! file.

mod answers;
#[cfg(feature = "fetch")]
mod fetch;
#[cfg(feature = "sieve")]
mod sieve;
#[cfg(feature = "store")]
mod store;
#[cfg(feature = "store")]
mod store_damage;
#[cfg(all(feature = "store", target_os = "linux"))]
mod store_full;
#[cfg(feature = "store")]
mod store_kill;
#[cfg(feature = "store")]
mod store_shared;
mod support;
#[cfg(all(feature = "fetch", feature = "sieve"))]
mod traced;
