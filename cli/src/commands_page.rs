//! Test
