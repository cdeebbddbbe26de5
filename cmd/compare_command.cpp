// pe-verify compare: two dumps, no encoding named.
#include <fmt/format.h>

#include "pe/base/error.hpp"
#include "pe/io/dump.hpp"
#include "pe/verify/compare.hpp"
#include "verify_commands.hpp"

namespace pe::cmd {
namespace {

std::vector<Stored> open(const std::string& spec, const RawForm& raw) {
  std::vector<Stored> arrays = open_arrays(spec, raw);
  for (Stored& array : arrays)
    if (array.u16 && raw.dtype == DType::bf16) array = as_bf16(array);
  return arrays;
}

// 16-bit integers beside bfloat16 numbers are their bits.
std::pair<Stored, Stored> alike(const Stored& a, const Stored& b) {
  return {a.u16 && b.dtype == DType::bf16 ? as_bf16(a) : a, b.u16 && a.dtype == DType::bf16 ? as_bf16(b) : b};
}

int run_compare(const CompareCommand& command) {
  if (!command.kind.empty() && command.kind != "bias") throw UsageError(fmt::format("--kind must be bias, got '{}'", command.kind));
  const auto allowed = static_cast<std::uint64_t>(whole_number("ulps", command.ulps, "0", "9007199254740992"));
  const bool as_bias = command.kind == "bias";
  RawForm raw{{}, parse_shape(command.shape)};
  if (!command.dtype.empty()) raw.dtype = parse_dtype(command.dtype);
  const std::vector<Stored> left = open(command.a, raw), right = open(command.b, raw);
  const Partners partners = pair_up(left, right);
  bool equal = partners.only_a.empty() && partners.only_b.empty();
  for (const auto& [first, second] : partners.pairs) {
    const auto [a, b] = alike(*first, *second);
    const Comparison comparison = compare(a, b, as_bias);
    print(to_text(comparison, allowed, as_bias));
    equal &= comparison.equal(allowed, as_bias);
  }
  const auto alone = [](const std::string& file, const std::vector<std::string>& names) {
    if (!names.empty()) print(fmt::format("only in {}: {}\n", file, fmt::join(names, ", ")));
  };
  alone(command.a, partners.only_a), alone(command.b, partners.only_b);
  return equal ? 0 : 1;
}

}  // namespace

void add_compare(CLI::App& app, CompareCommand& compare, Outcome& outcome) {
  app.add_option("A", compare.a, "a dump; all of its arrays where it has several")->type_name("FILE[:TENSOR]")->required();
  app.add_option("B", compare.b, "another; arrays of the same name are compared")->type_name("FILE[:TENSOR]")->required();
  app.add_option("--ulps", compare.ulps, "values this many numbers of the narrower type apart count as equal")->type_name("N")->capture_default_str();
  app.add_option("--kind", compare.kind, "bias: equal when each row (last axis) is, up to a constant, which softmax cannot see")->type_name("{bias}");
  app.add_option("--dtype", compare.dtype, "what raw files, or unsigned 16-bit integers, hold")->type_name("{f64,f32,f16,bf16}");
  app.add_option("--shape", compare.shape, "of raw files")->type_name("N,...");
  app.footer(
      "EXAMPLES\n  pe-verify compare ours.npz theirs.npz\n  pe-verify compare ours.h5:bias theirs.npy --kind bias --ulps 2\n\n"
      "  Different types are compared in the narrower one, rounded once; shapes may differ by axes of size one. Distances in ulps\n"
      "  count the numbers of that type between two values.\n\n"
      "EXIT STATUS\n  0 equal: bit for bit, or within --ulps; 1 different, or an array has no partner; 2 could not be compared\n");
  app.callback([&compare, &outcome] { outcome.exit_code = run_compare(compare); });
}

}  // namespace pe::cmd
