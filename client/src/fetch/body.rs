//! A body as it arrives: its encodings are undone, and it is cut at the limits.

use http::HeaderMap;

use super::decode::{Decoder, Encoding};
use crate::outcome::Failure;

/// How many bytes a decoder writes at a time.
const SCRATCH_BYTES: usize = 16 * 1024;

/// How much of a body is kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// How many bytes are taken from the wire, and how many are passed from one decoder to the
    /// next.
    pub(super) wire_bytes: usize,
    /// How many decoded bytes are kept.
    pub(super) body_bytes: usize,
}

/// A body that is still arriving.
pub(super) struct Incoming {
    /// The encoding that was applied last comes first.
    decoders: Vec<Decoder>,
    /// How many more bytes the wire may deliver, and then each decoder.
    room: Vec<usize>,
    body: Vec<u8>,
    is_truncated: bool,
    is_empty: bool,
}

impl Incoming {
    /// A body without encodings.
    pub(super) fn plain(limits: Limits) -> Incoming {
        Incoming::decoded_by(Vec::new(), limits)
    }

    /// A body with the encodings that the headers name.
    pub(super) fn new(headers: &HeaderMap, limits: Limits) -> Result<Incoming, Failure> {
        let encodings = Encoding::all(headers).map_err(encoding_failure)?;
        let decoders = encodings.into_iter().rev().map(Decoder::new).collect::<Result<_, _>>();
        Ok(Incoming::decoded_by(decoders.map_err(encoding_failure)?, limits))
    }

    fn decoded_by(decoders: Vec<Decoder>, limits: Limits) -> Incoming {
        let mut room = vec![limits.wire_bytes; decoders.len() + 1];
        // The last decoder's output is the body. A plain body has both limits.
        if let Some(last) = room.last_mut() {
            let is_plain = decoders.is_empty();
            *last = if is_plain { *last } else { usize::MAX }.min(limits.body_bytes);
        }
        Incoming { decoders, room, body: Vec::new(), is_truncated: false, is_empty: true }
    }

    /// Takes bytes from the wire. After [`Filled::Full`] no further bytes are kept.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<Filled, Failure> {
        self.is_empty &= bytes.is_empty();
        let filled = pass(&mut self.decoders, &mut self.room, bytes, &mut self.body);
        let filled = filled.map_err(encoding_failure)?;
        self.is_truncated |= filled == Filled::Full;
        Ok(filled)
    }

    /// Whether no byte has arrived yet.
    pub(super) fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// The body, and whether it was cut off. Call it when the wire is at its end or the body is
    /// full.
    ///
    /// A body without a single byte is empty whatever its encoding: that is what servers mean.
    pub(super) fn end(self) -> Result<(Vec<u8>, bool), Failure> {
        let is_complete = self.is_empty || self.decoders.iter().all(Decoder::is_complete);
        if !self.is_truncated && !is_complete {
            return Err(encoding_failure("it ends too early".to_owned()));
        }
        let mut body = self.body;
        body.shrink_to_fit();
        Ok((body, self.is_truncated))
    }
}

/// Whether a body has reached its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filled {
    NotYet,
    Full,
}

fn encoding_failure(cause: String) -> Failure {
    Failure::Encoding(super::failure::line(&cause))
}

/// Passes bytes through the decoders into the body, up to the limits.
fn pass(
    decoders: &mut [Decoder],
    room: &mut [usize],
    bytes: &[u8],
    body: &mut Vec<u8>,
) -> Result<Filled, String> {
    let Some((room, later_rooms)) = room.split_first_mut() else { return Ok(Filled::NotYet) };
    let kept = bytes.len().min(*room);
    *room -= kept;
    let is_full = kept < bytes.len();
    let mut bytes = &bytes[..kept];
    let Some((decoder, later_decoders)) = decoders.split_first_mut() else {
        body.extend_from_slice(bytes);
        return Ok(if is_full { Filled::Full } else { Filled::NotYet });
    };
    let mut scratch = [0; SCRATCH_BYTES];
    loop {
        let step = decoder.step(bytes, &mut scratch)?;
        bytes = &bytes[step.taken..];
        let given = &scratch[..step.given];
        if pass(later_decoders, later_rooms, given, body)? == Filled::Full {
            return Ok(Filled::Full);
        }
        let is_idle = step.taken == 0 && step.given == 0;
        // After a full buffer the decoder may hold more, even if it took all input.
        if is_idle || (bytes.is_empty() && step.given < scratch.len()) {
            break;
        }
    }
    Ok(if is_full { Filled::Full } else { Filled::NotYet })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

    use super::*;

    const LIMITS: Limits = Limits { wire_bytes: 1 << 20, body_bytes: 1 << 20 };

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
        limits: Limits,
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
    fn members_and_frames_are_joined_and_trailing_garbage_is_skipped() {
        for name in ["gzip", "zstd"] {
            let wire = [encode(name, b"one "), encode(name, b"two")].concat();
            assert_eq!(decode(name, &wire, LIMITS, 5), Ok((b"one two".to_vec(), false)), "{name}");
        }
        for name in ["gzip", "deflate", "br"] {
            let wire = [&encode(name, b"one")[..], &[0; 100]].concat();
            assert_eq!(decode(name, &wire, LIMITS, 7), Ok((b"one".to_vec(), false)), "{name}");
        }
    }

    #[test]
    fn bodies_are_cut_at_the_limits() {
        let body = sample();
        for name in ALL {
            let wire = encode(name, &body);
            for piece in [1, 100, 1 << 20] {
                let exact = Limits { wire_bytes: wire.len(), body_bytes: body.len() };
                assert_eq!(decode(name, &wire, exact, piece), Ok((body.clone(), false)), "{name}");
                let less = Limits { body_bytes: body.len() - 1, ..exact };
                let kept = body[..body.len() - 1].to_vec();
                assert_eq!(decode(name, &wire, less, piece), Ok((kept, true)), "{name}");
                let less = Limits { wire_bytes: wire.len() / 2, ..exact };
                let (kept, is_truncated) = decode(name, &wire, less, piece).unwrap();
                assert!(is_truncated && kept.len() < body.len() && body.starts_with(&kept));
            }
        }
    }

    #[test]
    fn a_bomb_is_cut_at_the_limit() {
        let zeros = vec![0; 100 << 20];
        for name in &ALL[1..] {
            let wire = encode(name, &zeros);
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
        let limits = Limits { wire_bytes: 1 << 16, body_bytes: 1 << 16 };
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
