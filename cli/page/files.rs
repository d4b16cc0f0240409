// The files of the page of version 0.1.0: name, type, bytes compressed with gzip. Made by web/page/embed.mjs.
static FILES: [(&str, &str, &[u8]); 9] = [
    ("icon.svg", "image/svg+xml", include_bytes!("icon.svg.gz")),
    ("index.html", "text/html; charset=utf-8", include_bytes!("index.html.gz")),
    ("licences.txt", "text/plain; charset=utf-8", include_bytes!("licences.txt.gz")),
    ("manifest.webmanifest", "application/manifest+json", include_bytes!("manifest.webmanifest.gz")),
    ("page.css", "text/css; charset=utf-8", include_bytes!("page.css.gz")),
    ("page.js", "text/javascript; charset=utf-8", include_bytes!("page.js.gz")),
    ("robotsieve.wasm", "application/wasm", include_bytes!("robotsieve.wasm.gz")),
    ("sw.js", "text/javascript; charset=utf-8", include_bytes!("sw.js.gz")),
    ("worker.js", "text/javascript; charset=utf-8", include_bytes!("worker.js.gz")),
];
