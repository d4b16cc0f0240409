//! The records of a file whose preferences say something.

use robotsieve::records::{InvalidValue, Kind, TypedRecord, Value};
use robotsieve::{Crawler, Robots};

use crate::ContentUsage;
use crate::content_signals::pieces;

/// [`Robots::typed_records`], in which a Content-Usage or Content-Signal is invalid if all of its statement
/// is malformed, so that it says nothing. Reads the file again; `O(n)`.
#[must_use]
pub fn typed_records<'a>(robots: &Robots<'a>) -> Vec<TypedRecord<'a>> {
    stated(robots.typed_records())
}

/// [`Robots::typed_records_for`] a crawler, read in the same way.
#[must_use]
pub fn typed_records_for<'a>(robots: &Robots<'a>, crawler: &Crawler) -> Vec<TypedRecord<'a>> {
    stated(robots.typed_records_for(crawler))
}

fn stated(mut records: Vec<TypedRecord<'_>>) -> Vec<TypedRecord<'_>> {
    for record in &mut records {
        if let Some(invalid) = record.value.as_ref().ok().and_then(|value| said(record.kind, value))
        {
            record.value = Err(invalid);
        }
    }
    records
}

/// What is wrong with preferences whose statement says nothing, because all of it is malformed.
fn said(kind: Kind, value: &Value<'_>) -> Option<InvalidValue> {
    match value {
        Value::ContentUsage(said) => {
            ContentUsage::of_record(said).err().map(|error| InvalidValue::new(kind, error.0))
        }
        Value::ContentSignal(said) if pieces(said.statement).all(|piece| piece.value.is_none()) => {
            let expected = "expected signals, such as search=yes, ai-train=no";
            Some(InvalidValue::new(kind, expected))
        }
        _ => None,
    }
}
