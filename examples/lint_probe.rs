use robotsieve::lint::*;
fn main() {
    let mut tot = std::collections::BTreeMap::new();
    for p in std::env::args().skip(1) {
        let f = std::fs::read(&p).unwrap();
        let t = std::time::Instant::now();
        let r = lint(&f, &Options::default());
        let e = t.elapsed();
        if !r.undecided.is_empty() || e.as_millis() > 20 {
            println!(
                "{:>5} {:?} {} over={}",
                r.undecided.len(),
                e,
                p,
                r.findings.iter().any(|f| f.code == Code::OverBudget)
            );
            if std::env::var("V").is_ok() {
                let ls: Vec<&[u8]> = f.split(|o| *o == b'\n').collect();
                for l in r.undecided.iter().take(60) {
                    println!(
                        "   {} {}",
                        l,
                        String::from_utf8_lossy(ls.get(*l as usize - 1).unwrap_or(&&b""[..]))
                    );
                }
            }
        }
        tot.insert(p, r.undecided.len());
    }
    println!("total {}", tot.values().sum::<usize>());
}
