// Solvers of differential equations, and the right-hand sides that floater has.
#include "pe/encodings/floater_dynamics.hpp"

#include <fmt/format.h>

#include <boost/numeric/odeint.hpp>
#include <cmath>

#include "pe/base/budget.hpp"
#include "pe/base/clones.hpp"
#include "pe/base/error.hpp"
#include "pe/base/narrow.hpp"
#include "pe/base/whole.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/model/frequencies.hpp"
#include "pe/model/random.hpp"

namespace pe::floater_dynamics {
namespace {

namespace odeint = boost::numeric::odeint;

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
#ifndef __clang__  // which does not know it
#pragma GCC ivdep
#endif
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

}  // namespace

std::vector<Real> frequencies_of(const Parameters& parameters) {
  const Index dim = parameters.integer("dim");
  if (dim % 2 != 0)
    throw UsageError(
        fmt::format("--dim must be even for --dynamics rotation, got {}", parameters.spell("dim")));
  return geometric_ladder(parameters.number("base").real(), dim, dim / 2).frequencies;
}

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

}  // namespace pe::floater_dynamics
