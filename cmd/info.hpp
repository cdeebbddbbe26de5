// `info`: what a file holds, without reading its numbers.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace pe::cmd {

struct Info {
  std::string file;
  bool json = false;
};

void add_info(CLI::App& app, Info& info);

}  // namespace pe::cmd
