//! The JSON in metadata records: an origin and its state.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use robotsieve::Origin;
use robotsieve_client::outcome::OriginState;
use serde_json::{Value, json};

/// The version of the JSON in metadata records, which `docs/formats.md` describes.
const STATE_VERSION: u64 = 1;

/// Bytes, which have a second member if they are not UTF-8.
const BYTES: [&str; 2] = ["etag", "last_modified"];

/// The block of an origin's metadata record.
pub fn to_json(origin: &str, state: &OriginState) -> Vec<u8> {
    let mut state = serde_json::to_value(state).expect("all keys are texts");
    if let Some(copy) = state.get_mut("copy").and_then(Value::as_object_mut) {
        let hash = copy.get("content").and_then(bytes_of).unwrap_or_default();
        let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        copy.insert("content".into(), hash.into());
        for name in BYTES {
            let Some(bytes) = copy.get(name).and_then(bytes_of) else { continue };
            copy.insert(name.into(), String::from_utf8_lossy(&bytes).into());
            if str::from_utf8(&bytes).is_err() {
                copy.insert(format!("{name}_base64"), STANDARD.encode(&bytes).into());
            }
        }
    }
    let block = json!({ "robotsieve_state": STATE_VERSION, "origin": origin, "state": state });
    serde_json::to_vec(&block).expect("all keys are texts")
}

/// The origin and the state in a block. Returns `None` if it is JSON of another kind.
///
/// # Errors
/// Returns an error if the block is invalid or of a later version.
pub fn of_json(block: &[u8]) -> Option<Result<(String, OriginState), String>> {
    let mut block: Value = serde_json::from_slice(block).ok()?;
    let version = block.get("robotsieve_state")?.clone();
    Some(if version == STATE_VERSION {
        of_value(&mut block)
    } else {
        Err(format!("its state has version {version}, this program reads {STATE_VERSION}"))
    })
}

fn of_value(block: &mut Value) -> Result<(String, OriginState), String> {
    let origin = block.get("origin").and_then(Value::as_str).unwrap_or_default().to_owned();
    if Origin::of(&origin).is_ok_and(|found| found.key() != origin) || Origin::of(&origin).is_err()
    {
        return Err(format!("'{}' is not an origin", robotsieve_shown::shown(origin.as_bytes())));
    }
    let state = block.get_mut("state").ok_or("it has no state")?;
    if let Some(copy) = state.get_mut("copy").and_then(Value::as_object_mut) {
        let hash = copy.get("content").and_then(Value::as_str).and_then(of_hex);
        copy.insert("content".into(), hash.ok_or("the hash of its copy is invalid")?.into());
        for name in BYTES {
            let encoded = copy.remove(&format!("{name}_base64"));
            let bytes = match (encoded, copy.get(name)) {
                (Some(Value::String(encoded)), _) => {
                    STANDARD.decode(encoded).map_err(|_| format!("its {name} is invalid"))?
                }
                (None, Some(Value::String(text))) => text.clone().into_bytes(),
                _ => continue,
            };
            copy.insert(name.into(), bytes.into());
        }
    }
    let state = serde_json::from_value(state.take()).map_err(|cause| cause.to_string())?;
    Ok((origin, state))
}

fn bytes_of(value: &Value) -> Option<Vec<u8>> {
    let numbers = value.as_array()?.iter();
    numbers.map(|byte| byte.as_u64().and_then(|byte| byte.try_into().ok())).collect()
}

fn of_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|digit| digit.to_digit(16).map(|digit| digit as u8)).collect();
    let digits = digits?;
    (digits.len() == 64).then(|| digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}
