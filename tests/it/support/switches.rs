//! The switches of a profile, one at a time.

use robotsieve::Profile;

/// One field of [`Profile`].
pub struct Switch {
    pub name: &'static str,
    /// Copies this switch from the second profile to the first.
    pub set: fn(&mut Profile, &Profile),
}

macro_rules! switches {
    ($($field:ident),* $(,)?) => {
        /// All switches, in the order in which they are tried as explanations. Switches that
        /// rarely have anything to act on come first, because they explain more.
        pub const SWITCHES: &[Switch] = &[$(Switch {
            name: stringify!($field),
            set: |to, from| to.$field = from.$field,
        }),*];
    };
}

switches!(
    byte_order_mark,
    size_limit,
    line_limit,
    control_characters,
    target_form,
    robots_txt_allowed,
    index_htm_is_directory,
    star_then_space,
    empty_token_names_empty,
    ascii_white_space,
    missing_colon,
    misspelt_fields,
    field_prefixes,
    sitemap_ends_agents,
    other_records,
    rules_before_agents,
    trailing_stars_dropped,
    leading_slash_assumed,
    stray_percent_encoded,
    special_bytes_encoded,
    forbidden_bytes_encoded,
    unreserved_decoded,
    hex_upper_case,
    high_bytes_encoded,
    token_bytes,
    merge_names,
    merge_groups,
    blank_line_ends_group,
    group_match,
    wildcards,
    allow_rules,
    rule_precedence,
);

/// The fields that change no verdict of a given file. The client reads them, and its tests cover
/// each of their values.
const NOT_OF_VERDICTS: [&str; 1] = ["fetch_rules"];

/// The names of all fields that may change a verdict, taken from the `Debug` output. A `Profile`
/// cannot be destructured outside the library, so this is how the tests notice a new switch.
pub fn field_names() -> Vec<String> {
    let shown = format!("{:#?}", Profile::RFC9309);
    let fields = shown.lines().filter_map(|line| line.strip_prefix("    "));
    fields
        .filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()))
        .filter_map(|line| Some(line.split_once(':')?.0.to_owned()))
        .filter(|name| !NOT_OF_VERDICTS.contains(&name.as_str()))
        .collect()
}
