//! The fetcher against real servers on loopback.

mod floods;
mod ftp;
mod http;
mod lenient;
mod limits;
mod nginx;
mod proxies;
mod ssrf;
mod tls;
mod turns;
