//! What a call through the C library costs beside the same question asked in Rust, in one run:
//!
//!     capi/install.sh --destdir target/capi --prefix /
//!     cargo run --profile dist -p robotsieve-benches --bin c_call -- target/capi/lib/librobotsieve.so
//!
//! On the URLs in `corpora/`, and on the real ones in `../shared/corpus` or in the folder that
//! `ROBOTSIEVE_CORPUS` names. Asserts how many are allowed. With `--smoke` behind the path it runs once.

#![allow(unsafe_code, reason = "calls a C library: each block has its proof")]

#[cfg(unix)]
fn main() {
    unix::main();
}

#[cfg(not(unix))]
fn main() {
    eprintln!("it loads a library in the way of Unix");
}

#[cfg(unix)]
mod unix {
    use std::ffi::{CString, c_char, c_int, c_void};
    use std::hint::black_box;
    use std::path::{Path, PathBuf};
    use std::ptr::null_mut;
    use std::time::Instant;

    use robotsieve::{Crawler, Policy, Profile, Robots};

    unsafe extern "C" {
        fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
        fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    }

    type Named = unsafe extern "C" fn(*const u8, usize, u32, *mut c_void) -> *mut c_void;
    type New = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_void) -> *mut c_void;
    type Allows = unsafe extern "C" fn(*mut c_void, *const u8, usize) -> c_int;
    type Answers = unsafe extern "C" fn(
        *mut c_void,
        *const [usize; 2],
        usize,
        *mut u8,
        usize,
        *mut c_void,
    ) -> c_int;

    /// The functions of the C library that are measured.
    struct Library {
        crawler_named: Named,
        robots_parse: Named,
        policy_new: New,
        allows: Allows,
        answers: Answers,
    }

    impl Library {
        fn open(path: &Path) -> Library {
            let path = CString::new(path.as_os_str().as_encoded_bytes()).expect("no NUL");
            const NOW: c_int = 2;
            // SAFETY: the path ends with a NUL.
            let library = unsafe { dlopen(path.as_ptr(), NOW) };
            assert!(!library.is_null(), "cannot open {path:?}: run capi/install.sh");
            let symbol = |name: &str| {
                let name = CString::new(format!("robotsieve_{name}")).expect("no NUL");
                // SAFETY: the library is open, and the name ends with a NUL.
                let symbol = unsafe { dlsym(library, name.as_ptr()) };
                assert!(!symbol.is_null(), "no {name:?}");
                symbol
            };
            // SAFETY: include/robotsieve.h declares these functions so.
            unsafe {
                Library {
                    crawler_named: std::mem::transmute::<*mut c_void, Named>(symbol(
                        "crawler_named",
                    )),
                    robots_parse: std::mem::transmute::<*mut c_void, Named>(symbol("robots_parse")),
                    policy_new: std::mem::transmute::<*mut c_void, New>(symbol("policy_new")),
                    allows: std::mem::transmute::<*mut c_void, Allows>(symbol("policy_allows")),
                    answers: std::mem::transmute::<*mut c_void, Answers>(symbol("policy_answers")),
                }
            }
        }
    }

    /// A site with its policy in both.
    struct Site {
        urls: Vec<Vec<u8>>,
        slices: Vec<[usize; 2]>,
        in_rust: Policy,
        in_c: *mut c_void,
    }

    const AGENT: &str = "Googlebot";

    fn site(library: &Library, file: &[u8], urls: &[u8]) -> Site {
        let text = robotsieve::text_of(file, &Profile::RFC9309);
        let robots = Robots::parse(&text, &Profile::RFC9309);
        let in_rust = robots.policy(&Crawler::name(AGENT));
        // SAFETY: all pointers lead to what the lengths say.
        let in_c = unsafe {
            let crawler = (library.crawler_named)(AGENT.as_ptr(), AGENT.len(), 0, null_mut());
            let robots = (library.robots_parse)(file.as_ptr(), file.len(), 0, null_mut());
            (library.policy_new)(robots, crawler, null_mut())
        };
        assert!(!in_c.is_null());
        let urls: Vec<Vec<u8>> =
            urls.split(|b| *b == b'\n').filter(|url| !url.is_empty()).map(<[u8]>::to_vec).collect();
        let slices = urls.iter().map(|url| [url.as_ptr().addr(), url.len()]).collect();
        Site { urls, slices, in_rust, in_c }
    }

    /// The sites of a folder whose URLs are in another.
    fn sites(library: &Library, files: &Path, urls: &Path, suffixes: [&str; 2]) -> Vec<Site> {
        let Ok(entries) = std::fs::read_dir(files) else { return Vec::new() };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        let of = |path: &PathBuf| {
            let name = path.file_name()?.to_str()?.strip_suffix(suffixes[0])?;
            let urls = std::fs::read(urls.join(format!("{name}{}", suffixes[1]))).ok()?;
            Some(site(library, &std::fs::read(path).ok()?, &urls))
        };
        paths.iter().filter_map(of).collect()
    }

    /// The time of a round, in nanoseconds for each URL.
    fn time(rounds: usize, urls: usize, wanted: usize, mut ask: impl FnMut() -> usize) -> f64 {
        let round = |_| {
            let begun = Instant::now();
            assert_eq!(ask(), wanted, "of {urls} URLs");
            begun.elapsed().as_nanos() as f64 / urls as f64
        };
        (0..rounds).map(round).fold(f64::INFINITY, f64::min)
    }

    pub fn main() {
        let mut arguments = std::env::args_os().skip(1);
        let path = arguments.next().expect("the path of the shared library");
        let rounds = if arguments.next().is_some_and(|a| a == "--smoke") { 1 } else { 60 };
        let path = Path::new(&path);
        let size = path.metadata().expect("the shared library").len();
        println!("{}: {size} bytes", path.display());
        let library = Library::open(path);
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let corpus = std::env::var_os("ROBOTSIEVE_CORPUS")
            .map_or_else(|| repository.join("../shared/corpus"), PathBuf::from);
        let corpora = repository.join("corpora");
        for (name, sites, counts) in [
            (
                "corpora",
                sites(
                    &library,
                    &corpora.join("robots"),
                    &corpora.join("urls"),
                    [".example.txt", ".txt"],
                ),
                (984, 630),
            ),
            (
                "corpus",
                sites(&library, &corpus.join("robots"), &corpus.join("urls"), ["", ""]),
                (60_795, 59_988),
            ),
        ] {
            if sites.is_empty() {
                println!("{name}: not found, skipped");
                continue;
            }
            let urls = sites.iter().map(|site| site.urls.len()).sum();
            let all = |allows: &dyn Fn(&Site) -> usize| sites.iter().map(allows).sum::<usize>();
            let in_rust = |site: &Site| {
                let allowed = |url: &&Vec<u8>| site.in_rust.is_allowed(*url).unwrap_or(false);
                black_box(&site.urls).iter().filter(allowed).count()
            };
            let one_by_one = |site: &Site| {
                // SAFETY: the policy and the URL are there.
                let allowed = |url: &&Vec<u8>| unsafe {
                    (library.allows)(site.in_c, url.as_ptr(), url.len()) == 1
                };
                black_box(&site.urls).iter().filter(allowed).count()
            };
            let mut answers = Vec::new();
            let wanted = all(&in_rust);
            assert_eq!((urls, wanted), counts, "{name}");
            // All policies compile themselves first.
            for _ in 0..20 {
                assert_eq!((all(&in_rust), all(&one_by_one)), (wanted, wanted));
            }
            // In turn, so that both meet the same disturbances.
            let (mut rust, mut c, mut many) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
            for _ in 0..rounds {
                rust = rust.min(time(1, urls, wanted, || all(&in_rust)));
                c = c.min(time(1, urls, wanted, || all(&one_by_one)));
                many = many.min(time(1, urls, wanted, || {
                    let mut allowed = 0;
                    for site in &sites {
                        let count = site.urls.len();
                        answers.resize(count, 9);
                        // SAFETY: the policy, the URLs and the room for the answers are there.
                        let status = unsafe {
                            let urls = site.slices.as_ptr();
                            (library.answers)(
                                site.in_c,
                                urls,
                                count,
                                answers.as_mut_ptr(),
                                count,
                                null_mut(),
                            )
                        };
                        assert_eq!(status, 0);
                        allowed += answers.iter().filter(|answer| **answer == 1).count();
                    }
                    allowed
                }));
            }
            println!(
                "{name}: {urls} URLs, {wanted} allowed; a verdict takes {rust:.1} ns in Rust, {c:.1} ns \
                 through C ({:.2} x), {many:.1} ns through C many at once ({:.2} x)",
                c / rust,
                many / rust
            );
        }
    }
}
