//! Answers that wait on disk, equal bodies once.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use http::{HeaderMap, HeaderName, HeaderValue};
use robotsieve_client::outcome::{ContentHash, Failure, Response};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The number of bytes that are written at once.
const BLOCK_BYTES: usize = 1 << 20;

/// A temporary file without a name, so that nothing is left of it however the program ends.
pub struct Scratch {
    file: File,
    /// How long the file is; what comes behind it is in `block`.
    written: u64,
    block: Vec<u8>,
    /// Where bodies are, by their hashes.
    bodies: HashMap<[u8; 16], Spot>,
}

/// Where something is in the file.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct Spot {
    at: u64,
    len: u32,
}

/// A final answer without its body.
#[derive(Deserialize, Serialize)]
struct Head {
    status: u16,
    headers: Vec<(String, Vec<u8>)>,
    is_truncated: bool,
    is_transcoded: bool,
    body: Spot,
}

impl Scratch {
    pub fn new(folder: &Path) -> io::Result<Scratch> {
        let file = tempfile::tempfile_in(folder)?;
        Ok(Scratch { file, written: 0, block: Vec::new(), bodies: HashMap::new() })
    }

    pub fn put_answer(&mut self, answer: Result<&Response, &Failure>) -> io::Result<Spot> {
        let head = match answer {
            Err(failure) => Err(failure),
            Ok(response) => {
                let headers = response.headers.iter();
                let headers = headers
                    .map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec()));
                Ok(Head {
                    status: response.status,
                    headers: headers.collect(),
                    is_truncated: response.is_truncated,
                    is_transcoded: response.is_transcoded,
                    body: self.put_body(&response.body)?,
                })
            }
        };
        self.put(&head)
    }

    pub fn answer(&mut self, spot: Spot) -> io::Result<Result<Response, Failure>> {
        let head: Result<Head, Failure> = self.get(spot)?;
        let head = match head {
            Ok(head) => head,
            Err(failure) => return Ok(Err(failure)),
        };
        let mut headers = HeaderMap::new();
        for (name, value) in head.headers {
            let name = name.parse::<HeaderName>().map_err(io::Error::other)?;
            headers.append(name, HeaderValue::from_bytes(&value).map_err(io::Error::other)?);
        }
        let mut response = Response::as_is(head.status, self.bytes(head.body)?);
        response.headers = headers;
        response.is_truncated = head.is_truncated;
        response.is_transcoded = head.is_transcoded;
        Ok(Ok(response))
    }

    pub fn put(&mut self, value: &impl Serialize) -> io::Result<Spot> {
        let bytes = postcard::to_allocvec(value).map_err(io::Error::other)?;
        self.put_bytes(&bytes)
    }

    pub fn get<T: DeserializeOwned>(&mut self, spot: Spot) -> io::Result<T> {
        let bytes = self.bytes(spot)?;
        postcard::from_bytes(&bytes).map_err(io::Error::other)
    }

    pub fn put_body(&mut self, body: &[u8]) -> io::Result<Spot> {
        let hash = *ContentHash::of(body).0.first_chunk().expect("a hash has 32 bytes");
        if let Some(spot) = self.bodies.get(&hash) {
            return Ok(*spot);
        }
        let spot = self.put_bytes(body)?;
        self.bodies.insert(hash, spot);
        Ok(spot)
    }

    pub fn bytes(&mut self, spot: Spot) -> io::Result<Vec<u8>> {
        let len = spot.len as usize;
        if let Some(from) = spot.at.checked_sub(self.written) {
            let from = usize::try_from(from).map_err(io::Error::other)?;
            return Ok(self.block[from..from + len].to_vec());
        }
        let mut bytes = vec![0; len];
        self.file.seek(SeekFrom::Start(spot.at))?;
        self.file.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn put_bytes(&mut self, bytes: &[u8]) -> io::Result<Spot> {
        let at = self.written + self.block.len() as u64;
        let len = u32::try_from(bytes.len()).map_err(io::Error::other)?;
        self.block.extend_from_slice(bytes);
        if self.block.len() >= BLOCK_BYTES {
            self.file.seek(SeekFrom::Start(self.written))?;
            self.file.write_all(&self.block)?;
            self.written += self.block.len() as u64;
            self.block.clear();
        }
        Ok(Spot { at, len })
    }
}
