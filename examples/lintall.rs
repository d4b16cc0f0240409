use robotsieve::Profile;
use robotsieve::lint::*;
fn main() {
    let all = std::env::args().nth(1).as_deref() == Some("all");
    let o = if all { Options::new(Profile::NAMED.iter().copied()) } else { Options::default() };
    let mut n = 0;
    let mut fixes = [0usize; 2];
    let mut t = std::time::Duration::ZERO;
    let mut slow = vec![];
    let out = std::env::args().nth(2);
    for e in std::fs::read_dir("/work/shared/corpus/robots").unwrap() {
        let p = e.unwrap().path();
        let b = std::fs::read(&p).unwrap();
        let s = std::time::Instant::now();
        let r = lint(&b, &o);
        let d = s.elapsed();
        t += d;
        slow.push((d, p.display().to_string()));
        n += r.findings.len();
        for f in &r.findings {
            if let Some(x) = &f.fix {
                fixes[(x.effect != Effect::None) as usize] += 1;
            }
            if out.is_some() {
                println!(
                    "{}\t{} {}",
                    p.file_name().unwrap().to_string_lossy(),
                    f.profiles.join(","),
                    f
                );
            }
        }
    }
    slow.sort();
    slow.reverse();
    eprintln!("{n} findings {fixes:?} {t:?}");
    for s in &slow[..8] {
        eprintln!("{:?}", s);
    }
}
