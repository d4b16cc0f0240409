//! Numbers for people.

/// With a comma between thousands: `1,204`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 URL`, `1,204 URLs`.
pub fn urls(number: u64) -> String {
    format!("{} URL{}", grouped(number), if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups() {
        let all = [0, 999, 1_000, 12_345, 999_999, 1_000_000].map(grouped);
        assert_eq!(all, ["0", "999", "1,000", "12,345", "999,999", "1,000,000"]);
        assert_eq!([urls(1), urls(2)], ["1 URL", "2 URLs"]);
    }
}
