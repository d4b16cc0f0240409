//! A decision, and the rule that made it.

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use robotsieve::{SiteKind, Verdict};
use robotsieve_python_common::parts;
use robotsieve_python_common::reasoned::{REASONS, Reasoned};

use crate::text::{Text, repr};

/// A rule: an ``Allow`` or ``Disallow`` line with a value.
#[pyclass(frozen, eq, hash, get_all, module = "robotsieve")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Rule {
    /// The verdict on what it matches: ``allow`` or ``disallow``.
    verdict: &'static str,
    /// Its line, from 1 on.
    line: u32,
    /// Its value as written.
    value: Text,
    /// Of several rules that match, the one with the highest precedence decides.
    precedence: u32,
    /// What targets are compared with: normalised, without a ``$`` at the end.
    pattern: Text,
    /// True if the target must end where the pattern ends.
    anchored: bool,
}

impl Rule {
    pub fn of(rule: robotsieve::Rule<'_>) -> Rule {
        let (verdict, line, value, precedence, pattern, anchored) = parts::of_rule(rule);
        Rule { verdict, line, value, precedence, pattern, anchored }
    }

    /// Its value as written.
    pub fn value(&self) -> &[u8] {
        &self.value.0
    }

    /// Returns true if it is this one.
    pub fn is(&self, rule: &robotsieve::Rule<'_>) -> bool {
        self.line == rule.line
            && self.verdict == rule.verdict.as_str()
            && self.precedence == rule.precedence
            && self.anchored == rule.anchored()
            && *self.value.0 == *rule.value
            && *self.pattern.0 == *rule.pattern()
    }
}

/// `allow` or `disallow`, for what is made again of its parts.
fn verdict_named(name: &str) -> PyResult<&'static str> {
    [Verdict::Allow, Verdict::Disallow]
        .into_iter()
        .map(Verdict::as_str)
        .find(|known| *known == name)
        .ok_or_else(|| {
            PyValueError::new_err(format!("a verdict is 'allow' or 'disallow', not {name:?}"))
        })
}

#[pymethods]
impl Rule {
    #[new]
    fn new(
        verdict: &str,
        line: u32,
        value: Text,
        precedence: u32,
        pattern: Text,
        anchored: bool,
    ) -> PyResult<Rule> {
        Ok(Rule { verdict: verdict_named(verdict)?, line, value, precedence, pattern, anchored })
    }

    /// Its fields, of types that JSON has; bytes that are not UTF-8 become U+FFFD.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let fields = PyDict::new(py);
        fields.set_item("verdict", self.verdict)?;
        fields.set_item("line", self.line)?;
        fields.set_item("value", String::from_utf8_lossy(&self.value.0))?;
        fields.set_item("precedence", self.precedence)?;
        fields.set_item("pattern", String::from_utf8_lossy(&self.pattern.0))?;
        fields.set_item("anchored", self.anchored)?;
        Ok(fields)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!(
            "Rule(verdict='{}', line={}, value={})",
            self.verdict,
            self.line,
            repr(py, &self.value)?
        ))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let parts =
            (self.verdict, self.line, &self.value, self.precedence, &self.pattern, self.anchored);
        (py.get_type::<Rule>(), parts).into_bound_py_any(py)
    }
}

/// A verdict and the reason for it. True if the verdict is ``allow``.
#[pyclass(frozen, eq, hash, get_all, module = "robotsieve")]
#[derive(PartialEq, Eq, Hash)]
pub struct Decision {
    /// ``allow`` or ``disallow``.
    pub verdict: &'static str,
    /// Why:
    ///
    /// - ``rule``: this rule decided.
    /// - ``no-group``: allowed, since no group is for the crawler.
    /// - ``no-match``: allowed, since none of its rules matches.
    /// - ``empty-rule``: allowed, since its only rules are empty.
    /// - ``robots-txt``: allowed, since it is the robots.txt itself.
    /// - ``allow-all``, ``disallow-all``: what is known of the site is not a file (:meth:`Pack.outcome`).
    /// - ``left-alone``: disallowed, since the site asks for a longer delay than ``Config.skip_above``.
    /// - ``rules-not-kept``: the set or pack does not keep what would tell.
    pub reason: &'static str,
    /// The line of the rule, from 1 on, or of the empty one.
    pub line: Option<u32>,
    /// The rule.
    pub rule: Option<Rule>,
}

impl Decision {
    pub fn of(decision: robotsieve::Decision<'_>) -> Decision {
        Reasoned::of(decision, SiteKind::Rules).into()
    }

    /// Adds its fields, of types that JSON has, to those of what it is a part of.
    pub fn add_to(&self, fields: &Bound<'_, PyDict>) -> PyResult<()> {
        let rule = self.rule.as_ref().map(|rule| rule.to_dict(fields.py())).transpose()?;
        fields.set_item("verdict", self.verdict)?;
        fields.set_item("reason", self.reason)?;
        fields.set_item("line", self.line)?;
        fields.set_item("rule", rule)
    }
}

impl From<Reasoned<'_>> for Decision {
    fn from(reasoned: Reasoned<'_>) -> Decision {
        let (verdict, reason, line) = parts::of_decision(&reasoned);
        Decision { verdict, reason, line, rule: reasoned.rule.map(Rule::of) }
    }
}

#[pymethods]
impl Decision {
    #[new]
    fn new(
        verdict: &str,
        reason: &str,
        line: Option<u32>,
        rule: Option<Bound<'_, Rule>>,
    ) -> PyResult<Decision> {
        let reason = REASONS.into_iter().find(|known| *known == reason).ok_or_else(|| {
            PyValueError::new_err(format!(
                "there is no reason {reason:?}; the reasons are {}",
                REASONS.join(", ")
            ))
        })?;
        let rule = rule.map(|rule| rule.get().clone());
        Ok(Decision { verdict: verdict_named(verdict)?, reason, line, rule })
    }

    /// True if the verdict is ``allow``.
    #[getter]
    fn is_allowed(&self) -> bool {
        self.verdict == Verdict::Allow.as_str()
    }

    /// Its fields, of types that JSON has.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let fields = PyDict::new(py);
        self.add_to(&fields)?;
        Ok(fields)
    }

    fn __bool__(&self) -> bool {
        self.is_allowed()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let rule = match &self.rule {
            Some(rule) => format!(", rule={}", rule.__repr__(py)?),
            None => self.line.map_or_else(String::new, |line| format!(", line={line}")),
        };
        Ok(format!("Decision(verdict='{}', reason='{}'{rule})", self.verdict, self.reason))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let parts = (self.verdict, self.reason, self.line, self.rule.clone());
        (py.get_type::<Decision>(), parts).into_pyobject(py)
    }
}
