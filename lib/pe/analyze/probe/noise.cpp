// Tables of noise, several at a time.
#include "pe/analyze/probe/noise.hpp"

#include <algorithm>
#include <cmath>
#include <thread>

#include "pe/base/team.hpp"
#include "pe/model/random.hpp"

namespace pe {
namespace {

Matrix noise(Index rows, Index width, std::uint64_t seed) {
  Matrix matrix(static_cast<std::size_t>(rows), static_cast<std::size_t>(width));
  for (Index i = 0; i < rows * width; ++i)
    matrix.data()[i] = random_normal(seed, static_cast<std::uint64_t>(i));
  return matrix;
}

}  // namespace

std::vector<std::vector<double>> noise_answers(const Question& question, Index rows, Index width,
                                               const Asked& asked) {
  const Index draws = question.options.integer("draws");
  const auto seed = static_cast<std::uint64_t>(question.options.integer("seed"));
  std::vector<std::vector<double>> answers(static_cast<std::size_t>(draws));
  const Index team = std::max<Index>(
      1, question.threads > 0 ? question.threads : std::thread::hardware_concurrency());
  for (Index first = 0; first < draws; first += team) {
    question.advance(static_cast<double>(first + 1) / static_cast<double>(draws + 1));
    const auto count = static_cast<std::size_t>(std::min(team, draws - first));
    side_by_side(count, [&](std::size_t i) {
      const std::size_t draw = static_cast<std::size_t>(first) + i;
      answers[draw] = asked(TableStatistics(noise(rows, width, random_stream(seed, draw))));
    });
  }
  return answers;
}

Null null_of(const std::vector<std::vector<double>>& answers, std::size_t index) {
  Null null;
  const auto count = static_cast<double>(answers.size());
  for (const auto& answer : answers) null.mean += answer[index] / count;
  for (const auto& answer : answers) {
    const double off = answer[index] - null.mean;
    null.deviation += off * off / (count - 1);
  }
  null.deviation = std::sqrt(null.deviation);
  return null;
}

}  // namespace pe
