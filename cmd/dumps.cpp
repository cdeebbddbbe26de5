// Opening them.
#include "dumps.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <iterator>
#include <set>
#include <string_view>

#include "option_names.hpp"
#include "options.hpp"
#include "pe/base/error.hpp"
#include "pe/configs/catalogue.hpp"
#include "pe/io/dump.hpp"
#include "pe/io/foreign.hpp"
#include "pe/model/number.hpp"
#include "pe/platform/platform.hpp"
#include "progress.hpp"

namespace pe::cmd {

std::vector<Index> parse_shape(const std::string& text) {
  std::vector<Index> shape;
  std::string plain = text;  // 4x64 is 4,64
  if (text.find_first_not_of("0123456789xX") == std::string::npos)
    std::ranges::replace_if(
        plain, [](char c) { return c == 'x' || c == 'X'; }, ',');
  for (const std::string& extent : comma_separated(plain))
    shape.push_back(whole_number("shape", extent, "0", largest_whole));
  return shape;
}

void refuse_names(const std::vector<std::string>& files, const std::string& line) {
  std::error_code error;
  for (const std::string& file : files) {
    const bool is_encoding = encoding_named(file) != nullptr;
    if ((!is_encoding && !is_catalogued(file)) || std::filesystem::exists(file, error)) continue;
    throw UsageError(fmt::format(
        "'{}' is {}, and a file belongs there: {}", file, is_encoding ? "an encoding" : "a model",
        fmt::format(fmt::runtime(line), is_encoding ? file : "rope --model " + file)));
  }
}

namespace {

RawForm form_of(const std::optional<std::string>& dtype, const std::vector<Index>& shape) {
  RawForm raw{{}, shape};
  if (dtype) raw.dtype = parse_dtype(*dtype);
  return raw;
}

// `cos.npy,sin.npy` as two, where each is there and no file has that name.
std::vector<std::string> parted(const std::vector<std::string>& specs) {
  std::vector<std::string> all;
  std::error_code error;
  const auto is_there = [&](const std::string& one) {
    return std::filesystem::exists(io::path_of(one), error);
  };
  for (const std::string& spec : specs) {
    const std::vector<std::string> each = comma_separated(spec);
    if (std::set(each.begin(), each.end()).size() > 1 && !std::filesystem::exists(spec, error) &&
        std::ranges::all_of(each, is_there))
      all.insert(all.end(), each.begin(), each.end());
    else
      all.push_back(spec);
  }
  return all;
}

void append(std::vector<Stored>& arrays, std::vector<Stored> found) {
  if (arrays.empty())
    arrays = std::move(found);  // of one file often all
  else
    std::ranges::move(found, std::back_inserter(arrays));
}

}  // namespace

std::vector<Stored> open_all(const std::vector<std::string>& specs,
                             const std::optional<std::string>& dtype,
                             const std::vector<Index>& shape) {
  const RawForm raw = form_of(dtype, shape);
  std::vector<Stored> arrays;
  for (const std::string& spec : specs) append(arrays, open_arrays(spec, raw));
  return arrays;
}

namespace {

// Whether both say the same file, by whatever path.
bool are_one_file(const std::string& a, const std::string& b) {
  std::error_code error;
  const std::string first = io::path_of(a), second = io::path_of(b);
  return first == second || std::filesystem::equivalent(first, second, error);
}

void refuse_itself(const std::vector<std::string>& files, const std::vector<std::string>& before,
                   const Dump& dump) {
  for (const std::string& after : files)
    if (std::ranges::any_of(before,
                            [&](const std::string& spec) { return are_one_file(after, spec); }))
      for (const Stored& array : dump.arrays)
        for (const Stored& other : dump.before)
          if (array.name == other.name && are_one_file(array.shown, other.shown))
            throw UsageError(fmt::format(
                "{} stands before and after, and would be held to itself: name the arrays, "
                "--before FILE:ARRAY --file FILE:ARRAY",
                array.shown));
}

}  // namespace

void refuse_checkpoint(const std::vector<std::string>& files) {
  constexpr std::size_t fewest = 3;  // weights, of what is no dump
  constexpr std::string_view of_positions[] = {"inv_freq",
                                               "position_embedding",
                                               "embed_positions",
                                               "pos_embed",
                                               "wpe.",
                                               "cos_cached",
                                               "sin_cached",
                                               "cos_sin_cache",
                                               "freqs_cis",
                                               "relative_attention_bias",
                                               "slopes",
                                               "relative_position_bias_table"};
  if (files.size() != 1 || files.front() == "-" || io::path_of(files.front()) != files.front())
    return;
  std::size_t weights = 0;
  std::vector<std::string> found;
  std::vector<Stored> arrays;
  try {
    arrays = open_all(files, std::nullopt, {});
  } catch (const std::exception&) {
    return;  // what is wrong with it was said already
  }
  for (const Stored& array : arrays) {
    weights += array.name.ends_with(".weight") || array.name.ends_with(".bias");
    if (std::ranges::any_of(of_positions, [&](std::string_view part) {
          return array.name.find(part) != std::string::npos;
        }))
      found.push_back(array.name);
  }
  if (weights < fewest) return;
  throw UsageError(fmt::format(
      "'{}' is a checkpoint of {} arrays{}", files.front(), arrays.size(),
      found.empty()
          ? ", none of them with a name that speaks of positions: its config.json says "
            "what it computes (pe-gen --config FOLDER)"
          : fmt::format(": name one of positions, such as {}:{}", files.front(), found.front())));
}

Dump open_dump(const std::vector<std::string>& files, const std::vector<std::string>& before,
               const std::optional<std::string>& dtype, const std::vector<Index>& shape,
               Progress& progress) {
  std::vector<std::string> specs = parted(files);
  const std::size_t count = specs.size();
  std::ranges::move(parted(before), std::back_inserter(specs));
  Dump dump;
  auto found = open_files(specs, form_of(dtype, shape));
  for (std::size_t i = 0; i < found.size(); ++i)
    append(i < count ? dump.arrays : dump.before, std::move(found[i]));
  refuse_itself(files, before, dump);
  for (auto* arrays : {&dump.arrays, &dump.before}) *arrays = watched(std::move(*arrays), progress);
  return dump;
}

bool dump_waits() {
  std::array<char, 16> bytes{};
  const std::string_view start(bytes.data(), platform::waiting(STDIN_FILENO, bytes));
  return io::begins_as_dump(start) || start.starts_with("position,");
}

}  // namespace pe::cmd
