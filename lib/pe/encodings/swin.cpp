// swin: a bias for each difference of rows and columns of a window, from a table or from a
// perceptron.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "pe/base/budget.hpp"
#include "pe/base/error.hpp"
#include "pe/base/narrow.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/encodings/parameters.hpp"
#include "pe/encodings/perceptron_drift.hpp"
#include "pe/kinds/bias_rows.hpp"
#include "pe/model/perceptron.hpp"

namespace pe::encoding_rows {
namespace {

constexpr Parameter schema[] = {
    {.name = "window",
     .type = Parameter::Type::name,
     .help = "rows x columns of a window, HxW",
     .fallback = "7x7"},
    {.name = "form",
     .type = Parameter::Type::choice,
     .help = "table: one entry for each difference (v1); continuous: a perceptron of log-spaced "
             "coordinates (v2)",
     .fallback = "table",
     .choices = "table continuous"},
    row::heads("attention heads, where no weights are given", "4", nullptr),
    {.name = "cls",
     .type = Parameter::Type::flag,
     .help = "position 0 is a [CLS] token with three entries of its own, as in BEiT",
     .fallback = "false"},
    {.name = "pretrained-window",
     .type = Parameter::Type::name,
     .help = "continuous: HxW that coordinates are divided by, less one; the window when left out"},
    {.name = "weights",
     .type = Parameter::Type::tensor,
     .help = "FILE[:tensor], relative_position_bias_table, [index, head]"},
    {.name = "hidden",
     .help = "continuous: hidden units, where no weights are given",
     .fallback = "512",
     .lowest = "1",
     .highest = "65536"},
    {.name = "hidden-weight",
     .type = Parameter::Type::tensor,
     .help = "continuous: FILE[:tensor], cpb_mlp.0.weight, [hidden, 2]"},
    {.name = "hidden-bias",
     .type = Parameter::Type::tensor,
     .help = "continuous: FILE[:tensor], cpb_mlp.0.bias, [hidden]"},
    {.name = "output-weight",
     .type = Parameter::Type::tensor,
     .help = "continuous: FILE[:tensor], cpb_mlp.2.weight, [head, hidden]"},
    {.name = "seed",
     .help = "seed of what is not given: the table N(0, 0.02²), the perceptron as torch.nn.Linear",
     .fallback = "0",
     .lowest = "0",
     .highest = "9223372036854775807"},
};

struct Window {
  Index height = 0, width = 0;
};

Window window_of(const Parameters& parameters, std::string_view name) {
  const std::string& text = parameters.choice(name);
  const std::size_t cross = text.find('x');
  const auto whole = [&](std::string_view part) -> Index {
    Index value = 0;
    for (const char digit : part)
      value = digit < '0' || digit > '9' || value > 4096 ? 100'000 : 10 * value + (digit - '0');
    return part.empty() ? 0 : value;
  };
  const Window window = cross == std::string::npos
                            ? Window{}
                            : Window{whole(std::string_view(text).substr(0, cross)),
                                     whole(std::string_view(text).substr(cross + 1))};
  if (window.height < 1 || window.width < 1 || window.height > 4096 || window.width > 4096)
    throw UsageError(fmt::format("--{} takes HxW, such as 7x7, each from 1 to 4096; got {}", name,
                                 parameters.spell(name)));
  return window;
}

// sign(x)·log₂(|x| + 1)/log₂ 8 with x = 8Δ/(W − 1), Δ = −(W−1) … W−1 (Liu et al. 2022, eq. 4, and
// `relative_coords_table`, which normalises and takes base 2 and 8 where the paper has neither). A
// window of one has one coordinate, 0, where the code divides by zero.
Series coordinates_of(std::string name, Index extent, Index pretrained) {
  Series series{
      std::move(name), {"difference", {1 - extent, 1, 2 * extent - 1, 0}, "query minus key"}, {}};
  for (Index difference = 1 - extent; difference < extent; ++difference) {
    const Real x = pretrained > 1 ? Real(Real(8 * difference) / (pretrained - 1)) : Real(0);
    const Real size = log(abs(x) + 1) / log(Real(8));
    series.values.push_back(difference < 0 ? Real(-size) : size);
  }
  return series;
}

// 16·σ(perceptron(coordinates)) for each index and head (`Swinv2`: continuous_position_bias_mlp).
std::vector<double> continuous_table(const Perceptron& perceptron, const Series& rows,
                                     const Series& columns) {
  std::vector<double> table;
  for (const Real& row : rows.values)
    for (const Real& column : columns.values) {
      ask_time();
      const double input[] = {to_double(row), to_double(column)};
      for (Index head = 0; head < perceptron.outputs(); ++head)
        table.push_back(16 / (1 + std::exp(-perceptron(head, input))));
    }
  return table;
}

// The table of a wide window takes longer to make than its index is worth waiting for: it is made
// when a bias is asked for.
class MadeOnce {
 public:
  explicit MadeOnce(std::function<Array()> make) : make_(std::move(make)) {}

  const Array& table() {
    const std::lock_guard lock(mutex_);
    if (!table_) table_ = make_();
    return *table_;
  }

 private:
  std::function<Array()> make_;
  std::mutex mutex_;
  std::optional<Array> table_;
};

Effect make(const Parameters& parameters, Index) {
  const Window window = window_of(parameters, "window");
  const bool cls = parameters.flag("cls"), continuous = parameters.choice("form") == "continuous";
  if (cls && continuous)
    throw UsageError(
        "--cls has no entries in --form continuous: only a table holds those of [CLS]");
  if (continuous && parameters.has("weights"))
    throw UsageError(
        "--weights is a table, and --form continuous has none: give --hidden-weight, --hidden-bias "
        "and --output-weight");
  const Buckets buckets = window_buckets(window.height, window.width, cls);
  Bias bias{.heads = parameters.integer("heads"),
            .causal = false,
            .slopes = {},
            .buckets = buckets,
            .fill = {}};
  bias.rows = buckets.positions;
  bias.window_width = cls ? 0 : window.width;
  std::function<Array()> table;
  if (continuous) {
    const Window pretrained =
        parameters.has("pretrained-window") ? window_of(parameters, "pretrained-window") : window;
    bias.series = {coordinates_of("coordinate_h", window.height, pretrained.height),
                   coordinates_of("coordinate_w", window.width, pretrained.width)};
    const Perceptron perceptron(parameters, 2, parameters.integer("hidden"), bias.heads, false);
    bias.heads = perceptron.outputs();
    table = [shape = std::vector<Index>{buckets.count, bias.heads}, perceptron,
             series = bias.series] {
      return array_of(shape, continuous_table(perceptron, series[0], series[1]));
    };
  } else {
    if (parameters.has("weights"))
      bias.heads =
          tensor_of(parameters, "weights", {{"index", buckets.count}, {"head", 0}}).shape()[1];
    table = [parameters, rows = buckets.count, heads = bias.heads] {
      return tensor_or_drawn(parameters, "weights", {{"index", rows}, {"head", heads}},
                             Distribution::normal, 0.02);
    };
  }
  bias.fill = [made = std::make_shared<MadeOnce>(std::move(table)), heads = bias.heads,
               of = buckets.of](Index head, std::int64_t query, const PositionRange& keys,
                                DType dtype, std::byte* out) {
    const Array& entries = made->table();
    std::vector<double> row(static_cast<std::size_t>(keys.count));
    for (Index i = 0; i < keys.count; ++i)
      row[static_cast<std::size_t>(i)] = entries.at(of(query, keys.at(i)) * heads + head);
    narrow(row, dtype, out);
  };
  return within_rows(std::move(bias));
}

// With [CLS] position 0 is no place in the window, and the diagonal is not one number.
std::vector<std::string> revoked(const Parameters& parameters) {
  return parameters.flag("cls") ? std::vector<std::string>{"toeplitz", "relative-only"}
                                : std::vector<std::string>{};
}

// A table's entries are copies. 16·σ of a perceptron of two coordinates, which are off by 8u each:
// the slope of 16·σ is at most 4, and σ's own functions are off by a few u of the bias.
Drift drift(const Parameters& parameters, const Effect& effect, const Reach& reach) {
  if (parameters.choice("form") != "continuous") return copies_drift(parameters, effect, reach);
  const auto& bias = std::get<Bias>(effect);
  const Perceptron perceptron(parameters, 2, parameters.integer("hidden"), bias.heads, false);
  Drift drift(bias.heads,
              fmt::format("4 times {} times what the perceptron in float32 is off by and what "
                          "coordinates that are 8·2^-24 off put it off by, at its worst over some "
                          "places; and 8·2^-24 of the bias",
                          other_orders));
  constexpr std::size_t places = 16;  // along each axis
  const auto some = [&](const Series& series) {
    std::vector<double> values;
    const std::size_t step = (series.values.size() + places - 1) / places;
    for (std::size_t i = 0; i < series.values.size(); i += step)
      values.push_back(to_double(series.values[series.values.size() - 1 - i]));
    return values;
  };
  for (const double row : some(bias.series[0]))
    for (const double column : some(bias.series[1]))
      for (Index head = 0; head < bias.heads; ++head) {
        const double input[] = {row, column};
        double& worst = drift.absolute[static_cast<std::size_t>(head)];
        worst = std::max(worst, 4 * perceptron_drift(perceptron, head, input, 8 * half_ulp_f32));
      }
  drift.relative.assign(drift.relative.size(), 8 * half_ulp_f32);
  return drift;
}

}  // namespace

extern constinit const Encoding swin{
    .name = "swin",
    .also = "window window-bias windowed shifted-window relative-position-bias swin-bias",
    .summary =
        "a bias for each difference of rows and columns in a window, from a table or a perceptron",
    .source =
        "Liu et al. 2021, arXiv:2103.14030, eq. 4; Liu et al. 2022, arXiv:2111.09883, §3.3; Bao et "
        "al. 2022, arXiv:2106.08254",
    .kind = Kind::bias,
    .parameters = schema,
    .accuracy =
        "The index is exact, coordinates are correctly rounded, a table's bias is its entry; a "
        "continuous bias is computed in double "
        "and rounded once.",
    .claims =
        "exact index; correctly-rounded coordinate_h coordinate_w; "
        "drawn:weights?form=table,hidden-weight?form=continuous,hidden-bias?form=continuous,"
        "output-weight?form=continuous bias",
    .promises =
        "finite deterministic length-invariant order-sensitive relative-only toeplitz "
        "buckets-total buckets-covered",
    .example = "swin --window 2x2 --fields index",
    .drift = &drift,
    .make = &make,
    .revoked = &revoked,
};

}  // namespace pe::encoding_rows
