//! Captures as the rows of a Parquet file.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::vec;

use parquet::basic::{ConvertedType, LogicalType, TimeUnit};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;
use robotsieve_captures::packs::GatherInput;
use robotsieve_captures::{At, Fields, RecordPlace, time_of};
use robotsieve_client::internals::has_file;

use super::source::{CaptureSource, Faults};
use crate::error::Failure;
use crate::read::stdin;

/// The number of rows that are read at a time.
const ROWS: usize = 256;

/// The columns that are read, in the order of [`Columns`]. The first two must be there.
const NAMES: [&str; 5] = ["url", "status", "body", "time", "location"];
const REQUIRED: usize = 2;

/// The rows of a file, in order.
pub struct Parquet {
    file: Arc<Path>,
    reader: SerializedFileReader<File>,
    /// Where each of [`NAMES`] is in the schema.
    places: [Option<usize>; NAMES.len()],
    /// How many seconds `time` counts in: the number to divide by.
    per_second: i64,
    next_group: usize,
    columns: Option<Columns>,
    /// The number of rows that were read.
    row: u64,
    rows: vec::IntoIter<[Cell; NAMES.len()]>,
}

type Columns = [Option<ColumnReader>; NAMES.len()];

/// A value.
#[derive(Clone, Debug, Default)]
enum Cell {
    #[default]
    Null,
    Number(i64),
    Bytes(ByteArray),
}

impl Parquet {
    /// Opens a file, and finds its columns.
    ///
    /// # Errors
    /// Returns an error if it is no Parquet file, or lacks a column.
    pub fn open(path: &Path) -> Result<Parquet, Failure> {
        let cannot = |cause: std::io::Error| {
            Failure::io(format!("cannot read Parquet file '{}'", path.display()), cause)
        };
        if stdin::is_meant(path) {
            return Err(Failure::Usage(
                "a Parquet file cannot be read from standard input: name the file".into(),
            ));
        }
        let reader = File::open(path).map_err(cannot)?;
        let reader = SerializedFileReader::new(reader)
            .map_err(|error| cannot(std::io::Error::other(error)))?;
        let schema = reader.metadata().file_metadata().schema_descr_ptr();
        let mut places = [None; NAMES.len()];
        for (name, place) in NAMES.iter().zip(&mut places) {
            *place = schema
                .columns()
                .iter()
                .position(|column| column.path().string() == *name && column.max_rep_level() == 0);
        }
        if let Some((name, _)) =
            NAMES.iter().zip(&places).take(REQUIRED).find(|(_, place)| place.is_none())
        {
            let there: Vec<String> =
                schema.columns().iter().map(|column| column.path().string()).collect();
            return Err(cannot(std::io::Error::other(format!(
                "it has no column '{name}'; its columns are {}",
                there.join(", ")
            ))));
        }
        let per_second = places[3].map_or(1, |place| per_second(&schema.column(place)));
        Ok(Parquet {
            file: Arc::from(path),
            reader,
            places,
            per_second,
            next_group: 0,
            columns: None,
            row: 0,
            rows: Vec::new().into_iter(),
        })
    }

    /// Reads the next rows, if there are any.
    fn fill(&mut self) -> Result<bool, ParquetError> {
        loop {
            if self.columns.is_none() {
                if self.next_group == self.reader.num_row_groups() {
                    return Ok(false);
                }
                let group = self.reader.get_row_group(self.next_group)?;
                self.next_group += 1;
                let mut columns: Columns = Default::default();
                for (column, place) in columns.iter_mut().zip(self.places) {
                    *column = place.map(|place| group.get_column_reader(place)).transpose()?;
                }
                self.columns = Some(columns);
            }
            let Some(columns) = &mut self.columns else { continue };
            let mut rows: Vec<[Cell; NAMES.len()]> = Vec::new();
            for (number, column) in columns.iter_mut().enumerate() {
                let Some(column) = column else { continue };
                let cells = cells(column)?;
                if number == 0 {
                    rows.resize(cells.len(), Default::default());
                }
                if cells.len() != rows.len() {
                    return Err(ParquetError::General("its columns differ in length".into()));
                }
                for (row, cell) in rows.iter_mut().zip(cells) {
                    row[number] = cell;
                }
            }
            if rows.is_empty() {
                self.columns = None;
                continue;
            }
            self.rows = rows.into_iter();
            return Ok(true);
        }
    }

    fn capture(&self, cells: [Cell; NAMES.len()]) -> Result<GatherInput, String> {
        let text = |cell: &Cell| match cell {
            Cell::Bytes(bytes) => str::from_utf8(bytes.data()).ok().map(str::to_owned),
            _ => None,
        };
        let [url, status, body, time, location] = cells;
        let url =
            text(&url).ok_or_else(|| format!("'url' is no text; {} is expected", Fields::URL))?;
        let status = match status {
            Cell::Number(status) => u16::try_from(status).ok(),
            status => text(&status).and_then(|status| status.parse().ok()),
        };
        let status = status
            .ok_or_else(|| format!("'status' is no number; {} is expected", Fields::STATUS))?;
        let body = match body {
            Cell::Bytes(body) => body.data().to_vec(),
            Cell::Null if has_file(status) => {
                return Err(format!("'status' is {status}, but it has no 'body'"));
            }
            Cell::Null => Vec::new(),
            Cell::Number(_) => return Err("'body' is a number; bytes or text are expected".into()),
        };
        let at = match time {
            Cell::Null => None,
            Cell::Number(time) => {
                Some(u64::try_from(time / self.per_second).map_err(|_| "'time' is before 1970")?)
            }
            time => Some(match text(&time) {
                Some(time) => time_of(&time)?,
                None => return Err(format!("'time' is no text; {} is expected", Fields::TIME)),
            }),
        };
        let location = text(&location);
        let fields = Fields { url: &url, status, body, at, location: location.as_deref() };
        let place = RecordPlace { file: Arc::clone(&self.file), at: At::Line(self.row) };
        fields.capture(place).map(GatherInput::Capture)
    }
}

impl CaptureSource for Parquet {
    fn next(&mut self, faults: &Faults) -> Option<GatherInput> {
        loop {
            let Some(cells) = self.rows.next() else {
                match self.fill() {
                    Ok(true) => continue,
                    Ok(false) => return None,
                    Err(error) => {
                        let file = self.file.display();
                        let row = self.row + 1;
                        let group = format!("the row group of row {row} in Parquet file '{file}'");
                        faults.breaks_off(&group, &error);
                        self.columns = None;
                        continue;
                    }
                }
            };
            self.row += 1;
            match self.capture(cells) {
                Ok(input) => return Some(input),
                Err(what) => faults.add(&format_args!(
                    "Parquet file '{}', row {}: {what}",
                    self.file.display(),
                    self.row
                )),
            }
        }
    }
}

/// In which parts of a second a column counts. Numbers without a unit are seconds.
fn per_second(column: &ColumnDescriptor) -> i64 {
    let unit = match column.logical_type_ref() {
        Some(LogicalType::Timestamp(timestamp)) => Some(&timestamp.unit),
        _ => None,
    };
    match (unit, column.converted_type(), column.physical_type()) {
        (Some(TimeUnit::MILLIS), ..) | (None, ConvertedType::TIMESTAMP_MILLIS, _) => 1_000,
        (Some(TimeUnit::MICROS), ..) | (None, ConvertedType::TIMESTAMP_MICROS, _) => 1_000_000,
        (Some(TimeUnit::NANOS), ..) => 1_000_000_000,
        (None, _, parquet::basic::Type::INT96) => 1_000,
        _ => 1,
    }
}

/// The next cells of a column.
fn cells(column: &mut ColumnReader) -> Result<Vec<Cell>, ParquetError> {
    match column {
        ColumnReader::Int32ColumnReader(reader) => {
            read(reader, |number| Cell::Number(number.into()))
        }
        ColumnReader::Int64ColumnReader(reader) => read(reader, Cell::Number),
        ColumnReader::Int96ColumnReader(reader) => {
            read(reader, |time| Cell::Number(time.to_millis()))
        }
        ColumnReader::ByteArrayColumnReader(reader) => read(reader, Cell::Bytes),
        _ => Err(ParquetError::General("a column has a type that says nothing here".into())),
    }
}

fn read<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    cell: impl Fn(T::T) -> Cell,
) -> Result<Vec<Cell>, ParquetError> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let (records, ..) = reader.read_records(ROWS, Some(&mut levels), None, &mut values)?;
    let highest = levels.iter().copied().max().unwrap_or(0);
    let mut values = values.into_iter();
    if levels.is_empty() {
        return Ok(values.map(cell).collect());
    }
    // A level below the highest is a null; if there are no values, all are.
    let highest = if values.len() == 0 { highest + 1 } else { highest };
    let cells = levels.iter().take(records).map(|level| {
        if *level == highest { values.next().map_or(Cell::Null, &cell) } else { Cell::Null }
    });
    Ok(cells.collect())
}
