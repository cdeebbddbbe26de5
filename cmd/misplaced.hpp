// Words that mean something elsewhere than where they stand. Each throws UsageError where it does.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "lexicon.hpp"

namespace pe::cmd {

/// Word `at` behind option `name`, which is there for a value.
void refuse_dashed(const CLI::Option& option, const std::string& name,
                   const std::vector<std::string>& words, std::size_t at);

/// What another tool does with the encoding, where the encoding belongs.
void refuse_deed(const std::string& word, const std::string& encoding, const std::string& lead);

/// A command of any tool at word `depth`, with the words behind it.
void refuse_command(const std::vector<std::string>& words, std::size_t depth, Sort own,
                    const std::string& lead);

}  // namespace pe::cmd
