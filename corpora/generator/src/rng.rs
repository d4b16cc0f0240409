//! splitmix64: tiny, fast, good enough for test data, and the same on every machine.

/// A deterministic stream of numbers.
pub(crate) struct Rng(u64);

impl Rng {
    /// Stream number `stream` of host (or file) `number` under `seed`.
    ///
    /// Streams are independent: drawing from one does not change another.
    pub(crate) fn new(seed: u64, number: u64, stream: u64) -> Self {
        let mut rng = Rng(seed ^ 0x5EED_0F0B_0751_E7E5);
        rng.0 = rng.next() ^ number;
        rng.0 = rng.next() ^ stream;
        rng
    }

    /// The next 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is at least 1.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        // Multiply and shift: the bias is too small to show in test data.
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    /// True in `percent` of 100 draws.
    pub(crate) fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// One of `choices`, which must not be empty.
    pub(crate) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }
}
