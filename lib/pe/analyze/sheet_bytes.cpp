// Every part of a sheet in turn.
#include "pe/analyze/sheet_bytes.hpp"

namespace pe {

void put_sheet(ByteWriter& bytes, const Sheet& sheet) {
  bytes.put_number(sheet.axes.size());
  for (const Axis& axis : sheet.axes) {
    bytes.put_text(axis.name);
    bytes.put_number(axis.coordinates);
    bytes.put_text(axis.description);
    bytes.put_texts(axis.labels);
    bytes.put_numbers(axis.places);
  }
  bytes.put_number(sheet.columns.size());
  for (const Column& column : sheet.columns) {
    bytes.put_text(column.name);
    bytes.put_text(column.description);
    bytes.put_numbers(column.values);
    bytes.put_number(column.error);
    bytes.put_texts(column.words);
  }
  bytes.put_texts(sheet.notes);
}

Sheet read_sheet(ByteReader& bytes) {
  Sheet sheet;
  sheet.axes.resize(bytes.number<std::size_t>());
  for (Axis& axis : sheet.axes) {
    axis.name = bytes.text();
    axis.coordinates = bytes.number<PositionRange>();
    axis.description = bytes.text();
    axis.labels = bytes.texts();
    axis.places = bytes.numbers<double>();
  }
  sheet.columns.resize(bytes.number<std::size_t>());
  for (Column& column : sheet.columns) {
    column.name = bytes.text();
    column.description = bytes.text();
    column.values = bytes.numbers<double>();
    column.error = bytes.number<Error>();
    column.words = bytes.texts();
  }
  sheet.notes = bytes.texts();
  return sheet;
}

}  // namespace pe
