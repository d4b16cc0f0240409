//! What may be done with a URL, and who says so.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use robotsieve::{Profile, Robots};
use robotsieve_report::{RightsReport, RightsSources};
use robotsieve_rights::{
    Documents, PolicyToken, Purpose, Response, Rights, RightsReader, RobotsRights, header_fields,
};
use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::crawler::{Reader, who};
use crate::error::{invalid_header, invalid_url};
use crate::file::Shared;
use crate::json::json;
use crate::robots::RawRobots;

/// Reads rights as a crawler has to.
#[wasm_bindgen]
pub struct RawRightsReader {
    reader: RefCell<RightsReader>,
    /// The time that the reader has, in seconds since 1970.
    now: Cell<i64>,
}

#[wasm_bindgen]
impl RawRightsReader {
    /// JavaScript knows the names of readings, vocabularies and tokens, and gives no others.
    #[wasm_bindgen(constructor)]
    pub fn new(
        crawler: &[u8],
        reading: &str,
        vocabulary: &str,
        tokens: Vec<String>,
    ) -> Result<RawRightsReader, JsValue> {
        let tokens = tokens.iter().filter_map(|name| PolicyToken::of_name(name));
        let reader = RightsReader::new(&who(crawler, &Profile::RFC9309)?.crawler)
            .with_reading(reading.parse().unwrap_or_default())
            .with_vocabulary(vocabulary.parse().unwrap_or_default())
            .with_policy_tokens(tokens)
            .with_now(0);
        Ok(RawRightsReader { reader: reader.into(), now: Cell::new(0) })
    }

    pub fn robots(&self, robots: &RawRobots) -> RawRobotsRights {
        let shared = robots.shared.clone();
        let rights = shared.with(|robots| self.reader.borrow().robots(robots));
        RawRobotsRights { of: Some((rights, shared)) }
    }

    #[allow(clippy::too_many_arguments, reason = "JavaScript's options")]
    pub fn rights(
        &self,
        url: &[u8],
        robots: &RawRobotsRights,
        headers: &[u8],
        html: Option<Box<[u8]>>,
        xmp: Option<Box<[u8]>>,
        documents: &RawDocuments,
        now: f64,
    ) -> Result<String, JsValue> {
        let response = response(&fields(headers)?, html.as_deref(), xmp.as_deref());
        Ok(json(&self.read(url, robots, &response, documents, now)?, None))
    }

    #[allow(clippy::too_many_arguments, reason = "JavaScript's options")]
    pub fn report(
        &self,
        url: &[u8],
        robots: &RawRobotsRights,
        headers: &[u8],
        html: Option<Box<[u8]>>,
        xmp: Option<Box<[u8]>>,
        documents: &RawDocuments,
        now: f64,
    ) -> Result<String, JsValue> {
        let headers = fields(headers)?;
        let response = response(&headers, html.as_deref(), xmp.as_deref());
        let rights = self.read(url, robots, &response, documents, now)?;
        // Parsed again: the lifetime inside the other one is that of its own bytes.
        let file = robots.of.as_ref();
        let file = file.map(|(_, file)| Robots::parse(file.text(), &file.profile()));
        let sources = RightsSources {
            robots: file.as_ref(),
            headers: &headers,
            html: html.as_deref(),
            response: Some(&response),
            documents: Some((&documents.documents, url)),
        };
        Ok(json(&RightsReport::new(&rights, &sources), None))
    }
}

impl RawRightsReader {
    fn read(
        &self,
        url: &[u8],
        robots: &RawRobotsRights,
        response: &Response,
        documents: &RawDocuments,
        now: f64,
    ) -> Result<Rights, JsValue> {
        // A number of JavaScript becomes the nearest second that there is.
        let now = now as i64;
        if now != self.now.replace(now) {
            let reader = self.reader.borrow().clone().with_now(now);
            self.reader.replace(reader);
        }
        let robots = robots.of.as_ref().map(|(rights, _)| rights);
        let reader = self.reader.borrow();
        reader.rights(url, robots, response, &documents.documents).map_err(invalid_url)
    }
}

/// What was answered: a page, or an image, a video or a PDF with XMP.
fn response(headers: &Fields, html: Option<&[u8]>, xmp: Option<&[u8]>) -> Response {
    let fields = headers.iter().map(|(name, value)| (&name[..], &value[..]));
    let response = Response::new().with_headers(fields);
    match (html, xmp) {
        (Some(html), _) => response.with_html(html),
        (None, Some(xmp)) => response.with_xmp(xmp),
        (None, None) => response,
    }
}

/// Names and values.
type Fields = Vec<(Vec<u8>, Vec<u8>)>;

/// The fields of a header as JavaScript writes them: a byte that is 0 for text; for others names and
/// values by turns, each as its length and its bytes.
fn fields(written: &[u8]) -> Result<Fields, JsValue> {
    let Some((kind, rest)) = written.split_first() else { return Ok(Vec::new()) };
    if *kind == 0 {
        return header_fields(rest).map_err(|error| invalid_header(&error));
    }
    let mut rest = Reader(rest);
    let mut fields = Vec::new();
    while !rest.0.is_empty() {
        fields.push((rest.text().to_vec(), rest.text().to_vec()));
    }
    Ok(fields)
}

/// What a robots.txt says of the rights of a reader's crawler, and the file, to quote it. Nothing where
/// no robots.txt is at hand: wasm-bindgen has no references that may be missing.
#[wasm_bindgen]
#[derive(Default)]
pub struct RawRobotsRights {
    of: Option<(RobotsRights<'static>, Rc<Shared>)>,
}

#[wasm_bindgen]
impl RawRobotsRights {
    #[wasm_bindgen(js_name = ofNone)]
    pub fn of_none() -> RawRobotsRights {
        RawRobotsRights::default()
    }
}

/// Files of sites.
#[wasm_bindgen]
#[derive(Default)]
pub struct RawDocuments {
    documents: Documents,
}

#[wasm_bindgen]
impl RawDocuments {
    #[wasm_bindgen(constructor)]
    pub fn new() -> RawDocuments {
        RawDocuments::default()
    }

    pub fn add(&mut self, address: &str, file: &[u8]) {
        self.documents.add(address, file);
    }

    #[wasm_bindgen(js_name = addNotRead)]
    pub fn add_not_read(&mut self, address: &str) {
        self.documents.add_not_read(address);
    }
}

#[derive(Serialize)]
struct Token {
    name: &'static str,
    purposes: Vec<Purpose>,
}

/// The policy tokens that are known.
#[wasm_bindgen(js_name = policyTokens)]
pub fn policy_tokens() -> String {
    let tokens = PolicyToken::ALL.iter();
    let tokens =
        tokens.map(|token| Token { name: token.name, purposes: token.purposes.iter().collect() });
    json(&tokens.collect::<Vec<_>>(), None)
}
