//! robotsieve
fn main() {}
