//! The fetcher against real servers on loopback.

mod ftp;
mod http;
mod limits;
mod nginx;
mod ssrf;
mod tls;
