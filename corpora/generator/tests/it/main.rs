//! The tests of the generator, in one program.

mod mix;
mod warc;
