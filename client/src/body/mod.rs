//! A body, as it arrives or as an archive has it: its encodings are undone, and it is cut at the
//! limits, after a whole line.

mod decode;

use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, TRANSFER_ENCODING};
use http::{HeaderMap, HeaderValue};

use crate::cause::line;
use crate::outcome::{Failure, is_line_end, whole_lines};
use decode::{Decoder, Encoding};

/// The bytes that a decoder writes at a time.
const SCRATCH_BYTES: usize = 16 * 1024;

/// The part of a body that is kept.
#[derive(Clone, Copy, Debug)]
pub struct BodyLimits {
    /// The bytes that are taken from the wire, and those that are passed from one decoder to the
    /// next.
    pub wire_bytes: usize,
    /// The decoded bytes that are kept.
    pub body_bytes: usize,
}

/// The body of an answer of which all bytes are here: its encodings undone, as the headers name them,
/// and whether it was cut off. `is_truncated` says that the sender of the bytes left out the rest.
///
/// # Errors
/// Returns an error if it is shorter than announced, ends too early, or has an encoding that cannot be
/// undone.
pub fn undone(
    headers: &HeaderMap,
    bytes: &[u8],
    is_truncated: bool,
    limits: BodyLimits,
) -> Result<(Vec<u8>, bool), Failure> {
    let mut incoming = Incoming::new(headers, limits)?;
    if incoming.push(bytes)? == Filled::NotYet && is_truncated {
        let body = incoming.body;
        let whole = whole_lines(&body, false);
        return Ok((body[..whole].to_vec(), true));
    }
    let arrived = bytes.len() as u64;
    match announced(headers).filter(|len| *len > arrived && incoming.cut.is_none()) {
        Some(announced) => Err(too_short(arrived, announced)),
        None => incoming.end(),
    }
}

/// A body whose encodings whoever fetched it says to have undone. They may not know all that the headers
/// name, and hand over the bytes as they came: that is found out by the bytes.
///
/// # Errors
/// Returns an error if the headers name an encoding and the bytes are no text, or if they name none and
/// the body is shorter than announced.
pub fn check_undone(headers: &HeaderMap, body: &[u8], is_truncated: bool) -> Result<(), Failure> {
    let encodings = Encoding::all(&encodings(headers));
    let arrived = body.len() as u64;
    match encodings.as_deref() {
        Ok([]) => match announced(headers).filter(|len| *len > arrived && !is_truncated) {
            Some(announced) => Err(too_short(arrived, announced)),
            None => Ok(()),
        },
        _ if is_text(body) => Ok(()),
        Err(cause) => Err(encoding_failure(cause.clone())),
        Ok(_) => {
            Err(encoding_failure("the body is no text, so it was probably not decoded".to_owned()))
        }
    }
}

/// True for bytes that no encoding has: text in UTF-8, in UTF-16 with a byte order mark, or, but for some
/// bytes, in ASCII.
pub fn is_text(body: &[u8]) -> bool {
    let is_control = |byte: &u8| matches!(byte, 0..=8 | 0x0e..=0x1f | 0x7f);
    body.starts_with(b"\xff\xfe")
        || body.starts_with(b"\xfe\xff")
        || (!body.iter().any(is_control)
            && (str::from_utf8(body).is_ok()
                || body.iter().filter(|byte| !byte.is_ascii()).count() < body.len() / 4))
}

/// True if the headers name an encoding of the body.
///
/// # Errors
/// Returns an error if it cannot be undone.
pub fn is_encoded(headers: &HeaderMap) -> Result<bool, Failure> {
    let encodings = Encoding::all(&encodings(headers)).map_err(encoding_failure)?;
    Ok(!encodings.is_empty())
}

/// The failure of a body that has fewer bytes than were announced.
pub fn too_short(arrived: u64, announced: u64) -> Failure {
    Failure::Broken(format!("the body ended after {arrived} of {announced} bytes"))
}

/// The bytes of the body on the wire that the headers announce. `Transfer-Encoding` overrides it.
pub fn announced(headers: &HeaderMap) -> Option<u64> {
    let is_none = |name: &[u8]| name.eq_ignore_ascii_case(b"identity");
    content_length(headers).filter(|_| transfer_encodings(headers).all(is_none))
}

/// The length by `Content-Length`. Of several the largest: what is shorter may be cut.
pub fn content_length(headers: &HeaderMap) -> Option<u64> {
    let lines = headers.get_all(CONTENT_LENGTH).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).filter_map(|number| number.trim().parse().ok()).max()
}

/// True if the headers say that the body is sent in chunks.
pub fn is_chunked(headers: &HeaderMap) -> bool {
    transfer_encodings(headers).any(|name| name.eq_ignore_ascii_case(b"chunked"))
}

/// The names of the encodings that were applied on the way, without parameters.
fn transfer_encodings(headers: &HeaderMap) -> impl Iterator<Item = &[u8]> {
    let lines = headers.get_all(TRANSFER_ENCODING).iter().map(HeaderValue::as_bytes);
    let names = lines.flat_map(|line| line.split(|byte| *byte == b','));
    let names = names.filter_map(|name| name.split(|byte| *byte == b';').next());
    names.map(<[u8]>::trim_ascii).filter(|name| !name.is_empty())
}

/// A body that is still arriving.
pub struct Incoming {
    /// The encoding that was applied last comes first.
    decoders: Vec<Decoder>,
    /// The bytes that the wire may still deliver, and then each decoder.
    room: Vec<usize>,
    body: Vec<u8>,
    /// The place where the body was cut off, if it is full.
    cut: Option<Cut>,
    is_empty: bool,
}

impl Incoming {
    /// A body without encodings.
    #[cfg(feature = "fetch")]
    pub fn plain(limits: BodyLimits) -> Incoming {
        Incoming::decoded_by(Vec::new(), limits)
    }

    /// A body with the encodings that the headers name: those of the content, and those that were
    /// applied on the way, but for `chunked`.
    pub fn new(headers: &HeaderMap, limits: BodyLimits) -> Result<Incoming, Failure> {
        let encodings = Encoding::all(&encodings(headers)).map_err(encoding_failure)?;
        let decoders = encodings.into_iter().rev().map(Decoder::new).collect::<Result<_, _>>();
        Ok(Incoming::decoded_by(decoders.map_err(encoding_failure)?, limits))
    }

    fn decoded_by(decoders: Vec<Decoder>, limits: BodyLimits) -> Incoming {
        let mut room = vec![limits.wire_bytes; decoders.len() + 1];
        // The last decoder's output is the body. A plain body has both limits.
        if let Some(last) = room.last_mut() {
            let is_plain = decoders.is_empty();
            *last = if is_plain { *last } else { usize::MAX }.min(limits.body_bytes);
        }
        Incoming { decoders, room, body: Vec::new(), cut: None, is_empty: true }
    }

    /// Takes bytes from the wire. After `Filled::Full` no further bytes are kept.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Filled, Failure> {
        self.is_empty &= bytes.is_empty();
        if self.cut.is_none() {
            let cut = pass(&mut self.decoders, &mut self.room, bytes, &mut self.body);
            self.cut = cut.map_err(encoding_failure)?;
        }
        Ok(if self.cut.is_some() { Filled::Full } else { Filled::NotYet })
    }

    /// What there is of a body that goes on, to its last whole line or beyond.
    #[cfg(feature = "body")]
    pub fn so_far(self) -> Vec<u8> {
        self.body
    }

    /// The body, and whether it was cut off. Call it when the wire is at its end or the body is
    /// full. A body that was cut off ends with its last whole line: half a line, such as
    /// `Disallow: /` of `Disallow: /private`, would be another rule.
    ///
    /// A body without a single byte is empty whatever its encoding: that is what servers mean.
    pub fn end(self) -> Result<(Vec<u8>, bool), Failure> {
        let is_complete = self.is_empty || self.decoders.iter().all(Decoder::is_complete);
        if self.cut.is_none() && !is_complete {
            return Err(encoding_failure("it ends too early".to_owned()));
        }
        let mut body = self.body;
        if let Some(cut) = self.cut {
            body.truncate(whole_lines(&body, cut.is_before_line_end));
        }
        body.shrink_to_fit();
        Ok((body, self.cut.is_some()))
    }
}

/// The place where a body was cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cut {
    /// True if the next byte is the end of a line, as far as anyone knows.
    is_before_line_end: bool,
}

/// The state of a body with regard to its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filled {
    NotYet,
    Full,
}

/// All encodings of a body: those of the content, and those that were applied on the way. `chunked`,
/// which comes last, is undone elsewhere.
fn encodings(headers: &HeaderMap) -> HeaderMap {
    let mut all = HeaderMap::new();
    for value in headers.get_all(CONTENT_ENCODING) {
        all.append(CONTENT_ENCODING, value.clone());
    }
    let mut transfer: Vec<&[u8]> = transfer_encodings(headers).collect();
    if transfer.last().is_some_and(|last| last.eq_ignore_ascii_case(b"chunked")) {
        transfer.pop();
    }
    for name in transfer {
        if let Ok(value) = HeaderValue::from_bytes(name) {
            all.append(CONTENT_ENCODING, value);
        }
    }
    all
}

fn encoding_failure(cause: String) -> Failure {
    Failure::Encoding(line(&cause))
}

/// Passes bytes through the decoders into the body, up to the limits. Says whether one of them
/// was reached.
fn pass(
    decoders: &mut [Decoder],
    room: &mut [usize],
    bytes: &[u8],
    body: &mut Vec<u8>,
) -> Result<Option<Cut>, String> {
    let Some((room, later_rooms)) = room.split_first_mut() else { return Ok(None) };
    let (mut bytes, beyond) = bytes.split_at(bytes.len().min(*room));
    *room -= bytes.len();
    let Some((decoder, later_decoders)) = decoders.split_first_mut() else {
        body.extend_from_slice(bytes);
        return Ok(beyond.first().map(|next| Cut { is_before_line_end: is_line_end(*next) }));
    };
    let mut scratch = [0; SCRATCH_BYTES];
    loop {
        let step = decoder.step(bytes, &mut scratch)?;
        bytes = &bytes[step.taken..];
        let given = &scratch[..step.given];
        if let Some(cut) = pass(later_decoders, later_rooms, given, body)? {
            return Ok(Some(cut));
        }
        let is_idle = step.taken == 0 && step.given == 0;
        // After a full buffer the decoder may hold more, even if it took all input.
        if is_idle || (bytes.is_empty() && step.given < scratch.len()) {
            break;
        }
    }
    // What the bytes beyond the limit would have become is unknown.
    Ok((!beyond.is_empty()).then_some(Cut { is_before_line_end: false }))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

    use super::*;

    const LIMITS: BodyLimits = BodyLimits { wire_bytes: 1 << 20, body_bytes: 1 << 20 };

    fn encode(name: &str, body: &[u8]) -> Vec<u8> {
        let level = Compression::best();
        match name {
            "gzip" => {
                let mut encoder = GzEncoder::new(Vec::new(), level);
                encoder.write_all(body).unwrap();
                encoder.finish().unwrap()
            }
            "deflate" => {
                let mut encoder = ZlibEncoder::new(Vec::new(), level);
                encoder.write_all(body).unwrap();
                encoder.finish().unwrap()
            }
            "bare deflate" => {
                let mut encoder = DeflateEncoder::new(Vec::new(), level);
                encoder.write_all(body).unwrap();
                encoder.finish().unwrap()
            }
            "br" => {
                let mut encoded = Vec::new();
                let parameters =
                    brotli::enc::BrotliEncoderParams { quality: 5, ..Default::default() };
                brotli::BrotliCompress(&mut &*body, &mut encoded, &parameters).unwrap();
                encoded
            }
            "zstd" => zstd::encode_all(body, 9).unwrap(),
            _ => body.to_vec(),
        }
    }

    fn headers(encodings: &str) -> HeaderMap {
        let encodings = encodings.replace("bare ", "");
        HeaderMap::from_iter([(http::header::CONTENT_ENCODING, encodings.parse().unwrap())])
    }

    fn decode(
        encodings: &str,
        wire: &[u8],
        limits: BodyLimits,
        piece: usize,
    ) -> Result<(Vec<u8>, bool), Failure> {
        let mut incoming = Incoming::new(&headers(encodings), limits)?;
        for bytes in wire.chunks(piece) {
            if incoming.push(bytes)? == Filled::Full {
                break;
            }
        }
        incoming.end()
    }

    fn sample() -> Vec<u8> {
        let lines = (0..4000u32).map(|n| format!("Disallow: /{:x}\n", n.wrapping_mul(0x9e37_79b9)));
        lines.collect::<String>().into_bytes()
    }

    const ALL: [&str; 6] = ["identity", "gzip", "deflate", "bare deflate", "br", "zstd"];

    #[test]
    fn each_encoding_is_undone_in_pieces_of_any_size() {
        for body in [&b""[..], b"x", &sample()] {
            for name in ALL {
                let wire = encode(name, body);
                for piece in [1, 2, 3, 1000, 1 << 20] {
                    let decoded = decode(name, &wire, LIMITS, piece);
                    assert_eq!(decoded, Ok((body.to_vec(), false)), "{name} in {piece}");
                }
            }
        }
    }

    #[test]
    fn several_encodings_are_undone_from_the_last() {
        for first in ALL {
            for second in ALL {
                let wire = encode(second, &encode(first, &sample()));
                let decoded = decode(&format!("{first}, {second}"), &wire, LIMITS, 700);
                assert_eq!(decoded, Ok((sample(), false)), "{first}, {second}");
            }
        }
        let wire = encode("br", &encode("zstd", &encode("gzip", &sample())));
        assert_eq!(decode("X-GZIP,zstd ,, BR", &wire, LIMITS, 9), Ok((sample(), false)));
        let four = decode("gzip, gzip, gzip, gzip", b"", LIMITS, 1);
        assert!(matches!(four, Err(Failure::Encoding(text)) if text.contains("4 encodings")));
        let unknown = decode("gzip, rot13", b"", LIMITS, 1);
        assert_eq!(unknown, Err(Failure::Encoding("unknown: rot13".to_owned())));
    }

    #[test]
    fn truncated_and_invalid_encodings_are_errors() {
        for name in &ALL[1..] {
            let wire = encode(name, &sample());
            for len in [1, 2, 10, wire.len() / 2, wire.len() - 1] {
                let early = decode(name, &wire[..len], LIMITS, 64);
                assert!(matches!(early, Err(Failure::Encoding(_))), "{name} to {len}");
            }
            let plain = decode(name, b"User-agent: *\nDisallow: /\n", LIMITS, 64);
            assert!(matches!(plain, Err(Failure::Encoding(_))), "{name}: {plain:?}");
            // No bytes at all are an empty body.
            assert_eq!(decode(name, b"", LIMITS, 64), Ok((Vec::new(), false)), "{name}");
        }
        let mut flipped = encode("gzip", &sample());
        let at = flipped.len() - 8;
        flipped[at] ^= 1;
        assert!(matches!(decode("gzip", &flipped, LIMITS, 64), Err(Failure::Encoding(_))));
    }

    #[test]
    fn members_and_frames_are_joined_and_padding_is_skipped() {
        for name in ["gzip", "zstd"] {
            let wire = [encode(name, b"one "), encode(name, b"two")].concat();
            assert_eq!(decode(name, &wire, LIMITS, 5), Ok((b"one two".to_vec(), false)), "{name}");
        }
        for name in ["gzip", "deflate", "br"] {
            let wire = [&encode(name, b"one")[..], &[0; 100]].concat();
            assert_eq!(decode(name, &wire, LIMITS, 7), Ok((b"one".to_vec(), false)), "{name}");
        }
    }

    /// What follows may forbid, and nobody has read it.
    #[test]
    fn something_else_behind_an_encoding_is_an_error() {
        for name in &ALL[1..] {
            for (end, piece) in [(&b"Disallow: /"[..], 64), (b"Disallow: /", 1), (b" \n\0x", 7)] {
                let wire = [&encode(name, b"# one\n")[..], end].concat();
                let decoded = decode(name, &wire, LIMITS, piece);
                assert!(matches!(decoded, Err(Failure::Encoding(_))), "{name}: {decoded:?}");
            }
        }
    }

    #[test]
    fn bodies_are_cut_at_the_limits() {
        let body = sample();
        for name in ALL {
            let wire = encode(name, &body);
            for piece in [1, 100, 1 << 20] {
                let exact = BodyLimits { wire_bytes: wire.len(), body_bytes: body.len() };
                assert_eq!(decode(name, &wire, exact, piece), Ok((body.clone(), false)), "{name}");
                let less = BodyLimits { body_bytes: body.len() - 1, ..exact };
                let kept = body[..body.len() - 1].to_vec();
                assert_eq!(decode(name, &wire, less, piece), Ok((kept, true)), "{name}");
                let less = BodyLimits { wire_bytes: wire.len() / 2, ..exact };
                let (kept, is_truncated) = decode(name, &wire, less, piece).unwrap();
                assert!(is_truncated && kept.len() < body.len() && body.starts_with(&kept));
                assert!(kept.last().is_none_or(|last| *last == b'\n'), "{name}");
            }
        }
    }

    /// Half a line would be another rule, so it is dropped.
    #[test]
    fn a_cut_body_ends_with_a_whole_line() {
        let kept = |body: &[u8], limit: usize| -> Vec<u8> {
            let mut all = ALL.iter().flat_map(|name| {
                let wire = encode(name, body);
                let limits = BodyLimits { body_bytes: limit, ..LIMITS };
                [1, 7, 1 << 20].map(|piece| decode(name, &wire, limits, piece).unwrap())
            });
            let (first, is_truncated) = all.next().unwrap();
            assert_eq!(is_truncated, limit < body.len());
            assert!(all.all(|other| other == (first.clone(), is_truncated)));
            first
        };
        let body = b"User-agent: *\nDisallow: /private\nAllow: /\n";
        assert_eq!(kept(body, 25), b"User-agent: *\n");
        assert_eq!(kept(body, 31), b"User-agent: *\n");
        // The line is whole, and only its end is missing.
        assert_eq!(kept(body, 32), &body[..32]);
        assert_eq!(kept(body, 33), &body[..33]);
        assert_eq!(kept(body, 34), &body[..33]);
        assert_eq!(kept(body, 14), b"User-agent: *\n");
        assert_eq!(kept(body, 13), b"User-agent: *");
        // Of a single line that is too long, nothing remains.
        assert_eq!(kept(body, 12), b"");
        assert_eq!(kept(body, 0), b"");
        assert_eq!(kept(&[b'a'; 100], 99), b"");
        assert_eq!(kept(&[b'a'; 100], 100), [b'a'; 100]);
        // Lines may end with CR, or with both.
        let body = b"a\rbcd\r\ne";
        let lens: Vec<usize> = (0..=body.len()).map(|limit| kept(body, limit).len()).collect();
        assert_eq!(lens, [0, 1, 2, 2, 2, 5, 6, 7, 8]);
    }

    #[test]
    fn a_cut_at_the_wire_ends_with_a_whole_line() {
        let body = sample();
        for name in &ALL[1..] {
            let wire = encode(name, &body);
            for part in 1..20 {
                let limits = BodyLimits { wire_bytes: wire.len() * part / 20, ..LIMITS };
                let (kept, is_truncated) = decode(name, &wire, limits, 300).unwrap();
                assert!(is_truncated && body.starts_with(&kept));
                assert!(kept.last().is_none_or(|last| *last == b'\n'), "{name}");
            }
        }
    }

    /// In UTF-16, line ends are units.
    #[test]
    fn a_cut_body_in_utf_16() {
        // U+0A0D and U+0D0A are letters of other scripts.
        let text = "ab\ncd\u{0a0d}\u{0d0a}e\nf";
        for swap in [false, true] {
            let bytes = |unit: u16| if swap { unit.to_be_bytes() } else { unit.to_le_bytes() };
            let units = std::iter::once(0xfeff).chain(text.encode_utf16());
            let body: Vec<u8> = units.flat_map(bytes).collect();
            for limit in 0..body.len() {
                let limits = BodyLimits { body_bytes: limit, ..LIMITS };
                let (kept, is_truncated) = decode("identity", &body, limits, 3).unwrap();
                let wanted = match limit {
                    0..=1 => 0,
                    // The byte order mark.
                    2..=7 => 2,
                    8..=19 => 8,
                    _ => 20,
                };
                assert!(is_truncated && body.starts_with(&kept));
                assert_eq!(kept.len(), wanted, "{limit}");
            }
            let kept = decode("identity", &body, BodyLimits { body_bytes: 21, ..LIMITS }, 3);
            let response = crate::outcome::Response::new(200, kept.unwrap().0);
            assert_eq!(response.body, text.trim_end_matches('f').as_bytes());
        }
    }

    /// Names that are no encodings: browsers show such bodies as they are.
    #[test]
    fn character_sets_and_transfer_words_are_no_encodings() {
        for name in [
            "none",
            "utf-8",
            "UTF8",
            "Utf-8, gzip",
            "8bit",
            "7bit",
            "binary",
            "iso-8859-1",
            "windows-1252",
            "us-ascii",
            "GBK",
            "raw",
            "text/css; charset=utf-8",
            "text/plain",
            "charset=utf-8",
            "chunked",
            "aws-chunked",
            "gzip, aws-chunked",
        ] {
            let wire = if name.contains("gzip") { encode("gzip", b"x") } else { b"x".to_vec() };
            let decoded = decode(name, &wire, LIMITS, 64);
            assert_eq!(decoded, Ok((b"x".to_vec(), false)), "{name}");
        }
        for name in ["rot13", "compress", "x-compress", "exi", "dcb", "base64", "gzip;q=1", "utf"] {
            let wanted = Err(Failure::Encoding(format!("unknown: {name}")));
            assert_eq!(decode(name, b"x", LIMITS, 64), wanted);
        }
    }

    #[test]
    fn a_bomb_is_cut_at_the_limit() {
        let lines = vec![b'\n'; 100 << 20];
        for name in &ALL[1..] {
            let wire = encode(name, &lines);
            assert!(wire.len() < 200_000, "{name}: {}", wire.len());
            let (kept, is_truncated) = decode(name, &wire, LIMITS, 1 << 16).unwrap();
            assert!(is_truncated && kept.len() == LIMITS.body_bytes, "{name}");
            // The wire's limit also applies between two encodings.
            let twice = encode(name, &wire);
            let both = format!("{name}, {name}");
            let (kept, is_truncated) = decode(&both, &twice, LIMITS, 1 << 16).unwrap();
            assert!(is_truncated && kept.len() == LIMITS.body_bytes, "{name} twice");
        }
        // A great many empty gzip members, compressed once more.
        let nothing = encode("gzip", b"").repeat(1 << 20);
        let wire = encode("gzip", &nothing);
        assert_eq!(decode("gzip, gzip", &wire, LIMITS, 1 << 16), Ok((Vec::new(), true)));
    }

    #[test]
    fn whole_bodies_with_their_headers() {
        let wire = encode("gzip", &sample());
        let mut headers = headers("x-gzip");
        let undone = |headers: &HeaderMap, wire: &[u8], is_truncated| {
            undone(headers, wire, is_truncated, LIMITS)
        };
        assert_eq!(undone(&headers, &wire, false), Ok((sample(), false)));
        let (kept, is_cut) = undone(&headers, &wire[..wire.len() / 2], true).unwrap();
        assert!(is_cut && sample().starts_with(&kept) && kept.ends_with(b"\n"));
        headers.insert(CONTENT_LENGTH, (wire.len() + 1).into());
        assert!(matches!(undone(&headers, &wire, false), Err(Failure::Broken(_))));

        // Whoever undid an encoding leaves its header, and the length it had.
        assert_eq!(check_undone(&headers, b"User-agent: *\nDisallow: /\xe9", false), Ok(()));
        for name in &ALL[1..] {
            let failed = check_undone(&headers, &encode(name, &sample()), false);
            assert!(matches!(failed, Err(Failure::Encoding(_))), "{name}");
        }
        headers.remove(CONTENT_ENCODING);
        assert!(matches!(check_undone(&headers, b"x", false), Err(Failure::Broken(_))));
        assert_eq!(check_undone(&headers, b"x", true), Ok(()));

        headers.insert(CONTENT_LENGTH, HeaderValue::from_static("500, 500"));
        assert_eq!(announced(&headers), Some(500));
        headers.append(CONTENT_LENGTH, 501.into());
        assert_eq!(announced(&headers), Some(501));
        headers.insert(TRANSFER_ENCODING, HeaderValue::from_static("identity"));
        assert_eq!((announced(&headers), is_chunked(&headers)), (Some(501), false));
        headers.append(TRANSFER_ENCODING, HeaderValue::from_static("Chunked;x"));
        assert_eq!((announced(&headers), is_chunked(&headers)), (None, true));
    }

    /// A zstd window that RFC 9659 forbids, and a brotli window beyond RFC 7932.
    #[test]
    fn huge_windows_are_refused() {
        let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
        encoder.window_log(27).unwrap();
        encoder.write_all(&vec![7; 9 << 20]).unwrap();
        let wire = encoder.finish().unwrap();
        assert!(matches!(decode("zstd", &wire, LIMITS, 100), Err(Failure::Encoding(_))));

        let mut wire = Vec::new();
        let parameters = brotli::enc::BrotliEncoderParams {
            large_window: true,
            lgwin: 28,
            ..Default::default()
        };
        brotli::BrotliCompress(&mut &vec![7; 1 << 20][..], &mut wire, &parameters).unwrap();
        assert!(matches!(decode("br", &wire, LIMITS, 100), Err(Failure::Encoding(_))));
    }

    #[test]
    fn damaged_streams_end_within_the_limits() {
        let limits = BodyLimits { wire_bytes: 1 << 16, body_bytes: 1 << 16 };
        let mut random = 1u64;
        let mut next = move |below: usize| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random % below as u64) as usize
        };
        for name in &ALL[1..] {
            let whole = encode(name, &sample()[..2000]);
            for _ in 0..1000 {
                let mut wire = whole.clone();
                for _ in 0..=next(4) {
                    let at = next(wire.len());
                    wire[at] = next(256) as u8;
                }
                let turn = if next(4) == 0 { next(wire.len()) } else { 0 };
                wire.rotate_left(turn);
                if let Ok((body, _)) = decode(name, &wire, limits, 1 + next(300)) {
                    assert!(body.len() <= limits.body_bytes, "{name}");
                }
            }
        }
    }
}
