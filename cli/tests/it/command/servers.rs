//! Web servers from the distribution, with a site for each port.

use crate::command::{Child, Command};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use super::Folder;

/// A server that can be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Server {
    Nginx,
    Caddy,
    Apache,
    Haproxy,
}

impl Server {
    pub const ALL: [Server; 4] = [Server::Nginx, Server::Caddy, Server::Apache, Server::Haproxy];

    /// The name in `enforce --server`.
    pub fn name(self) -> &'static str {
        match self {
            Server::Nginx => "nginx",
            Server::Caddy => "caddy",
            Server::Apache => "apache",
            Server::Haproxy => "haproxy",
        }
    }

    /// The program, if it is installed.
    pub fn program(self) -> Option<String> {
        let program = if self == Server::Apache { "apache2" } else { self.name() };
        let paths = ["/usr/sbin", "/usr/bin"].map(|folder| format!("{folder}/{program}"));
        let found = paths.into_iter().find(|path| fs::exists(path).is_ok_and(|is| is));
        if found.is_none() {
            eprintln!("{program}: not installed");
        }
        found
    }

    /// Writes what it reads: a site on each port, with the configuration that was printed for it under the
    /// name `site0`, `site1` and so on, which answers 204. Returns the arguments that check it, and those that
    /// run it.
    fn configured(self, folder: &Folder, sites: &[(u16, String)]) -> [Vec<String>; 2] {
        let root = folder.root().display().to_string();
        let mut text = String::new();
        let numbered = || sites.iter().enumerate();
        match self {
            Server::Nginx => {
                text += &format!(
                    "daemon off; master_process off; pid {root}/pid; error_log {root}/error.log;\n\
                     pcre_jit on; events {{ worker_connections 512; }}\nhttp {{\n\
                     client_body_temp_path {root}/b; proxy_temp_path {root}/p; fastcgi_temp_path {root}/f;\n\
                     uwsgi_temp_path {root}/u; scgi_temp_path {root}/s; access_log off; keepalive_requests 1000000;\n\
                     large_client_header_buffers 4 16k; variables_hash_max_size 4096; map_hash_max_size 8192;\n"
                );
                for (number, (port, site)) in numbered() {
                    folder.file(&format!("{number}.conf"), site);
                    // The lines that its heading asks for; a rate counts only where something is served.
                    let limits =
                        site.lines().filter_map(|line| line.strip_prefix("#     limit_req"));
                    let limits: String = limits.map(|rest| format!("limit_req{rest}\n")).collect();
                    let answer = match limits.is_empty() {
                        true => "return 204;",
                        false => "location / { try_files /none =204; }",
                    };
                    text += &format!(
                        "include {root}/{number}.conf;\nserver {{ listen 127.0.0.1:{port};\n\
                         if ($site{number}_refused) {{ return 403; }}\n{limits}{answer} }}\n"
                    );
                }
                text += "}\n";
            }
            Server::Caddy => {
                text += "{\nadmin off\nauto_https off\n}\n";
                for (number, (port, site)) in numbered() {
                    folder.file(&format!("{number}.conf"), site);
                    text = format!("import {root}/{number}.conf\n{text}");
                    text += &format!(
                        "http://:{port} {{\nbind 127.0.0.1\nimport site{number}\nrespond 204\n}}\n"
                    );
                }
                // Global options come first.
                let (imports, rest) = text.split_at(text.find("{\nadmin").unwrap());
                let (global, rest) = rest.split_at(rest.find("}\n").unwrap() + 2);
                text = format!("{global}{imports}{rest}");
            }
            Server::Apache => {
                text += &format!(
                    "ServerRoot {root}\nPidFile {root}/pid\nErrorLog {root}/error.log\nServerName e.com\n"
                );
                for module in ["mpm_event", "authz_core", "rewrite", "remoteip"] {
                    text += &format!(
                        "LoadModule {module}_module /usr/lib/apache2/modules/mod_{module}.so\n"
                    );
                }
                text += &format!(
                    "DocumentRoot {root}\nMaxKeepAliveRequests 0\nAllowEncodedSlashes NoDecode\n"
                );
                for (number, (port, site)) in numbered() {
                    folder.file(&format!("{number}.conf"), site);
                    text += &format!(
                        "Listen 127.0.0.1:{port}\n<VirtualHost *:{port}>\nAllowEncodedSlashes NoDecode\nInclude {root}/{number}.conf\n\
                         RewriteCond %{{ENV:REDIRECT_STATUS}} ^$\nRewriteRule ^ - [R=204,L]\n</VirtualHost>\n"
                    );
                }
            }
            Server::Haproxy => {
                text += "defaults\n    mode http\n    timeout client 60s\n    timeout server 60s\n    timeout connect 5s\n";
                for (number, (port, site)) in numbered() {
                    // The sections that its heading asks for.
                    let tables = site.lines().filter_map(|line| line.strip_prefix("#     "));
                    tables.for_each(|line| text += &format!("{line}\n"));
                    text += &format!(
                        "frontend f{number}\n    bind 127.0.0.1:{port}\n{site}\n    http-request return status 204\n"
                    );
                }
            }
        }
        let config = folder.file("server.conf", text).display().to_string();
        let words = |text: &str| -> Vec<String> {
            text.split(' ')
                .map(|word| word.replace("CONFIG", &config).replace("ROOT", &root))
                .collect()
        };
        match self {
            Server::Nginx => [words("-t -q -c CONFIG -p ROOT"), words("-c CONFIG -p ROOT")],
            Server::Caddy => [
                words("adapt --validate --adapter caddyfile --config CONFIG"),
                words("run --adapter caddyfile --config CONFIG"),
            ],
            Server::Apache => [words("-t -f CONFIG"), words("-X -f CONFIG")],
            Server::Haproxy => [words("-c -q -f CONFIG"), words("-db -f CONFIG")],
        }
    }

    /// Has it check the configuration. Returns what it says if it is wrong.
    pub fn refuses(self, sites: &[String]) -> Option<String> {
        let program = self.program()?;
        let folder = Folder::new();
        let sites: Vec<(u16, String)> = (20_000..).zip(sites.iter().cloned()).collect();
        let [check, _] = self.configured(&folder, &sites);
        let output = Command::new(program).args(check).env("HOME", folder.root()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        // Caddy says much that is not wrong.
        let is_wrong = |line: &&str| {
            !line.starts_with("{\"level\":\"warn") && !line.starts_with("{\"level\":\"info")
        };
        (!output.status.success())
            .then(|| said.lines().filter(is_wrong).collect::<Vec<_>>().join("\n"))
    }

    /// Starts it with these sites, and waits until it answers. `None` if it is not installed.
    pub fn start(self, sites: &[String]) -> Option<Started> {
        let program = self.program()?;
        let mut said = String::new();
        // Somebody else may take a port before the server does.
        for _ in 0..5 {
            let folder = Folder::new();
            let ports: Vec<u16> = sites.iter().map(|_| free_port()).collect();
            let sites: Vec<(u16, String)> =
                ports.iter().copied().zip(sites.iter().cloned()).collect();
            let [_, run] = self.configured(&folder, &sites);
            let log = fs::File::create(folder.path("stderr")).unwrap();
            let child = Command::new(&program)
                .args(run)
                .env("HOME", folder.root())
                .stdout(Stdio::null())
                .stderr(log)
                .spawn()
                .unwrap();
            let mut started = Started { child, ports, folder };
            match started.answers() {
                Ok(()) => return Some(started),
                Err(wrong) => said = wrong,
            }
        }
        panic!("{self:?} does not start: {said}");
    }
}

/// A port of this machine that nobody listens on, and that no other call in this process returns: HAProxy
/// shares a port with another HAProxy without a word. Below those that the system gives to clients.
fn free_port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    for _ in 0..20_000 {
        // Another process begins elsewhere.
        let number =
            std::process::id().wrapping_mul(997) % 20_000 + NEXT.fetch_add(1, Ordering::Relaxed);
        let port = 12_000 + (number % 20_000) as u16;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
    panic!("no port is free");
}

/// A server that runs until this is dropped.
pub struct Started {
    child: Child,
    ports: Vec<u16>,
    folder: Folder,
}

impl Started {
    /// The statuses of these paths of a site, asked by a crawler or browser with this header.
    pub fn ask(&self, site: usize, header: &str, paths: &[String]) -> Vec<u16> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.ports[site])).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let mut statuses = Vec::new();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        for paths in paths.chunks(50) {
            let requests: String = paths
                .iter()
                .map(|path| {
                    format!("GET {path} HTTP/1.1\r\nHost: e.com\r\nUser-Agent: {header}\r\n\r\n")
                })
                .collect();
            stream.write_all(requests.as_bytes()).unwrap();
            for path in paths {
                statuses.push(status(&mut reader).unwrap_or_else(|| panic!("no answer to {path}")));
            }
        }
        statuses
    }

    /// Waits until each port answers, or returns what the server said when it ended.
    fn answers(&mut self) -> Result<(), String> {
        let began = Instant::now();
        for port in &self.ports {
            while TcpStream::connect(("127.0.0.1", *port)).is_err() {
                let ended = self.child.try_wait().unwrap();
                if ended.is_some() || began.elapsed() > Duration::from_secs(120) {
                    let said = fs::read_to_string(self.folder.path("stderr")).unwrap_or_default();
                    return Err(format!("port {port}, {ended:?}: {said}"));
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        Ok(())
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads an answer, and returns its status.
fn status(reader: &mut impl BufRead) -> Option<u16> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let status = line.split(' ').nth(1)?.parse().ok()?;
    let mut len = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            len = value.trim().parse().ok()?;
        }
    }
    reader.read_exact(&mut vec![0; len]).ok()?;
    Some(status)
}
