//! A small frontier: streams URLs through a sieve, and prints those that may be fetched.
//!
//! ```console
//! cargo run --release -p robotsieve-tools --bin frontier -- 'MyBot/1.0 (+https://bot.example/)' \
//!     robots.store < urls.txt > allowed.txt
//! ```
//!
//! Sites are fetched as their URLs come, many in parallel, and their answers are kept in the
//! store, so that a second run fetches nothing. The metrics go to standard error at the end.

use std::error::Error;
use std::io::{self, BufRead, BufWriter, Write};

use robotsieve::Crawler;
use robotsieve_client::fetch::Fetcher;
use robotsieve_client::sieve::Sieve;
use robotsieve_client::store::Store;

/// The number of URLs that are decided in parallel: enough for slow sites not to hold up the
/// others.
const AT_A_TIME: usize = 4096;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(user_agent), Some(store)) = (arguments.next(), arguments.next()) else {
        return Err(
            "usage: frontier USER-AGENT STORE < URLS, with --allow-private for tests".into()
        );
    };
    let allow_private = arguments.next().as_deref() == Some("--allow-private");
    let fetcher = Fetcher::builder(&user_agent).allow_private(allow_private).build()?;
    let sieve = Sieve::builder(Crawler::from_user_agent(&user_agent))
        .store(Store::open(store)?)
        .fetcher(fetcher)
        .build();
    let mut out = BufWriter::new(io::stdout().lock());
    let mut urls = io::stdin().lock().split(b'\n');
    loop {
        let some: Vec<Vec<u8>> = urls.by_ref().take(AT_A_TIME).collect::<Result<_, _>>()?;
        if some.is_empty() {
            break;
        }
        for (url, decision) in some.iter().zip(sieve.decide_many(&some).await) {
            match decision {
                Ok(decision) if decision.is_allowed() => {
                    out.write_all(&[url, &b"\n"[..]].concat())?
                }
                Ok(_) => {}
                Err(error) => eprintln!("{}: {error}", url.escape_ascii()),
            }
        }
    }
    out.flush()?;
    sieve.settled().await;
    eprintln!("{:#?}", sieve.metrics());
    Ok(())
}
