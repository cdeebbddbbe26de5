// attention: what share of a query's attention each key gets, with the encoding and without it.
#include <fmt/format.h>

#include <algorithm>

#include "pe/analyze/attention/attention_forms.hpp"
#include "pe/analyze/attention/attention_matrix.hpp"
#include "pe/analyze/attention/token_order.hpp"
#include "pe/analyze/work.hpp"
#include "pe/base/error.hpp"

namespace pe::quantity_rows {
namespace {

constexpr Parameter options[] = {
    {.name = "view",
     .type = Parameter::Type::choice,
     .help =
         "distance: the mean weight at each distance from query to key; summary: a row for each "
         "head; matrix: each query and key; terms: the summands of the score (default: "
         "distance, and matrix with --tokens)",
     .choices = "distance summary matrix terms"},
    {.name = "content",
     .type = Parameter::Type::choice,
     .help = "queries and keys: all ones, or drawn from N(0, 1) (default: ones; gaussian with "
             "--view terms)",
     .choices = "ones gaussian"},
    {.name = "q",
     .type = Parameter::Type::tensor,
     .help = "FILE[:tensor] of queries, [position, channel], with heads before them, with a batch "
             "before those"},
    {.name = "k",
     .type = Parameter::Type::tensor,
     .help = "FILE[:tensor] of keys; with more of them than queries both end together"},
    {.name = "tokens",
     .type = Parameter::Type::name,
     .help = "text instead: its words, or its characters, each with a query, a key and a value "
             "drawn from N(0, 1), the same wherever it stands"},
    {.name = "seed",
     .help = "of what is drawn",
     .fallback = "0",
     .lowest = "0",
     .highest = "9223372036854775807"},
    {.name = "draws",
     .help = "draws that are averaged, seeds from --seed on (default: 16; 1 with --tokens)",
     .lowest = "1",
     .highest = "1000000"},
    {.name = "channels",
     .help = "channels of a head, where the encoding leaves them open",
     .fallback = "64",
     .lowest = "1",
     .highest = "65536"},
    {.name = "queries",
     .type = Parameter::Type::choice,
     .help = "last: the query at the last position; all: the mean over every query that has a key "
             "at that distance (default: last)",
     .choices = "last all"},
    {.name = "scale",
     .type = Parameter::Type::number,
     .help = "of the scores (default: 1/√channels, DeBERTa's and TUPE's more; for --q and --k the "
             "encoding's own, 1 for T5)",
     .lowest = "-1e30",
     .highest = "1e30"},
    {.name = "causal",
     .type = Parameter::Type::flag,
     .help = "mask keys after the query (default: as the encoding does)",
     .negation = "no-causal"},
    {.name = "combine",
     .type = Parameter::Type::choice,
     .help = "how a table meets the content: x + p, x ⊗ p, x ⊗ (1 + p), [x; p]",
     .fallback = "add",
     .choices = "add multiply multiply-one concatenate"},
    {.name = "share",
     .type = Parameter::Type::number,
     .help = "summary: of the mass, that the receptive field holds",
     .fallback = "0.99",
     .lowest = "0.01",
     .highest = "0.999999"},
};

constexpr Index few = 64;  // positions of a matrix that nobody gave a length for

Sheet measure(const Question& question) {
  const Parameters& told = question.options;
  const std::string form = told.has("view")     ? told.choice("view")
                           : told.has("tokens") ? "matrix"
                                                : "distance";
  question.decide("view", form);
  const bool square = form == "matrix" || form == "terms";
  if (square && told.has("queries") && told.choice("queries") == "last")
    throw UsageError(fmt::format("--view {} is of all queries: leave out --queries last", form));
  begin_rows(question, static_cast<double>(question.subject.span.positions.length() - 1));
  Attended attended = attended_of(question, square ? few : 0, form == "terms");
  const bool all = square || (told.has("queries") && told.choice("queries") == "all");
  question.decide("queries", all ? "all" : "last");
  begin_attention(attended, all, form == "matrix");
  Sheet sheet = form == "matrix"    ? attention_matrix(question, attended)
                : form == "terms"   ? attention_terms(question, attended)
                : form == "summary" ? attention_summary(question, attended, all)
                                    : attention_by_distance(question, attended, all);
  if (attended.tokens.size() > 1) attended.notes.push_back(order_note(attended));
  sheet.notes.insert(sheet.notes.end(), attended.notes.begin(), attended.notes.end());
  return sheet;
}

}  // namespace

extern constinit const Quantity attention{
    .name = "attention",
    .also = "weights softmax entropy 注意力 注意力权重",
    .summary =
        "softmax of the scores by distance, by token or in a row for each head, and what of "
        "it is the encoding's",
    .definition =
        "w(i, j) = exp(s(i, j))/Σ_k exp(s(i, k)), s = scale·(q_i·k_j + what position adds) + bias; "
        "`without` is the same of q·k alone",
    .source =
        "Vaswani et al. 2017, arXiv:1706.03762, eq. 1; the four terms: Dai et al. 2019, "
        "arXiv:1901.02860, §3.3, and Ke et al. 2021, arXiv:2006.15595, eq. 6",
    .accuracy =
        "computed in double; a weight is known to (channels + 32)·2^-52 of the sum of the "
        "magnitudes of a score's terms, and only the digits that this leaves are printed.",
    .columns =
        "distance: weight spread without | summary: entropy entropy_without keys mean_distance "
        "distance_50 distance_90 distance_99 receptive_field sink self | matrix: weight without | "
        "terms: kept mean rms largest across_keys",
    .subjects = "any",
    .parameters = options,
    .example = "alibi --heads 8 --view summary",
    .usual_length = 1024,
    .files = true,
    .measure = &measure,
};

}  // namespace pe::quantity_rows
