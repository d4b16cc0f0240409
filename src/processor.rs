//! What the processor can do: which instructions may be used that not every x86-64 has.

/// Shows that the processor has AVX2: there is none where it has not.
#[derive(Clone, Copy)]
pub(crate) struct Avx2(());

/// Whether the environment variable `ROBOTSIEVE_PORTABLE` is set, with which the tests run as on a processor without
/// AVX2: the step `scalar` of `.ci/run`.
#[cfg(debug_assertions)]
static PORTABLE_ONLY: std::sync::LazyLock<bool> =
    std::sync::LazyLock::new(|| std::env::var_os("ROBOTSIEVE_PORTABLE").is_some());

impl Avx2 {
    /// Asks the processor, which answers once: later calls read a flag.
    #[inline(always)]
    pub(crate) fn detect() -> Option<Avx2> {
        // So that the other ways can be tested here too. What is shipped never looks.
        #[cfg(debug_assertions)]
        if *PORTABLE_ONLY {
            return None;
        }
        is_x86_feature_detected!("avx2").then_some(Avx2(()))
    }
}

/// Shows that the processor has AVX2 and the instructions that find and count the bits of a word, as nearly every processor
/// with AVX2.
#[derive(Clone, Copy)]
pub(crate) struct Avx2AndBits(());

impl Avx2AndBits {
    /// As [`Avx2::detect`].
    #[inline(always)]
    pub(crate) fn detect() -> Option<Avx2AndBits> {
        let bits = is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt");
        Avx2::detect().filter(|_| bits).map(|_| Avx2AndBits(()))
    }
}
