// deberta: content to position and position to content, with logarithmic buckets of the offset.
#include <fmt/format.h>

#include "pe/base/error.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/encodings/parameters.hpp"
#include "pe/model/weights.hpp"

namespace pe::encoding_rows {
namespace {

constexpr Parameter schema[] = {
    {.name = "position-buckets",
     .help = "logarithmic buckets on either side (v2); 0 for none: offsets are clipped (v1)",
     .fallback = "256",
     .lowest = "0",
     .highest = "1024",
     .config = "position_buckets"},
    {.name = "max-relative-positions",
     .help = "offset at which the buckets end, or are clipped",
     .fallback = "512",
     .lowest = "1",
     .highest = "1048576"},
    {.name = "pos-att-type",
     .type = Parameter::Type::choice,
     .help = "which terms are added to content·content",
     .fallback = "c2p|p2c",
     .choices = "c2p|p2c p2c|c2p c2p,p2c p2c,c2p c2p p2c",
     .config = "pos_att_type"},
    {.name = "form",
     .type = Parameter::Type::choice,
     .help = "index of the p2c term: code takes δ(i, j), the paper's eq. 4 δ(j, i)",
     .fallback = "code",
     .choices = "code paper"},
    {.name = "position-keys",
     .type = Parameter::Type::tensor,
     .help = "FILE[:tensor] of projected positions that queries meet (c2p), [index, channel] or "
             "[head, index, channel]"},
    {.name = "position-queries",
     .type = Parameter::Type::tensor,
     .help = "FILE[:tensor] of projected positions that keys meet (p2c), [index, channel] or "
             "[head, index, channel]"},
    {.name = "seed",
     .help = "draw the tables from N(0, 0.02²) with this seed",
     .lowest = "0",
     .highest = "9223372036854775807"},
    row::heads("attention heads of drawn tables", "12", "num_attention_heads"),
    {.name = "head-dim",
     .help = "channels of drawn tables",
     .fallback = "64",
     .lowest = "1",
     .highest = "65536",
     .config = "attention_head_size"},
};

Array table_of(const Parameters& parameters, std::string_view name, Index buckets) {
  if (parameters.has(name) && parameters.tensor(name).rank() == 2)
    return tensor_of(parameters, name, {{"index", buckets}, {"channel", 0}});
  if (parameters.has(name))
    return tensor_of(parameters, name, {{"head", 0}, {"index", buckets}, {"channel", 0}});
  return tensor_or_drawn(parameters, name,
                         {{"head", parameters.integer("heads")},
                          {"index", buckets},
                          {"channel", parameters.integer("head-dim")}},
                         Distribution::normal, 0.02);
}

// s = (Q_i·K_j + Q_i·Kʳ_{δ(i,j)} + K_j·Qʳ_{δ(j,i)}) / √(d·(1 + terms)) (He et al. 2021, eq. 4). The
// authors' code gathers the last with −δ and transposes, so that its index is δ(i, j) as well.
Effect make(const Parameters& parameters, Index) {
  const Index count = parameters.integer("position-buckets");
  const std::int64_t farthest = parameters.integer("max-relative-positions");
  const std::string& types = parameters.choice("pos-att-type");
  const bool to_position = types != "p2c", to_content = types != "c2p";
  Relative relative;
  relative.buckets = deberta_buckets(count, farthest);
  relative.scaled_terms = 1 + to_position + to_content;
  using Left = RelativeTerm::Left;
  const auto add = [&](const char* name, Left left, std::string_view tensor,
                       const Buckets& buckets) {
    if (!parameters.has(tensor) && !parameters.has("seed")) return;
    relative.terms.push_back({name,
                              left,
                              RelativeTerm::Right::table,
                              {},
                              table_of(parameters, tensor, relative.buckets.count),
                              buckets});
    const Index channels = relative.terms.back().table.shape().back();
    if (relative.channels != 0 && relative.channels != channels)
      throw UsageError(fmt::format(
          "--position-keys and --position-queries must have the same channels, got {} and {}",
          relative.channels, channels));
    relative.channels = channels;
  };
  if (to_position) add("content_position", Left::query, "position-keys", relative.buckets);
  if (to_content) {
    const bool reversed = parameters.choice("form") == "paper";
    add("position_content", Left::key, "position-queries",
        reversed ? deberta_buckets(count, farthest, true) : relative.buckets);
  }
  if (!relative.terms.empty() &&
      relative.scaled_terms != 1 + static_cast<int>(relative.terms.size()))
    throw UsageError(
        "--position-keys and --position-queries are both needed for c2p|p2c: give the other, or "
        "--seed, or --pos-att-type for one term");
  return relative;
}

}  // namespace

extern constinit const Encoding deberta{
    .name = "deberta",
    .also = "disentangled relative c2p p2c 相对 相对位置编码 rpe 解耦",
    .summary = "content to position and position to content, by logarithmic buckets of the offset",
    .source =
        "He et al. 2021, arXiv:2006.03654, eqs. 3 and 4; the authors' `make_log_bucket_position` "
        "(v2)",
    .kind = Kind::relative,
    .parameters = schema,
    .accuracy =
        "Buckets are decided in exact integer arithmetic; tables are passed on, rounded once when "
        "--dtype is narrower.",
    .claims =
        "exact bucket; "
        "drawn:position-keys?pos-att-type=c2p,position-queries?pos-att-type=p2c table",
    .promises =
        "finite deterministic length-invariant order-sensitive relative-only buckets-total "
        "buckets-by-offset buckets-monotone clipped expansion",
    .example = "deberta --position-buckets 8 --max-relative-positions 32 --positions -40:41",
    .drift = &copies_drift,
    .make = &make,
};

}  // namespace pe::encoding_rows
