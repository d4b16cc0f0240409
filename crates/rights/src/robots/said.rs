//! What a line says of a URL.

use crate::limits::UseCeiling;
use crate::note::Note;
use crate::purpose::Purposes;
use crate::statement::Statement;

/// What a line says of a URL.
pub(super) enum Said {
    Statement(Statement),
    /// These purposes are disallowed by a line that is not known.
    Disallowed(Purposes),
    Ceiling(UseCeiling),
    Note(Note),
}
