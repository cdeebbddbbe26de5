// Rows by the encoding itself with its solver told otherwise; solutions by exact turns.
#include "pe/analyze/drift/trajectories.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pe/analyze/pipeline.hpp"
#include "pe/base/error.hpp"
#include "pe/model/frequencies.hpp"

namespace pe {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr double endless = std::numeric_limits<double>::infinity();
constexpr Index most_steps = 1'000'000;
constexpr Index block = 1024;  // positions at a time

bool turns(const Question& question) {
  return question.subject.parameters.choice("dynamics") == "rotation";
}

SolverSteps parse_solver(const std::string& text) {
  if (text == "dopri5" || text == "recursion") return {text, text, 0};
  if (text == "recursion float32") return {text, "", 0};
  const std::size_t slash = text.find('/');
  const std::string solver = text.substr(0, slash);
  const bool fixed = solver == "rk4" || solver == "euler";
  Index steps = 0;
  if (fixed && slash != std::string::npos && slash + 1 < text.size() && text.size() - slash <= 8)
    for (const char digit : text.substr(slash + 1))
      steps = digit < '0' || digit > '9' ? most_steps + 1
                                         : std::min(10 * steps + (digit - '0'), most_steps + 1);
  if (steps < 1 || steps > most_steps)
    throw UsageError(fmt::format(
        "--solvers: '{}' is none of euler/N, rk4/N (N steps a position, 1 to {}), dopri5, "
        "recursion, 'recursion float32'",
        text, most_steps));
  return {text, solver, steps};
}

// The solver that the encoding is told by hand.
std::string told(const Question& question) {
  const Parameters& parameters = question.subject.parameters;
  const auto by_hand = [&](const char* name) {
    return parameters.origin(name).starts_with("flag ");
  };
  if (!by_hand("solver") && !by_hand("step")) return {};
  const std::string& solver = parameters.choice("solver");
  if (solver != "rk4" && solver != "euler") return solver;
  const double steps = std::ceil(1 / parameters.number("step").value() - 1e-9);
  return fmt::format("{}/{}", solver, static_cast<Index>(steps));
}

// Rows of a run that follows the one before.
using Rows = std::function<void(const PositionRange&, double*)>;

Rows rows_of(const Subject& subject, Given changes) {
  const std::optional<Subject> changed = with_changes(subject, changes);
  if (!changed) throw UsageError("the encoding refuses to be told another solver");
  return [table = std::get<Table>(changed->effect)](const PositionRange& run, double* out) {
    table.fill(run, DType::f64, reinterpret_cast<std::byte*>(out));
  };
}

std::vector<Real> ladder_of(const Subject& subject) {
  const Index dim = subject.parameters.integer("dim");
  return geometric_ladder(subject.parameters.number("base").real(), dim, dim / 2).frequencies;
}

std::vector<double> start_of(const Subject& subject) {
  const auto& table = std::get<Table>(subject.effect);
  std::vector<double> start(static_cast<std::size_t>(table.width));
  table.fill(first_positions(1), DType::f64, reinterpret_cast<std::byte*>(start.data()));
  return start;
}

// One turn a position in float32, products and sums rounded each.
Rows single_recursion(const Subject& subject) {
  const std::vector<double> start = start_of(subject);
  std::vector<float> cosine, sine;
  for (const Real& frequency : ladder_of(subject)) {
    cosine.push_back(static_cast<float>(to_double(cos(frequency))));
    sine.push_back(static_cast<float>(to_double(sin(frequency))));
  }
  return [=, state = std::vector<float>(start.begin(), start.end())](const PositionRange& run,
                                                                     double* out) mutable {
    for (Index i = 0; i < run.count; ++i) {
      out = std::ranges::copy(state, out).out;
      for (std::size_t j = 0; j < cosine.size(); ++j) {
        const float x = state[2 * j], y = state[2 * j + 1];
        state[2 * j] = x * cosine[j] + y * sine[j];
        state[2 * j + 1] = y * cosine[j] - x * sine[j];
      }
    }
  };
}

Rows solver_rows(const Question& question, const SolverSteps& solver) {
  if (solver.solver.empty()) {
    if (!turns(question))
      throw UsageError("--solvers: 'recursion float32' is of --dynamics rotation");
    return single_recursion(question.subject);
  }
  Given changes{{"solver", {solver.solver, "analysis"}}};
  if (solver.steps > 0)
    changes["step"] = {fmt::format("{:.17f}", 1 / static_cast<double>(solver.steps)), "analysis"};
  return rows_of(question.subject, changes);
}

// (s, c) turned by pθ from where it starts: s cos + c sin, c cos − s sin.
Rows turned(const Subject& subject) {
  return [start = start_of(subject), waves = Waves(ladder_of(subject))](const PositionRange& run,
                                                                        double* out) {
    const auto pairs = static_cast<std::size_t>(waves.pairs());
    waves.fill(run, {2 * waves.pairs(), Place{0, 2}, Place{1, 2}}, DType::f64,
               reinterpret_cast<std::byte*>(out));
    for (std::size_t i = 0; i < static_cast<std::size_t>(run.count) * pairs; ++i, out += 2) {
      const double sine = out[0], cosine = out[1], s = start[2 * (i % pairs)],
                   c = start[2 * (i % pairs) + 1];
      out[0] = s * cosine + c * sine;
      out[1] = c * cosine - s * sine;
    }
  };
}

Rows solution(const Question& question) {
  if (turns(question)) return turned(question.subject);
  return rows_of(question.subject,
                 {{"solver", {"dopri5", "analysis"}}, {"tolerance", {"1e-14", "analysis"}}});
}

double norm_of(const double* row, std::size_t width) {
  double square = 0;
  for (std::size_t c = 0; c < width; ++c) square += row[c] * row[c];
  return std::sqrt(square);
}

// The length of the longest pair, or the largest number.
double longest(const double* row, std::size_t width, bool pairs) {
  double length = 0;
  for (std::size_t c = 0; c < width; c += pairs ? 2 : 1)
    length = std::max(length, pairs ? std::hypot(row[c], row[c + 1]) : std::fabs(row[c]));
  return length;
}

DriftPoint compare(const double* row, const double* meant, std::size_t width, bool pairs) {
  DriftPoint point;
  std::vector<double> off(width);
  for (std::size_t c = 0; c < width; ++c) off[c] = row[c] - meant[c];
  point.distance = norm_of(off.data(), width);
  point.norm = norm_of(row, width) / norm_of(meant, width);
  if (!std::isfinite(point.distance)) {  // euler's norm grows beyond every double
    point.error = point.distance = point.norm = point.fastest = endless;
    return point;
  }
  point.error = longest(off.data(), width, pairs);
  return point;
}

}  // namespace

std::vector<SolverSteps> solvers_of(const Question& question) {
  std::string names = told(question);
  if (!names.empty()) names += ",";
  names += "euler/1,euler/10,rk4/1,rk4/2,rk4/5,rk4/10,dopri5";
  if (turns(question)) names += ",recursion,recursion float32";
  if (question.options.has("solvers")) names = question.options.choice("solvers");
  std::vector<SolverSteps> solvers;
  for (const std::string& name : parts_of(names, ',')) {
    SolverSteps solver = parse_solver(name);
    if (solver.solver == "recursion" && !turns(question) &&
        question.subject.parameters.choice("solver") != "recursion")
      throw UsageError(
          "--solvers: recursion of other --dynamics than rotation follows another law than the "
          "differential equation");
    if (std::ranges::find(solvers, solver.name, &SolverSteps::name) == solvers.end())
      solvers.push_back(std::move(solver));
  }
  return solvers;
}

namespace {

// A step of rk4 rounds some 22 times, each by 2^-53 of the pair, and its rate, interval and step
// once each; what other solvers do is what doubles came to, held against solutions of two products.
class Followed {
 public:
  Followed(const Question& question, SolverSteps solver)
      : rows_(solver_rows(question, solver)),
        solver_(std::move(solver)),
        width_(static_cast<std::size_t>(question.subject.parameters.integer("dim"))),
        pairs_(turns(question)) {}

  void take(const PositionRange& run, const std::vector<double>& meant) {
    std::vector<double> here(meant.size());
    rows_(run, here.data());
    for (Index i = 0; i < run.count; ++i) {
      const std::size_t start = static_cast<std::size_t>(i) * width_;
      const double* row = here.data() + start;
      DriftPoint point = compare(row, meant.data() + start, width_, pairs_);
      worst_ = std::max(worst_, point.error);
      point.worst = worst_;
      const double fastest = norm_of(row, std::min<std::size_t>(width_, 2));
      if (points.empty()) start_ = fastest;
      point.fastest = pairs_ ? fastest / start_ : none;
      largest_ = std::max(largest_, longest(row, width_, pairs_));
      const double steps = static_cast<double>(solver_.steps) * run.value(i);
      point.uncertain.absolute = (40 * steps + 4) * 0x1p-53 * largest_;
      points.push_back(point);
    }
  }

  std::vector<DriftPoint> points;

 private:
  Rows rows_;
  SolverSteps solver_;
  std::size_t width_;
  bool pairs_;
  double worst_ = 0, largest_ = 1, start_ = 0;
};

// A solution at 1e-14 takes twice the slopes of one at 1e-12.
void begin_following(const Question& question, const std::vector<SolverSteps>& solvers,
                     double last) {
  SlopeWork all = *std::get<Table>(question.subject.effect).solving;
  all.slopes = turns(question) ? 1 : 2 * slopes_of("dopri5", 0);
  for (const SolverSteps& solver : solvers)
    all.slopes += slopes_of(solver.solver, static_cast<double>(solver.steps));
  all.smaller += ", fewer --solvers";
  begin(work_of(all, last));
}

}  // namespace

std::vector<std::vector<DriftPoint>> follow(const Question& question,
                                            const std::vector<SolverSteps>& solvers,
                                            std::int64_t last) {
  begin_following(question, solvers, static_cast<double>(last));
  const Rows meant = solution(question);
  std::vector<Followed> all;
  for (const SolverSteps& solver : solvers) all.emplace_back(question, solver);
  const auto width = static_cast<std::size_t>(question.subject.parameters.integer("dim"));
  for (std::int64_t first = 0; first <= last; first += block) {
    const PositionRange run{first, 1, std::min<Index>(block, last + 1 - first), 0};
    std::vector<double> there(static_cast<std::size_t>(run.count) * width);
    meant(run, there.data());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double solved = static_cast<double>(i) / static_cast<double>(all.size());
      question.advance((static_cast<double>(first) + solved * static_cast<double>(run.count)) /
                       static_cast<double>(last + 1));
      all[i].take(run, there);
    }
  }
  std::vector<std::vector<DriftPoint>> found;
  for (Followed& followed : all) found.push_back(std::move(followed.points));
  return found;
}

}  // namespace pe
