//! Plots as SVG: dots in rows and lines, on logarithmic axes, labelled where they are.
//!
//! Greys and colours of middle lightness on no background, to be read in light and in dark.

use std::fmt::Write as _;

use crate::contestants::Kind;

const TEXT: &str = "#7a7f87";
const GRID: &str = "#7a7f8740";
const OURS: &str = "#e8590c";
const OURS_FORCED: &str = "#f08c3a";
const BASELINE: &str = "#868e96";
const PEERS: [&str; 4] = ["#3b82d6", "#2f9e6e", "#a855c7", "#c2478d"];

/// The colour of a contestant; peers have one each.
pub fn colour(kind: Kind, peer: usize) -> &'static str {
    match kind {
        Kind::Robotsieve => OURS,
        Kind::Setting => OURS_FORCED,
        Kind::Baseline => BASELINE,
        Kind::Peer => PEERS[peer % PEERS.len()],
    }
}

/// A logarithmic axis.
struct Axis {
    from: f64,
    to: f64,
    pixels: (f64, f64),
}

impl Axis {
    /// Over these values, with a little room at both ends.
    fn over(values: impl Iterator<Item = f64> + Clone, room: f64, pixels: (f64, f64)) -> Axis {
        let least = values.clone().fold(f64::INFINITY, f64::min).log10();
        let most = values.fold(f64::NEG_INFINITY, f64::max).log10();
        Axis { from: least - room, to: most + room, pixels }
    }

    fn at(&self, value: f64) -> f64 {
        let (begin, end) = self.pixels;
        begin + (value.log10() - self.from) / (self.to - self.from) * (end - begin)
    }

    /// Whole decades; 2 and 5 too where there are few.
    fn ticks(&self) -> Vec<f64> {
        let steps: &[f64] = match self.to - self.from {
            span if span < 1.3 => &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0],
            span if span < 2.6 => &[1.0, 2.0, 5.0],
            _ => &[1.0],
        };
        let decades = self.from.floor() as i32..=self.to.ceil() as i32;
        let ticks = decades.flat_map(|d| steps.iter().map(move |step| step * 10_f64.powi(d)));
        ticks.filter(|t| (self.from..=self.to).contains(&t.log10())).collect()
    }
}

/// A number for people: three digits, thousands parted.
pub fn number(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let digits = match value.abs().log10().floor() as i32 {
        2.. => 0,
        digits => (2 - digits) as usize,
    };
    let text = format!("{value:.digits$}");
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let mut parted = String::new();
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) && digit != '-' {
            parted.push(',');
        }
        parted.push(digit);
    }
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() { parted } else { format!("{parted}.{fraction}") }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

struct Svg(String);

impl Svg {
    fn new(width: f64, height: f64, title: &str) -> Svg {
        let title = escape(title);
        Svg(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             width=\"{width}\" height=\"{height}\" role=\"img\" font-family=\"system-ui, \
             'Segoe UI', Helvetica, Arial, sans-serif\" font-size=\"12\" fill=\"{TEXT}\">\n\
             <title>{title}</title>\n<text x=\"16\" y=\"24\" font-size=\"15\" \
             font-weight=\"600\">{title}</text>\n"
        ))
    }

    fn text(&mut self, x: f64, y: f64, anchor: &str, fill: &str, bold: bool, text: &str) {
        let weight = if bold { " font-weight=\"700\"" } else { "" };
        let text = escape(text);
        let _ = writeln!(
            self.0,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{fill}\"{weight}>\
             {text}</text>"
        );
    }

    fn line(&mut self, from: (f64, f64), to: (f64, f64), stroke: &str, width: f64) {
        let ((x1, y1), (x2, y2)) = (from, to);
        let _ = writeln!(
            self.0,
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" \
             stroke=\"{stroke}\" stroke-width=\"{width}\"/>"
        );
    }

    fn finish(mut self) -> String {
        self.0.push_str("</svg>\n");
        self.0
    }
}

/// One contestant of a plot of dots.
#[derive(Clone)]
pub struct Row {
    pub name: String,
    pub colour: &'static str,
    pub bold: bool,
    /// One value for each mark; `None` leaves it out.
    pub values: Vec<Option<f64>>,
}

/// Rows of dots on a logarithmic axis: each mark has its shape, named in the legend.
pub fn dots(title: &str, axis_title: &str, marks: &[&str], rows: &[Row]) -> String {
    let (left, right, top, step) = (210.0, 740.0, 66.0, 25.0);
    let bottom = top + step * rows.len() as f64;
    let mut svg = Svg::new(800.0, bottom + 48.0, title);
    let values = || rows.iter().flat_map(|row| row.values.iter().flatten().copied());
    let axis = Axis::over(values(), 0.12, (left, right));
    for tick in axis.ticks() {
        svg.line((axis.at(tick), top - 8.0), (axis.at(tick), bottom), GRID, 1.0);
        svg.text(axis.at(tick), bottom + 16.0, "middle", TEXT, false, &number(tick));
    }
    svg.text((left + right) / 2.0, bottom + 36.0, "middle", TEXT, false, axis_title);
    let mut x = left;
    for (place, mark) in marks.iter().enumerate().filter(|_| marks.len() > 1) {
        shape(&mut svg, place, x, 44.0, TEXT);
        svg.text(x + 10.0, 48.0, "start", TEXT, false, mark);
        x += 34.0 + 6.4 * mark.len() as f64;
    }
    for (place, row) in rows.iter().enumerate() {
        let y = top + step * (place as f64 + 0.5) - 4.0;
        svg.text(left - 14.0, y + 4.0, "end", row.colour, row.bold, &row.name);
        svg.line((left, y), (right, y), GRID, 1.0);
        let placed = row.values.iter().enumerate().filter_map(|(m, v)| Some((m, (*v)?)));
        let placed: Vec<(usize, f64)> = placed.collect();
        for (mark, value) in &placed {
            shape(&mut svg, *mark, axis.at(*value), y, row.colour);
        }
        // Only the largest value is labelled: two labels would overlap.
        let last = placed.iter().map(|(_, value)| *value).fold(0.0, f64::max);
        if last > 0.0 {
            let text = number(last);
            svg.text(axis.at(last) + 9.0, y + 4.0, "start", row.colour, row.bold, &text);
        }
    }
    svg.finish()
}

fn shape(svg: &mut Svg, mark: usize, x: f64, y: f64, colour: &str) {
    let _ = match mark {
        0 => writeln!(svg.0, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\" fill=\"{colour}\"/>"),
        1 => writeln!(
            svg.0,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"none\" stroke=\"{colour}\" \
             stroke-width=\"2\"/>"
        ),
        _ => {
            writeln!(svg.0, "<path d=\"M{:.1} {y:.1}l5 -5l5 5l-5 5z\" fill=\"{colour}\"/>", x - 5.0)
        }
    };
}

/// One line of a plot of lines.
pub struct Series {
    pub name: String,
    pub colour: &'static str,
    pub width: f64,
    pub dashed: bool,
    pub points: Vec<(f64, f64)>,
}

/// Lines on two logarithmic axes, each named at its right end.
pub fn lines(title: &str, axis_titles: (&str, &str), series: &[Series]) -> String {
    let (left, right, top, bottom) = (76.0, 590.0, 44.0, 420.0);
    let mut svg = Svg::new(800.0, bottom + 52.0, title);
    let all = || series.iter().flat_map(|s| s.points.iter().copied());
    let xs = Axis::over(all().map(|(x, _)| x), 0.0, (left, right));
    let ys = Axis::over(all().map(|(_, y)| y), 0.05, (bottom, top));
    for tick in xs.ticks() {
        svg.line((xs.at(tick), top), (xs.at(tick), bottom), GRID, 1.0);
        svg.text(xs.at(tick), bottom + 18.0, "middle", TEXT, false, &number(tick));
    }
    for tick in ys.ticks() {
        svg.line((left, ys.at(tick)), (right, ys.at(tick)), GRID, 1.0);
        svg.text(left - 8.0, ys.at(tick) + 4.0, "end", TEXT, false, &number(tick));
    }
    svg.text((left + right) / 2.0, bottom + 40.0, "middle", TEXT, false, axis_titles.0);
    let middle = (top + bottom) / 2.0;
    let _ = writeln!(
        svg.0,
        "<text transform=\"translate(18 {middle}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        escape(axis_titles.1)
    );
    for line in series {
        let points: Vec<String> =
            line.points.iter().map(|(x, y)| format!("{:.1},{:.1}", xs.at(*x), ys.at(*y))).collect();
        let dashes = if line.dashed { " stroke-dasharray=\"5 4\"" } else { "" };
        let _ = writeln!(
            svg.0,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" \
             stroke-linejoin=\"round\"{dashes}/>",
            points.join(" "),
            line.colour,
            line.width
        );
    }
    // The names, from above, each at least a line's height below the one before.
    let mut ends: Vec<(f64, &Series)> =
        series.iter().filter_map(|s| Some((ys.at(s.points.last()?.1), s))).collect();
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut places: Vec<f64> = Vec::new();
    for (y, _) in &ends {
        places.push(places.last().map_or(*y, |above: &f64| y.max(above + 15.0)));
    }
    // What slid below the axis pushes the others up again.
    let mut lowest = bottom + 4.0;
    for place in places.iter_mut().rev() {
        *place = place.min(lowest);
        lowest = *place - 15.0;
    }
    for ((y, line), place) in ends.iter().zip(places) {
        svg.line((right + 1.0, *y), (right + 14.0, place), line.colour, 1.0);
        svg.text(right + 18.0, place + 4.0, "start", line.colour, line.width > 2.0, &line.name);
    }
    svg.finish()
}
