//! Rows as a Parquet file on standard output.

use std::sync::Arc;

use parquet::basic::{Compression, ConvertedType, LogicalType, Repetition, Type as Physical};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use robotsieve_rights::Purpose;

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
fn columns() -> Vec<(&'static str, bool)> {
    let numbers = ["status", "offset"];
    let named = [
        "url",
        "agent",
        "captured",
        "status",
        "file",
        "offset",
        "sha256",
        "robots",
        "page",
        "age_seconds",
        "documents",
        "now",
        "schema",
        "tool_version",
        "profile",
        "reading",
        "vocabulary",
        "as_of",
        "and_later_refusals",
        "versions",
        "quotes",
        "basis",
    ];
    let purposes = Purpose::ALL.iter().map(|purpose| purpose.as_str());
    let all = named.into_iter().chain(purposes).chain(["rights"]);
    all.map(|name| (name, !numbers.contains(&name))).collect()
}

/// The cells of a row, in the order of the columns.
fn cells(row: Row) -> Result<Vec<Cell>, Failure> {
    let failed = |cause: serde_json::Error| Failure::io("cannot write the rights", cause.into());
    let Row { record: row, basis, .. } = row;
    let document = serde_json::to_string(&row.rights).map_err(failed)?;
    let documents = serde_json::to_string(&basis.documents).map_err(failed)?;
    let ages = serde_json::to_string(&row.age_seconds).map_err(failed)?;
    let versions = serde_json::to_string(&basis.versions).map_err(failed)?;
    let quotes = serde_json::to_string(&basis.quotes).map_err(failed)?;
    let settings = basis.settings;
    let text = |text: &str| Cell::Text(Some(text.to_owned()));
    let mut cells = vec![
        Cell::Text(Some(row.url)),
        text(&settings.agent),
        Cell::Text(Some(row.captured)),
        Cell::Number(Some(row.status.into())),
        Cell::Text(Some(row.file)),
        Cell::Number(row.offset.and_then(|offset| i64::try_from(offset).ok())),
        Cell::Text(Some(row.sha256)),
        Cell::Text(row.robots.map(str::to_owned)),
        text(row.page.as_str()),
        Cell::Text((!row.age_seconds.is_empty()).then_some(ages)),
        Cell::Text((!basis.documents.is_empty()).then_some(documents)),
        Cell::Text(row.now),
        text(settings.schema),
        text(settings.tool_version),
        text(settings.profile),
        text(settings.reading),
        text(settings.vocabulary),
        Cell::Text(settings.as_of.map(str::to_owned)),
        Cell::Text(settings.and_later_refusals.then(|| "true".to_owned())),
        Cell::Text((!basis.versions.is_empty()).then_some(versions)),
        Cell::Text((!basis.quotes.is_empty()).then_some(quotes)),
        Cell::Text(Some(row.basis)),
    ];
    // A purpose that is not listed is null.
    let listed: Vec<Purpose> = row.rights.purposes().collect();
    cells.extend(Purpose::ALL.iter().map(|purpose| {
        let ruling = listed.contains(purpose).then(|| row.rights.ruling(*purpose));
        Cell::Text(ruling.map(|ruling| ruling.as_str().to_owned()))
    }));
    cells.push(Cell::Text(Some(document)));
    Ok(cells)
}

/// Writes the rows that `each` gives to what it is called with.
///
/// # Errors
/// Returns an error if `each` does, or if the file cannot be written.
pub fn write(
    each: impl FnOnce(&mut dyn FnMut(Row) -> Result<(), Failure>) -> Result<Printed, Failure>,
) -> Result<Printed, Failure> {
    let failed = |cause: ParquetError| stdout::failed(std::io::Error::other(cause));
    let columns = columns();
    let fields = columns.iter().map(|(name, is_text)| {
        let physical = if *is_text { Physical::BYTE_ARRAY } else { Physical::INT64 };
        let logical = is_text.then_some(LogicalType::String);
        let converted = if *is_text { ConvertedType::UTF8 } else { ConvertedType::NONE };
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
        rows.push(cells(row)?);
        if rows.len() == ROWS {
            write_rows(&mut writer, columns.len(), &std::mem::take(&mut rows)).map_err(failed)?;
        }
        Ok(())
    })?;
    write_rows(&mut writer, columns.len(), &rows).map_err(failed)?;
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
