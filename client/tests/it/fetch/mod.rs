//! The fetcher against real servers on loopback.

mod dns;
mod floods;
mod ftp;
mod http;
mod lenient;
mod limits;
mod local;
mod nginx;
mod onlooker;
mod proxies;
mod ssrf;
mod suspended;
mod tls;
mod turns;
