//! Every link between the documents has a target, and the book's table of contents lists every page.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Component, Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::command::root;

/// The Markdown files below a folder, relative to the root.
fn pages(folder: &str) -> Vec<PathBuf> {
    let mut pages = Vec::new();
    for entry in fs::read_dir(root().join(folder)).expect(folder) {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let path = format!("{folder}/{name}");
        if root().join(&path).is_dir() {
            pages.extend(self::pages(&path));
        } else if name.ends_with(".md") {
            pages.push(path.into());
        }
    }
    pages
}

/// A page's links and the anchors of its headings.
struct Page {
    links: Vec<String>,
    anchors: BTreeSet<String>,
}

fn read(path: &Path) -> Page {
    let text = fs::read_to_string(root().join(path)).unwrap();
    let mut page = Page { links: Vec::new(), anchors: BTreeSet::new() };
    let mut heading: Option<String> = None;
    for event in Parser::new_ext(&text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                page.links.push(dest_url.into_string());
            }
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&text);
                }
            }
            Event::End(TagEnd::Heading(_)) => {
                page.anchors.extend(heading.take().map(|heading| anchor(&heading)));
            }
            _ => {}
        }
    }
    page
}

/// The anchor that GitHub and mdBook give a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>().to_lowercase()
}

/// The target of a relative link, without `..`.
fn target(page: &Path, link: &str) -> PathBuf {
    let mut path = PathBuf::new();
    for part in page.parent().unwrap().join(link).components() {
        match part {
            Component::ParentDir => assert!(path.pop(), "{link} leads out of the repository"),
            part => path.push(part),
        }
    }
    path
}

/// The pages outside `docs`, without those that GitHub or a registry puts elsewhere (`PYPI.md`, templates).
fn other_pages() -> Vec<PathBuf> {
    let mut pages = self::pages("python/docs");
    for name in ["CHANGELOG", "CONTRIBUTING", "README", "RELEASING", "SECURITY"] {
        pages.push(format!("{name}.md").into());
    }
    for folder in ["capi", "cli", "client", "corpora", "python", "web", "web/page"] {
        pages.push(format!("{folder}/README.md").into());
    }
    pages
}

#[test]
fn links_lead_somewhere() {
    let mut names = pages("docs");
    names.extend(other_pages());
    let read: HashMap<PathBuf, Page> =
        names.into_iter().map(|name| (name.clone(), read(&name))).collect();
    let (mut count, mut wrong) = (0, Vec::new());
    for (name, page) in &read {
        for link in page.links.iter().filter(|link| !link.contains("://")) {
            count += 1;
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let path = if path.is_empty() { name.clone() } else { target(name, path) };
            let is_there = root().join(&path).exists()
                && (anchor.is_empty()
                    || read.get(&path).is_some_and(|page| page.anchors.contains(anchor)));
            if !is_there {
                wrong.push(format!("{}: {link}", name.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(count > 100, "only {count} links were found");
}

#[test]
fn the_table_of_contents_has_each_page() {
    let summary = Path::new("docs/SUMMARY.md");
    let listed: Vec<PathBuf> =
        read(summary).links.iter().map(|link| target(summary, link)).collect();
    let distinct: BTreeSet<PathBuf> = listed.iter().cloned().collect();
    assert_eq!(listed.len(), distinct.len(), "a page is listed twice");
    let there = pages("docs").into_iter().filter(|page| page != summary).collect();
    assert_eq!(distinct, there);
}
