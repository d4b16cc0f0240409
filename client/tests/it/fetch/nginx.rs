//! A server in wide use: nginx, if it is installed.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::servers::{ROBOTS, answered, fetch, skipped};

struct Nginx {
    process: Child,
    port: u16,
    /// Removed after the process has ended.
    _folder: tempfile::TempDir,
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // The configuration makes nginx a single process, without a daemon or workers.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain([PathBuf::from("/usr/sbin"), PathBuf::from("/usr/local/sbin")])
        .map(|folder| folder.join("nginx"))
        .find(|file| file.is_file())
}

impl Nginx {
    fn start(program: &Path) -> Nginx {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir(root.join("www")).unwrap();
        std::fs::create_dir(root.join("www/big")).unwrap();
        std::fs::write(root.join("www/robots.txt"), ROBOTS.repeat(100)).unwrap();
        let big: String = (0..200_000).map(|n| format!("Disallow: /{n}\n")).collect();
        std::fs::write(root.join("www/big/robots.txt"), big).unwrap();
        // This port was free a moment ago.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let config = root.join("nginx.conf");
        std::fs::write(&config, configuration(root, port)).unwrap();
        let process = Command::new(program)
            .arg("-p")
            .arg(root)
            .arg("-c")
            .arg(&config)
            .arg("-e")
            .arg(root.join("error.log"))
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut nginx = Nginx { process, port, _folder: folder };
        let began = Instant::now();
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            let ended = nginx.process.try_wait().unwrap();
            let log = std::fs::read_to_string(nginx._folder.path().join("error.log"));
            assert!(ended.is_none(), "nginx ended with {ended:?}: {log:?}");
            assert!(began.elapsed() < Duration::from_secs(10), "nginx does not listen: {log:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
        nginx
    }

    fn url(&self, host: &str) -> String {
        format!("http://{host}.test:{}/", self.port)
    }
}

fn configuration(root: &Path, port: u16) -> String {
    let root = root.display();
    let server = |name: &str, rules: &str| {
        format!("server {{ listen 127.0.0.1:{port}; server_name {name}.test; {rules} }}\n")
    };
    let servers = [
        server("plain", &format!("root {root}/www; etag on;")),
        server(
            "gzip",
            &format!("root {root}/www; gzip on; gzip_types text/plain; gzip_min_length 1;"),
        ),
        server("big", &format!("root {root}/www/big;")),
        server("biggzip", &format!("root {root}/www/big; gzip on; gzip_types text/plain;")),
        server("moved", &format!("return 301 http://gzip.test:{port}$request_uri;")),
        server("circle", "return 302 $request_uri;"),
        server("absent", "return 404;"),
        server("busy", "add_header Retry-After 120 always; return 503;"),
        server("silent", "return 444;"),
    ];
    format!(
        "daemon off; master_process off; worker_processes 1; pid {root}/nginx.pid;\n\
         events {{ worker_connections 256; }}\n\
         http {{\n types {{ text/plain txt; }}\n access_log off;\n\
         client_body_temp_path {root}/t1; proxy_temp_path {root}/t2;\n\
         fastcgi_temp_path {root}/t3; uwsgi_temp_path {root}/t4; scgi_temp_path {root}/t5;\n\
         {} }}\n",
        servers.concat()
    )
}

#[tokio::test]
async fn nginx() {
    let Some(program) = program() else {
        skipped("nginx is not installed (apt-get install nginx)");
        return;
    };
    eprintln!("fetching from {}", program.display());
    let nginx = Nginx::start(&program);
    let body = ROBOTS.repeat(100);

    let plain = fetch(&nginx.url("plain")).await;
    let response = answered(&plain);
    assert_eq!((response.status, &response.body), (200, &body));
    assert!(
        response.headers.contains_key("etag") && response.headers.contains_key("last-modified")
    );

    let gzip = fetch(&nginx.url("gzip")).await;
    assert_eq!(answered(&gzip).headers["content-encoding"], "gzip");
    assert_eq!(answered(&gzip).body, body);

    let moved = fetch(&nginx.url("moved")).await;
    assert_eq!(answered(&moved).body, body);
    assert_eq!(moved.redirects.len(), 1);

    for host in ["big", "biggzip"] {
        let big = fetch(&nginx.url(host)).await;
        let response = answered(&big);
        // It ends with its last whole line.
        assert!(response.is_truncated && response.body.ends_with(b"\n"), "{host}");
        assert!(((1 << 20) - 20..=1 << 20).contains(&response.body.len()), "{host}");
        assert!(response.body.starts_with(b"Disallow: /0\nDisallow: /1\n"));
    }

    assert_eq!(answered(&fetch(&nginx.url("absent")).await).status, 404);
    let busy = fetch(&nginx.url("busy")).await;
    assert_eq!(answered(&busy).status, 503);
    assert_eq!(answered(&busy).headers["retry-after"], "120");

    use robotsieve_client::outcome::Failure;
    assert_eq!(fetch(&nginx.url("circle")).await.result.unwrap_err(), Failure::RedirectLoop);
    let silent = fetch(&nginx.url("silent")).await.result.unwrap_err();
    assert!(matches!(silent, Failure::Broken(_)), "{silent}");

    // With validators, the copy is still current.
    use robotsieve_client::Timestamp;
    use robotsieve_client::outcome::CachedCopy;
    let validator =
        |name: &str| answered(&plain).headers.get(name).map(|value| value.as_bytes().to_vec());
    let mut copy = CachedCopy::new(&body, Timestamp::now());
    copy.etag = validator("etag");
    copy.last_modified = validator("last-modified");
    let url = nginx.url("plain");
    let again = crate::support::servers::fetcher()
        .fetch(&crate::support::servers::origin(&url), Some(&copy))
        .await;
    assert_eq!(answered(&again).status, 304);
}
