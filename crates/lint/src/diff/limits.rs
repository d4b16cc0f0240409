//! The limits of a comparison.

/// The work that a comparison may take, and the most that it reports.
///
/// ```
/// use robotsieve_lint::diff::Limits;
///
/// let mut limits = Limits::default();
/// limits.flips = 1;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The most pairs of states that the search for shortest flips visits, for each pair of
    /// policies. A whole file may take twice as many, those of the proofs included; once they
    /// are used up, each pair of policies still gets a few hundred.
    pub pairs: usize,
    /// The most flips to report in each direction: one for each pair of deciding rules.
    pub flips: usize,
    /// The most paths to try if the automata give no proof. Fewer are tried if there are
    /// thousands of rules, or many policies of which that is true.
    pub samples: usize,
    /// The most removed, and the most added, records of each kind to list, for each set of
    /// crawlers.
    pub records: usize,
}

impl Default for Limits {
    /// 262,144 pairs (some 30 MB and less than a second), 5 flips in each direction, 20,000
    /// sampled paths, and 100 records.
    fn default() -> Limits {
        Limits { pairs: 1 << 18, flips: 5, samples: 20_000, records: 100 }
    }
}

impl Limits {
    /// The same with another number of [flips](Limits::flips).
    #[must_use]
    pub fn with_flips(self, flips: usize) -> Limits {
        Limits { flips, ..self }
    }

    /// The same with another number of [records](Limits::records).
    #[must_use]
    pub fn with_records(self, records: usize) -> Limits {
        Limits { records, ..self }
    }
}
