// floater: a table that a differential equation, or a plain recursion, carries from one position to
// the next.
#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>

#include "pe/base/budget.hpp"
#include "pe/base/narrow.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/encodings/floater_dynamics.hpp"
#include "pe/encodings/parameters.hpp"
#include "pe/model/random.hpp"

namespace pe::encoding_rows {
namespace {

using namespace floater_dynamics;

constexpr Index most_positions = Index{1} << 24;  // each is reached through all before it

constexpr Parameter schema[] = {
    {.name = "dim",
     .help = "channels of a row",
     .fallback = "64",
     .lowest = "1",
     .highest = "8192"},
    {.name = "dynamics",
     .type = Parameter::Type::choice,
     .help = "dp/dt: rotation, whose solution is the sinusoidal table; zero; mlp, two layers that "
             "see t (FLOATER)",
     .fallback = "rotation",
     .choices = "rotation zero mlp"},
    {.name = "solver",
     .type = Parameter::Type::choice,
     .help = "rk4 and euler at a fixed step; dopri5, adaptive; recursion, p(k+1) = f(p(k)) with f "
             "one turn, nothing, or the two layers",
     .fallback = "dopri5",
     .choices = "rk4 dopri5 euler recursion"},
    {.name = "step",
     .type = Parameter::Type::number,
     .help = "of the solver, in positions; the first one tried by dopri5 (FLOATER: 0.2)",
     .fallback = "0.2",
     .lowest = "1e-6",
     .highest = "1"},
    {.name = "tolerance",
     .type = Parameter::Type::number,
     .help = "of dopri5, absolute and relative, a step",
     .fallback = "1e-12",
     .lowest = "1e-15",
     .highest = "1"},
    {.name = "interval",
     .type = Parameter::Type::number,
     .help = "of t between two positions (FLOATER: 0.01)",
     .fallback = "0.01",
     .lowest = "1e-9",
     .highest = "1e9"},
    row::base("of rotation's frequencies"),
    {.name = "initial",
     .type = Parameter::Type::tensor,
     .help =
         "FILE[:tensor] of p(0), dim numbers (default: sin 0, cos 0, … for rotation, else drawn)"},
    {.name = "weight1",
     .type = Parameter::Type::tensor,
     .help = "mlp: [hidden, 1 + dim], the column of t first (default: drawn, Xavier normal)"},
    {.name = "bias1", .type = Parameter::Type::tensor, .help = "mlp: [hidden] (default: zeros)"},
    {.name = "weight2",
     .type = Parameter::Type::tensor,
     .help = "mlp: [dim, 1 + hidden] (default: drawn)"},
    {.name = "bias2", .type = Parameter::Type::tensor, .help = "mlp: [dim] (default: zeros)"},
    {.name = "hidden",
     .help = "mlp: width of the layer between, when it is drawn",
     .fallback = "64",
     .lowest = "1",
     .highest = "8192"},
    {.name = "seed",
     .help = "of what is drawn",
     .fallback = "0",
     .lowest = "0",
     .highest = "9223372036854775807"},
};

// Two layers of dim·hidden products, or a turn of each pair; some 100 to 300 more for the call.
SlopeWork solving_of(const Parameters& parameters) {
  const bool layers = parameters.choice("dynamics") == "mlp";
  const auto dim = static_cast<double>(parameters.integer("dim"));
  const std::string& solver = parameters.choice("solver");
  const double steps = std::ceil(1 / parameters.number("step").value() - 1e-9),
               slopes = slopes_of(solver, steps);
  // A step rounds the new row once, and the part that the slopes add less than once more.
  const bool adapts = solver == "dopri5";
  const double taken = adapts ? slopes / 7 : solver == "recursion" ? 1 : steps;
  return {.slopes = slopes,
          .operations =
              layers ? 300 + 2 * dim * static_cast<double>(hidden_of(parameters)) : 100 + 2 * dim,
          .smaller = layers ? "a smaller --hidden or --dim" : "a smaller --dim",
          .roundings = 2 * taken,
          .tolerance = adapts ? taken * parameters.number("tolerance").value() : 0,
          .meeting = layers ? 0 : 2};
}

// States along the way. Those of 4 MiB are kept, so that a position far on need not be reached from
// the start, nor one that a diagnosis asks for again; twice as far apart when there are more.
class Trajectory {
 public:
  Trajectory(State start, Advance advance)
      : advance_(std::move(advance)),
        most_(std::max<std::size_t>(256, (std::size_t{1} << 19) / start.size())) {
    kept_[0] = std::move(start);
  }

  /// Calls visit(index, state) for every position of the run, in the order of positions.
  void follow(const PositionRange& positions,
              const std::function<void(Index, const State&)>& visit) {
    const bool falling = positions.step < 0;
    Index at = 0;
    State state;
    for (Index i = 0; i < positions.count; ++i) {
      const Index index = falling ? positions.count - 1 - i : i, position = positions.at(index);
      if (i == 0) at = nearest(position, state);
      for (; at < position; ++at) {
        if (at % steps_between_looks == 0) ask_time();
        advance_(state, at);
        keep(at + 1, state);
      }
      visit(index, state);
    }
  }

 private:
  Index nearest(Index position, State& state) {
    const std::lock_guard lock(mutex_);
    const auto before = std::prev(kept_.upper_bound(position));
    state = before->second;
    return before->first;
  }
  void keep(Index position, const State& state) {
    const std::lock_guard lock(mutex_);
    if (position % apart_ != 0) return;
    kept_.emplace(position, state);
    if (kept_.size() <= most_) return;
    apart_ *= 2;
    std::erase_if(kept_, [this](const auto& entry) { return entry.first % apart_ != 0; });
  }

  Advance advance_;
  std::size_t most_;
  std::mutex mutex_;
  std::map<Index, State> kept_;
  Index apart_ = 1;
};

State start_of(const Parameters& parameters) {
  const Index dim = parameters.integer("dim");
  if (parameters.has("initial")) return values_of(parameters, "initial", {dim});
  State start(static_cast<std::size_t>(dim));
  const auto stream = random_stream(static_cast<std::uint64_t>(parameters.integer("seed")), 0);
  for (std::size_t c = 0; c < start.size(); ++c)  // Xavier uniform of a row
    start[c] =
        parameters.choice("dynamics") == "rotation"
            ? static_cast<double>(c % 2)
            : std::sqrt(6.0 / static_cast<double>(1 + dim)) * (2 * random_unit(stream, c) - 1);
  return start;
}

// p(t_{k+1}) = p(t_k) + ∫ h(τ, p(τ)) dτ (Liu et al. 2020, eq. 2).
Effect make(const Parameters& parameters, Index) {
  const std::string& dynamics = parameters.choice("dynamics");
  const Advance advance = dynamics == "rotation" ? rotation(parameters)
                          : dynamics == "mlp"    ? mlp(parameters)
                                                 : [](State&, Index) {};
  const auto trajectory = std::make_shared<Trajectory>(start_of(parameters), advance);
  Table table;
  table.width = parameters.integer("dim");
  table.rows = most_positions;
  table.solving = solving_of(parameters);
  table.beyond = "a recursion follows the positions one by one, from 0 and no further";
  table.fill = [trajectory](const PositionRange& positions, DType dtype, std::byte* out) {
    trajectory->follow(positions, [&](Index i, const State& state) {
      narrow(state, dtype, out + static_cast<std::size_t>(i) * state.size() * size_of(dtype));
    });
  };
  if (dynamics == "rotation" && !parameters.has("initial"))
    table.drift = [trajectory, waves = Waves(frequencies_of(parameters)), width = table.width](
                      const PositionRange& positions, double* out) {
      State exact(static_cast<std::size_t>(width));
      trajectory->follow(positions, [&](Index i, const State& state) {
        waves.fill(positions.slice(i, 1), {width, Place{0, 2}, Place{1, 2}}, DType::f64,
                   reinterpret_cast<std::byte*>(exact.data()));
        double square = 0;
        for (std::size_t c = 0; c < exact.size(); ++c)
          square += (state[c] - exact[c]) * (state[c] - exact[c]);
        out[i] = std::sqrt(square);
      });
    };
  return table;
}

// The solver's own arithmetic is double; what a float32 copy of it holds is one rounding more.
Drift drift(const Parameters&, const Effect&, const Reach&) {
  Drift drift(1, "what the encoding itself claims, 1e-9; and one rounding to the dump's type");
  drift.relative[0] = half_ulp_f32;
  drift.absolute[0] = 1e-9;
  return drift;
}

}  // namespace

extern constinit const Encoding floater{
    .name = "floater",
    .also = "ode neural-ode flow recursive 递归 递归式 循环 rnn 常微分方程",
    .summary =
        "a table that a differential equation or a recursion carries from position to position",
    .source = "Liu et al. 2020, arXiv:2003.09229, eq. 2; xuanqing94/FLOATER",
    .kind = Kind::table,
    .parameters = schema,
    .accuracy =
        "As good as the solver: the field drift is the distance from the exact solution where "
        "there is one; states are doubles.",
    .claims =
        "absolute:1e-9 pe; "
        "drawn:initial?dynamics=zero,initial?dynamics=mlp,weight1?dynamics=mlp,"
        "weight2?dynamics=mlp pe drift",
    .promises = "finite deterministic length-invariant order-sensitive",
    .example = "floater --solver rk4 --step 0.5 --length 512 --fields drift",
    .drift = &drift,
    .make = &make,
};

}  // namespace pe::encoding_rows
