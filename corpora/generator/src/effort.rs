//! How many cases tests with random or generated input try.

/// Returns true if the environment variable `ROBOTSIEVE_TESTS` is `all`, as in `bash .ci/run all`.
pub fn everything() -> bool {
    std::env::var_os("ROBOTSIEVE_TESTS").is_some_and(|value| value == "all")
}

/// An eighth of the cases, unless [everything](everything()) is wanted. The first eighth: the same cases each time.
pub fn cases(all: usize) -> usize {
    if everything() { all } else { all.div_ceil(8) }
}

/// The step with which to go through the cases: all of them if [everything](everything()) is wanted, or one of `step`.
pub fn step(step: usize) -> usize {
    if everything() { 1 } else { step }
}
