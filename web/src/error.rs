//! Errors, as JavaScript's half of the package understands them: JSON in a string that is thrown.

use std::borrow::Cow;
use std::fmt::Display;

use robotsieve::{InvalidUrl, NameError};
#[cfg(feature = "known")]
use robotsieve_owners::block::{CannotBlock, NoToken};
#[cfg(feature = "known")]
use robotsieve_owners::reach::InvalidPage;
#[cfg(feature = "rights")]
use robotsieve_rights::InvalidHeader;
use serde::Serialize;
use wasm_bindgen::JsValue;

use crate::json::json;

#[derive(Serialize)]
struct Failure<'n> {
    code: &'static str,
    message: String,
    is_header: bool,
    is_evident: bool,
    probably_meant: Option<Cow<'n, str>>,
}

fn failure(failure: Failure<'_>) -> JsValue {
    JsValue::from_str(&json(&failure, None))
}

pub fn invalid_url(error: InvalidUrl) -> JsValue {
    invalid("invalid-url", &error)
}

/// It names the page itself.
#[cfg(feature = "known")]
pub fn invalid_page(error: &InvalidPage) -> JsValue {
    invalid("invalid-page", error)
}

#[cfg(feature = "known")]
pub fn cannot_block(error: &CannotBlock) -> JsValue {
    invalid("cannot-block", error)
}

#[cfg(feature = "known")]
pub fn no_token(error: &NoToken) -> JsValue {
    invalid("invalid-name", error)
}

#[cfg(feature = "rights")]
pub fn invalid_header(error: &InvalidHeader) -> JsValue {
    invalid("invalid-header", &format_args!("line {} of the headers: {error}", error.line))
}

fn invalid(code: &'static str, error: &dyn Display) -> JsValue {
    failure(Failure {
        code,
        message: error.to_string(),
        is_header: false,
        is_evident: true,
        probably_meant: None,
    })
}

pub fn invalid_name(error: &NameError) -> JsValue {
    failure(Failure {
        code: "invalid-name",
        message: error.to_string(),
        is_header: error.is_header(),
        is_evident: error.is_evident(),
        probably_meant: error.probably_meant().map(String::from_utf8_lossy),
    })
}
