// The whole run of positions for each pipeline: where it is worst, and where it first is off.
#include "pe/analyze/precision/precision_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include "pe/base/kept.hpp"
#include "pe/base/team.hpp"

namespace pe {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr Index block = 512;  // positions that a thread takes at a time

struct Extremes {
  double first = none;  // position that is off by more than the limit
  double past = none;   // position from which on entries are no numbers
  double worst = 0, at = none, squares = 0, angle = 0;

  void take(const PrecisionPoint& point, double position, double limit) {
    if (std::isnan(first) && !(point.worst <= limit)) first = position;
    if (std::isnan(past) && point.overflows > 0) past = position;
    if (!std::isnan(worst) && !(point.worst <= worst)) {
      worst = point.worst;
      at = position;
    }
    squares += point.rms * point.rms;
    if (!(point.angle <= angle)) angle = point.angle;
  }

  // What follows, later in the run.
  void join(const Extremes& next) {
    if (std::isnan(first)) first = next.first;
    if (std::isnan(past)) past = next.past;
    if (!std::isnan(worst) && !(next.worst <= worst)) {
      worst = next.worst;
      at = next.at;
    }
    squares += next.squares;
    if (!(next.angle <= angle)) angle = next.angle;
  }
};

class Scan {
 public:
  Scan(Kept<Question> question, Kept<PrecisionSubject> subject)
      : question_(question),
        subject_(subject),
        limit_(question_.options.number("error").value()),
        all_(subject_.pipelines.size()) {
    const std::vector<Pipeline>& pipelines = subject_.pipelines;
    for (std::size_t i = 0; i < pipelines.size(); ++i) {
      errors_.emplace_back(pipelines[i], subject_, question_);
      std::size_t same = 0;
      while (same < i &&
             !(subject_.turns && pipelines[same].stores_as(pipelines[i], question_.subject.dtype)))
        ++same;
      same_.push_back(same);
    }
  }

  // Blocks side by side, joined in the order of positions.
  std::vector<Extremes> over(const PositionRange& run) {
    const Index threads = std::max<Index>(
        1, question_.threads > 0 ? question_.threads : std::thread::hardware_concurrency());
    for (Index start = 0; start < run.count; start += block * threads) {
      question_.advance(static_cast<double>(start) / static_cast<double>(run.count));
      const Index left = run.count - start;
      const auto parts = static_cast<std::size_t>(std::min(threads, (left + block - 1) / block));
      std::vector<std::vector<Extremes>> found(parts, std::vector<Extremes>(all_.size()));
      side_by_side(parts, [&](std::size_t part) {
        const Index first = start + static_cast<Index>(part) * block;
        look_at(run.slice(first, std::min(block, run.count - first)), found[part]);
      });
      for (const std::vector<Extremes>& part : found)
        for (std::size_t i = 0; i < all_.size(); ++i) all_[i].join(part[i]);
    }
    for (std::size_t i = 0; i < all_.size(); ++i) all_[i] = all_[same_[i]];
    return all_;
  }

 private:
  void look_at(const PositionRange& run, std::vector<Extremes>& found) const {
    const Index width = subject_.turns ? 2 * subject_.turns->pairs : subject_.width;
    std::vector<double> exact(static_cast<std::size_t>(run.count * width));
    subject_.fill(run, exact.data());
    for (Index i = 0; i < run.count; ++i)
      for (std::size_t pipeline = 0; pipeline < found.size(); ++pipeline)
        if (same_[pipeline] == pipeline)
          found[pipeline].take(errors_[pipeline].of_row(run.slice(i, 1), exact.data() + i * width),
                               run.value(i), limit_);
  }

  const Question& question_;
  const PrecisionSubject& subject_;
  double limit_;
  std::vector<RowErrors> errors_;
  std::vector<std::size_t> same_;  // the first pipeline that stores the same
  std::vector<Extremes> all_;
};

std::string past_note(const PrecisionSubject& subject, const std::vector<Extremes>& all,
                      double limit, double last) {
  std::string early, never;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string& name = subject.pipelines[i].name;
    if (std::isnan(all[i].first))
      never += (never.empty() ? "" : ", ") + name;
    else
      early += fmt::format("{}{} at {}", early.empty() ? "" : ", ", name, all[i].first);
  }
  if (early.empty()) return fmt::format("no entry is off by more than {} up to {}", limit, last);
  return fmt::format("first off by more than {}: {}{}", limit, early,
                     never.empty() ? "" : "; never up to " + fmt::format("{}: {}", last, never));
}

}  // namespace

Sheet precision_summary(const Question& question, const PrecisionSubject& subject,
                        const PositionRange& run) {
  const std::vector<Extremes> all = Scan(question, subject).over(run);
  Sheet sheet;
  sheet.axes = {subject.axis()};
  const auto column = [&](std::string name, std::string description, Error error, auto value) {
    Column made{std::move(name), std::move(description), {}, error};
    for (std::size_t i = 0; i < all.size(); ++i)
      made.values.push_back(value(all[i], subject.pipelines[i]));
    sheet.columns.push_back(std::move(made));
  };
  const bool counted = subject.turns && subject.turns->on_a_line && run.step == 1 &&
                       run.decimals == 0 && run.first == 0;
  const std::int64_t last = run.at(run.count - 1);
  const bool angles = subject.turns.has_value();
  column("first", "first position with an entry off by more than --error", {},
         [](const Extremes& found, const Pipeline&) { return found.first; });
  column("worst", "largest error of an entry", subject.entry_error(),
         [](const Extremes& found, const Pipeline&) { return found.worst; });
  column("at", "position of the largest error", {},
         [](const Extremes& found, const Pipeline&) { return found.at; });
  column("rms", "root mean square error of all entries", subject.entry_error(),
         [&](const Extremes& found, const Pipeline&) {
           return std::sqrt(found.squares / static_cast<double>(run.count));
         });
  column("angle", "largest error of an angle, in radians", subject.angle_error(),
         [&](const Extremes& found, const Pipeline&) { return angles ? found.angle : none; });
  column("distinct", "different numbers that the positions become", {},
         [&](const Extremes&, const Pipeline& pipeline) {
           return counted ? distinct_positions(last, pipeline.positions) : none;
         });
  column("repeated", "first position that is the same number as an earlier one", {},
         [&](const Extremes&, const Pipeline& pipeline) {
           const double first = first_repeated(pipeline.positions);
           return counted && first <= static_cast<double>(last) ? first : none;
         });
  sheet.notes = {past_note(subject, all, question.options.number("error").value(),
                           std::max(run.value(0), run.value(run.count - 1)))};
  std::vector<double> pasts;
  for (const Extremes& found : all) pasts.push_back(found.past);
  if (std::string past = overflow_note(subject, pasts); !past.empty())
    sheet.notes.push_back(std::move(past));
  return sheet;
}

}  // namespace pe
