//! Pseudo-random numbers, the same in every run.

/// SplitMix64 (Steele, Lea and Flood, 2014).
pub struct Random(pub u64);

impl Random {
    /// A number below `bound`, which must not be 0. Its slight bias does not matter here.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    /// One of the choices.
    pub fn of<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }

    /// Up to `max_len` bytes from an alphabet.
    pub fn word(&mut self, max_len: usize, alphabet: &[u8]) -> Vec<u8> {
        (0..self.below(max_len + 1)).map(|_| *self.of(alphabet)).collect()
    }
}
