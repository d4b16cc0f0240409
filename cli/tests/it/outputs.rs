//! Outputs that would take the place of what is read: refused, by whatever name, before anything is written.

use std::fs;
use std::path::PathBuf;

use crate::command::{Folder, Ran, run, run_in, run_with};

const ROBOTS: &str = "User-agent: *\nDisallow: /private\n";
const CRAWLERS: &str = "[[crawler]]\nname = \"A\"\noperator = \"O\"\npurpose = \"ai-training\"\n\
                        source = \"https://o.example/\"\ndate = 2026-11-22\n";

/// A folder with a store, `s.store`, of one host, and other names of it.
fn with_store() -> Folder {
    let folder = Folder::of(&[("robots/e.example", ROBOTS), ("urls", "https://e.example/\n")]);
    run(args!["store", "import", "--robots-dir", folder.path("robots"), folder.path("s.store")])
        .gives(0, "");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("s.store", folder.path("sym.store")).unwrap();
        std::os::unix::fs::symlink("sym.store", folder.path("sym2.store")).unwrap();
        fs::hard_link(folder.path("s.store"), folder.path("hard.store")).unwrap();
    }
    folder
}

/// All files of a folder with their bytes.
fn all(folder: &Folder) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = fs::read_dir(folder.root()).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries
        .filter(|path| path.is_file())
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect();
    files.sort();
    files
}

fn run_line(folder: &Folder, line: &str) -> Ran {
    run_in(&folder.root(), line.split_whitespace().map(Into::into))
}

/// Asserts that a command line is refused with the way out, and leaves all files as they are.
#[track_caller]
fn refused(folder: &Folder, line: &str, way_out: &str) {
    let before = all(folder);
    run_line(folder, line).fails(2, "' is one of the files to read").says(way_out);
    assert!(all(folder) == before, "{line}");
}

/// The names of the store in [`with_store`].
const NAMES: &[&str] =
    if cfg!(unix) { &["s.store", "sym.store", "sym2.store", "hard.store"] } else { &["s.store"] };

#[test]
fn stores() {
    let folder = with_store();
    for out in NAMES {
        for store in NAMES {
            let export = |options: &str| format!("store export {options} {store}");
            refused(&folder, &export(&format!("--warc {out}")), "name another file with --warc");
            let pack = format!("--pack {out} --agent F");
            refused(&folder, &export(&pack), "name another file with --pack");
            for option in ["--store", "--from"] {
                let pack = format!("pack {option} {store} --agent F -o {out}");
                refused(&folder, &pack, "name another file with -o PATH");
            }
        }
    }
    run_line(&folder, "store export --warc new.warc s.store").gives(0, "");
    run_line(&folder, "pack --store s.store --agent F -o new.pack").gives(0, "");
    let update = "pack update new.pack --jsonl new.pack";
    refused(&folder, update, "new.pack' is one of the files to read: name another pack to update");
}

/// A store whose name is that of a host.
#[test]
fn a_store_in_the_folder_of_its_export() {
    let folder = with_store();
    fs::create_dir(folder.path("d")).unwrap();
    let store = folder.path("d/e.example");
    fs::rename(folder.path("s.store"), &store).unwrap();
    let before = fs::read(&store).unwrap();
    run_line(&folder, "store export --robots-dir d d/e.example")
        .fails(2, "is one of the files to read ('d/e.example'): name another folder");
    assert!(fs::read(&store).unwrap() == before);
    run_line(&folder, "store export --robots-dir new d/e.example").gives(0, "");
    assert!(fs::read(&store).unwrap() == before && folder.path("new/e.example").is_file());
}

#[cfg(unix)]
#[test]
fn lists() {
    let folder = Folder::of(&[("rf.txt", ROBOTS), ("list", "e.example\tsym.txt\n")]);
    std::os::unix::fs::symlink("rf.txt", folder.path("sym.txt")).unwrap();
    let pack = "pack --list list --agent F -o rf.txt";
    refused(&folder, pack, "'rf.txt' is one of the files to read ('sym.txt'): name another");
}

#[test]
fn packs() {
    let folder = with_store();
    run_line(&folder, "pack --store s.store --agent F -o a.pack").gives(0, "");
    fs::copy(folder.path("a.pack"), folder.path("b.pack")).unwrap();
    let way_out = "name another file with -o PATH";
    for out in ["a.pack", "./b.pack"] {
        refused(&folder, &format!("pack merge a.pack b.pack -o {out}"), way_out);
    }
    run_line(&folder, "pack merge a.pack b.pack --shards 2 -o shards").gives(0, "");
    refused(&folder, "pack merge shards a.pack --shards 2 -o shards", way_out);
    run_line(&folder, "pack merge shards -o shards/shard-0000-of-0002.pack")
        .fails(2, "would be in the folder 'shards', whose files are read");
    run_line(&folder, "pack merge shards a.pack -o new.pack").gives(0, "");
}

/// What is written to a device takes the place of nothing.
#[cfg(unix)]
#[test]
fn devices() {
    let folder = Folder::of(&[("rf.txt", ROBOTS)]);
    let shell = |line: &str| {
        let line = format!("exec \"$0\" {line} < /dev/null");
        let ran = crate::command::in_shell(&line).current_dir(folder.root()).output().unwrap();
        Ran::from(ran)
    };
    let enforce = "enforce --server nginx --purpose ai-training";
    for crawlers in ["/dev/null", "/dev/stdin"] {
        shell(&format!("{enforce} --crawlers {crawlers} -o /dev/null rf.txt"))
            .fails(3, "cannot write '/dev/null': it exists and is not a regular file");
    }
    shell(&format!("{enforce} -o /dev/null -")).fails(1, "nothing is printed");
    shell("block --crawler FooBot -o /dev/zero")
        .fails(3, "cannot write '/dev/zero': it exists and is not a regular file");
}

#[cfg(feature = "network")]
#[test]
fn metrics() {
    let folder = with_store();
    folder.file("ov", "https://o.example allow\n");
    folder.file("names", "https://o.example rf.txt\n");
    folder.file("rf.txt", ROBOTS);
    let way_out = "name another file with --metrics FILE";
    let filter = "filter --fetch --user-agent F/1.0";
    for name in NAMES {
        for line in [
            format!("fetch --send-user-agent F/1.0 --store s.store --metrics {name} urls"),
            format!("{filter} --store s.store --metrics {name} urls"),
            format!("{filter} --store {name} --metrics s.store urls"),
        ] {
            refused(&folder, &line, way_out);
        }
    }
    for line in [
        "fetch --send-user-agent F/1.0 --metrics urls urls",
        "fetch --send-user-agent F/1.0 --overrides ov --metrics ov urls",
        "filter --fetch --user-agent F/1.0 --store s.store --metrics urls urls",
        // Files that another file names.
        "fetch --send-user-agent F/1.0 --store new --overrides names --metrics rf.txt urls",
        "filter --fetch --user-agent F/1.0 --store s.store --overrides names --metrics ./rf.txt urls",
        // A store that is not there yet.
        "fetch --send-user-agent F/1.0 --store new --metrics ./new urls",
    ] {
        refused(&folder, line, way_out);
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("new", folder.path("ahead")).unwrap();
        let fetch = "fetch --send-user-agent F/1.0 --store new --metrics ahead urls";
        refused(&folder, fetch, way_out);
    }
    // What is written first has this name.
    fs::write(folder.path("m.new"), "https://e.example/\n").unwrap();
    refused(&folder, "fetch --send-user-agent F/1.0 --metrics m m.new", way_out);
    assert!(!folder.path("new").exists() && !folder.path("m").exists());
}

/// The metrics would take the place of what is behind standard input, too.
#[cfg(all(unix, feature = "network"))]
#[test]
fn metrics_over_standard_input() {
    let folder = with_store();
    let ran =
        crate::command::in_shell("exec \"$0\" fetch --send-user-agent F/1.0 --metrics urls < urls")
            .current_dir(folder.root())
            .output()
            .unwrap();
    Ran::from(ran).fails(2, "'urls' is one of the files to read (standard input)");
    assert_eq!(fs::read(folder.path("urls")).unwrap(), b"https://e.example/\n");
}

#[test]
fn files_of_owners() {
    let folder = Folder::of(&[
        ("int.toml", "[[groups]]\ncrawlers = '*'\ndisallow = '/x'\n"),
        ("rf.txt", ROBOTS),
        ("c.toml", CRAWLERS),
        ("gptbot.json", r#"{"prefixes":[{"ipv4Prefix":"192.0.2.0/24"}]}"#),
    ]);
    let enforce = "enforce --server nginx --purpose ai-training";
    for line in [
        "write -o int.toml int.toml".to_owned(),
        "write --crawlers c.toml -o ./c.toml int.toml".to_owned(),
        format!("{enforce} -o rf.txt rf.txt"),
        format!("{enforce} --crawlers c.toml -o c.toml rf.txt"),
        format!("{enforce} --ranges gptbot.json -o gptbot.json rf.txt"),
        format!("{enforce} --ranges GPTBot=gptbot.json -o ./gptbot.json rf.txt"),
        "block --purpose ai-training --crawlers c.toml -o c.toml rf.txt".to_owned(),
        "block --purpose ai-training --crawlers c.toml -o c.toml".to_owned(),
    ] {
        refused(&folder, &line, "name another file with -o PATH");
    }
    // That edits the file in its place.
    run_line(&folder, "block --purpose ai-training --crawlers c.toml -o rf.txt rf.txt")
        .gives(0, "");
    let edited = fs::read_to_string(folder.path("rf.txt")).unwrap();
    assert!(edited.contains("User-agent: A\n") && edited.contains("/private"), "{edited}");
    // The same file by other paths.
    fs::create_dir(folder.path("sub")).unwrap();
    for path in ["./rf.txt", "sub/../rf.txt"] {
        refused(&folder, &format!("{enforce} -o {path} rf.txt"), "('rf.txt')");
    }
    // What is called '-' is not standard input.
    folder.file("-", "old");
    let mut line = args!["enforce", "--server", "nginx", "--purpose", "ai-training", "-o"].to_vec();
    line.extend(args![folder.path("-"), "-"]);
    run_with(line, b"User-agent: *\nDisallow: /\n").gives(0, "");
    assert!(fs::read(folder.path("-")).unwrap() != b"old");
}
