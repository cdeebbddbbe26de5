// `list`: the catalogues, as text, JSON or README rows.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace pe::cmd {

struct List {
  std::string what;
  std::vector<std::string> words;  // that a row must hold
  bool json = false, markdown = false, names = false;
};

/// What `list` may be followed by.
std::vector<std::string> catalogue_names();

void add_list(CLI::App& app, List& list);

}  // namespace pe::cmd
