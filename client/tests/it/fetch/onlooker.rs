//! The judge of attempts that another program makes.

use robotsieve_client::Timestamp;
use robotsieve_client::internals::Onlooker;
use robotsieve_client::outcome::{
    Attempt, Failure, LocalFault, LocalKind, Protocol, Redirect, Response, Stage,
};
use tokio::time::Instant;

async fn judged(
    judge: &Onlooker,
    url: &str,
    to: Option<&str>,
    result: Result<Response, Failure>,
) -> Attempt {
    let has_answered = result.is_ok();
    let redirects = to.into_iter().map(|to| Redirect::new(302, to)).collect();
    let attempt = Attempt::new(Timestamp(1_800_000_000), result).with_redirects(redirects);
    judge.judge(url, attempt, Instant::now(), has_answered).await
}

fn is_local(attempt: &Attempt, wanted: LocalKind) -> bool {
    matches!(&attempt.result, Err(Failure::Local(LocalFault { kind, .. })) if *kind == wanted)
}

/// A network that asks for a login replaces no site's rules, whoever fetches.
#[tokio::test]
async fn a_network_that_asks_for_a_login() {
    let page = || Ok(Response::new(200, *b"<html>Log in</html>"));
    let ask = async |judge: &Onlooker, name: &str| {
        let to = Some("http://login.portal.test/hello");
        judged(judge, &format!("http://{name}.test/robots.txt"), to, page()).await
    };
    let judge = Onlooker::default();
    for name in ["a", "b"] {
        assert!(ask(&judge, name).await.is_confirmed);
    }
    assert!(is_local(&ask(&judge, "c").await, LocalKind::Network));
    // Somebody had answered: then nothing follows.
    let judge = Onlooker::default();
    judged(&judge, "http://good.test/robots.txt", None, Ok(Response::new(404, ""))).await;
    for name in ["a", "b", "c"] {
        assert_eq!(ask(&judge, name).await.is_confirmed, name != "c");
    }
    // A site that moves says where its robots.txt is.
    for name in ["a", "b", "c", "d"] {
        let to = Some("http://other.example/robots.txt");
        let url = format!("http://{name}.test/robots.txt");
        let moved = judged(&judge, &url, to, Ok(Response::new(200, ""))).await;
        assert!(moved.is_confirmed && moved.result.is_ok());
    }
    // Nor does its page in the place of their files.
    let judge = Onlooker::default();
    let shown = async |scheme: &str, name: &str, page: &str| {
        let url = format!("{scheme}://{name}.test/robots.txt");
        judged(&judge, &url, None, Ok(Response::new(200, page))).await
    };
    for name in ["a", "b"] {
        assert!(shown("http", name, "<html>Log in").await.is_confirmed);
    }
    assert!(is_local(&shown("http", "c", "<html>Log in").await, LocalKind::Network));
    // Somebody had answered: then nothing follows.
    let judge = Onlooker::default();
    judged(&judge, "http://good.test/robots.txt", None, Ok(Response::new(404, ""))).await;
    let shown = async |scheme: &str, name: &str, page: &str| {
        let url = format!("{scheme}://{name}.test/robots.txt");
        judged(&judge, &url, None, Ok(Response::new(200, page))).await
    };
    for name in ["a", "b", "c"] {
        let attempt = shown("http", name, "<html>Log in").await;
        assert_eq!(attempt.is_confirmed, name != "c");
        let fault = Protocol::RFC9309.after(None, &attempt).err().map(|fault| fault.to_string());
        let told = "HTTP 200, perhaps the page for a login in the place of the file";
        assert_eq!(fault.is_some_and(|fault| fault.ends_with(told)), name == "c");
    }
    assert!(shown("http", "d", "<html>d").await.is_confirmed);
    assert!(shown("http", "a", "<html>Log in").await.is_confirmed);
    for name in ["e", "f", "g", "h"] {
        assert!(shown("https", name, "<html>Log in").await.is_confirmed);
        assert!(shown("http", name, "User-agent: *").await.is_confirmed);
    }
    let judge = Onlooker::default();
    let asked = async |name: &str| {
        let url = format!("https://{name}.test/robots.txt");
        judged(&judge, &url, None, Ok(Response::new(511, ""))).await
    };
    assert!(!asked("a").await.is_confirmed && !asked("b").await.is_confirmed);
    assert!(is_local(&asked("c").await, LocalKind::Network));
}

/// Until an https site has shown a valid certificate, the clock may be wrong here.
#[tokio::test]
async fn certificates() {
    let judge = Onlooker::default();
    let text = "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: expired";
    let bad = async || {
        let failure = Err(Failure::Tls(text.to_owned()));
        judged(&judge, "https://bad.test/robots.txt", None, failure).await
    };
    let answers = async |scheme: &str| {
        let url = format!("{scheme}://good.test/robots.txt");
        assert!(judged(&judge, &url, None, Ok(Response::new(404, ""))).await.is_confirmed);
    };
    assert!(!bad().await.is_confirmed);
    answers("http").await;
    assert!(is_local(&bad().await, LocalKind::Certificates));
    answers("https").await;
    let found = bad().await;
    assert!(found.is_confirmed && matches!(found.result, Err(Failure::Tls(_))));
}

/// In the place of canaries stand the last answers.
#[tokio::test]
async fn silence() {
    let judge = Onlooker::default();
    let silent = async || {
        let failure = Err(Failure::TimedOut(Stage::Connect));
        judged(&judge, "http://silent.test/robots.txt", None, failure).await.is_confirmed
    };
    assert!(!silent().await);
    judged(&judge, "http://good.test/robots.txt", None, Ok(Response::new(500, ""))).await;
    for number in 0..8 {
        assert_eq!(silent().await, number < 5, "{number}");
    }
    judged(&judge, "http://good.test/robots.txt", None, Ok(Response::new(500, ""))).await;
    assert!(silent().await);
}
