//! Networks of addresses, and those that are not public.

use std::error::Error;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// The addresses that begin with the same bits: `10.1.0.0/16`, `2001:db8::/32`.
///
/// ```
/// use robotsieve_client::network::IpNetwork;
///
/// let network: IpNetwork = "10.1.0.0/16".parse()?;
/// assert!(network.contains("10.1.2.3".parse()?));
/// assert!(!network.contains("10.2.0.1".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IpNetwork {
    address: IpAddr,
    prefix_bits: u8,
}

impl IpNetwork {
    /// The network of the addresses whose first `prefix_bits` bits are those of this one.
    ///
    /// # Errors
    /// Returns an error if the address has fewer bits.
    pub fn new(address: IpAddr, prefix_bits: u8) -> Result<IpNetwork, InvalidNetwork> {
        let bits = if address.is_ipv4() { 32 } else { 128 };
        match prefix_bits <= bits {
            true => Ok(IpNetwork { address, prefix_bits }),
            false => Err(InvalidNetwork(())),
        }
    }

    /// The first address of the network.
    #[must_use]
    pub fn first(&self) -> IpAddr {
        match self.address {
            IpAddr::V4(address) => {
                Ipv4Addr::from_bits(address.to_bits() & !tail_v4(self.prefix_bits)).into()
            }
            IpAddr::V6(address) => {
                Ipv6Addr::from_bits(address.to_bits() & !tail_v6(self.prefix_bits)).into()
            }
        }
    }

    /// The last address of the network.
    #[must_use]
    pub fn last(&self) -> IpAddr {
        match self.address {
            IpAddr::V4(address) => {
                Ipv4Addr::from_bits(address.to_bits() | tail_v4(self.prefix_bits)).into()
            }
            IpAddr::V6(address) => {
                Ipv6Addr::from_bits(address.to_bits() | tail_v6(self.prefix_bits)).into()
            }
        }
    }

    /// True if the address is one of the network. An IPv4 address and the IPv6 address that it is
    /// mapped to are two.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                (own.to_bits() ^ other.to_bits()) & !tail_v4(self.prefix_bits) == 0
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                (own.to_bits() ^ other.to_bits()) & !tail_v6(self.prefix_bits) == 0
            }
            _ => false,
        }
    }
}

/// The bits after a prefix.
const fn tail_v4(prefix_bits: u8) -> u32 {
    u32::MAX.unbounded_shr(prefix_bits as u32)
}

/// The bits after a prefix.
const fn tail_v6(prefix_bits: u8) -> u128 {
    u128::MAX.unbounded_shr(prefix_bits as u32)
}

impl From<IpAddr> for IpNetwork {
    /// The network of this address alone.
    fn from(address: IpAddr) -> IpNetwork {
        IpNetwork { address, prefix_bits: if address.is_ipv4() { 32 } else { 128 } }
    }
}

impl FromStr for IpNetwork {
    type Err = InvalidNetwork;

    /// Reads `10.1.0.0/16`. Bits after the prefix need not be zero.
    fn from_str(text: &str) -> Result<IpNetwork, InvalidNetwork> {
        let (address, bits) = text.split_once('/').ok_or(InvalidNetwork(()))?;
        if bits.starts_with('+') {
            return Err(InvalidNetwork(()));
        }
        let address = address.parse().map_err(|_| InvalidNetwork(()))?;
        IpNetwork::new(address, bits.parse().map_err(|_| InvalidNetwork(()))?)
    }
}

impl fmt::Display for IpNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix_bits)
    }
}

/// The error of a text that is no [`IpNetwork`], or of a prefix that is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidNetwork(());

impl fmt::Display for InvalidNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not an address with the length of a prefix, such as 10.1.0.0/16")
    }
}

impl Error for InvalidNetwork {}

/// IPv4 networks outside the public Internet: the entries of IANA's special-purpose registry
/// that are not "globally reachable", and multicast and reserved addresses.
static SPECIAL_V4: [IpNetwork; 16] = [
    v4([0, 0, 0, 0], 8),        // This network
    v4([10, 0, 0, 0], 8),       // Private
    v4([100, 64, 0, 0], 10),    // Shared address space of carriers' NATs
    v4([127, 0, 0, 0], 8),      // Loopback
    v4([169, 254, 0, 0], 16),   // Link-local, and the clouds' metadata
    v4([172, 16, 0, 0], 12),    // Private
    v4([192, 0, 0, 0], 24),     // Protocol assignments
    v4([192, 0, 2, 0], 24),     // Documentation
    v4([192, 88, 99, 0], 24),   // 6to4 relays, deprecated
    v4([192, 168, 0, 0], 16),   // Private
    v4([198, 18, 0, 0], 15),    // Benchmarks
    v4([198, 51, 100, 0], 24),  // Documentation
    v4([203, 0, 113, 0], 24),   // Documentation
    v4([224, 0, 0, 0], 4),      // Multicast
    v4([240, 0, 0, 0], 4),      // Reserved, and the broadcast address
    v4([168, 63, 129, 16], 32), // Azure's metadata service, on a public address
];

/// The only IPv6 network that is allocated to the public Internet.
static GLOBAL_UNICAST: IpNetwork = v6([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);

/// Networks within it that are not public. A few services in the protocol assignments,
/// 2001::/23, are reachable (anycast for port control and traversal, AMT, AS112, ORCHID, drone
/// identifiers), but none of them serves a robots.txt.
static SPECIAL_V6: [IpNetwork; 3] = [
    v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 23),
    v6([0x2001, 0x0db8, 0, 0, 0, 0, 0, 0], 32), // Documentation
    v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20),      // Documentation
];

/// IPv6 networks whose addresses contain an IPv4 address, which decides whether they are public.
static NAT64: IpNetwork = v6([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96);
static TEREDO: IpNetwork = v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 32);
static SIX_TO_FOUR: IpNetwork = v6([0x2002, 0, 0, 0, 0, 0, 0, 0], 16);

const fn v4(bytes: [u8; 4], prefix_bits: u8) -> IpNetwork {
    let [a, b, c, d] = bytes;
    IpNetwork { address: IpAddr::V4(Ipv4Addr::new(a, b, c, d)), prefix_bits }
}

const fn v6(segments: [u16; 8], prefix_bits: u8) -> IpNetwork {
    let [a, b, c, d, e, f, g, h] = segments;
    IpNetwork { address: IpAddr::V6(Ipv6Addr::new(a, b, c, d, e, f, g, h)), prefix_bits }
}

/// True for an address of the public Internet.
///
/// Private, loopback, link-local, multicast, documentation and reserved addresses are none, nor
/// are those of cloud metadata services. An IPv6 address that contains an IPv4 address (mapped,
/// compatible, NAT64, 6to4, Teredo) is public if that one is.
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    !SPECIAL_V4.iter().any(|network| network.contains(address.into()))
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(within) = ipv4_within(address) {
        // A Teredo address contains its server's address too: both must be public.
        let server = TEREDO.contains(address.into()).then(|| v4_of_segments(address, 2));
        return is_public_v4(within) && server.is_none_or(is_public_v4);
    }
    GLOBAL_UNICAST.contains(address.into())
        && !SPECIAL_V6.iter().any(|network| network.contains(address.into()))
        && isatap(address).is_none_or(is_public_v4)
}

/// The IPv4 address to which an ISATAP router sends what comes for an address: RFC 5214, section 6.1.
pub(crate) fn isatap(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let [.., flags, company, _, _] = address.segments();
    (flags & !0x0300 == 0 && company == 0x5efe).then(|| v4_of_segments(address, 6))
}

/// The IPv4 address that an IPv6 address contains.
pub(crate) fn ipv4_within(address: Ipv6Addr) -> Option<Ipv4Addr> {
    if SIX_TO_FOUR.contains(address.into()) {
        return Some(v4_of_segments(address, 1));
    }
    if TEREDO.contains(address.into()) {
        // The client's address, with all bits inverted.
        return Some(Ipv4Addr::from_bits(!v4_of_segments(address, 6).to_bits()));
    }
    // Mapped, ::ffff:0:0/96, and compatible, ::/96. In the latter the unspecified address and
    // the loopback address are 0.0.0.0 and 0.0.0.1.
    let is_embedded = NAT64.contains(address.into()) || address.to_ipv4().is_some();
    is_embedded.then(|| v4_of_segments(address, 6))
}

fn v4_of_segments(address: Ipv6Addr, at: usize) -> Ipv4Addr {
    let segments = address.segments();
    Ipv4Addr::from_bits(u32::from(segments[at]) << 16 | u32::from(segments[at + 1]))
}

/// True if one of the networks contains an address. An IPv4 network also contains its addresses in
/// their IPv6-mapped form.
#[cfg(feature = "fetch")]
pub(crate) fn contain(networks: &[IpNetwork], address: IpAddr) -> bool {
    let canonical = address.to_canonical();
    networks.iter().any(|network| network.contains(canonical) || network.contains(address))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap_or_else(|_| panic!("{text} is not an address"))
    }

    /// The first and last address of each special network, and their neighbours outside it.
    #[test]
    fn special_networks_end_where_the_registry_says() {
        for (first, last) in [
            ("0.0.0.0", "0.255.255.255"),
            ("10.0.0.0", "10.255.255.255"),
            ("100.64.0.0", "100.127.255.255"),
            ("127.0.0.0", "127.255.255.255"),
            ("169.254.0.0", "169.254.255.255"),
            ("172.16.0.0", "172.31.255.255"),
            ("192.0.0.0", "192.0.0.255"),
            ("192.0.2.0", "192.0.2.255"),
            ("192.88.99.0", "192.88.99.255"),
            ("192.168.0.0", "192.168.255.255"),
            ("198.18.0.0", "198.19.255.255"),
            ("198.51.100.0", "198.51.100.255"),
            ("203.0.113.0", "203.0.113.255"),
            ("168.63.129.16", "168.63.129.16"),
        ] {
            let ends: [Ipv4Addr; 2] = [first.parse().unwrap(), last.parse().unwrap()];
            for end in ends {
                assert!(!is_public(end.into()), "{end}");
                assert!(!is_public(end.to_ipv6_mapped().into()), "{end} mapped");
                assert!(!is_public(end.to_ipv6_compatible().into()), "{end} compatible");
            }
            if let Some(before) = ends[0].to_bits().checked_sub(1) {
                assert!(is_public(Ipv4Addr::from_bits(before).into()), "before {first}");
            }
            assert!(is_public(Ipv4Addr::from_bits(ends[1].to_bits() + 1).into()), "after {last}");
        }
        assert!(is_public(address("223.255.255.255")));
        for text in ["224.0.0.0", "239.255.255.255", "240.0.0.0", "255.255.255.255"] {
            assert!(!is_public(address(text)), "{text}");
        }
    }

    #[test]
    fn ipv6_is_public_if_it_is_allocated_and_not_special() {
        for text in [
            "::",
            "::1",
            "::2",
            "64:ff9b:1::",
            "64:ff9b:1:ffff:ffff:ffff:ffff:ffff",
            "100::",
            "100::ffff",
            "100:0:0:1::1",
            "2400:cb00::5efe:127.0.0.1",
            "2400:cb00::200:5efe:10.0.0.1",
            "2606:4700:1:2:0:5efe:169.254.169.254",
            "2001:1::1",
            "2001:2::1",
            "2001:10::1",
            "2001:20::1",
            "2001:1ff:ffff::",
            "2001:db8::",
            "2001:db8:ffff::1",
            "3fff::1",
            "3fff:fff::1",
            "4000::",
            "5f00::1",
            "fc00::",
            "fd00:ec2::254",
            "fdff::1",
            "fe80::1",
            "febf::1",
            "fec0::1",
            "feff::1",
            "ff00::",
            "ff02::1",
            "ffff::1",
        ] {
            assert!(!is_public(address(text)), "{text}");
        }
        for text in [
            "2000::1",
            "2001:200::1",
            "2001:db7::1",
            "2001:db9::1",
            "2606:4700::1111",
            "2a00:1450:4001::200e",
            "3ffe::1",
            "3fff:1000::1",
        ] {
            assert!(is_public(address(text)), "{text}");
        }
    }

    #[test]
    fn ipv6_is_as_public_as_the_ipv4_address_in_it() {
        for (text, public) in [
            ("::ffff:10.0.0.1", false),
            ("::ffff:127.0.0.1", false),
            ("::ffff:169.254.169.254", false),
            ("::ffff:8.8.8.8", true),
            ("::10.0.0.1", false),
            ("::8.8.8.8", true),
            ("64:ff9b::10.0.0.1", false),
            ("64:ff9b::127.0.0.1", false),
            ("64:ff9b::8.8.8.8", true),
            ("2002:a00:1::1", false),
            ("2002:7f00:1::1", false),
            ("2002:808:808::1", true),
            // Teredo: the server 65.54.227.120 as it is, the client inverted.
            ("2001:0:4136:e378:8000:63bf:3fff:fdd2", false), // 192.0.2.45
            ("2001:0:4136:e378:8000:63bf:f7f7:f7f7", true),  // 8.8.8.8
            ("2001:0:a00:1:8000:63bf:f7f7:f7f7", false),     // Server 10.0.0.1
        ] {
            assert_eq!(is_public(address(text)), public, "{text}");
        }
    }

    #[test]
    fn networks_are_read_and_written() {
        for (text, first, last) in [
            ("10.1.0.0/16", "10.1.0.0", "10.1.255.255"),
            ("10.1.2.3/16", "10.1.0.0", "10.1.255.255"),
            ("0.0.0.0/0", "0.0.0.0", "255.255.255.255"),
            ("192.0.2.1/32", "192.0.2.1", "192.0.2.1"),
            ("::/0", "::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
            ("2001:db8::/33", "2001:db8::", "2001:db8:7fff:ffff:ffff:ffff:ffff:ffff"),
            ("::1/128", "::1", "::1"),
        ] {
            let network: IpNetwork = text.parse().unwrap();
            assert_eq!(network.to_string(), text);
            assert_eq!((network.first(), network.last()), (address(first), address(last)));
            assert!([first, last].iter().all(|end| network.contains(address(end))), "{text}");
        }
        for text in ["", "10.1.0.0", "10.1.0.0/", "10.1.0.0/33", "::/129", "10.1/16", "::/+1"] {
            assert!(text.parse::<IpNetwork>().is_err(), "{text}");
        }
        let one = IpNetwork::from(address("::1"));
        assert_eq!(one.to_string(), "::1/128");
        assert!(!one.contains(address("0.0.0.1")) && !one.contains(address("::2")));
    }
}
