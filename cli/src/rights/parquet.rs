//! Rows as a Parquet file on standard output.

use std::sync::Arc;

use parquet::basic::{Compression, ConvertedType, LogicalType, Repetition, Type as Physical};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use robotsieve_report::{RIGHTS_MEMBERS, RIGHTS_NUMBERS};
use serde_json::Value;

use super::row::{Printed, Row};
use crate::error::Failure;
use crate::write::stdout::{self, Stdout};

/// The number of rows of a row group.
const ROWS: usize = 1 << 16;

/// A column of a row.
enum Cell {
    Text(Option<String>),
    Number(Option<i64>),
}

/// The columns, and whether each is a text.
fn columns() -> impl Iterator<Item = (&'static str, bool)> {
    RIGHTS_MEMBERS.iter().map(|name| (*name, !RIGHTS_NUMBERS.contains(name)))
}

/// The cells of a row, in the order of the columns.
fn cells(row: &Row) -> Result<Vec<Cell>, Failure> {
    let record = row
        .merged()
        .map_err(|cause| Failure::io("cannot write the rights", std::io::Error::other(cause)))?;
    let cells = columns().map(|(name, is_text)| match &record[name] {
        value if !is_text => Cell::Number(value.as_i64()),
        Value::Null => Cell::Text(None),
        Value::String(text) => Cell::Text(Some(text.clone())),
        value => Cell::Text(Some(value.to_string())),
    });
    Ok(cells.collect())
}

/// Writes the rows that `each` gives to what it is called with.
///
/// # Errors
/// Returns an error if `each` does, or if the file cannot be written.
pub fn write(
    each: impl FnOnce(&mut dyn FnMut(Row) -> Result<(), Failure>) -> Result<Printed, Failure>,
) -> Result<Printed, Failure> {
    let failed = |cause: ParquetError| stdout::failed(std::io::Error::other(cause));
    let fields = columns().map(|(name, is_text)| {
        let physical = if is_text { Physical::BYTE_ARRAY } else { Physical::INT64 };
        let logical = is_text.then_some(LogicalType::String);
        let converted = if is_text { ConvertedType::UTF8 } else { ConvertedType::NONE };
        Type::primitive_type_builder(name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical)
            .with_converted_type(converted)
            .build()
            .map(Arc::new)
    });
    let fields = fields.collect::<Result<Vec<_>, _>>().map_err(failed)?;
    let schema = Type::group_type_builder("rights").with_fields(fields).build().map_err(failed)?;
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut writer =
        SerializedFileWriter::new(Stdout::new(), Arc::new(schema), Arc::new(properties))
            .map_err(failed)?;
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    let printed = each(&mut |row| {
        rows.push(cells(&row)?);
        if rows.len() == ROWS {
            write_rows(&mut writer, RIGHTS_MEMBERS.len(), &std::mem::take(&mut rows))
                .map_err(failed)?;
        }
        Ok(())
    })?;
    write_rows(&mut writer, RIGHTS_MEMBERS.len(), &rows).map_err(failed)?;
    writer.close().map_err(failed)?;
    Ok(printed)
}

/// Writes a row group.
fn write_rows(
    writer: &mut SerializedFileWriter<Stdout>,
    columns: usize,
    rows: &[Vec<Cell>],
) -> Result<(), ParquetError> {
    if rows.is_empty() {
        return Ok(());
    }
    let mut group = writer.next_row_group()?;
    for column in 0..columns {
        let Some(mut out) = group.next_column()? else { break };
        let cells = || rows.iter().map(|row| &row[column]);
        let levels: Vec<i16> = cells()
            .map(|cell| i16::from(!matches!(cell, Cell::Text(None) | Cell::Number(None))))
            .collect();
        match out.untyped() {
            ColumnWriter::ByteArrayColumnWriter(out) => {
                let texts = cells().filter_map(|cell| match cell {
                    Cell::Text(text) => text.as_deref().map(ByteArray::from),
                    Cell::Number(_) => None,
                });
                out.write_batch(&texts.collect::<Vec<_>>(), Some(&levels), None)?;
            }
            ColumnWriter::Int64ColumnWriter(out) => {
                let numbers = cells().filter_map(|cell| match cell {
                    Cell::Number(number) => *number,
                    Cell::Text(_) => None,
                });
                out.write_batch(&numbers.collect::<Vec<_>>(), Some(&levels), None)?;
            }
            _ => unreachable!("columns are texts and numbers"),
        }
        out.close()?;
    }
    group.close()?;
    Ok(())
}
