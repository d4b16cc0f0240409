//! Lists of names in a sentence.

/// The first of some names, and how many more there are.
pub fn first(most: usize, names: impl ExactSizeIterator<Item = String>) -> String {
    let more = names.len().saturating_sub(most);
    let shown = names.take(most).collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}
