//! Rights in words.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use robotsieve_report::RightsReport as Report;

/// Rights in words: ``str()`` is what ``robotsieve rights`` prints below its first line.
#[pyclass(frozen, eq, hash, module = "robotsieve")]
#[derive(PartialEq, Eq, Hash)]
pub struct RightsReport {
    purposes: Vec<PurposeReport>,
    sentences: Vec<String>,
    text: String,
}

/// The ruling on a purpose, with its reasons.
#[pyclass(frozen, eq, hash, get_all, module = "robotsieve")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PurposeReport {
    /// The purpose: ``crawl``, ``index``, ``snippet``, ``ai-input``, ``ai-train`` or ``ai-index``.
    purpose: String,
    /// ``allow``, ``disallow`` or ``unknown``.
    ruling: String,
    /// The places that decided, each with what stands there and the version of the text by which it was read. If
    /// there is none, why.
    reasons: Vec<String>,
}

impl RightsReport {
    pub fn of(report: &Report) -> RightsReport {
        let purposes = report.purposes.iter().map(|of| PurposeReport {
            purpose: of.purpose.as_str().into(),
            ruling: of.ruling.as_str().into(),
            reasons: of.reasons.clone(),
        });
        let (sentences, text) = (report.sentences.clone(), report.to_string());
        RightsReport { purposes: purposes.collect(), sentences, text: text.trim_end().into() }
    }

    pub fn text(&self) -> &str {
        &self.text
    }
}

#[pymethods]
impl RightsReport {
    #[new]
    fn new(
        purposes: Vec<PyRef<'_, PurposeReport>>,
        sentences: Vec<String>,
        text: String,
    ) -> RightsReport {
        let purposes = purposes.iter().map(|purpose| (**purpose).clone()).collect();
        RightsReport { purposes, sentences, text }
    }

    /// The purposes, each with the ruling and why it is so.
    #[getter]
    fn purposes(&self) -> Vec<PurposeReport> {
        self.purposes.clone()
    }

    /// Sentences about licences, conditions and limits, and what is odd.
    #[getter]
    fn sentences(&self) -> &[String] {
        &self.sentences
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        let (purposes, sentences) = (self.purposes.len(), self.sentences.len());
        format!("<robotsieve.RightsReport of {purposes} purposes and {sentences} sentences>")
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let parts = (self.purposes.clone(), self.sentences.clone(), &self.text);
        (py.get_type::<RightsReport>(), parts).into_bound_py_any(py)
    }
}

#[pymethods]
impl PurposeReport {
    #[new]
    fn new(purpose: String, ruling: String, reasons: Vec<String>) -> PurposeReport {
        PurposeReport { purpose, ruling, reasons }
    }

    fn __repr__(&self) -> String {
        let reasons = self.reasons.join("; ");
        format!("<robotsieve.PurposeReport: {} {}: {reasons}>", self.purpose, self.ruling)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let parts = (&self.purpose, &self.ruling, self.reasons.clone());
        (py.get_type::<PurposeReport>(), parts).into_bound_py_any(py)
    }
}
