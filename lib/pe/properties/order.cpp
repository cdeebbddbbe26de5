// order-sensitive: attention tells 我爱你 from 你爱我 only when positions are encoded.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/apply/scores.hpp"
#include "pe/properties/laws.hpp"

namespace pe::laws {
namespace {

constexpr Index most_tokens = 8;
constexpr double u = 0x1p-53;

// What the last token takes from the others, for every head: its row of attention · content.
std::vector<double> last_output(const Effect& effect, const Content& tokens,
                                const Attention& attention, Index last) {
  const auto content = std::make_shared<const Content>(tokens);
  const auto scores = std::make_shared<const Scores>(effect, content, content, attention);
  const Outputs outputs(scores, effect, content, attention);
  std::vector<double> out(static_cast<std::size_t>(tokens.heads * tokens.channels));
  for (Index h = 0; h < tokens.heads; ++h)
    outputs.fill(0, h, std::span(&last, 1), out.data() + h * tokens.channels);
  return out;
}

Content swapped(Content tokens, Index a, Index b) {
  for (Index h = 0; h < tokens.heads; ++h)
    std::swap_ranges(tokens.row(0, h, a), tokens.row(0, h, a) + tokens.channels,
                     tokens.row(0, h, b));
  return tokens;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::fabs(a[i] - b[i]));
  return largest;
}

}  // namespace

// Tokens are drawn, the token at the latest position asks, and two others change places. A logit of
// n channels is within (n + 24)u of the sum Λ of its terms' norms (24: a cosine, xPos' factor and a
// product on both sides, the scale, a bias), so a weight is within 2(n + 24)uΛ + (L + 4)u of
// itself, and the output, whose weights sum to one, within that and L + 2 roundings more of the
// largest value V; two runs differ by twice that where nothing tells the order. A change beyond it
// was seen.
Measurement order_sensitive(const Case& subject) {
  if (const Bias* bias = std::get_if<Bias>(&subject.effect); bias && !bias->fill)
    return not_told("the bias is trained and its numbers were not given");
  const Relative* relative = std::get_if<Relative>(&subject.effect);
  if (relative && (relative->terms.empty() || relative->channels == 0))
    return not_told("the vectors are trained and were not given");
  PositionRange all = subject.positions;
  if (const Table* table = std::get_if<Table>(&subject.effect)) all = existing(*table, all);
  if (const Bias* bias = std::get_if<Bias>(&subject.effect)) all = existing(*bias, all);
  const PositionRange positions = all.slice(0, std::min(most_tokens, all.count));
  if (positions.count < 3) return not_told("it takes three tokens to see two of them swapped");

  const auto [heads, channels] = content_shape(subject.effect, 16);
  const Content tokens =
      random_content("x", {1, heads, positions.count, channels}, "bhsd", 0, DType::f64);
  const Index last = positions.step > 0 ? positions.count - 1 : 0;
  Attention attention{.queries = positions,
                      .keys = positions,
                      .scale = usual_scale(subject.effect, channels, Combine::add)};
  // Scores of a table or a rotation are kept within [−1, 1], so that softmax sees every token.
  double norms =
      std::pow(largest_norm(encode(subject.effect, tokens, positions, Combine::add), 0), 2);
  if (kind_of(subject.effect) == Kind::table || kind_of(subject.effect) == Kind::rotation)
    attention.scale = 1 / norms;
  double added = 0, values = largest_norm(tokens, 0);
  if (relative) {
    for (const RelativeTerm& term : relative->terms)
      norms += (term.left == RelativeTerm::Left::fixed ? largest_norm(term.fixed)
                                                       : largest_norm(tokens, 0)) *
               (term.right == RelativeTerm::Right::table ? largest_norm(term.table)
                                                         : largest_norm(tokens, 0));
    if (relative->values) values += largest_norm(*relative->values);
  }
  if (const Bias* bias = std::get_if<Bias>(&subject.effect)) {
    std::vector<double> row(static_cast<std::size_t>(positions.count));
    for (Index h = 0; h < heads; ++h) {
      bias->fill(h, positions.at(last), positions, DType::f64,
                 reinterpret_cast<std::byte*>(row.data()));
      for (const double value : row)
        if (std::isfinite(value)) added = std::max(added, std::fabs(value));
    }
  }
  const auto n = static_cast<double>(channels), count = static_cast<double>(positions.count);
  const double rounding =
      2 * (2 * (n + 24) * u * (attention.scale * norms + added) + (2 * count + 6) * u) * values;

  const Bias nothing = no_bias(heads);
  const auto told = last_output(subject.effect, tokens, attention, last),
             untold = last_output(nothing, tokens, attention, last);
  double most = -1, control = 0;
  Index pairs = 0, silent = 0, first = 0, second = 0;
  for (Index a = 0; a < positions.count; ++a)
    for (Index b = a + 1; b < positions.count; ++b) {
      if (a == last || b == last) continue;
      const Content other = swapped(tokens, a, b);
      const double change = distance(told, last_output(subject.effect, other, attention, last));
      control = std::max(control, distance(untold, last_output(nothing, other, attention, last)));
      ++pairs;
      silent += change <= rounding;
      if (change > most) {
        most = change;
        first = a;
        second = b;
      }
    }
  Measurement result;
  result.worst = most > rounding && control <= rounding ? 0 : 1;
  result.bound_from = fmt::format(
      "1 when no swap moves the output beyond rounding, {:.2g}, or when one does without an "
      "encoding",
      rounding);
  result.witness = fmt::format(
      "swapping the tokens at {} and {} moves the output at {} by {:.3g}; without an encoding none "
      "moves it "
      "by more than {:.2g}",
      positions.value(first), positions.value(second), positions.value(last), most, control);
  if (silent > 0) result.witness += fmt::format("; {} of {} swaps are not seen", silent, pairs);
  result.power = {HUGE_VAL, "that some swap is seen does not hang on one cell"};
  result.coverage = fmt::format("all {} swaps among {} tokens before one that asks, {} heads",
                                pairs, positions.count - 1, heads);
  return result;
}

}  // namespace pe::laws
