// pe-verify compare: two dumps, no encoding named.
#include <fmt/format.h>

#include <exception>

#include "check.hpp"
#include "command_line.hpp"
#include "dumps.hpp"
#include "no_clobber.hpp"
#include "pe/base/error.hpp"
#include "pe/base/text.hpp"
#include "pe/base/version.hpp"
#include "pe/io/dump.hpp"
#include "pe/io/file.hpp"
#include "pe/model/number.hpp"
#include "pe/verify/columns.hpp"
#include "pe/verify/compare_report.hpp"
#include "pe/verify/report.hpp"
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

double tolerance_of(const char* name, const std::string& text) {
  if (text.empty()) return 0;
  const TypedValue value{.name = name, .text = text};
  return checked_number(value, text, {.lowest = "0"}).value();
}

Allowed allowed_of(const CompareCommand& command) {
  if (!command.kind.empty() && command.kind != "bias")
    throw UsageError(fmt::format("--kind must be bias, got '{}'", command.kind));
  Allowed allowed{.as_bias = command.kind == "bias", .common_rows = command.common_rows};
  const bool has_tolerance = !command.atol.empty() || !command.rtol.empty();
  const int kinds = has_tolerance + !command.ulps.empty() + !command.bound.empty();
  if (kinds > 1)
    throw UsageError("--ulps, --atol with --rtol, and --bound are three tolerances: give one");
  if (!command.ulps.empty())
    allowed.ulps =
        static_cast<std::uint64_t>(whole_number("ulps", command.ulps, "0", largest_whole));
  if (!has_tolerance) return allowed;
  if (allowed.as_bias && !command.rtol.empty())
    throw UsageError(
        "--rtol has no meaning with --kind bias: the constant taken out of a row is "
        "not known, so nor is what a value is relative to; give --atol or --ulps");
  allowed.tolerance = {tolerance_of("atol", command.atol), tolerance_of("rtol", command.rtol)};
  return allowed;
}

void put_json(const std::string& json, const std::string& report) {
  if (report == "-")
    print(json);
  else if (!report.empty())
    write_text(json, report);
}

// What `check` finds of one of the two, told what `--bound` says.
Check judged(const CompareCommand& command, const std::string& file, const std::string& line) {
  const std::vector<std::string> words = shell_words(command.bound);
  if (command.bound.find_first_not_of("0123456789.eE+-") == std::string::npos)
    throw UsageError(fmt::format(
        "--bound takes an encoding, such as 'rope --dim 64', got {0}: did you mean --atol {0}?",
        command.bound));
  CheckRequest asked;
  asked.name = "bound";
  asked.files = {file};
  asked.before = command.before;
  asked.shape = parse_shape(command.shape);
  const CommandLine said(words, 0);
  CLI::App app("--bound", "--bound");
  app.require_subcommand(1);
  add_encodings(app, said, 0, [&](CLI::App& sub, const Encoding& encoding) {
    asked.request.texts.encoding = &encoding;
    add_options(sub, asked.request);
  });
  said.check_word(app, 0, Sort::encoding);
  try {
    said.parse(app);
  } catch (const CLI::ParseError& error) {
    throw UsageError(fmt::format("--bound '{}': {}", command.bound, error.what()));
  }
  if (!command.dtype.empty()) asked.request.texts.dtype = command.dtype;
  return carry_out(asked, line, false);
}

// Whether the shorter of two arrays is the beginning of the longer, by their shapes.
bool are_rows_of(const std::vector<Index>& a, const std::vector<Index>& b) {
  Index other = 0;
  for (std::size_t i = 0; a.size() == b.size() && i < a.size(); ++i) other += a[i] != b[i];
  return a.size() == b.size() && !a.empty() && other <= 1 && a.back() == b.back();
}

// Why two that are right are not the same all the same: each of what it holds, and where. "": they
// are.
std::string kept_apart(const CompareCommand& command, const Check& a, const Check& b) {
  RawForm raw{{}, parse_shape(command.shape)};
  if (!command.dtype.empty()) raw.dtype = parse_dtype(command.dtype);
  const auto opened = open_files({command.a, command.b}, raw);
  if (a.diagnosis->layout != b.diagnosis->layout)
    return fmt::format("one holds {}, the other {}", a.diagnosis->what, b.diagnosis->what);
  const Partners partners = pair_up(opened[0], opened[1]);
  for (const auto* alone : {&partners.only_a, &partners.only_b})
    if (!alone->empty()) return fmt::format("only one of them holds {}", fmt::join(*alone, ", "));
  for (const auto& [first, second] : partners.pairs) {
    const auto one = squeezed(first->shape), other = squeezed(second->shape);
    if (one == other || (command.common_rows && are_rows_of(one, other))) continue;
    return fmt::format("{} is [{}] in one and [{}] in the other", first->name,
                       spell_shape(first->shape), spell_shape(second->shape));
  }
  return "";
}

// Both are held to the truth as `check` does: two that lie within its bound of the truth lie within
// twice that of one another, and where one does not, it is said which and why.
bool within_bound(const CompareCommand& command, const std::string& line) {
  const Check a = judged(command, command.a, line), b = judged(command, command.b, line);
  for (const Check& check : {a, b})
    if (check.found() == 2) throw UsageError(check.error);
  const bool are_right = a.found() == 0 && b.found() == 0;
  const std::string apart = are_right ? kept_apart(command, a, b) : "";
  const bool right = are_right && apart.empty();
  const std::string json = to_json(Report{"pe-verify", std::string(version()), line, {a, b}});
  if (command.kept) *command.kept = json;
  put_json(json, command.report);
  if (command.report == "-") return right;
  const auto put = [](const std::string& lead, const std::string& name, const std::string& said) {
    const std::string text = fmt::format("{}{}: {}", lead, printable(name), printable(said));
    print(report_parts::folded(text, 0, lead.size() + 2) + "\n");
  };
  put("", fmt::format("{} against {}", command.a, command.b),
      right ? fmt::format("equal within the bound of {}", a.provenance.encoding)
      : are_right
          ? fmt::format("DIFFERENT, though each is right as {}: {}", a.provenance.encoding, apart)
          : fmt::format("DIFFERENT, or not {}", a.provenance.encoding));
  for (const Check* check : {&a, &b}) put("  ", check->files.front(), sentence_of(*check));
  return right;
}

int run_compare(const CompareCommand& command, const std::string& line) {
  const Allowed allowed = allowed_of(command);
  if (command.bound.empty() && !command.before.empty())
    throw UsageError("--before has no meaning without --bound");
  if (!command.report.empty() && command.report != "-" && !command.report.ends_with(".json"))
    throw UsageError(fmt::format("--report of compare writes .json, got '{}'", command.report));
  refuse_names({command.a, command.b}, "pe-gen {} -o FILE.npz makes one");
  if (command.no_clobber) keep_what_is_there({command.report}, "--report");
  keep_what_is_read({command.report}, "--report", {command.a, command.b});
  const TimeLimit within(command.timeout);
  Progress progress(fmt::format("compare {} with {}", command.a, command.b));
  if (!command.bound.empty()) return within_bound(command, line) ? 0 : 1;
  RawForm raw{{}, parse_shape(command.shape)};
  if (!command.dtype.empty()) raw.dtype = parse_dtype(command.dtype);
  auto opened = open_files({command.a, command.b}, raw);
  const std::vector<Stored> left = watched(std::move(opened[0]), progress),
                            right = std::move(opened[1]);
  const Partners partners = pair_up(left, right);
  ComparisonReport compared{{}, partners.only_a, partners.only_b, allowed};
  const bool told = command.kept || !command.report.empty();  // else none of it is kept
  bool equal = partners.only_a.empty() && partners.only_b.empty();
  Index values = 0;
  const bool talks = command.report != "-";
  std::exception_ptr
      untold;  // the first pair that cannot be compared does not keep the others from it
  for (const auto& [first, second] : partners.pairs) try {
      const auto [a, b] = alike(*first, *second);
      const Comparison comparison = compare(a, b, allowed);
      if (talks) print(to_text(comparison, allowed));
      equal &= comparison.passes(allowed);
      values += comparison.size;
      if (told) compared.pairs.push_back(comparison);
    } catch (const UsageError&) {
      if (!untold) untold = std::current_exception();
    }
  const auto alone = [talks](const std::string& file, const std::vector<std::string>& names) {
    if (talks && !names.empty())
      print(report_parts::folded(
                printable(fmt::format("only in {}: {}", file, fmt::join(names, ", "))), 0, 2) +
            "\n");
  };
  alone(command.a, partners.only_a);
  alone(command.b, partners.only_b);
  if (untold) std::rethrow_exception(untold);
  if (values == 0 && equal)
    throw UsageError(
        fmt::format("{} and {} hold no value: nothing was compared", command.a, command.b));
  if (command.kept) *command.kept = to_json(compared, line);
  if (!command.report.empty()) put_json(to_json(compared, line), command.report);
  return equal ? 0 : 1;
}

void add_tolerances(CLI::App& app, CompareCommand& compare) {
  app.add_option("--ulps", compare.ulps,
                 "values this many numbers of the narrower type apart count as equal (default: 0)")
      ->type_name("N");
  app.add_option("--atol", compare.atol,
                 "values count as equal where |a - b| <= atol + rtol |b|, as numpy.allclose(a, b, "
                 "equal_nan=True) has it, in doubles of what is stored (default: 0)")
      ->type_name("NUMBER");
  app.add_option("--rtol", compare.rtol, "see --atol (default: 0)")->type_name("NUMBER");
  app.add_option("--bound", compare.bound,
                 "both count as equal where each lies within the bound that check derives of this "
                 "encoding, its options behind it in one word: 'rope --dim 64'; --model NAME does")
      ->type_name("'ENCODING ...'");
  app.add_option("--before", compare.before,
                 "with --bound: vectors before the encoding was applied; both hold them afterwards")
      ->type_name("FILE[:TENSOR]")
      ->allow_extra_args(false);
  app.add_flag("--common-rows", compare.common_rows,
               "rows that one of them alone has, behind those of the other, do not count");
}

}  // namespace

void add_compare(CLI::App& app, CompareCommand& compare, Outcome& outcome,
                 const std::string& command) {
  app.add_option("A", compare.a, "a dump; all of its arrays where it has several")
      ->type_name("FILE[:TENSOR]")
      ->required();
  app.add_option("B", compare.b, "another; arrays of the same name are compared")
      ->type_name("FILE[:TENSOR]")
      ->required();
  add_tolerances(app, compare);
  app.add_option(
         "--kind", compare.kind,
         "bias: equal when each row (last axis) is, up to a constant, which softmax cannot see")
      ->type_name("{bias}");
  app.add_option("--dtype", compare.dtype, "what raw files, text or unsigned 16-bit integers hold")
      ->type_name("{f64,f32,f16,bf16}");
  app.add_option("--shape", compare.shape, "of raw files")->type_name("N,...");
  add_timeout(app, compare.timeout, "it");
  app.add_option("--report", compare.report,
                 "write what was found, too: .json; - is JSON on stdout instead of the text")
      ->type_name("FILE");
  add_no_clobber(app, compare.no_clobber);
  app.footer(
      "EXAMPLES\n  pe-gen rope --dim 64 -o ours.npz\n"
      "  pe-gen rope --dim 64 --dtype f64 -o theirs.npz\n"
      "  pe-verify compare ours.npz theirs.npz --atol 1e-6\n"
      "  pe-verify compare ours.npz theirs.npz --bound 'rope --dim 64'\n"
      "  pe-gen alibi -o ours.h5\n"
      "  pe-gen alibi --dtype f64 -o theirs.npy\n"
      "  pe-verify compare ours.h5:bias theirs.npy --kind bias --ulps 2\n\n"
      "  Different types are compared in the narrower one, rounded once, but by --atol as they "
      "are. "
      "Distances in ulps count the\n"
      "  numbers of that type between two values. A NaN equals a NaN, an infinity itself, and "
      "neither a number, whatever is allowed.\n"
      "  Shapes may differ by axes of size one. Where one has more rows along one axis, but the "
      "last, the first rows of both are\n"
      "  compared, and they are different all the same but under --common-rows.\n\n"
      "EXIT STATUS\n  0 equal: bit for bit, or as near as is allowed; 1 different, or rows or an "
      "array without a partner; 2 could not be\n"
      "  compared\n");
  app.callback([&compare, &outcome, command] {
    outcome.exit_code = unread;  // where nobody takes a report
    outlast_readers();
    outcome.exit_code = run_compare(compare, command);
  });
}

}  // namespace pe::cmd
