//! The bytes of a connection, before HTTP reads them: frames and bytes that lead nowhere are
//! counted.
//!
//! A server can keep a client busy for free: with PING or SETTINGS frames, empty frames, or an
//! endless head. HTTP/2 allows each of them, and no deadline is short enough. So a connection
//! ends after [`MAX_EMPTY_FRAMES`] frames that carry no data, and after [`MAX_UNANSWERED_BYTES`]
//! before the head of the answer is complete.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The most bytes of a head, over HTTP/1 and over HTTP/2: as Firefox. Chromium takes 256 KiB,
/// curl 300 kB.
pub(super) const MAX_HEAD_BYTES: u32 = 384 * 1024;

/// The most frames without data of a connection. The head of an answer takes one for each 16 KiB.
/// Servers send a few SETTINGS, WINDOW_UPDATE and PING frames beside it.
const MAX_EMPTY_FRAMES: usize = 100;

/// The most bytes before the head is complete: a head, the interim answers before it, and the
/// beginning of the body.
const MAX_UNANSWERED_BYTES: usize = 3 * MAX_HEAD_BYTES as usize;

/// The progress of a connection, for those who wait for its answer.
#[derive(Debug, Default)]
pub(super) struct HeadProgress {
    /// The bytes that came.
    bytes: AtomicUsize,
    /// True if the first byte of an answer came.
    has_begun: AtomicBool,
    /// True if the head is complete.
    has_head: AtomicBool,
}

impl HeadProgress {
    /// True if the first byte of an answer came.
    pub(super) fn has_begun(&self) -> bool {
        self.has_begun.load(Ordering::Relaxed)
    }

    /// The head is complete. From now on the limits of bodies apply.
    pub(super) fn note_head(&self) {
        self.has_head.store(true, Ordering::Relaxed);
    }
}

/// A connection that is watched.
pub(super) struct Watched<S> {
    stream: S,
    progress: Arc<HeadProgress>,
    reading: Reading,
}

enum Reading {
    /// HTTP/1, after this many bytes of the first line.
    Lines(usize),
    Frames(Frames),
}

impl<S> Watched<S> {
    pub(super) fn http1(stream: S, progress: Arc<HeadProgress>) -> Watched<S> {
        Watched { stream, progress, reading: Reading::Lines(0) }
    }

    pub(super) fn http2(stream: S, progress: Arc<HeadProgress>) -> Watched<S> {
        Watched { stream, progress, reading: Reading::Frames(Frames::default()) }
    }
}

impl Reading {
    /// Takes note of bytes.
    fn note(&mut self, bytes: &mut [u8], progress: &HeadProgress) -> Result<(), &'static str> {
        match self {
            Reading::Lines(at) => {
                progress.has_begun.store(true, Ordering::Relaxed);
                // Browsers and curl take `http/1.1 200 OK`; hyper does not. They take chunks in HTTP/1.0,
                // which differs from 1.1 in nothing else that matters to a single request.
                for (byte, expected) in bytes.iter_mut().zip(b"HTTP/1.1".iter().skip(*at)) {
                    if byte.eq_ignore_ascii_case(expected) || (*byte, *expected) == (b'0', b'1') {
                        *byte = *expected;
                    }
                }
                *at = at.saturating_add(bytes.len());
            }
            Reading::Frames(frames) => {
                frames.note(bytes);
                if frames.has_headers {
                    progress.has_begun.store(true, Ordering::Relaxed);
                }
                if frames.empty > MAX_EMPTY_FRAMES {
                    return Err("more than 100 HTTP/2 frames without data");
                }
            }
        }
        let before = progress.bytes.fetch_add(bytes.len(), Ordering::Relaxed);
        let is_too_long = before.saturating_add(bytes.len()) > MAX_UNANSWERED_BYTES;
        match is_too_long && !progress.has_head.load(Ordering::Relaxed) {
            true => Err("the head has too many bytes"),
            false => Ok(()),
        }
    }
}

/// Counts the frames of a connection: RFC 9113, section 4.1.
#[derive(Default)]
struct Frames {
    /// The frame's header, as far as it has come.
    header: [u8; 9],
    header_len: usize,
    /// The bytes of the payload that are still to come.
    payload: usize,
    /// True if the next byte tells how much of a DATA frame is padding.
    is_padding_next: bool,
    /// The number of frames without data.
    empty: usize,
    has_headers: bool,
}

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const PADDED: u8 = 8;

impl Frames {
    fn note(&mut self, mut bytes: &[u8]) {
        while let Some(first) = bytes.first() {
            if std::mem::take(&mut self.is_padding_next) {
                self.empty += usize::from(self.payload <= usize::from(*first) + 1);
            }
            let skipped = bytes.len().min(self.payload);
            if skipped > 0 {
                self.payload -= skipped;
                bytes = &bytes[skipped..];
                continue;
            }
            let taken = bytes.len().min(self.header.len() - self.header_len);
            self.header[self.header_len..][..taken].copy_from_slice(&bytes[..taken]);
            self.header_len += taken;
            bytes = &bytes[taken..];
            if self.header_len == self.header.len() {
                self.header_len = 0;
                let [a, b, c, kind, flags, ..] = self.header;
                self.payload = u32::from_be_bytes([0, a, b, c]) as usize;
                self.has_headers |= kind == HEADERS;
                let is_empty = kind != DATA || self.payload == 0;
                self.empty += usize::from(is_empty);
                self.is_padding_next = !is_empty && flags & PADDED != 0;
            }
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let watched = self.get_mut();
        let before = buf.filled().len();
        ready!(Pin::new(&mut watched.stream).poll_read(context, buf))?;
        let bytes = &mut buf.filled_mut()[before..];
        if bytes.is_empty() {
            return Poll::Ready(Ok(()));
        }
        Poll::Ready(watched.reading.note(bytes, &watched.progress).map_err(io::Error::other))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(kind: u8, flags: u8, payload: &[u8]) -> Vec<u8> {
        let len = u32::try_from(payload.len()).unwrap().to_be_bytes();
        [&len[1..], &[kind, flags, 0, 0, 0, 1], payload].concat()
    }

    #[test]
    fn frames_without_data_are_counted_in_pieces_of_any_size() {
        let mut wire = Vec::new();
        wire.extend(frame(4, 0, &[0; 18])); // SETTINGS
        wire.extend(frame(DATA, 0, b"data"));
        wire.extend(frame(DATA, 0, b""));
        wire.extend(frame(DATA, PADDED, b"\x02d\0\0"));
        wire.extend(frame(DATA, PADDED, b"\x02\0\0"));
        wire.extend(frame(DATA, PADDED, b"\0"));
        wire.extend(frame(6, 0, &[0; 8])); // PING
        wire.extend(frame(HEADERS, 4, b"head"));
        for piece in 1..wire.len() {
            let mut frames = Frames::default();
            wire.chunks(piece).for_each(|bytes| frames.note(bytes));
            assert_eq!((frames.empty, frames.has_headers, frames.payload), (6, true, 0), "{piece}");
        }
    }

    #[test]
    fn a_protocol_in_lower_case_or_of_old_is_raised() {
        for piece in 1..9 {
            let mut line = b"hTtp/1.0 200 http".to_vec();
            let mut reading = Reading::Lines(0);
            for bytes in line.chunks_mut(piece) {
                reading.note(bytes, &HeadProgress::default()).unwrap();
            }
            assert_eq!(line, b"HTTP/1.1 200 http");
        }
    }
}
