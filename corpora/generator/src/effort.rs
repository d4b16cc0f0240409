//! How many cases tests with random or generated input try.

/// Returns true if the environment variable `ROBOTSIEVE_TESTS` is `all`, as in `bash .ci/run all`.
pub fn everything() -> bool {
    std::env::var_os("ROBOTSIEVE_TESTS").is_some_and(|value| value == "all")
}

/// A quarter of the cases, unless [everything](everything()) is wanted. The first quarter: the same cases each time.
pub fn cases(all: usize) -> usize {
    if everything() { all } else { all.div_ceil(4) }
}
