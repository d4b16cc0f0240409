//! `Policy.is_allowed` and `is_path_allowed` as C functions of one argument.
//!
//! To call a method, PyO3 reads an array of arguments and their keywords, and counts the calls of each thread, which it
//! finds through the linker: that took longer than the answer. So the questions that all programs ask most are answered
//! by a function of Python's own kind, about a plain `str`. What it cannot answer, the
//! method that PyO3 made is asked, so there is one place for errors, warnings and values of other types.

#![expect(unsafe_code, reason = "PyO3 has no name for a function of one argument: see each block")]

use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{from_mut, null_mut};

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyType};
use pyo3::{PyTypeInfo, ffi};

use crate::policy::Policy;
use crate::text::plain;

/// The methods that PyO3 made, in the order of [`QUESTIONS`].
static MADE: [PyOnceLock<Py<PyAny>>; 2] = [const { PyOnceLock::new() }; 2];

const QUESTIONS: [(&str, ffi::PyCFunction); 2] =
    [("is_allowed", is_allowed), ("is_path_allowed", is_path_allowed)];

unsafe extern "C" fn is_allowed(
    policy: *mut ffi::PyObject,
    url: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: Python calls it as a method of `Policy` with one argument.
    unsafe { answer::<0>(policy, url, Policy::verdict_at_once) }
}

unsafe extern "C" fn is_path_allowed(
    policy: *mut ffi::PyObject,
    path: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: Python calls it as a method of `Policy` with one argument.
    unsafe { answer::<1>(policy, path, |policy, path| policy.ready()?.is_path_allowed(path).ok()) }
}

/// The answer to a question about `value`, a new reference; null if an exception is set.
///
/// # Safety
/// The thread is attached to the interpreter, `policy` is a `Policy`, and the caller keeps both objects alive.
#[inline(always)]
unsafe fn answer<const QUESTION: usize>(
    policy: *mut ffi::PyObject,
    value: *mut ffi::PyObject,
    ask: impl Fn(&Policy, &[u8]) -> Option<bool>,
) -> *mut ffi::PyObject {
    let answered = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: the caller is attached, and returns to Python after this.
        let py = unsafe { Python::assume_attached() };
        // SAFETY: both are objects, which the caller keeps alive; a method's descriptor checks the type of the first.
        let (policy, value) =
            unsafe { (Borrowed::from_ptr(py, policy), Borrowed::from_ptr(py, value)) };
        debug_assert!(policy.is_exact_instance_of::<Policy>());
        // SAFETY: as above; the class has no subclasses.
        let policy = unsafe { policy.cast_unchecked::<Policy>() };
        let verdict = ask(policy.get(), plain(&value)?)?;
        Some(PyBool::new(py, verdict).to_owned().into_ptr())
    }));
    match answered {
        Ok(Some(verdict)) => verdict,
        // SAFETY: as above.
        _ => unsafe { ask_what_pyo3_made(QUESTION, policy, value) },
    }
}

/// # Safety
/// As of [`answer`].
#[cold]
unsafe fn ask_what_pyo3_made(
    question: usize,
    policy: *mut ffi::PyObject,
    value: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: the caller is attached.
    let py = unsafe { Python::assume_attached() };
    let Some(method) = MADE[question].get(py) else { return null_mut() };
    // SAFETY: all are objects, and the list of them ends with a null pointer.
    unsafe {
        ffi::PyObject_CallFunctionObjArgs(
            method.as_ptr(),
            policy,
            value,
            null_mut::<ffi::PyObject>(),
        )
    }
}

/// Puts the functions before the methods that PyO3 made, with their names and documentation.
pub fn register(py: Python<'_>) -> PyResult<()> {
    let class = Policy::type_object(py);
    for ((name, function), made) in QUESTIONS.into_iter().zip(&MADE) {
        // The class outlives an import that failed, and a second one finds it as the first left it.
        if made.get(py).is_some() {
            continue;
        }
        let method = class.getattr(name)?;
        let text = |name: &str| method.getattr(name)?.extract::<String>();
        let doc = format!("{name}{}\n--\n\n{}", text("__text_signature__")?, text("__doc__")?);
        let descriptor = descriptor(&class, name, function, &doc)?;
        made.set(py, method.unbind()).ok();
        class.setattr(name, descriptor)?;
    }
    Ok(())
}

fn descriptor<'py>(
    class: &Bound<'py, PyType>,
    name: &str,
    function: ffi::PyCFunction,
    doc: &str,
) -> PyResult<Bound<'py, PyAny>> {
    // Python keeps them as long as the class, which is for ever.
    let leaked = |text: &str| CString::new(text).map(|text| text.into_raw().cast_const());
    let method = Box::leak(Box::new(ffi::PyMethodDef {
        ml_name: leaked(name)?,
        ml_meth: ffi::PyMethodDefPointer { PyCFunction: function },
        ml_flags: ffi::METH_O,
        ml_doc: leaked(doc)?,
    }));
    // SAFETY: the class is a type, and what describes the method is never freed.
    unsafe {
        let made = ffi::PyDescr_NewMethod(class.as_type_ptr(), from_mut(method));
        Bound::from_owned_ptr_or_err(class.py(), made)
    }
}
