//! What a line says of a URL.

use crate::limits::UseCeiling;
use crate::note::Note;
use crate::statement::Statement;

/// What a line says of a URL.
pub(super) enum Said {
    Statement(Statement),
    Ceiling(UseCeiling),
    Note(Note),
}
