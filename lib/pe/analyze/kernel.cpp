// kernel: whether a bias is conditionally positive definite, from the eigenvalues of its matrix
// with constants taken out.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/analyze/prepared.hpp"
#include "pe/analyze/work.hpp"
#include "pe/base/budget.hpp"
#include "pe/base/error.hpp"
#include "pe/base/matrix.hpp"

namespace pe::quantity_rows {
namespace {

constexpr Parameter options[] = {
    {.name = "view",
     .type = Parameter::Type::choice,
     .help = "summary: a row for each head; eigenvalues: all of them (default: summary)",
     .choices = "summary eigenvalues"},
    {.name = "half",
     .type = Parameter::Type::choice,
     .help = "of a bias that knows before from after, the half that stands for both: keys before "
             "the query, keys after it, or the mean of the two",
     .fallback = "before",
     .choices = "before after mean"},
    {.name = "exponent",
     .type = Parameter::Type::number,
     .help = "p: the kernel is −|B|^p in place of B; KERPLE's theorem holds up to 2 for a bias "
             "linear in the distance",
     .lowest = "1e-3",
     .highest = "100"},
    {.name = "seed",
     .help = "of the numbers that are trained and not given",
     .fallback = "0",
     .lowest = "0",
     .highest = "9223372036854775807"},
};

constexpr double most_numbers = 0x1p26;  // of a matrix, of which there are three: 1.5 GiB

struct Kernel {
  Matrix matrix;
  double largest = 0;  // of its numbers
};

void check_size(Index heads, Index n) {
  const auto size = static_cast<double>(n);
  if (n < 2) throw UsageError("kernel needs two positions: give --length 2 or more");
  if (size * size > most_numbers)
    throw UsageError(
        fmt::format("a matrix of {} x {} takes {:.3g} GiB: give --length {:.0f} or less", n, n,
                    size * size / 0x1p27, std::sqrt(most_numbers)));
  begin({.what = fmt::format("eigenvalues of {} heads x {} positions", heads, n),
         .operations = static_cast<double>(heads) * size * size * (size + 200),
         .per_second = 3e9,
         .levers = {{"length", size, 3}, {"heads", static_cast<double>(heads)}}});
}

// K(i, j) = K(j, i), i the query: the half that is asked for.
Kernel kernel_of(const Bias& bias, Index head, const PositionRange& positions,
                 const std::string& half) {
  const Index n = positions.count;
  std::vector<double> whole(static_cast<std::size_t>(n * n));
  for (Index i = 0; i < n; ++i) {
    ask_time();
    bias.fill(head, positions.at(i), positions, DType::f64,
              reinterpret_cast<std::byte*>(whole.data() + i * n));
  }
  Kernel kernel{Matrix(static_cast<std::size_t>(n), static_cast<std::size_t>(n)), 0};
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) {
      const double before = whole[static_cast<std::size_t>(i * n + j)],
                   after = whole[static_cast<std::size_t>(j * n + i)];
      const double value = half == "before"  ? before
                           : half == "after" ? after
                                             : before / 2 + after / 2;
      if (!std::isfinite(value))
        throw UsageError(fmt::format("this bias masks keys: --half {} has no numbers", half));
      const auto row = static_cast<std::size_t>(i), column = static_cast<std::size_t>(j);
      kernel.matrix(row, column) = kernel.matrix(column, row) = value;
      kernel.largest = std::max(kernel.largest, std::fabs(value));
    }
  return kernel;
}

void raise(Kernel& kernel, double exponent) {
  const std::size_t n = kernel.matrix.rows();
  for (std::size_t i = 0; i < n * n; ++i) {
    double& value = kernel.matrix.data()[i];
    value = -std::pow(std::fabs(value), exponent);
  }
  kernel.largest = std::pow(kernel.largest, exponent);
}

// PKP without its first row and column, P the reflection 1 − 2uuᵀ that takes (1, …, 1) to the first
// axis: the form of K on vectors whose sum is zero. HKH, H = 1 − 11ᵀ/n, has the same eigenvalues
// and one that is 0.
Matrix without_constants(const Matrix& k) {
  const std::size_t n = k.rows();
  std::vector<double> u(n, 1.0), ku(n, 0.0);
  u[0] += std::sqrt(static_cast<double>(n));
  double norm = 0, uku = 0;
  for (const double value : u) norm += value * value;
  for (double& value : u) value /= std::sqrt(norm);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) ku[i] += k(i, j) * u[j];
    uku += u[i] * ku[i];
  }
  Matrix rest(n - 1, n - 1);
  for (std::size_t i = 1; i < n; ++i)
    for (std::size_t j = 1; j < n; ++j)
      rest(i - 1, j - 1) = k(i, j) - 2 * (u[i] * ku[j] + ku[i] * u[j]) + 4 * uku * u[i] * u[j];
  return rest;
}

struct Spectrum {
  std::vector<double> values;  // falling
  double error = 0;
};

// ‖K‖ is at most n times the largest number. A reflection on either side costs at most 5n roundings
// of it (Higham 2002, Lemma 19.2), the
// eigenvalues n more (matrix.hpp); entries that are off by ε each move an eigenvalue by n·ε at most
// (Weyl's inequality), twice that where p raises them.
Spectrum spectrum_of(const Question& question, const Subject& subject, const Bias& bias,
                     Index head) {
  const Parameters& told = question.options;
  const PositionRange& positions = subject.span.positions;
  Kernel kernel = kernel_of(bias, head, positions, told.choice("half"));
  const auto n = static_cast<double>(positions.count);
  const double farthest =
      std::max(std::fabs(positions.value(0)), std::fabs(positions.value(positions.count - 1)));
  double entry = question.of_file ? 0 : bias_error(subject, bias, kernel.largest, farthest);
  if (told.has("exponent")) {
    const double p = told.number("exponent").value(), before = kernel.largest;
    raise(kernel, p);
    // |x|^p moves by p·|x|^(p−1)·ε for p ≥ 1, and by ε^p at most below.
    entry = (p < 1 ? std::pow(entry, p) : 2 * p * entry * std::pow(before, p - 1)) +
            0x1p-51 * kernel.largest;
  }
  Spectrum spectrum{{}, 6 * n * 0x1p-52 * n * kernel.largest + n * entry};
  if (!std::isfinite(spectrum.error))
    throw MathError("the kernel is larger than a double can be: give a smaller --exponent");
  spectrum.values = symmetric_eigenvalues(without_constants(kernel.matrix));
  std::ranges::reverse(spectrum.values);
  return spectrum;
}

std::string verdict_of(const Spectrum& spectrum) {
  const double least = spectrum.values.back();
  return least > spectrum.error ? "yes" : least < -spectrum.error ? "no" : "at zero";
}

std::string note_of(const std::vector<Spectrum>& heads) {
  constexpr std::pair<const char*, const char*> meanings[] = {
      {"yes", "conditionally positive definite on these positions"},
      {"at zero", "no eigenvalue below 0 beyond rounding, the least one not told from 0"},
      {"no", "not conditionally positive definite"}};
  std::vector<std::string> parts;
  for (const auto& [verdict, meaning] : meanings) {
    std::vector<std::size_t> which;
    for (std::size_t head = 0; head < heads.size(); ++head)
      if (verdict_of(heads[head]) == verdict) which.push_back(head);
    if (!which.empty())
      parts.push_back(fmt::format("head {}: {}", fmt::join(which, ", "), meaning));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

Sheet summary(const std::vector<Spectrum>& heads, const Error& error) {
  Column least{"min", "smallest eigenvalue on vectors whose sum is zero", {}, error},
      most{"max", "largest one", {}, error},
      below{"negative", "eigenvalues below 0 beyond their error", {}, {}},
      bound{"error", "what an eigenvalue may be off by", {}, {.relative = 1e-2}};
  std::vector<std::string> verdicts;
  for (const Spectrum& spectrum : heads) {
    least.values.push_back(spectrum.values.back());
    most.values.push_back(spectrum.values.front());
    below.values.push_back(static_cast<double>(std::ranges::count_if(
        spectrum.values, [&](double value) { return value < -spectrum.error; })));
    bound.values.push_back(spectrum.error);
    verdicts.push_back(verdict_of(spectrum));
  }
  return {
      .axes = {counted_axis("head", static_cast<Index>(heads.size()), "attention head")},
      .columns = {least, most, below,
                  Column::of_words("cpd",
                                   "conditionally positive definite: yes, no, or at zero, where "
                                   "rounding hides on which side the least one lies",
                                   verdicts),
                  bound}};
}

Sheet measure(const Question& question) {
  const Prepared prepared =
      question.of_file
          ? Prepared{question.subject, ""}
          : with_numbers(question.subject, std::to_string(question.options.integer("seed")));
  Subject subject = prepared.subject;
  subject.span.positions = rising(subject.span.positions);
  const auto bias = std::get<Bias>(stored_as(subject.effect, subject.dtype));
  check_rows(bias, subject.span.positions);
  check_size(bias.heads, subject.span.positions.count);
  std::vector<Spectrum> heads;
  Error error;
  for (Index head = 0; head < bias.heads; ++head) {
    question.advance(static_cast<double>(head) / static_cast<double>(bias.heads));
    heads.push_back(spectrum_of(question, subject, bias, head));
    error.absolute = std::max(error.absolute, heads.back().error);
  }
  Sheet sheet;
  if (!question.options.has("view")) question.decide("view", "summary");
  if (question.options.has("view") && question.options.choice("view") == "eigenvalues") {
    Column values{"eigenvalue", "on vectors whose sum is zero, falling", {}, error};
    for (const Spectrum& spectrum : heads)
      values.values.insert(values.values.end(), spectrum.values.begin(), spectrum.values.end());
    sheet.axes = {counted_axis("head", bias.heads, "attention head"),
                  counted_axis("index", subject.span.positions.count - 1, "from the largest on")};
    sheet.columns = {values};
  } else {
    sheet = summary(heads, error);
  }
  sheet.notes = {note_of(heads)};
  if (!prepared.note.empty()) sheet.notes.push_back(prepared.note);
  return sheet;
}

}  // namespace

extern constinit const Quantity kernel{
    .name = "kernel",
    .also = "eigenvalues 核 特征值",
    .summary =
        "eigenvalues of a bias with constants taken out: conditionally positive definite or "
        "not, head by head",
    .definition =
        "K(i, j) = B(|i − j|), of keys before the query where both sides differ; "
        "conditionally positive definite: vᵀKv ≥ 0 for all v with Σv = 0, that is no "
        "eigenvalue of HKH below 0, H = 1 − 11ᵀ/n",
    .source = "Chi et al. 2022, arXiv:2205.09921 (KERPLE), §3 and Corollary 1; Schoenberg 1938",
    .accuracy =
        "an eigenvalue is known to 6n²·2^-52 of the largest bias and n times what a bias is off "
        "by, the "
        "column error; no digit beyond is printed.",
    .columns = "summary: min max negative cpd error | eigenvalues: eigenvalue",
    .subjects = "bias",
    .parameters = options,
    .example = "kerple --kernel power --r1 1 --r2 1 --exponent 2.2 --heads 1",
    .usual_length = 200,
    .files = true,
    .measure = &measure,
};

}  // namespace pe::quantity_rows
