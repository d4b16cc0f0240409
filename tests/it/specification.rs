//! docs/specification.md and the cases cite each other: every point of its tables has a case,
//! and every case that cites it names a point that is there.

use std::collections::BTreeMap;
use std::path::Path;

use toml::Table;

/// The sections whose tables the cases settle. What a fetch means is tested in the client.
const SECTIONS: [&str; 4] = ["Records", "Groups", "Rules", "What is compared"];

/// Points that no case can show, each with the test that does.
const WITHOUT_CASE: [(&str, &str); 1] = [
    // A case would be a file of 500 kB: `Robots::extent` and lint RS104 have tests of their own.
    ("Records", "size limit"),
];

/// The points of each section: the first cells of its tables, up to a parenthesis.
fn points(page: &str) -> BTreeMap<&str, Vec<&str>> {
    let mut points: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut section = "";
    for line in page.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            section = title;
        } else if let Some((cell, _)) =
            line.strip_prefix("| ").and_then(|row| row.split_once(" | "))
            && !matches!(cell, "point" | "outcome" | "profile")
        {
            let point = cell.split_once(" (").map_or(cell, |(point, _)| point);
            points.entry(section).or_default().push(point);
        }
    }
    points
}

/// The sections and points that a case's `source` cites: after `specification:` follow, parted
/// by `; `, `SECTION`, `SECTION, POINT` or a further point of the same section, each with a
/// remark after a colon or in parentheses.
fn cited<'p>(
    source: &str,
    points: &BTreeMap<&'p str, Vec<&'p str>>,
) -> Result<Vec<(&'p str, &'p str)>, String> {
    let Some((_, cites)) = source.split_once("specification: ") else { return Ok(Vec::new()) };
    let mut cited = Vec::new();
    let mut section = None;
    for cite in cites.split("; ") {
        let named = points.keys().find(|name| {
            let after = cite.strip_prefix(**name);
            after.is_some_and(|after| after.is_empty() || after.starts_with([',', ':', ' ']))
        });
        let point = match (named, section) {
            (Some(name), _) => {
                section = Some(*name);
                match cite[name.len()..].strip_prefix(", ") {
                    Some(point) => point,
                    None => continue,
                }
            }
            (None, Some(_)) => cite,
            (None, None) if cite.starts_with("Other records") => continue,
            (None, None) => return Err(format!("no section of the specification: {cite}")),
        };
        let section = section.expect("set above");
        if point.starts_with("Crawlers") {
            continue;
        }
        let found = points[section].iter().filter(|name| point.starts_with(**name));
        match found.max_by_key(|name| name.len()) {
            Some(point) => cited.push((section, *point)),
            // A source of another kind may follow.
            None if named.is_none() => {}
            None => return Err(format!("no point of {section:?}: {point}")),
        }
    }
    Ok(cited)
}

#[test]
fn every_point_has_a_case_and_every_citation_a_point() {
    let page = include_str!("../../docs/specification.md");
    let mut points = points(page);
    points.retain(|section, _| SECTIONS.contains(section));
    assert_eq!(points.keys().copied().collect::<Vec<_>>(), {
        let mut sections = SECTIONS;
        sections.sort_unstable();
        sections
    });
    let mut cases: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut faults = Vec::new();
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("corpora/cases");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let file: Table = std::fs::read_to_string(&path).unwrap().parse().unwrap();
        for case in file["case"].as_array().unwrap() {
            match cited(case["source"].as_str().unwrap(), &points) {
                Ok(cited) => cited.into_iter().for_each(|at| *cases.entry(at).or_default() += 1),
                Err(fault) => faults.push(format!("{:?}: {fault}", case["name"])),
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let all = points.iter().flat_map(|(section, names)| names.iter().map(|name| (*section, *name)));
    let without: Vec<_> = all.filter(|at| !cases.contains_key(at)).collect();
    assert_eq!(without, WITHOUT_CASE, "points of docs/specification.md without a case");
}
