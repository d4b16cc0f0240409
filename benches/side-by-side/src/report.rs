//! The one table of figures.

use std::fmt::Write as _;

use crate::plot::number;

fn with_unit(figure: f64, unit: &str) -> String {
    let number = number(figure);
    if unit.is_empty() { number } else { format!("{number} {unit}") }
}

/// Whether a figure meets what was asked of it.
pub struct Bar {
    text: String,
    met: bool,
}

impl Bar {
    pub fn at_most(figure: f64, most: f64, unit: &str) -> Bar {
        Bar { text: format!("≤ {}", with_unit(most, unit)), met: figure <= most }
    }

    pub fn at_least(figure: f64, least: f64, unit: &str) -> Bar {
        Bar { text: format!("≥ {}", with_unit(least, unit)), met: figure >= least }
    }

    pub fn holds(text: &str, met: bool) -> Bar {
        Bar { text: text.to_owned(), met }
    }
}

enum Line {
    Section(String),
    Row { name: String, figure: String, ratio: String, bar: Option<Bar>, note: String },
}

/// Rows in sections, printed as a table of Markdown, which a terminal shows as well.
#[derive(Default)]
pub struct Report(Vec<Line>);

impl Report {
    pub fn section(&mut self, title: impl Into<String>) {
        self.0.push(Line::Section(title.into()));
    }

    /// A figure with its unit. `ratio` is how many times robotsieve's figure it is.
    pub fn row(
        &mut self,
        name: impl Into<String>,
        figure: f64,
        unit: &str,
        ratio: Option<f64>,
        note: impl Into<String>,
    ) -> &mut Report {
        self.0.push(Line::Row {
            name: name.into(),
            figure: with_unit(figure, unit),
            ratio: ratio.map_or_else(String::new, |ratio| format!("{}×", number(ratio))),
            bar: None,
            note: note.into(),
        });
        self
    }

    /// The bar of the last row.
    pub fn bar(&mut self, of_last: Bar) {
        if let Some(Line::Row { bar, .. }) = self.0.last_mut() {
            *bar = Some(of_last);
        }
    }

    /// Met and missed.
    pub fn bars(&self) -> (usize, usize) {
        let bars = self.0.iter().filter_map(|line| match line {
            Line::Row { bar, .. } => bar.as_ref(),
            Line::Section(_) => None,
        });
        let (met, missed): (Vec<_>, Vec<_>) = bars.partition(|bar| bar.met);
        (met.len(), missed.len())
    }

    /// The table as Markdown; `aligned` for a terminal, which nobody needs in a page.
    pub fn table(&self, aligned: bool) -> String {
        let mut cells: Vec<[String; 5]> = vec![
            ["what", "figure", "robotsieve = 1", "bar", "note"].map(str::to_owned),
            ["---", "---:", "---:", "---", "---"].map(str::to_owned),
        ];
        for line in &self.0 {
            cells.push(match line {
                Line::Section(title) => {
                    let mut row: [String; 5] = Default::default();
                    row[0] = format!("**{title}**");
                    row
                }
                Line::Row { name, figure, ratio, bar, note } => {
                    let bar = bar.as_ref().map_or_else(String::new, |bar| {
                        format!("{}: {}", bar.text, if bar.met { "met" } else { "**missed**" })
                    });
                    [name.clone(), figure.clone(), ratio.clone(), bar, note.clone()]
                }
            });
        }
        let mut widths = [0; 5];
        for row in cells.iter().filter(|_| aligned) {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        let mut text = String::new();
        for row in &cells {
            for (place, (cell, width)) in row.iter().zip(widths).enumerate() {
                let right = matches!(place, 1 | 2);
                let _ = match (right, cell.starts_with("---")) {
                    (true, false) => write!(text, "| {cell:>width$} "),
                    (true, true) => write!(text, "| {:->1$}: ", "", width.max(4) - 1),
                    (false, true) => write!(text, "| {:->1$} ", "", width.max(3)),
                    (false, false) => write!(text, "| {cell:<width$} "),
                };
            }
            text.push_str("|\n");
        }
        text
    }
}
