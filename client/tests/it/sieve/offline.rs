//! The whole of it on a machine whose network swallows every packet.

use std::env;
use std::process::Command;

use robotsieve_client::fetch::Fetcher;

use super::*;
use crate::support::servers::{USER_AGENT, skipped};

/// Said by the process within the dead network when all is well.
const DONE: &str = "nothing was judged";

/// The process within the dead network, which the test below starts.
#[test]
#[ignore = "only for `a_dead_network_judges_no_site`, which starts it"]
fn within() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let folder = in_memory();
    let urls: Vec<String> = (0..15)
        .map(|n| format!("http://93.{n}.216.34/x"))
        .chain((0..15).map(|n| format!("https://site-{n}.example/x")))
        .collect();
    runtime.block_on(async {
        let store = Store::open(folder.path().join("store")).unwrap();
        let fetcher = Fetcher::builder(USER_AGENT)
            .name_servers([(std::net::Ipv4Addr::new(8, 8, 8, 8), 53).into()])
            .connect_timeout(Duration::from_secs(2))
            .total_timeout(Duration::from_secs(4))
            .build()
            .unwrap();
        let sieve =
            Sieve::builder(Crawler::name("a")).store(store.clone()).fetcher(fetcher).build();
        for decision in sieve.decide_many(&urls).await {
            let error = decision.map(|decision| decision.is_allowed()).unwrap_err();
            assert!(matches!(error, SieveError::Local(_)), "{error}");
        }
        sieve.shutdown().await;
        assert_eq!(store.stat().unwrap().origins, 0);
    });
    println!("{DONE}");
}

/// A network namespace whose only route leads to where packets vanish. It takes rights that not
/// every machine gives.
#[test]
#[cfg(target_os = "linux")]
fn a_dead_network_judges_no_site() {
    let script = "ip link set lo up && ip address add 10.200.0.2/24 dev lo \
                  && ip route add default dev lo src 10.200.0.2 && echo alone \
                  && exec \"$0\" --exact sieve::offline::within --ignored --nocapture";
    let program = env::current_exe().unwrap();
    let output =
        Command::new("unshare").args(["--net", "sh", "-c", script]).arg(program).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    if !text.contains("alone") {
        skipped(&format!("cannot make a network namespace here: {errors}"));
        return;
    }
    assert!(output.status.success() && text.contains(DONE), "{text}{errors}");
}
