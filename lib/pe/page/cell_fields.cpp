// The angle of a cell is its coordinate times the frequency of its column, rounded to double once.
#include "pe/page/cell_fields.hpp"

#include <limits>

#include "pe/analyze/sheet.hpp"
#include "pe/base/real.hpp"
#include "pe/model/frequencies.hpp"

namespace pe {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

// What a column of the table is: the sine or the cosine of pair `pair` of a part.
struct Wave {
  const WavePart* part = nullptr;
  Index pair = 0;  // among the pairs of all parts
  Index of_part = 0;
  bool cosine = false;
};

std::vector<WavePart> parts_of(const Table& table) {
  if (!table.waves) return table.parts;
  return {{table.waves->first, table.waves->second, 0, {0, 1, 0, 0}}};
}

std::vector<Wave> waves_of(const std::vector<WavePart>& parts, Index width) {
  std::vector<Wave> columns(static_cast<std::size_t>(width));
  Index before = 0;
  for (const WavePart& part : parts) {
    for (const bool cosine : {false, true}) {
      const std::optional<Place>& place = cosine ? part.layout.cosine : part.layout.sine;
      for (Index j = 0; place && j < part.waves.pairs(); ++j)
        for (Index copy = 0; copy < place->copies; ++copy) {
          const Index column = place->offset + j * place->step + copy * place->copy_step;
          if (column < width)
            columns[static_cast<std::size_t>(column)] = {&part, before + j, j, cosine};
        }
    }
    before += part.waves.pairs();
  }
  return columns;
}

Real frequency_of(const Wave& wave) {
  return wave.part->waves.frequencies()[static_cast<std::size_t>(wave.of_part)];
}

// Where a position stands along the axis that the wave reads.
Real place_of(const Table& table, const PositionRange& positions, Index i, const Wave& wave) {
  const std::int64_t at = positions.at(i);
  Real scale = 1;
  for (int d = 0; d < positions.decimals; ++d) scale *= 10;
  if (!table.grid) return Real(at) / scale;
  const PositionRange& map = wave.part->map;
  Real unit = 1;
  for (int d = 0; d < map.decimals; ++d) unit *= 10;
  return Real(map.at(table.grid->at(at, wave.part->axis))) / unit;
}

}  // namespace

std::vector<Field> cell_fields(const Subject& subject, const Field& field) {
  const auto* table = std::get_if<Table>(&subject.effect);
  if (!table) return {};
  const std::vector<WavePart> parts = parts_of(*table);
  const PositionRange& positions = subject.span.positions;
  if (parts.empty() || field.axes.empty() || field.lines() != positions.count) return {};
  const std::vector<Wave> columns = waves_of(parts, field.line_size());
  Column angle{"angle", "what the sine or cosine is taken of, in radians", {}};
  for (Index i = 0; i < positions.count; ++i)
    for (const Wave& wave : columns)
      angle.values.push_back(
          wave.part ? to_double(Real(place_of(*table, positions, i, wave) * frequency_of(wave)))
                    : none);
  Column function{"function", "what stands in the column", {}, {}, {"sin", "cos"}};
  Column pair{"pair", "which frequency the column has", {}};
  Column length{"wavelength", "2π/θ, in positions", {}};
  for (const Wave& wave : columns) {
    function.values.push_back(wave.part ? wave.cosine : none);
    pair.values.push_back(wave.part ? static_cast<double>(wave.pair) : none);
    length.values.push_back(wave.part ? to_double(wavelength(frequency_of(wave))) : none);
  }
  std::vector<Field> made = fields_of({.axes = field.axes, .columns = {angle}});
  for (Field& each : fields_of({.axes = {field.axes.back()}, .columns = {function, pair, length}}))
    made.push_back(std::move(each));
  return made;
}

}  // namespace pe
