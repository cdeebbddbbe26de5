// Reader: takes values from a config, remembers where each stood and which keys were read.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "pe/base/kept.hpp"
#include "pe/configs/reading.hpp"

namespace pe {

class Reader {
 public:
  Reader(Kept<Config> config, Reading& reading) : config_(config), reading_(reading) {}

  const Config& config() const { return config_; }

  /// Sets the parameter to the first of `paths` that the file has; `rule` says why that one.
  /// Another that says otherwise is warned about.
  bool take(std::string_view parameter, Config::Type type, const std::vector<std::string>& paths,
            std::string_view rule = {});
  /// The same by a family's row: keys of the layer, then of the family.
  void set(std::string_view parameter, std::string text, std::string origin, std::string rule = {});
  bool has(std::string_view parameter) const { return reading_.given.contains(parameter); }
  const std::string& text(std::string_view parameter) const {
    return reading_.given.find(parameter)->second.text;
  }

  /// The whole number at a path, at least 1; 0 when it is absent.
  Index count(std::string_view path);
  /// The first of `paths` that the file has, and its count.
  Index count(const std::vector<std::string>& paths, std::string& found);

  void warn(std::string sentence);
  void know(std::string_view path) { known_.insert(std::string(path)); }
  bool knows(std::string_view path) const { return known_.contains(std::string(path)); }
  [[noreturn]] void refuse(std::string_view path, std::string_view expected) const;

 private:
  const Config& config_;
  Reading& reading_;
  std::set<std::string> known_;
};

/// "a|b" → {a, b}; "" → {}.
std::vector<std::string> alternatives(std::string_view keys);

/// How many channels a head of the family has: sets --dim.
void read_head(Reader& reader, const Family& family, const LayerType* layer);

/// Rotary parameters: base, part of the head, scaling and all that it reads.
void read_rotary(Reader& reader, const Family& family, const LayerType* layer,
                 std::string_view layer_type);

/// Where the rotary keys stand: rope_scaling, or rope_parameters, or nowhere (""), and in which
/// layer's object.
std::string rotary_root(const Config& config);

/// Warnings about keys that nobody read and values that contradict each other.
void doubt(Reader& reader, const Reading& reading, const std::string& root);

}  // namespace pe
