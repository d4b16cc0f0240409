//! Published ranges of addresses, by which operators let others verify their crawlers.

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use robotsieve_client::fetch::IpNet;
use serde::Deserialize;

use crate::error::Failure;
use crate::read::small_file;

/// `--ranges`: `googlebot.json`, or `Googlebot=FILE`.
#[derive(Clone, Debug)]
pub struct RangesOption {
    /// As given, or as the file is named.
    pub name: String,
    pub is_named: bool,
    pub path: PathBuf,
}

impl From<&str> for RangesOption {
    fn from(text: &str) -> RangesOption {
        match text.split_once('=') {
            Some((name, path)) if !name.contains(['/', '\\']) => {
                RangesOption { name: name.to_owned(), is_named: true, path: path.into() }
            }
            _ => {
                let name = Path::new(text).file_stem().unwrap_or_default().to_string_lossy();
                RangesOption { name: name.into_owned(), is_named: false, path: text.into() }
            }
        }
    }
}

/// Addresses, as ranges from first to last in ascending order that do not touch. An IPv4 address is
/// the IPv6 address that it is mapped to.
#[derive(Clone, Debug, Default)]
pub struct Ranges(Vec<(u128, u128)>);

#[derive(Deserialize)]
struct File {
    prefixes: Vec<Prefix>,
}

#[derive(Deserialize)]
struct Prefix {
    #[serde(rename = "ipv4Prefix", alias = "ipv6Prefix")]
    prefix: String,
}

impl Ranges {
    /// Reads a file as Google, Bing and OpenAI publish it, and adds its ranges.
    ///
    /// # Errors
    /// Returns an error if it cannot be read, or is not such a file.
    pub fn add(&mut self, path: &Path) -> Result<(), Failure> {
        let action = || format!("cannot read the address ranges in '{}'", path.display());
        let wrong = |text: String| std::io::Error::new(std::io::ErrorKind::InvalidData, text);
        let file = small_file(path)
            .and_then(|bytes| {
                let file: File =
                    serde_json::from_slice(&bytes).map_err(|cause| wrong(cause.to_string()))?;
                let ranges = file.prefixes.iter().map(|prefix| {
                    range(&prefix.prefix).ok_or_else(|| {
                        wrong(format!("'{}' is not an address with a prefix length", prefix.prefix))
                    })
                });
                ranges.collect::<Result<Vec<_>, _>>()
            })
            .map_err(|cause| {
                Failure::io(action(), cause).advise(
                    "it is JSON like {\"prefixes\":[{\"ipv4Prefix\":\"192.0.2.0/24\"}]}, as \
                     operators publish it",
                )
            })?;
        self.0.extend(file);
        self.0.sort_unstable();
        self.0.dedup_by(|next, last| {
            let touches = next.0 <= last.1.saturating_add(1);
            if touches {
                last.1 = last.1.max(next.1);
            }
            touches
        });
        Ok(())
    }

    /// Whether an address is in one of the ranges.
    pub fn contain(&self, address: IpAddr) -> bool {
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

/// The first and the last address of `192.0.2.0/24` or `2001:db8::/32`, or of an address alone.
fn range(text: &str) -> Option<(u128, u128)> {
    let net = text.parse().or_else(|_| text.parse::<IpAddr>().map(IpNet::from)).ok()?;
    Some((number(net.network()), number(net.broadcast())))
}

#[cfg(test)]
mod tests {
    use std::net::Ipv6Addr;

    use super::*;

    #[test]
    fn addresses_in_ranges() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("googlebot.json");
        let file = r#"{"creationTime":"2026-11-01T00:00:00","prefixes":[
            {"ipv6Prefix":"2001:4860:4801:10::/64"},{"ipv4Prefix":"66.249.64.0/27"},
            {"ipv4Prefix":"66.249.64.32/27","service":"x"},{"ipv4Prefix":"192.0.2.1"},
            {"ipv4Prefix":"66.249.64.0/28"}]}"#;
        std::fs::write(&path, file).unwrap();
        let mut ranges = Ranges::default();
        ranges.add(&path).unwrap();
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
            assert_eq!(ranges.contain(address.parse().unwrap()), wanted, "{address}");
        }
        for wrong in
            ["", "{}", "[]", r#"{"prefixes":[{}]}"#, r#"{"prefixes":[{"ipv4Prefix":"x"}]}"#]
        {
            std::fs::write(&path, wrong).unwrap();
            assert!(Ranges::default().add(&path).is_err(), "{wrong}");
        }
    }

    #[test]
    fn prefixes() {
        let all =
            |text| range(text).map(|(first, last)| (Ipv6Addr::from(first), Ipv6Addr::from(last)));
        let wanted =
            ("::".parse().unwrap(), "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff".parse().unwrap());
        assert_eq!(all("::/0"), Some(wanted));
        let wanted = ("::ffff:0.0.0.0".parse().unwrap(), "::ffff:255.255.255.255".parse().unwrap());
        assert_eq!(all("0.0.0.0/0"), Some(wanted));
        for text in ["1.2.3.4/33", "::/129", "1.2.3.4/-1", "1.2.3/8", "/8", "1.2.3.4/"] {
            assert_eq!(all(text), None, "{text}");
        }
    }
}
