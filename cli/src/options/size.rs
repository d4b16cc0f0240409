//! Sizes in bytes, with a unit.

use std::str::FromStr;

/// A number of bytes, of which there is at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(pub usize);

impl FromStr for Size {
    type Err = String;

    /// Reads `500000`, `512KiB`, `64MiB` or `1GiB`, also with `K`, `M` and `G` alone.
    fn from_str(text: &str) -> Result<Size, String> {
        let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
        let unit: usize = match text[digits.len()..].to_ascii_lowercase().as_str() {
            "" | "b" => 1,
            "k" | "kib" => 1 << 10,
            "m" | "mib" => 1 << 20,
            "g" | "gib" => 1 << 30,
            _ => return Err("a size is a number of bytes, or 512KiB, 64MiB, 1GiB".to_owned()),
        };
        let number: usize = digits.parse().map_err(|_| "a size begins with digits".to_owned())?;
        match number.checked_mul(unit) {
            Some(0) => Err("a size is at least one byte".to_owned()),
            Some(bytes) => Ok(Size(bytes)),
            None => Err("no machine has that much memory".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        let cases =
            [("1", 1), ("500000", 500_000), ("2K", 2048), ("64MiB", 64 << 20), ("1g", 1 << 30)];
        for (text, bytes) in cases {
            assert_eq!(text.parse(), Ok(Size(bytes)), "{text}");
        }
        for text in
            ["", "0", "M", "1MB", "-1", "1.5M", "1 M", "99999999999999999999", "9999999999999G"]
        {
            assert!(text.parse::<Size>().is_err(), "{text}");
        }
    }
}
