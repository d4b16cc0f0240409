//! What the commands read: robots.txt files and folders of them, URLs, packs, standard input.

pub mod hosts;
pub mod inputs;
pub mod lines;
pub mod packs;
pub mod robots_dir;
pub mod robots_file;
pub mod stdin;
pub mod urls;
