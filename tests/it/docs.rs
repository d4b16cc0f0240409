//! The pictures in the documentation show what the library produces.

use robotsieve::{Crawler, Profile, Robots};

#[test]
fn picture_of_the_example() {
    let file = include_bytes!("../../docs/example.txt");
    let policy = Robots::parse(file, &Profile::RFC9309).policy(&Crawler::name("bot"));
    assert_eq!(policy.to_dot().as_deref(), Some(include_str!("../../docs/example.dot")));
}
