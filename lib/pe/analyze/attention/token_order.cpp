// The same tokens in two orders.
#include "pe/analyze/attention/token_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pe/analyze/attention/score_error.hpp"
#include "pe/analyze/attention/tokens.hpp"

namespace pe {
namespace {

// New place i holds what stood at order[i].
using Order = std::vector<std::size_t>;

// Backwards first; then two neighbours that change places, for an encoding that sees the distance
// alone does not tell a text from its mirror image.
std::vector<Order> orders_of(const std::vector<std::string>& tokens) {
  Order plain(tokens.size());
  std::iota(plain.begin(), plain.end(), std::size_t{0});
  const auto differs = [&](const Order& order) {
    return std::ranges::any_of(plain, [&](std::size_t i) { return tokens[order[i]] != tokens[i]; });
  };
  std::vector<Order> orders{{plain.rbegin(), plain.rend()}};
  if (!differs(orders.front())) orders.clear();
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    Order swapped = plain;
    std::swap(swapped[i], swapped[i + 1]);
    if (!differs(swapped)) continue;
    orders.push_back(swapped);
    break;
  }
  return orders;
}

Content ordered(const Content& content, const Order& order) {
  Content other = content;
  for (Index h = 0; h < content.heads; ++h)
    for (std::size_t i = 0; i < order.size(); ++i)
      std::copy_n(content.row(0, h, static_cast<Index>(order[i])), content.channels,
                  other.row(0, h, static_cast<Index>(i)));
  return other;
}

// The outputs of every token and head, [token, head · channel].
std::vector<std::vector<double>> outputs_of(const Attended& attended, const Sample& sample,
                                            bool with) {
  const Effect nothing = no_bias(attended.heads);
  const Effect& effect = with ? attended.subject.effect : nothing;
  const Outputs outputs(with ? sample.with : sample.without, effect, sample.v,
                        with ? attended.with : attended.without);
  const Index channels = sample.v->channels;
  std::vector<std::vector<double>> rows;
  for (Index query = 0; query < attended.queries(); ++query) {
    std::vector<double>& row =
        rows.emplace_back(static_cast<std::size_t>(attended.heads * channels));
    for (Index h = 0; h < attended.heads; ++h)
      outputs.fill(0, h, std::span(&query, 1), row.data() + h * channels);
  }
  return rows;
}

struct Move {
  double most = 0;        // of any channel of any output
  std::size_t token = 0;  // that moves the most
};

Move moved(const std::vector<std::vector<double>>& here,
           const std::vector<std::vector<double>>& there, const Order& order) {
  Move move;
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t c = 0; c < here.front().size(); ++c) {
      const double away = std::fabs(there[i][c] - here[order[i]][c]);
      if (away > move.most) move = {away, order[i]};
    }
  return move;
}

double largest_of(const std::vector<std::vector<double>>& rows) {
  double largest = 0;
  for (const auto& row : rows)
    for (const double value : row) largest = std::max(largest, std::fabs(value));
  return largest;
}

std::string joined(const std::vector<std::string>& tokens, const Order& order) {
  std::string text;
  for (const std::size_t i : order) text += (text.empty() ? "" : " ") + tokens[i];
  return text;
}

struct Change {
  Move with, without;
  double rounding = 0;  // no smaller change is one
  double largest = 0;   // of the outputs
};

Change change_of(const Attended& attended, const Contents& contents, const Sample& here,
                 const Order& order) {
  Contents others;
  for (const auto& [name, content] : contents)
    others[name] = std::make_shared<const Content>(ordered(*content, order));
  const Sample there = sample_of(attended, others, 0);
  const auto before = outputs_of(attended, here, true), bare = outputs_of(attended, here, false);
  Change change{moved(before, outputs_of(attended, there, true), order),
                moved(bare, outputs_of(attended, there, false), order), 0, largest_of(before)};
  std::vector<Index> rows(order.size());
  std::iota(rows.begin(), rows.end(), Index{0});
  // Weights add to one: an output is off by their relative error of the largest value, and by a
  // rounding for each product and sum; two of them are compared.
  double values = 0;
  for (const double value : here.v->values) values = std::max(values, std::fabs(value));
  if (const Relative* relative = std::get_if<Relative>(&attended.subject.effect);
      relative && relative->values)
    for (Index i = 0; i < relative->values->size(); ++i)
      values = std::max(values, std::fabs(relative->values->at(i)));
  const double error = std::max(weight_error(attended, logit_error(attended, here, rows)),
                                weight_error(attended, logit_error(attended, there, rows)));
  change.rounding = 4 * (error + static_cast<double>(order.size() + 4) * 0x1p-52) * values;
  return change;
}

std::string without_note(const Attended& attended, const Change& change) {
  if (change.without.most <= change.rounding)
    return "without the encoding no output moves: attention sees a set of tokens";
  return fmt::format("without the encoding {} moves it by {:.2g}",
                     attended.with.causal ? "the causal mask alone" : "something else",
                     change.without.most);
}

}  // namespace

std::string order_note(const Attended& attended) {
  const std::vector<std::string>& tokens = attended.tokens;
  const std::vector<Order> orders = orders_of(tokens);
  if (orders.empty()) return "all tokens are the same: no order can be told from another";
  const Contents contents = contents_of(attended, 0);
  const Sample here = sample_of(attended, contents, 0);
  Order plain(tokens.size());
  std::iota(plain.begin(), plain.end(), std::size_t{0});
  std::string mirrored;
  for (const Order& order : orders) {
    const Change change = change_of(attended, contents, here, order);
    const std::string pair =
        fmt::format("\"{}\" and \"{}\"", joined(tokens, plain), joined(tokens, order));
    if (change.with.most > change.rounding)
      return mirrored + fmt::format(
                            "{} differ: the output of {} moves by {:.2g} (outputs reach "
                            "{:.2g}); {}",
                            pair, distinct(tokens)[change.with.token], change.with.most,
                            change.largest, without_note(attended, change));
    mirrored += pair + " are alike to this encoding, ";
  }
  return mirrored + "whose outputs only change places with their tokens";
}

}  // namespace pe
