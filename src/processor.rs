//! What the processor can do: which instructions may be used that not every processor has.

/// Shows that the processor has AVX2, or NEON as every AArch64: there is none where it has not.
#[derive(Clone, Copy)]
pub(crate) struct Vectors(());

/// Whether the environment variable `ROBOTSIEVE_PORTABLE` is set, with which the tests run as on a processor without
/// these: the step `scalar` of `.ci/run`.
#[cfg(debug_assertions)]
static PORTABLE_ONLY: std::sync::LazyLock<bool> =
    std::sync::LazyLock::new(|| std::env::var_os("ROBOTSIEVE_PORTABLE").is_some());

impl Vectors {
    /// Asks the processor, which answers once: later calls read a flag.
    #[inline(always)]
    pub(crate) fn detect() -> Option<Vectors> {
        // So that the other ways can be tested here too. What is shipped never looks.
        #[cfg(debug_assertions)]
        if *PORTABLE_ONLY {
            return None;
        }
        #[cfg(target_arch = "x86_64")]
        let has_vectors = is_x86_feature_detected!("avx2");
        #[cfg(not(target_arch = "x86_64"))]
        let has_vectors = true;
        has_vectors.then_some(Vectors(()))
    }
}

/// Shows that the processor has AVX2 and the instructions that find and count the bits of a word, as nearly every processor
/// with AVX2.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(crate) struct Avx2AndBits(());

#[cfg(target_arch = "x86_64")]
impl Avx2AndBits {
    /// As [`Vectors::detect`].
    #[inline(always)]
    pub(crate) fn detect() -> Option<Avx2AndBits> {
        let bits = is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt");
        Vectors::detect().filter(|_| bits).map(|_| Avx2AndBits(()))
    }
}
