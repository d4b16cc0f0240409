//! The bytes of one sitemap as UTF-8, read in pieces, with its lines counted and its length bounded.

use std::io::{self, BufRead, Read};

use memchr::{memchr_iter, memmem};

/// How much of a sitemap is in memory, apart from what belongs together.
const BUFFER_BYTES: usize = 64 << 10;

/// How much is looked at to tell the encoding: more than an XML declaration takes.
const SNIFFED_BYTES: usize = 1 << 10;

/// The longest sitemap that is read, decompressed: twenty times what search engines read.
pub const FILE_BYTES: u64 = 1 << 30;

/// The longest tag, comment or text that is read.
pub const PIECE_BYTES: u64 = 8 << 20;

/// How the bytes become characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// As they are. What is not UTF-8 is told by whoever reads it.
    Utf8,
    /// ISO-8859-1, and of windows-1252 what is the same in it.
    Latin1,
    Utf16Le,
    Utf16Be,
}

/// The text of a sitemap.
pub struct Text {
    raw: Box<dyn Read + Send>,
    form: Form,
    /// The encoding that the XML declaration names.
    declared: Option<String>,
    /// Bytes that are not decoded yet, and how many there are: half a character. Not for UTF-8.
    left: Vec<u8>,
    left_len: usize,
    buffer: Vec<u8>,
    /// Where what was not consumed begins in the buffer, and where it ends.
    at: usize,
    end: usize,
    /// The number of bytes that were decoded.
    total: u64,
    /// The number of line feeds that were consumed.
    lines: u64,
    /// The number of bytes that were consumed since [`Text::begin`], if it was called.
    piece: Option<u64>,
}

impl Text {
    /// Reads the beginning, and tells the encoding by it.
    ///
    /// # Errors
    /// Returns an error if the bytes cannot be read.
    pub fn of(mut raw: Box<dyn Read + Send>) -> io::Result<Text> {
        let mut first = Vec::with_capacity(SNIFFED_BYTES);
        raw.by_ref().take(SNIFFED_BYTES as u64).read_to_end(&mut first)?;
        let (form, mark) = match &first[..] {
            [0xff, 0xfe, ..] => (Form::Utf16Le, 2),
            [0xfe, 0xff, ..] => (Form::Utf16Be, 2),
            [b'<', 0, ..] => (Form::Utf16Le, 0),
            [0, b'<', ..] => (Form::Utf16Be, 0),
            [0xef, 0xbb, 0xbf, ..] => (Form::Utf8, 3),
            _ => (Form::Utf8, 0),
        };
        let declared = declared(&first[mark..]);
        let is_latin1 = |name: &String| {
            ["iso-8859-1", "iso_8859-1", "latin1", "windows-1252", "cp1252"].contains(&&name[..])
        };
        let form = match form {
            Form::Utf8 if mark == 0 && declared.as_ref().is_some_and(is_latin1) => Form::Latin1,
            form => form,
        };
        first.drain(..mark);
        Ok(Text {
            raw: Box::new(io::Cursor::new(first).chain(raw)),
            form,
            declared,
            left: Vec::new(),
            left_len: 0,
            buffer: Vec::new(),
            at: 0,
            end: 0,
            total: 0,
            lines: 0,
            piece: None,
        })
    }

    /// Begins a piece, whose length is bounded.
    pub fn begin(&mut self) {
        self.piece = Some(0);
    }

    /// The 1-based line of what is read next.
    pub fn line(&self) -> u64 {
        self.lines + 1
    }

    /// The number of bytes that were read, decoded.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The encoding that the XML declaration names, if that is one that is not read.
    pub fn foreign(&self) -> Option<&str> {
        let name = self.declared.as_deref()?;
        let is_read =
            self.form != Form::Utf8 || ["utf-8", "utf8", "us-ascii", "ascii"].contains(&name);
        (!is_read).then_some(name)
    }

    /// Replaces the buffer by what comes next; it is empty at the end.
    fn refill(&mut self) -> io::Result<()> {
        (self.at, self.end) = (0, 0);
        if self.form == Form::Utf8 {
            // Zeroed once.
            self.buffer.resize(BUFFER_BYTES, 0);
            self.end = read_some(&mut self.raw, &mut self.buffer)?;
            return self.count();
        }
        self.buffer.clear();
        // UTF-8 takes up to twice as many bytes.
        self.left.resize(BUFFER_BYTES / 2, 0);
        // Half a character decodes to nothing, so more is read.
        while self.buffer.is_empty() {
            let read = read_some(&mut self.raw, &mut self.left[self.left_len..])?;
            if read == 0 {
                return if self.left_len > 0 { Err(not("UTF-16")) } else { Ok(()) };
            }
            self.left_len += read;
            let decoded = match self.form {
                Form::Latin1 | Form::Utf8 => {
                    let text = String::from_iter(self.left[..read].iter().copied().map(char::from));
                    self.buffer.extend_from_slice(text.as_bytes());
                    read
                }
                Form::Utf16Le => self.decode(u16::from_le_bytes)?,
                Form::Utf16Be => self.decode(u16::from_be_bytes)?,
            };
            self.left.copy_within(decoded..self.left_len, 0);
            self.left_len -= decoded;
        }
        self.end = self.buffer.len();
        self.count()
    }

    fn count(&mut self) -> io::Result<()> {
        self.total += self.end as u64;
        if self.total > FILE_BYTES {
            let message =
                "it is longer than 1 GiB: search engines read 50 MiB of one, so divide it";
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        Ok(())
    }

    /// Decodes whole characters of UTF-16; returns how many bytes they take.
    fn decode(&mut self, unit: fn([u8; 2]) -> u16) -> io::Result<usize> {
        let (pairs, _) = self.left[..self.left_len].as_chunks::<2>();
        let mut whole = pairs.len();
        // The first half of a pair waits for the second.
        if pairs.last().is_some_and(|last| (0xD800..0xDC00).contains(&unit(*last))) {
            whole -= 1;
        }
        for c in char::decode_utf16(pairs[..whole].iter().map(|pair| unit(*pair))) {
            let c = c.map_err(|_| not("UTF-16"))?;
            self.buffer.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        Ok(2 * whole)
    }
}

/// What one read gives.
fn read_some(from: &mut impl Read, to: &mut [u8]) -> io::Result<usize> {
    loop {
        match from.read(to) {
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}

fn not(encoding: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("it is not {encoding}"))
}

/// The encoding that an XML declaration names, in lower case.
fn declared(first: &[u8]) -> Option<String> {
    let first = first.trim_ascii_start().strip_prefix(b"<?xml")?;
    let declaration = &first[..memmem::find(first, b"?>")?];
    let value = &declaration[memmem::find(declaration, b"encoding")? + "encoding".len()..];
    let value = value.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let (quote, value) = value.split_first()?;
    let len = value.iter().position(|byte| byte == quote)?;
    Some(String::from_utf8_lossy(&value[..len]).to_ascii_lowercase())
}

impl Read for Text {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

impl BufRead for Text {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.piece.is_some_and(|piece| piece > PIECE_BYTES) {
            let message = format!(
                "a tag, a comment or a text of more than {} MiB begins here",
                PIECE_BYTES >> 20
            );
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        if self.at == self.end {
            self.refill()?;
        }
        Ok(&self.buffer[self.at..self.end])
    }

    fn consume(&mut self, len: usize) {
        let consumed = &self.buffer[self.at..self.at + len];
        self.lines += memchr_iter(b'\n', consumed).count() as u64;
        self.at += len;
        if let Some(piece) = &mut self.piece {
            *piece += len as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time.
    struct Slow(io::Cursor<Vec<u8>>);

    impl Read for Slow {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let len = buffer.len().min(1);
            self.0.read(&mut buffer[..len])
        }
    }

    fn text(bytes: &[u8]) -> io::Result<String> {
        let mut all = String::new();
        Text::of(Box::new(Slow(io::Cursor::new(bytes.to_vec()))))?.read_to_string(&mut all)?;
        let mut at_once = String::new();
        Text::of(Box::new(io::Cursor::new(bytes.to_vec())))?.read_to_string(&mut at_once)?;
        assert_eq!(all, at_once);
        Ok(all)
    }

    #[test]
    fn encodings() {
        let long = "<é😀>".repeat(20_000);
        let le = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
        let be = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>();
        assert_eq!(text(long.as_bytes()).unwrap(), long);
        assert_eq!(text(&[b"\xef\xbb\xbf", long.as_bytes()].concat()).unwrap(), long);
        assert_eq!(text(&le(&long)).unwrap(), long);
        assert_eq!(text(&be(&long)).unwrap(), long);
        assert_eq!(text(&le(&format!("\u{feff}x{long}"))).unwrap(), format!("x{long}"));
        assert_eq!(text(&be(&format!("\u{feff}x{long}"))).unwrap(), format!("x{long}"));
        let latin1 = b"<?xml version='1.0' encoding = \"ISO-8859-1\"?>\xe9";
        assert!(text(latin1).unwrap().ends_with("?>é"));
        assert_eq!(text(b"").unwrap(), "");
        assert!(text(b"\xff\xfea").is_err() && text(b"\xff\xfe\x00\xd8").is_err());
        assert!(text(b"\xff\xfe\x00\xdc").is_err());
    }

    #[test]
    fn declarations() {
        for (first, wanted) in [
            ("<?xml version=\"1.0\" encoding='UTF-8'?>", Some("utf-8")),
            (" \n<?xml encoding=\"x\"?>", Some("x")),
            ("<?xml version=\"1.0\"?> encoding='x'", None),
            ("<?xml encoding=?>", None),
            ("<?xml encoding='?>", None),
            ("<a encoding='x'>", None),
        ] {
            assert_eq!(declared(first.as_bytes()).as_deref(), wanted, "{first}");
        }
    }
}
