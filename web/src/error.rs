//! Errors, as JavaScript's half of the package understands them: JSON in a string that is thrown.

use robotsieve::{InvalidUrl, NameError};
use wasm_bindgen::JsValue;

use crate::json::Json;

pub fn invalid_url(_: InvalidUrl) -> JsValue {
    JsValue::from_str(&Json::of(|json| {
        json.object(|json| json.key("code").text("invalid-url"));
    }))
}

pub fn invalid_name(error: &NameError) -> JsValue {
    JsValue::from_str(&Json::of(|json| {
        json.object(|json| {
            json.key("code").text("invalid-name");
            json.key("name").bytes(error.name());
            json.key("isHeader").bool(error.is_header());
            json.key("probablyMeant").option(error.probably_meant(), Json::bytes);
        });
    }))
}
