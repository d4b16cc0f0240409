use robotsieve::lint::*;
fn main() {
    let b = std::fs::read(std::env::args().nth(1).unwrap()).unwrap();
    for _ in 0..20 {
        std::hint::black_box(lint(&b, &Options::default()));
    }
}
