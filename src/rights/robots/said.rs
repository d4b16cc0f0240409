//! What a line says of a URL.

use crate::rights::limits::UseCeiling;
use crate::rights::note::Note;
use crate::rights::statement::Statement;

/// What a line says of a URL.
pub(super) enum Said {
    Statement(Statement),
    Ceiling(UseCeiling),
    Note(Note),
}
