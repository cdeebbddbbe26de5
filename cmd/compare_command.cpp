// pe-verify compare: two dumps, no encoding named.
#include <fmt/format.h>

#include <exception>

#include "dumps.hpp"
#include "pe/base/error.hpp"
#include "pe/base/text.hpp"
#include "pe/io/dump.hpp"
#include "pe/model/number.hpp"
#include "pe/verify/compare.hpp"
#include "progress.hpp"
#include "talk.hpp"
#include "verify_commands.hpp"

namespace pe::cmd {
namespace {

// 16-bit integers beside bfloat16 numbers are their bits.
std::pair<Stored, Stored> alike(const Stored& a, const Stored& b) {
  return {a.u16 && b.dtype == DType::bf16 ? as_bf16(a) : a,
          b.u16 && a.dtype == DType::bf16 ? as_bf16(b) : b};
}

int run_compare(const CompareCommand& command) {
  if (!command.kind.empty() && command.kind != "bias")
    throw UsageError(fmt::format("--kind must be bias, got '{}'", command.kind));
  const auto allowed =
      static_cast<std::uint64_t>(whole_number("ulps", command.ulps, "0", largest_whole));
  const bool as_bias = command.kind == "bias";
  const TimeLimit within(command.timeout);
  RawForm raw{{}, parse_shape(command.shape)};
  if (!command.dtype.empty()) raw.dtype = parse_dtype(command.dtype);
  Progress progress(fmt::format("compare {} with {}", command.a, command.b));
  const std::vector<Stored> left = watched(open_arrays(command.a, raw), progress),
                            right = open_arrays(command.b, raw);
  const Partners partners = pair_up(left, right);
  bool equal = partners.only_a.empty() && partners.only_b.empty();
  std::exception_ptr
      untold;  // the first pair that cannot be compared does not keep the others from it
  for (const auto& [first, second] : partners.pairs) try {
      const auto [a, b] = alike(*first, *second);
      const Comparison comparison = compare(a, b, as_bias);
      print(to_text(comparison, allowed, as_bias));
      equal &= comparison.equal(allowed, as_bias);
    } catch (const UsageError&) {
      if (!untold) untold = std::current_exception();
    }
  const auto alone = [](const std::string& file, const std::vector<std::string>& names) {
    if (!names.empty())
      print(printable(fmt::format("only in {}: {}", file, fmt::join(names, ", "))) + "\n");
  };
  alone(command.a, partners.only_a);
  alone(command.b, partners.only_b);
  if (untold) std::rethrow_exception(untold);
  return equal ? 0 : 1;
}

}  // namespace

void add_compare(CLI::App& app, CompareCommand& compare, Outcome& outcome) {
  app.add_option("A", compare.a, "a dump; all of its arrays where it has several")
      ->type_name("FILE[:TENSOR]")
      ->required();
  app.add_option("B", compare.b, "another; arrays of the same name are compared")
      ->type_name("FILE[:TENSOR]")
      ->required();
  app.add_option("--ulps", compare.ulps,
                 "values this many numbers of the narrower type apart count as equal")
      ->type_name("N")
      ->capture_default_str();
  app.add_option(
         "--kind", compare.kind,
         "bias: equal when each row (last axis) is, up to a constant, which softmax cannot see")
      ->type_name("{bias}");
  app.add_option("--dtype", compare.dtype, "what raw files, or unsigned 16-bit integers, hold")
      ->type_name("{f64,f32,f16,bf16}");
  app.add_option("--shape", compare.shape, "of raw files")->type_name("N,...");
  add_timeout(app, compare.timeout, "it");
  app.footer(
      "EXAMPLES\n  pe-verify compare ours.npz theirs.npz\n  pe-verify compare ours.h5:bias "
      "theirs.npy --kind bias --ulps 2\n\n"
      "  Different types are compared in the narrower one, rounded once; shapes may differ by axes "
      "of size one. Distances in ulps\n"
      "  count the numbers of that type between two values.\n\n"
      "EXIT STATUS\n  0 equal: bit for bit, or within --ulps; 1 different, or an array has no "
      "partner; 2 could not be compared\n");
  app.callback([&compare, &outcome] { outcome.exit_code = run_compare(compare); });
}

}  // namespace pe::cmd
