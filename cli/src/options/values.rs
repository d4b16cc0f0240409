//! Options with a fixed set of values.

use clap::ValueEnum;
use clap::builder::PossibleValue;

/// The long help of an option with a fixed set of values, which lists what they mean. clap's own list
/// is hidden: it would be in the summary that `-h` prints, too.
pub fn values<V: ValueEnum>(help: &str) -> String {
    let values = V::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    list(help, &values.collect::<Vec<_>>())
}

/// The same for a set of values that is no type.
pub fn list(help: &str, values: &[PossibleValue]) -> String {
    let width = values.iter().map(|value| value.get_name().len()).max().unwrap_or(0) + 1;
    let lines = values.iter().map(|value| {
        let about = value.get_help().map(ToString::to_string).unwrap_or_default();
        format!("\n- {:width$} {about}", format!("{}:", value.get_name()))
    });
    help.to_owned() + ":" + &lines.collect::<String>()
}
