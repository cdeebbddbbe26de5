// floater: a table that a differential equation, or a plain recursion, carries from one position to
// the next.
#include <fmt/format.h>

#include <boost/numeric/odeint.hpp>
#include <cmath>
#include <functional>
#include <map>
#include <mutex>

#include "pe/base/budget.hpp"
#include "pe/base/clones.hpp"
#include "pe/base/error.hpp"
#include "pe/base/narrow.hpp"
#include "pe/base/whole.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/model/frequencies.hpp"
#include "pe/model/random.hpp"

namespace pe::encoding_rows {
namespace {

namespace odeint = boost::numeric::odeint;
using State = std::vector<double>;

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
    {.name = "base",
     .type = Parameter::Type::number,
     .help = "of rotation's frequencies",
     .fallback = "10000",
     .lowest = "1e-60",
     .highest = "1e60",
     .alias = "theta"},
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

// A tensor as doubles, of the given shape.
State values_of(const Parameters& parameters, const char* name, const std::vector<Index>& shape) {
  const Array& array = parameters.tensor(name);
  Index size = 1;
  for (const Index extent : shape) size *= extent;
  if (array.size() != size || (shape.size() > 1 && array.shape() != shape))
    throw UsageError(fmt::format("--{} must be {}, got {} in {}", name, spell_shape(shape),
                                 spell_shape(array.shape()), parameters.spell(name)));
  State values(static_cast<std::size_t>(size));
  array.read(0, size, values.data());
  return values;
}

// Linear_t · ReLU · Linear_t: both layers see t as an extra input in front (xuanqing94/FLOATER
// flow_transformer.py, flow_func_linear).
struct Layer {
  std::size_t in = 0, out = 0;
  State weight, bias;  // [out, 1 + in]

  void apply(double t, const State& x, State& y, bool rectify) const {
    y.resize(out);
    for (std::size_t row = 0; row < out; ++row) {
      const double* w = &weight[row * (in + 1)];
      double sum = bias[row] + w[0] * t;
      for (std::size_t c = 0; c < in; ++c) sum += w[c + 1] * x[c];
      y[row] = rectify ? std::max(sum, 0.0) : sum;
    }
  }
};

// Given, or drawn as torch.nn.init.xavier_normal_ with zero biases.
Layer layer_of(const Parameters& parameters, int number, Index in, Index out) {
  const std::string weight = fmt::format("weight{}", number), bias = fmt::format("bias{}", number);
  Layer layer{static_cast<std::size_t>(in),
              static_cast<std::size_t>(out),
              {},
              State(static_cast<std::size_t>(out))};
  if (parameters.has(weight)) {
    layer.weight = values_of(parameters, weight.c_str(), {out, in + 1});
  } else {
    const auto stream = random_stream(static_cast<std::uint64_t>(parameters.integer("seed")),
                                      static_cast<std::uint64_t>(number));
    for (Index i = 0; i < out * (in + 1); ++i)
      layer.weight.push_back(std::sqrt(2.0 / static_cast<double>(in + 1 + out)) *
                             random_normal(stream, static_cast<std::uint64_t>(i)));
  }
  if (parameters.has(bias)) layer.bias = values_of(parameters, bias.c_str(), {out});
  return layer;
}

// p(k) → p(k+1).
using Advance = std::function<void(State&, Index k)>;
using Slope = std::function<void(const State&, State&, double t)>;

// Of a step's error, in several chains: a maximum is the same in any order.
struct Algebra : odeint::range_algebra {
  template <typename Values>
  static double norm_inf(const Values& values) {
    double most[8] = {};
    std::size_t i = 0;
    for (; i + 8 <= values.size(); i += 8)
      for (std::size_t lane = 0; lane < 8; ++lane)
        most[lane] = std::max(most[lane], std::fabs(values[i + lane]));
    for (; i < values.size(); ++i) most[0] = std::max(most[0], std::fabs(values[i]));
    return *std::max_element(most, most + 8);
  }
};

// d/dt (sin, cos) of each pair.
struct Turning {
  State rate;

  void operator()(const State& p, State& dp, double) const {
    const double *const from = p.data(), *const rates = rate.data();
    double* const to = dp.data();
#pragma GCC ivdep
    for (std::size_t j = 0; j < rate.size(); ++j) {
      to[2 * j] = rates[j] * from[2 * j + 1];
      to[2 * j + 1] = -rates[j] * from[2 * j];
    }
  }
};

struct Adaptive {
  double tolerance, interval, step;

  template <typename Of>
  void advance(const Of& slope, State& p, double start) const {
    using Stepper = odeint::runge_kutta_dopri5<State, double, State, double, Algebra>;
    odeint::integrate_adaptive(odeint::make_controlled<Stepper>(tolerance, tolerance),
                               std::cref(slope), p, start, start + interval, step * interval);
  }
};

PE_FLAT_CLONES void advance(const Adaptive& solver, const Slope& slope, State& p, double start) {
  solver.advance(slope, p, start);
}
PE_FLAT_CLONES void advance(const Adaptive& solver, const Turning& slope, State& p, double start) {
  solver.advance(slope, p, start);
}

// The clock is looked at once in so many steps, of some microseconds each.
constexpr Index steps_between_looks = 256;

// One position further by a solver that starts afresh there, so that a row depends on the row
// before and on nothing else.
template <typename Of>
Advance solved(const Parameters& parameters, const Of& slope) {
  const std::string& solver = parameters.choice("solver");
  const double interval = parameters.number("interval").value(),
               step = parameters.number("step").value();
  const auto steps = saturated<Index>(std::ceil(1 / step - 1e-9));
  const auto fixed = [=](auto stepper) -> Advance {
    return [=](State& p, Index k) {
      auto own = stepper;  // it holds scratch space, and threads run at once
      for (Index i = 0; i < steps; ++i) {
        if (i % steps_between_looks == 0) ask_time();
        own.do_step(std::cref(slope), p,
                    (static_cast<double>(k) + static_cast<double>(i) / static_cast<double>(steps)) *
                        interval,
                    interval / static_cast<double>(steps));
      }
    };
  };
  if (solver == "rk4") return fixed(odeint::runge_kutta4<State>());
  if (solver == "euler") return fixed(odeint::euler<State>());
  const Adaptive adaptive{parameters.number("tolerance").value(), interval, step};
  return [=](State& p, Index k) {
    ask_time();
    advance(adaptive, slope, p, static_cast<double>(k) * interval);
  };
}

std::vector<Real> frequencies_of(const Parameters& parameters) {
  const Index dim = parameters.integer("dim");
  if (dim % 2 != 0)
    throw UsageError(
        fmt::format("--dim must be even for --dynamics rotation, got {}", parameters.spell("dim")));
  return geometric_ladder(parameters.number("base").real(), dim, dim / 2).frequencies;
}

// d/dt (sin, cos) = (θ cos, −θ sin) with θ = frequency/interval: p(k) = (sin kθ_0, cos kθ_0, …). As
// a recursion, one turn by θ.
Advance rotation(const Parameters& parameters) {
  const auto frequencies = frequencies_of(parameters);
  const double interval = parameters.number("interval").value();
  State rate, cosine, sine;
  for (const Real& frequency : frequencies) {
    rate.push_back(to_double(frequency) / interval);
    cosine.push_back(to_double(cos(frequency)));
    sine.push_back(to_double(sin(frequency)));
  }
  if (parameters.choice("solver") == "recursion")
    return [cosine, sine](State& p, Index) {
      for (std::size_t j = 0; j < cosine.size(); ++j) {
        const double s = p[2 * j], c = p[2 * j + 1];
        p[2 * j] = s * cosine[j] + c * sine[j];
        p[2 * j + 1] = c * cosine[j] - s * sine[j];
      }
    };
  return solved(parameters, Turning{rate});
}

Index hidden_of(const Parameters& parameters) {
  if (parameters.has("weight1") && parameters.tensor("weight1").rank() == 2)
    return parameters.tensor("weight1").shape()[0];
  return parameters.integer("hidden");
}

Advance mlp(const Parameters& parameters) {
  const Index dim = parameters.integer("dim"), hidden = hidden_of(parameters);
  const Layer first = layer_of(parameters, 1, dim, hidden),
              second = layer_of(parameters, 2, hidden, dim);
  const Slope slope = [first, second](const State& p, State& dp, double t) {
    ask_time();  // an adaptive solver may ask for any number of slopes
    State between;
    first.apply(t, p, between, true);
    second.apply(t, between, dp, false);
  };
  if (parameters.choice("solver") != "recursion") return solved(parameters, slope);
  return [slope, interval = parameters.number("interval").value()](State& p, Index k) {
    State next;
    slope(p, next, static_cast<double>(k) * interval);
    p = next;
  };
}

// Two layers of dim·hidden products, or a turn of each pair; some 100 to 300 more for the call.
SlopeWork solving_of(const Parameters& parameters) {
  const bool layers = parameters.choice("dynamics") == "mlp";
  const auto dim = static_cast<double>(parameters.integer("dim"));
  const double steps = std::ceil(1 / parameters.number("step").value() - 1e-9);
  return {.slopes = slopes_of(parameters.choice("solver"), steps),
          .operations =
              layers ? 300 + 2 * dim * static_cast<double>(hidden_of(parameters)) : 100 + 2 * dim,
          .smaller = layers ? "a smaller --hidden or --dim" : "a smaller --dim"};
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
    .also = "ode neural-ode flow recursive",
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
