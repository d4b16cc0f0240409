//! From a URL to its host, and from the host to its robots.txt in a folder.
//!
//! A host never becomes part of a path: the folder is listed once, its file names are
//! brought to the same form as the hosts of URLs, and hosts are looked up in that list.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::OsString;
use std::fs::{self, DirEntry};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use idna::AsciiDenyList;
use memchr::{memchr, memrchr};
use robotsieve::{Crawler, Profile};

use super::judge::Site;
use super::report::Report;
use crate::error::Failure;
use crate::robots_file;

/// What stands between `scheme://` and the path of a URL, user info and port included.
#[derive(Clone, Copy, Debug)]
pub struct Authority<'u> {
    /// The URL up to the end of its authority.
    start: &'u [u8],
    text: &'u [u8],
    /// Whether `text` is a host in canonical form for certain, as of most URLs.
    is_plain: bool,
    /// Of the scheme, if it has one.
    default_port: Option<u16>,
}

impl<'u> Authority<'u> {
    /// The authority of a URL, if it has one: `scheme://authority`, by the library's rules
    /// for what a URL is. In google/robotstxt a `;` ends it too.
    #[inline]
    pub fn of(url: &'u [u8], google: bool) -> Option<Authority<'u>> {
        let (rest, default_port) = if let Some(rest) = url.strip_prefix(b"https://") {
            (rest, Some(443))
        } else if let Some(rest) = url.strip_prefix(b"http://") {
            (rest, Some(80))
        } else {
            after_scheme(url)?
        };
        let (len, is_plain) = plain_until(rest, |octet| ends_authority(octet, google));
        let start = &url[..url.len() - rest.len() + len];
        let text = &rest[..len];
        (len > 0).then_some(Authority { start, text, is_plain, default_port })
    }

    /// Whether this is the authority of that URL, of a scheme spelt the same, too.
    #[inline]
    pub fn is_of(&self, url: &[u8], google: bool) -> bool {
        url.strip_prefix(self.start).is_some_and(|rest| match rest.first() {
            Some(octet) => ends_authority(*octet, google),
            None => true,
        })
    }

    /// The host in the form in which hosts are compared, with `:PORT` behind it where that
    /// is not the scheme's default; `None` for what is no host.
    ///
    /// The port stands after the last `:` outside of brackets; an empty one is the default,
    /// and leading zeros are dropped.
    #[inline]
    pub fn host(&self) -> Option<Cow<'u, [u8]>> {
        if self.is_plain {
            return Some(Cow::Borrowed(self.text));
        }
        let text = match memrchr(b'@', self.text) {
            Some(at) => &self.text[at + 1..],
            None => self.text,
        };
        host_and_port(text, self.default_port)
    }
}

#[inline]
fn ends_authority(octet: u8, google: bool) -> bool {
    matches!(octet, b'/' | b'?' | b'#') || google && octet == b';'
}

/// What follows `scheme://` where that is neither `http://` nor `https://` to the letter.
///
/// RFC 3986 §3.1: `scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )`.
#[cold]
fn after_scheme(url: &[u8]) -> Option<(&[u8], Option<u16>)> {
    let (scheme, rest) = url.split_at(memchr(b':', url)?);
    let rest = rest.strip_prefix(b"://")?;
    let is_scheme = |o: &u8| o.is_ascii_alphanumeric() || matches!(o, b'+' | b'-' | b'.');
    if !scheme.first()?.is_ascii_alphabetic() || !scheme.iter().all(is_scheme) {
        return None;
    }
    const PORTS: [(&[u8], u16); 3] = [(b"http", 80), (b"https", 443), (b"ftp", 21)];
    let port = PORTS.iter().find(|(name, _)| name.eq_ignore_ascii_case(scheme));
    Some((rest, port.map(|(_, port)| *port)))
}

fn host_and_port(text: &[u8], default_port: Option<u16>) -> Option<Cow<'_, [u8]>> {
    let name_len = if text.first() == Some(&b'[') {
        memchr(b']', text)? + 1
    } else {
        memrchr(b':', text).unwrap_or(text.len())
    };
    let (name, rest) = text.split_at(name_len);
    let name = canonical_name(name)?;
    let port = match rest {
        [] | [b':'] => return Some(name),
        [b':', digits @ ..] => digits.iter().try_fold(0, |port: u32, digit| {
            let digit = char::from(*digit).to_digit(10)?;
            Some(port * 10 + digit).filter(|port| *port <= u16::MAX.into())
        })? as u16,
        _ => return None,
    };
    if Some(port) == default_port {
        return Some(name);
    }
    let has_no_zeros = rest[1] != b'0' || rest.len() == 2;
    Some(match name {
        Cow::Borrowed(_) if has_no_zeros => Cow::Borrowed(text),
        name => Cow::Owned([&name, format!(":{port}").as_bytes()].concat()),
    })
}

/// A host name in the form in which names are compared: lower-case, Punycode.
///
/// As in the WHATWG URL standard (percent-encoding undone, then UTS 46, non-transitional,
/// underscores permitted), but numbers are not read as IPv4 addresses. An IPv6 address keeps
/// its brackets and its spelling.
fn canonical_name(name: &[u8]) -> Option<Cow<'_, [u8]>> {
    if is_plain(name) {
        return Some(Cow::Borrowed(name));
    }
    if let [b'[', address @ .., b']'] = name {
        let is_address = !address.is_empty() && address.iter().all(u8::is_ascii_graphic);
        return is_address.then(|| Cow::Owned(name.to_ascii_lowercase()));
    }
    let decoded = percent_decoded(name);
    // It forbids, among others, '/', '%', ':', '@', space and controls.
    let ascii = idna::domain_to_ascii_cow(&decoded, AsciiDenyList::URL).ok()?;
    (!ascii.is_empty()).then(|| Cow::Owned(ascii.as_bytes().to_vec()))
}

/// Whether a name is in canonical form for certain.
fn is_plain(name: &[u8]) -> bool {
    !name.is_empty() && plain_until(name, |_| false).1
}

/// How many octets come before the one that ends the text, and whether they are a host name
/// in canonical form for certain: ASCII, lower-case, and without `--`, which every Punycode
/// label has. One loop for both: its end is what a processor cannot foresee.
#[inline(always)]
fn plain_until(text: &[u8], is_end: impl Fn(u8) -> bool) -> (usize, bool) {
    let mut is_plain = true;
    let mut before = 0;
    for (at, octet) in text.iter().copied().enumerate() {
        if is_end(octet) {
            return (at, is_plain);
        }
        is_plain &= PLAIN[usize::from(octet)] & !(octet == b'-' && before == b'-');
        before = octet;
    }
    (text.len(), is_plain)
}

/// The octets of plain names.
static PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut octet = 0;
    while octet < 256 {
        plain[octet] = matches!(octet as u8, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-' | b'_');
        octet += 1;
    }
    plain
};

fn percent_decoded(name: &[u8]) -> Cow<'_, [u8]> {
    if memchr(b'%', name).is_none() {
        return Cow::Borrowed(name);
    }
    let digit = |octet: Option<&u8>| char::from(*octet?).to_digit(16);
    let mut decoded = Vec::with_capacity(name.len());
    let mut rest = name;
    while let [octet, after @ ..] = rest {
        rest = after;
        let pair = || Some(digit(after.first())? * 16 + digit(after.get(1))?);
        match pair().filter(|_| *octet == b'%') {
            Some(value) => {
                decoded.push(value as u8);
                rest = &after[2..];
            }
            None => decoded.push(*octet),
        }
    }
    Cow::Owned(decoded)
}

/// A host's hash: for the folder, and to count hosts by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct HostHash(u64);

impl HostHash {
    /// One of so many slots.
    #[inline]
    pub fn slot(self, slots: usize) -> usize {
        self.0 as usize % slots
    }
}

/// The hash function of a process, keyed at random: nobody can choose hosts that collide.
#[derive(Clone, Debug, Default)]
pub struct HostHasher(RandomState);

impl HostHasher {
    /// Of a host in canonical form.
    #[inline]
    pub fn hash(&self, host: &[u8]) -> HostHash {
        HostHash(self.0.hash_one(host))
    }
}

/// For tables whose keys are hashes already.
#[derive(Clone, Copy, Debug, Default)]
pub struct Identity;

impl BuildHasher for Identity {
    type Hasher = IdentityHasher;

    fn build_hasher(&self) -> IdentityHasher {
        IdentityHasher(0)
    }
}

/// Gives back the one number that it was fed.
pub struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn write(&mut self, _: &[u8]) {
        unreachable!("a HostHash is one u64");
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// The robots.txt files of a folder by the hosts for which they are.
pub struct Folder {
    path: PathBuf,
    crawlers: Vec<Crawler>,
    profile: Profile,
    files: Vec<RobotsFile>,
    /// Hosts in canonical form.
    hosts: Vec<Box<[u8]>>,
    /// Of each host its place in `hosts` and that of its file in `files`: both here, so that
    /// comparing the name and fetching the file wait for memory at the same time. A file may
    /// be for two hosts: `a.txt` for `a.txt` and for `a`.
    places: HashMap<HostHash, (u32, u32), Identity>,
    /// Such that no two of `hosts` have the same hash.
    hasher: HostHasher,
}

/// One file of a folder. It is read when it is first needed, and stays.
pub struct RobotsFile {
    name: OsString,
    site: OnceLock<Option<Site>>,
}

impl Folder {
    /// Lists a folder. With it come warnings about files that are for the same host.
    pub fn list(
        path: &Path,
        crawlers: Vec<Crawler>,
        profile: Profile,
    ) -> Result<(Folder, Vec<String>), Failure> {
        let failed = |cause| {
            Failure::io(
                format!("cannot list the folder of --robots-dir '{}'", path.display()),
                cause,
            )
        };
        let mut names = Vec::new();
        for entry in fs::read_dir(path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if is_file(&entry).map_err(failed)? {
                names.push(entry.file_name());
            }
        }
        names.sort_unstable();
        let (files_of_hosts, warnings) = hosts_of(path, &names);
        let (hasher, places) = loop {
            let hasher = HostHasher::default();
            let hosts = files_of_hosts.iter().enumerate();
            let places: HashMap<_, _, Identity> = hosts
                .map(|(place, (host, file))| (hasher.hash(host), (place as u32, *file)))
                .collect();
            if places.len() == files_of_hosts.len() {
                break (hasher, places);
            }
        };
        let hosts = files_of_hosts.into_iter().map(|(host, _)| host).collect();
        let file = |name| RobotsFile { name, site: OnceLock::new() };
        let files = names.into_iter().map(file).collect();
        let path = path.to_owned();
        Ok((Folder { path, crawlers, profile, files, hosts, places, hasher }, warnings))
    }

    /// The hash function by which [`Folder::find`] finds.
    pub fn hasher(&self) -> &HostHasher {
        &self.hasher
    }

    /// The file for a host in canonical form.
    #[inline]
    pub fn find(&self, host: &[u8], hash: HostHash) -> Option<&RobotsFile> {
        let (place, file) = *self.places.get(&hash)?;
        (*self.hosts[place as usize] == *host).then(|| &self.files[file as usize])
    }
}

impl RobotsFile {
    /// What the file says; `None` where it cannot be read, which is reported once.
    #[inline]
    pub fn site(&self, folder: &Folder, report: &Report) -> Option<&Site> {
        let read = || match robots_file::read(&folder.path.join(&self.name)) {
            Ok(file) => Some(Site::new(&file, &folder.profile, &folder.crawlers)),
            Err(failure) => {
                report.error(&format_args!("{failure}; the URLs of its host are unknown"));
                None
            }
        };
        self.site.get_or_init(read).as_ref()
    }
}

/// Whether this is a regular file, or a link to one. A link that leads nowhere counts too:
/// that its robots.txt cannot be read shall be told, not passed over.
fn is_file(entry: &DirEntry) -> io::Result<bool> {
    let kind = entry.file_type()?;
    if kind.is_symlink() {
        return Ok(fs::metadata(entry.path()).map_or(true, |target| target.is_file()));
    }
    Ok(kind.is_file())
}

/// A canonical host, with the place of its file among the names of the folder.
type HostPlace = (Box<[u8]>, u32);

/// The hosts that files of these names are for, each with the place of its file in `names`,
/// which are sorted. `HOST` goes before `HOST.txt`; among spellings of either the canonical
/// one goes first, then the order of octets, and a warning tells.
fn hosts_of(folder: &Path, names: &[OsString]) -> (Vec<HostPlace>, Vec<String>) {
    let mut warnings = Vec::new();
    let mut hosts = hosts_with_suffix(b"", folder, names, &mut warnings);
    for (host, place) in hosts_with_suffix(b".txt", folder, names, &mut warnings) {
        hosts.entry(host).or_insert(place);
    }
    (hosts.into_iter().collect(), warnings)
}

fn hosts_with_suffix(
    suffix: &[u8],
    folder: &Path,
    names: &[OsString],
    warnings: &mut Vec<String>,
) -> HashMap<Box<[u8]>, u32> {
    let mut hosts = HashMap::new();
    for (place, name) in names.iter().enumerate() {
        let Some(spelling) = name.as_encoded_bytes().strip_suffix(suffix) else { continue };
        let Some(host) = host_and_port(spelling, None) else { continue };
        match hosts.entry(Box::from(&*host)) {
            Entry::Vacant(entry) => {
                entry.insert(place as u32);
            }
            Entry::Occupied(mut entry) => {
                let other = &names[*entry.get() as usize];
                let used = if *host == *spelling { name } else { other };
                warnings.push(format!(
                    "'{}' and '{}' in '{}' are for the same host, {}: '{}' is used; remove or \
                     rename one of them",
                    other.display(),
                    name.display(),
                    folder.display(),
                    String::from_utf8_lossy(&host),
                    used.display(),
                ));
                if *host == *spelling {
                    entry.insert(place as u32);
                }
            }
        }
    }
    hosts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(url: &str) -> Option<String> {
        let host = Authority::of(url.as_bytes(), false)?.host()?;
        Some(String::from_utf8(host.into_owned()).unwrap())
    }

    #[test]
    fn hosts_of_urls() {
        let cases = [
            ("http://e.com", Some("e.com")),
            ("http://e.com/x:1@y", Some("e.com")),
            ("http://E.Com?x", Some("e.com")),
            ("HTTPS://e.com#x", Some("e.com")),
            ("http://e.com.", Some("e.com.")),
            ("http://a_b.e.com/", Some("a_b.e.com")),
            ("http://-a-.com/", Some("-a-.com")),
            ("http://a--b.com/", Some("a--b.com")),
            ("http://Müller.example/", Some("xn--mller-kva.example")),
            ("http://m%C3%BCller.example/", Some("xn--mller-kva.example")),
            ("http://XN--mller-KVA.example/", Some("xn--mller-kva.example")),
            ("http://straße.example/", Some("xn--strae-oqa.example")),
            ("http://e\u{3002}com/", Some("e.com")),
            ("http://%65.com/", Some("e.com")),
            ("http://e.com:80/", Some("e.com")),
            ("http://e.com:/", Some("e.com")),
            ("http://e.com:0080/", Some("e.com")),
            ("http://e.com:443/", Some("e.com:443")),
            ("https://e.com:443/", Some("e.com")),
            ("https://e.com:80/", Some("e.com:80")),
            ("ftp://e.com:21/", Some("e.com")),
            ("ftp://e.com:80/", Some("e.com:80")),
            ("svn+ssh://e.com/", Some("e.com")),
            ("svn+ssh://e.com:80/", Some("e.com:80")),
            ("http://e.com:08080/", Some("e.com:8080")),
            ("http://E.com:8080/", Some("e.com:8080")),
            ("http://e.com:0/", Some("e.com:0")),
            ("http://e.com:00/", Some("e.com:0")),
            ("http://e.com:65535/", Some("e.com:65535")),
            ("http://e.com:65536/", None),
            ("http://e.com:99999999999999999999/", None),
            ("http://e.com:8o/", None),
            ("http://e.com:+80/", None),
            ("http://u:p@e.com:8080/", Some("e.com:8080")),
            ("http://u@v@e.com/", Some("e.com")),
            ("http://u@/", None),
            ("http://:80/", None),
            ("http:///x", None),
            ("http:/e.com/x", None),
            ("/x", None),
            ("e.com/x", None),
            ("1http://e.com/", None),
            ("://e.com/", None),
            ("http://[::1]/", Some("[::1]")),
            ("http://[2001:DB8::1]:80/", Some("[2001:db8::1]")),
            ("http://[::1]:8080/", Some("[::1]:8080")),
            ("http://[::1/", None),
            ("http://[]/", None),
            ("http://[::1]x/", None),
            ("http://192.0.2.1/", Some("192.0.2.1")),
            ("http://../", Some("..")),
            ("http://a%2fb/", None),
            ("http://a%2Fb/", None),
            ("http://%2e%2e/", Some("..")),
            ("http://a%/", None),
            ("http://a b/", None),
            ("http://a\\b/", None),
            ("http://xn--a/", None),
            ("http://\u{ad}/", None),
        ];
        for (url, wanted) in cases {
            assert_eq!(host(url).as_deref(), wanted, "{url}");
        }
        assert!(Authority::of(b"http://\xff/", false).unwrap().host().is_none());
    }

    #[test]
    fn a_semicolon_ends_the_authority_for_google() {
        let host = |google| Authority::of(b"http://e.com;x/", google).unwrap().host().unwrap();
        assert_eq!(*host(true), *b"e.com");
        assert_eq!(*host(false), *b"e.com;x");
    }

    /// The fast path says of no name that it is canonical where the slow one changes it.
    #[test]
    fn plain_names_are_canonical() {
        let octets = b"ax019._-n";
        for number in 0..octets.len().pow(6) {
            let digits = (0..6).scan(number, |rest, _| {
                let digit = octets[*rest % octets.len()];
                *rest /= octets.len();
                Some(digit)
            });
            let name: Vec<u8> = digits.collect();
            if is_plain(&name) {
                let slow = idna::domain_to_ascii_cow(&name, AsciiDenyList::URL);
                let slow = slow.unwrap_or_else(|_| panic!("{}", name.escape_ascii()));
                assert_eq!(slow.as_bytes(), name);
            }
        }
    }
}
