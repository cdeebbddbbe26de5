// pe-analyze published: the literature as a table, each number recomputed.
#pragma once

#include <string>

#include "analysis.hpp"
#include "options.hpp"
#include "tool.hpp"

namespace pe::cmd {

struct Published {
  std::string only, claims, timeout = usual_analysis_timeout;
  OutputRequest output;
};

void add_published(CLI::App& app, Published& published, Outcome& outcome,
                   const std::string& command);

}  // namespace pe::cmd
