//! The fetcher against real servers on loopback.

#[path = "../support/mod.rs"]
mod support;

mod ftp;
mod http;
mod limits;
mod nginx;
mod ssrf;
mod tls;
