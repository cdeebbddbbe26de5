// The catalogue of laws.
#include "pe/properties/property.hpp"

#include <fmt/format.h>

#include "pe/base/error.hpp"
#include "pe/model/naming.hpp"
#include "pe/model/parameter.hpp"
#include "pe/properties/laws.hpp"

namespace pe {
namespace {

constexpr Property rows[] = {
    {.name = "finite",
     .also = "nan inf no-nan nonfinite 有限",
     .statement = "no value is NaN or infinite, but for the −inf of a masked key",
     .plain = "no value is NaN or infinite",
     .effort = {.cell = 2, .side = laws::any_side},
     .any = laws::finite},
    {.name = "deterministic",
     .also = "确定 确定性",
     .statement = "the same bytes for every way of splitting the work",
     .plain = "the same bytes however the work is split",
     .effort = {.cell = 11, .makes = 2, .side = laws::any_side},
     .sees = Property::Sees::making,
     .any = laws::deterministic},
    {.name = "length-invariant",
     .also = "prefix-stable 长度无关 不随长度变化",
     .statement = "what stands at a position does not depend on the length",
     .plain = "a position's values do not depend on the length",
     .effort = {.cell = 3, .makes = 2, .side = laws::any_side},
     .sees = Property::Sees::making,
     .any = laws::length_invariant},
    {.name = "relative-only",
     .also = "relative shift-invariant shift-invariance translation-invariant "
             "translation-invariance 相对 相对位置 相对性 只依赖相对位置",
     .statement = "the score of q at m and k at n depends on m − n only, for all q and k",
     .plain = "scores depend on the distance m − n only",
     .effort = {.cell = 7, .bucket = 250, .makes = 2, .side = laws::bias_side},
     .table = laws::table_relative_only,
     .rotation = laws::rotation_relative_only,
     .bias = laws::bias_relative_only,
     .relative = laws::buckets_by_offset},
    {.name = "order-sensitive",
     .also = "permutation 顺序 词序 置换",
     .statement = "attention's output changes when two tokens swap places, and without an encoding "
                  "it does not",
     .plain = "attention notices when two tokens swap places",
     .sees = Property::Sees::scores,
     .any = laws::order_sensitive},
    {.name = "bounded",
     .also = "bound range 有界 有界性 值域有界",
     .statement = "every value stays within [-1, 1], or the range that the encoding states",
     .plain = "every value stays within its stated range",
     .effort = {.cell = 2},
     .table = laws::bounded},
    {.name = "unique",
     .also = "distinct 唯一 唯一性 独一无二",
     .statement = "no two positions share a row",
     .plain = "no two positions share a row",
     .effort = {.cell = 60, .makes = 2},
     .table = laws::unique},
    {.name = "constant-norm",
     .also = "模长",
     .statement = "every row has the same length as a vector",
     .plain = "every row is as long as every other, as a vector",
     .effort = {.cell = 8, .makes = 3},
     .table = laws::constant_norm},
    {.name = "distance-by-offset",
     .also = "距离 距离一致",
     .statement = "the product of two rows depends on their offset only",
     .plain = "two rows' product depends on their offset only",
     .effort = {.cell = 60, .makes = 16},
     .table = laws::distance_by_offset},
    {.name = "linear-shift",
     .also = "shift linear-relationship linear-transform 平移 线性平移 线性变换 线性关系",
     .statement = "for each k one matrix M_k gives P(p+k) = M_k P(p) at every p",
     .plain = "one matrix M_k turns any P(p) into P(p+k)",
     .effort = {.cell = 60, .makes = 16},
     .takes = 256,
     .table = laws::linear_shift},
    {.name = "separable",
     .also = "可分",
     .statement = "a grid's table is the sum of a table of each axis",
     .plain = "a grid's table is the sum of one for each axis",
     .effort = {.cell = 5},
     .lacks = laws::lacks_grid,
     .table = laws::separable},
    {.name = "collision-free",
     .also = "collision collisions 碰撞 无碰撞 冲突",
     .statement =
         "x + P(p) differs from y + P(q) for any two of the embeddings at any two positions",
     .plain = "no two sums of token and position are equal",
     .effort = {.cell = 100, .makes = 2},
     .table = laws::collision_free},
    {.name = "identity-at-zero",
     .also = "零位置",
     .statement = "position 0 does not turn: R(0) = A",
     .plain = "position 0 does not turn",
     .rotation = laws::identity_at_zero},
    {.name = "unit-pairs",
     .also = "unit 单位圆",
     .statement = "cos² + sin² is the attention factor squared",
     .plain = "every pair turns without growing or shrinking",
     .effort = {.cell = 13},
     .rotation = laws::unit_pairs},
    {.name = "turns-add",
     .also = "additive composition group 可加 可加性",
     .statement = "turns add: R(i) R(j) = A R(i+j)",
     .plain = "turning by i and then by j is turning by i + j",
     .effort = {.cell = 1},
     .rotation = laws::turns_add},
    {.name = "norm-preserving",
     .also = "norm orthogonal 保范 保模 正交 正交性",
     .statement = "‖R(p) q‖ is the attention factor times ‖q‖, for all q",
     .plain = "a turned vector keeps its length",
     .effort = {.cell = 17},
     .rotation = laws::norm_preserving},
    {.name = "matrix-form",
     .also = "矩阵形式",
     .statement = "the sparse matrix, the pairs and the half form turn a vector alike",
     .plain = "matrix, pairs and half form turn vectors alike",
     .rotation = laws::matrix_form},
    {.name = "frequencies-decrease",
     .also = "频率递减",
     .statement = "no pair turns faster than the one before",
     .plain = "no pair turns faster than the one before",
     .rotation = laws::frequencies_decrease},
    {.name = "toeplitz",
     .also = "托普利茨",
     .statement = "the bias is the same along every diagonal",
     .plain = "the bias is the same along every diagonal",
     .effort = {.side = laws::bias_side},
     .bias = laws::toeplitz},
    {.name = "zero-diagonal",
     .also = "diagonal 零对角",
     .statement = "a position does not bias itself",
     .plain = "a position does not bias itself",
     .effort = {.side = laws::bias_side},
     .bias = laws::zero_diagonal},
    {.name = "falls-with-distance",
     .also = "decreasing monotone monotonic distance-decay 单调 单调性 单调递减",
     .statement = "the bias never rises with the distance",
     .plain = "the bias never rises with the distance",
     .effort = {.side = laws::bias_side},
     .bias = laws::falls_with_distance},
    {.name = "causal",
     .also = "mask 因果 因果掩码 掩码",
     .statement = "keys after the query are masked",
     .plain = "keys after the query are masked",
     .effort = {.side = laws::bias_side},
     .bias = laws::causal},
    {.name = "symmetric",
     .also = "对称 对称性",
     .statement = "query and key may be exchanged",
     .plain = "query and key may be exchanged",
     .effort = {.side = laws::bias_side},
     .bias = laws::symmetric},
    {.name = "slopes",
     .also = "slope geometric 斜率",
     .statement = "the head slopes follow the geometric rule, both ladders of it",
     .plain = "the head slopes follow the geometric rule",
     .lacks = laws::lacks_slopes,
     .bias = laws::slopes},
    {.name = "buckets-total",
     .also = "分桶完整",
     .statement = "every pair of positions has a bucket of the table",
     .plain = "every pair of positions has a bucket",
     .effort = {.bucket = 130},
     .sees = Property::Sees::buckets,
     .lacks = laws::lacks_buckets,
     .bias = laws::bias_buckets_total,
     .relative = laws::buckets_total},
    {.name = "buckets-by-offset",
     .also = "分桶 桶",
     .statement = "the bucket depends on the offset only",
     .plain = "the bucket depends on the offset only",
     .effort = {.bucket = 250},
     .sees = Property::Sees::buckets,
     .lacks = laws::lacks_buckets,
     .bias = laws::bias_buckets_by_offset,
     .relative = laws::buckets_by_offset},
    {.name = "buckets-monotone",
     .also = "monotone-buckets 分桶单调",
     .statement = "the bucket moves one way with the distance, on either side",
     .plain = "buckets move one way with the distance",
     .effort = {.bucket = 60},
     .sees = Property::Sees::buckets,
     .lacks = laws::lacks_offsets,
     .bias = laws::bias_buckets_monotone,
     .relative = laws::buckets_monotone},
    {.name = "buckets-covered",
     .also = "分桶覆盖",
     .statement = "every bucket is reached",
     .plain = "every bucket is reached",
     .effort = {.bucket = 60},
     .sees = Property::Sees::limit,
     .lacks = laws::lacks_buckets,
     .bias = laws::bias_buckets_covered,
     .relative = laws::buckets_covered},
    {.name = "clipped",
     .also = "截断 裁剪",
     .statement = "from the stated distance on, and not before, the bucket stays the same",
     .plain = "from the stated distance on the bucket stays",
     .sees = Property::Sees::limit,
     .lacks = laws::lacks_limit,
     .bias = laws::bias_clipped,
     .relative = laws::clipped},
    {.name = "expansion",
     .also = "展开",
     .statement = "the terms sum to the whole score",
     .plain = "the terms sum to the whole score",
     .sees = Property::Sees::scores,
     .relative = laws::expansion},
    {.name = "rel-shift",
     .also = "relative-shift 相对移位",
     .statement = "padding, reshaping and cutting gives the same as reading each pair's row",
     .plain = "pad, reshape and cut give each pair's own row",
     .sees = Property::Sees::scores,
     .relative = laws::rel_shift},
};

}  // namespace

bool Property::applies(Kind kind) const {
  if (any) return true;
  switch (kind) {
    case Kind::table:
      return table;
    case Kind::rotation:
      return rotation;
    case Kind::bias:
      return bias;
    case Kind::relative:
      return relative;
  }
  return false;
}

std::string Property::applies_to() const {
  if (any || (table && rotation && bias && relative)) return "any";
  std::vector<std::string_view> kinds;
  for (const Kind kind : {Kind::table, Kind::rotation, Kind::bias, Kind::relative})
    if (applies(kind)) kinds.push_back(name_of(kind));
  return fmt::format("{}", fmt::join(kinds, ", "));
}

Measurement Property::measure(const Case& subject) const try {
  if (any) return any(subject);
  return std::visit(Match{[&](const Table& effect) { return table(effect, subject); },
                          [&](const Rotation& effect) { return rotation(effect, subject); },
                          [&](const Bias& effect) { return bias(effect, subject); },
                          [&](const Relative& effect) { return relative(effect, subject); }},
                    subject.effect);
} catch (const MathError& error) {
  return laws::not_told(error.what());
}

std::span<const Property> all_properties() { return rows; }

const Property& find_property(std::string_view name) {
  std::vector<Named> names;
  for (const Property& property : rows) {
    if (property.name == name) return property;
    names.push_back({std::string(property.name), property.also});
  }
  throw UsageError(unknown("law", name, names, "pe-verify list properties names those there are"));
}

}  // namespace pe
