//! Published ranges of addresses, by which operators let others verify their crawlers.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

/// Addresses, as ranges from first to last in ascending order that do not touch. An IPv4 address is
/// the IPv6 address that it is mapped to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranges(Vec<(u128, u128)>);

/// The networks of addresses that a proxy or a check of the site's own has, and no client on the internet.
pub const PRIVATE: [&str; 10] = [
    "0.0.0.0/8",
    "10.0.0.0/8",
    // RFC 6598: the networks of providers.
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.168.0.0/16",
    "::1/128",
    "fc00::/7",
    "fe80::/10",
];

/// Returns true if no client on the internet has this address: it is that of a proxy, or of a check of the site's own.
pub fn is_private(address: IpAddr) -> bool {
    static NETWORKS: LazyLock<Ranges> = LazyLock::new(|| Ranges::of(PRIVATE).unwrap_or_default());
    NETWORKS.contains(address)
        || address.is_multicast()
        || address.is_unspecified()
        || address == IpAddr::V4(Ipv4Addr::BROADCAST)
}

/// Where the requests of a crawler came from, by the addresses that its operator publishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum AddressSource {
    /// From one of these addresses: the crawler itself.
    Published,
    /// From another address: somebody with its name, or the list is not of that time.
    Other,
    /// The log does not have the address, or it is a private one: that of a proxy.
    Unknown,
}

impl AddressSource {
    /// A number for those whose requests for /robots.txt count together: of the crawler itself for all that is known,
    /// of others with its name, and of nobody knows whom.
    pub(super) fn apart(source: Option<AddressSource>) -> usize {
        match source {
            None | Some(AddressSource::Published) => 0,
            Some(AddressSource::Other) => 1,
            Some(AddressSource::Unknown) => 2,
        }
    }
}

/// A text that is no address and no range of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidRange;

impl fmt::Display for InvalidRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it is not an address with a prefix length")
    }
}

impl std::error::Error for InvalidRange {}

impl Ranges {
    /// The ranges written as `192.0.2.0/24` or `2001:db8::/32`, or as addresses alone.
    ///
    /// # Errors
    /// Returns an error if one is not written so, with its place.
    ///
    /// ```
    /// use robotsieve_owners::audit::Ranges;
    ///
    /// let ranges = Ranges::of(["192.0.2.0/24", "2001:db8::/32"]).unwrap();
    /// assert!(ranges.contains("192.0.2.7".parse()?));
    /// assert!(!ranges.contains("198.51.100.1".parse()?));
    /// # Ok::<(), std::net::AddrParseError>(())
    /// ```
    pub fn of<T: AsRef<str>>(
        texts: impl IntoIterator<Item = T>,
    ) -> Result<Ranges, (usize, InvalidRange)> {
        let texts = texts.into_iter().enumerate();
        let ranges = texts.map(|(place, text)| range(text.as_ref()).ok_or((place, InvalidRange)));
        let mut all = Ranges(ranges.collect::<Result<_, _>>()?);
        all.merge();
        Ok(all)
    }

    /// Adds other ranges.
    pub fn add(&mut self, other: &Ranges) {
        self.0.extend(&other.0);
        self.merge();
    }

    /// The same addresses in networks, such as `192.0.2.0/24`.
    pub fn networks(&self) -> impl Iterator<Item = String> {
        const IPV4: u128 = 0xffff << 32;
        self.0
            .iter()
            .flat_map(|(first, last)| {
                let mut next = Some(*first);
                std::iter::from_fn(move || {
                    let from = next?;
                    // The largest network that begins there and ends in the range.
                    let fits = |len: &u32| {
                        let rest = u128::MAX.checked_shr(*len).unwrap_or(0);
                        from & rest == 0 && from | rest <= *last
                    };
                    let len = (0..128).find(fits).unwrap_or(128);
                    let end = from | u128::MAX.checked_shr(len).unwrap_or(0);
                    next = end.checked_add(1).filter(|next| next <= last);
                    Some((from, len))
                })
            })
            .flat_map(|(from, len)| {
                let address = Ipv6Addr::from_bits(from);
                match address.to_ipv4_mapped() {
                    Some(address) if len >= 96 => [Some(format!("{address}/{}", len - 96)), None],
                    _ => {
                        let has_all =
                            from <= IPV4 && IPV4 <= from | u128::MAX.checked_shr(len).unwrap_or(0);
                        [Some(format!("{address}/{len}")), has_all.then(|| "0.0.0.0/0".to_owned())]
                    }
                }
            })
            .flatten()
    }

    fn merge(&mut self) {
        self.0.sort_unstable();
        self.0.dedup_by(|next, last| {
            let touches = next.0 <= last.1.saturating_add(1);
            if touches {
                last.1 = last.1.max(next.1);
            }
            touches
        });
    }

    /// Returns true if an address is in one of the ranges.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        let address = number(address);
        let after = self.0.partition_point(|(first, _)| *first <= address);
        after > 0 && address <= self.0[after - 1].1
    }
}

fn number(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
        IpAddr::V6(address) => address.to_bits(),
    }
}

/// The first and the last address of a range.
fn range(text: &str) -> Option<(u128, u128)> {
    let (address, len) = text.split_once('/').map_or((text, None), |(text, len)| (text, Some(len)));
    let address: IpAddr = address.parse().ok()?;
    let bits = if address.is_ipv4() { 32 } else { 128 };
    let len = match len {
        None => bits,
        Some(len) if len.bytes().all(|byte| byte.is_ascii_digit()) => len.parse::<u32>().ok()?,
        Some(_) => return None,
    };
    // How many addresses there are after the first one; a shift by all bits is none.
    let rest = u128::MAX.checked_shr(128 - bits.checked_sub(len)?).unwrap_or(0);
    let first = number(address) & !rest;
    Some((first, first | rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_in_ranges() {
        let mut ranges =
            Ranges::of(["2001:4860:4801:10::/64", "66.249.64.0/27", "192.0.2.1"]).unwrap();
        ranges.add(&Ranges::of(["66.249.64.32/27", "66.249.64.0/28"]).unwrap());
        assert_eq!(ranges.0.len(), 3);
        for (address, wanted) in [
            ("66.249.63.255", false),
            ("66.249.64.0", true),
            ("66.249.64.63", true),
            ("66.249.64.64", false),
            ("192.0.2.1", true),
            ("192.0.2.2", false),
            ("2001:4860:4801:10:ffff::", true),
            ("2001:4860:4801:11::", false),
            ("::ffff:66.249.64.1", true),
            ("::", false),
        ] {
            assert_eq!(ranges.contains(address.parse().unwrap()), wanted, "{address}");
        }
        let all = Ranges::of(["::/0", "0.0.0.0/0"]).unwrap();
        assert_eq!(all.0, [(0, u128::MAX)]);
        // The first address of a range may be any in it.
        assert_eq!(
            Ranges::of(["66.249.64.9/27"]).unwrap().0,
            Ranges::of(["66.249.64.0/27"]).unwrap().0
        );
        let networks = |ranges: Ranges| ranges.networks().collect::<Vec<_>>();
        let wanted = ["66.249.64.0/26", "192.0.2.1/32", "2001:4860:4801:10::/64"];
        assert_eq!(networks(ranges), wanted);
        assert_eq!(networks(all), ["::/0", "0.0.0.0/0"]);
        let odd = Ranges::of(["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"]).unwrap();
        assert_eq!(networks(odd), ["192.0.2.1/32", "192.0.2.2/31", "192.0.2.4/32"]);
        for (address, wanted) in [
            ("10.0.0.1", true),
            ("127.0.0.1", true),
            ("169.254.1.1", true),
            ("fd00::1", true),
            ("fe80::1", true),
            ("::1", true),
            ("255.255.255.255", true),
            ("192.0.2.1", false),
            ("2001:db8::1", false),
        ] {
            assert_eq!(is_private(address.parse().unwrap()), wanted, "{address}");
        }
        for wrong in ["", "x", "192.0.2.0/33", "::/129", "192.0.2.0/", "192.0.2.0/+8", "/8"] {
            assert_eq!(Ranges::of(["::", wrong]).unwrap_err(), (1, InvalidRange), "{wrong}");
        }
        assert!(!Ranges::default().contains("192.0.2.1".parse().unwrap()));
    }
}
