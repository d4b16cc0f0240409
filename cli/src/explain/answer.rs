//! The answer about one URL.

use robotsieve_report::{CompareReport, ExplainReport};

/// What there is to say about one URL.
pub enum Answer {
    /// In one profile.
    One(Box<ExplainReport>),
    /// In all of them.
    All(Box<CompareReport>),
}

impl Answer {
    /// The explanation in each profile.
    pub fn explanations(&self) -> &[ExplainReport] {
        match self {
            Answer::One(report) => std::slice::from_ref(report),
            Answer::All(report) => &report.explanations,
        }
    }

    pub fn explanations_mut(&mut self) -> &mut [ExplainReport] {
        match self {
            Answer::One(report) => std::slice::from_mut(report),
            Answer::All(report) => &mut report.explanations,
        }
    }

    pub fn to_json(&self) -> Vec<u8> {
        let json = match self {
            Answer::One(report) => serde_json::to_vec(report),
            Answer::All(report) => serde_json::to_vec(report),
        };
        let mut json = json.expect("a vector has room for any text");
        json.push(b'\n');
        json
    }
}
