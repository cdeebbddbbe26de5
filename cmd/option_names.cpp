// Rows of words from elsewhere, and the options that they mean.
#include "option_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "pe/model/naming.hpp"

namespace pe::cmd {
namespace {

// What other programs call the options that have no row in a schema, or have one without such a
// key.
struct Habit {
  const char* option;
  const char* also;
};
constexpr Habit habits[] = {
    {"length",
     "max-len max-length seqlen seq-len seq-length sequence-length n-ctx ctx context "
     "context-length num-positions size n"},
    {"dim", "d-model hidden-size hidden-dim embed-dim embedding-dim n-embd width channels d"},
    {"heads", "num-heads n-heads n-head nheads nhead num-attention-heads h"},
    {"positions", "position-ids position pos ids range"},
    {"output", "out outfile output-file save to"},
    {"dtype", "precision type float torch-dtype"},
    {"base", "freq-base rope-freq-base frequency-base"},
    {"scaling", "rope-scaling rope-type scaling-type method"},
    {"factor", "scaling-factor scale-factor rope-scale"},
    {"explain", "verbose v debug trace why"},
    {"config", "config-file cfg hf-config"},
    {"model", "model-name pretrained hf-model m"},
    {"fields", "field columns what f"},
    {"dialect", "backend framework implementation engine"},
    {"threads", "jobs j workers nproc n-threads num-threads"},
    {"report", "output out junit"},
    {"seed", "random-seed manual-seed"},
    {"q", "query query-states"},
    {"k", "key key-states"},
    {"v", "value value-states"},
    {"x", "embedding embeds inputs-embeds"},
    {"values", "value"},
    {"random", "shape batch batch-size"},
    {"causal", "mask is-causal causal-mask"},
    {"input", "weights weight checkpoint ckpt state-dict"},
    {"no-clobber", "no-overwrite keep noclobber"},
};

// What is wanted where no option is.
struct Hint {
  const char* words;
  const char* needs;  // an option that the subcommand has
  const char* says;
};
constexpr Hint hints[] = {
    {"q quiet silent s", "report", "the exit code says it all, >/dev/null the rest"},
    {"q quiet silent s", "output", "stdout is the result; 2>/dev/null keeps talk away"},
    {"json", "report", "--report - is JSON on stdout"},
    {"junit xml", "report", "--report FILE.xml is JUnit"},
    {"json", "format", "--format json"},
    {"csv", "format", "--format csv, which stdout has anyway"},
    {"npy", "format", "--format npy"},
    {"npz", "format", "--format npz"},
    {"hdf5 h5", "format", "--format hdf5"},
    {"safetensors", "format", "--format safetensors"},
    {"raw binary", "format", "--format raw"},
    {"force overwrite", "output", "files are overwritten anyway, unless --no-clobber"},
    {"junit-xml junitxml", "report", "--report FILE.xml is JUnit"},
    {"offset start start-pos begin shift", "positions",
     "--positions START:STOP says where they begin"},
    {"interleaved interleave is-interleaved rope-interleave gptj-style traditional", "pairing",
     "--pairing adjacent, where the codebase's pairs are 2j, 2j+1"},
    {"neox neox-style is-neox-style rotate-half", "pairing", "--pairing halves, the default"},
    {"tol tolerance atol rtol eps epsilon ulps", "accept",
     "bounds are derived, and --accept names the worst tier that passes; pe-verify compare takes "
     "--atol and --rtol"},
    {"only select law laws skip exclude", "accept", "one law alone is pe-verify LAW ENCODING"},
    {"heads head num-heads n-heads n-head nheads num-attention-heads", "base",
     "all heads are alike here, and none is counted"},
    {"gpu cuda device", "threads", "all is computed on the processor, by --threads"},
};

std::string without_dashes(const std::string& option) {
  const std::string name = option.substr(0, option.find('='));
  return name.substr(std::min(name.find_first_not_of('-'), name.size()));
}

bool is_among(const std::string& word, std::string_view list) {
  const std::vector<std::string> all = words(list);
  return std::ranges::find(all, word) != all.end();
}

// "rope_scaling.low_freq_factor" → "low-freq-factor".
std::string as_option(const std::string& key) {
  std::string name = key.substr(key.rfind('.') + 1);
  std::ranges::replace(name, '_', '-');
  return name;
}

// What a config calls each of the app's options: those of its encoding's schema.
std::vector<Named> config_names(const CLI::App& app, std::vector<std::string>& keys) {
  std::vector<Named> names;
  const Encoding* encoding = encoding_named(app.get_name());
  if (!encoding) return names;
  const std::vector<Parameter> schema = schema_of(*encoding);
  keys.reserve(schema.size());
  for (const Parameter& parameter : schema) {
    if (!has(app, parameter.name)) continue;
    std::string& also = keys.emplace_back();
    for (const std::string& key : words(parameter.config ? parameter.config : ""))
      also += " " + as_option(key);
    names.push_back({parameter.name, also});
  }
  return names;
}

// The app's options by name, with what else they are called.
std::vector<Named> option_names(const CLI::App& app, std::vector<std::string>& kept) {
  std::vector<std::string> keys;
  const std::vector<Named> configs = config_names(app, keys);
  std::vector<std::string> names, also;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames()) {
      names.push_back(name);
      also.emplace_back();
      for (const Named& config : configs)
        if (config.name == name) also.back() += config.also;
      for (const Habit& habit : habits)
        if (habit.option == name) also.back() += std::string(" ") + habit.also;
    }
  }
  kept = std::move(also);
  std::vector<Named> options;
  for (std::size_t i = 0; i < names.size(); ++i) options.push_back({"--" + names[i], kept[i]});
  return options;
}

std::optional<std::string> hint_for(const CLI::App& app, const std::string& name) {
  for (const Hint& hint : hints)
    if (is_among(name, hint.words) && has(app, hint.needs)) return hint.says;
  return {};
}

}  // namespace

bool has(const CLI::App& app, const std::string& name) {
  return app.get_option_no_throw("--" + name) != nullptr;
}

const Encoding* encoding_named(const std::string& name) {
  for (const Encoding* encoding : all_encodings())
    if (encoding->name == name) return encoding;
  return nullptr;
}

std::string told(const Meaning& meaning, const std::string& typed) {
  const bool one = meaning.names.size() == 1;
  const std::string sort(name_of(meaning.sort));
  return one ? fmt::format("{} is {} ({})", meaning.names.front(), sort, typed)
             : fmt::format("{} {} begin so ({})", either_of(meaning.names),
                           sort.substr(sort.find(' ') + 1) + "s", typed);
}

std::string unknown_option(const CLI::App& app, const std::string& option) {
  const std::string name = without_dashes(option);
  std::vector<std::string> kept;
  const std::vector<Named> options = option_names(app, kept);
  const Meant meant = meant_by(name, options);
  std::string said = fmt::format("unknown option '{}'", option);
  if (meant.names.empty() || meant.why > Likeness::begins) {
    if (const auto hint = hint_for(app, name)) return said + ": " + *hint;
    for (const Meaning& meaning : meanings_of(name, Sort::command, ""))
      if (meaning.why <= Likeness::also && !meaning.option.empty() &&
          has(app, meaning.option.substr(2, meaning.option.find(' ') - 2)))
        return said + ": " + told(meaning, meaning.option);
  }
  return meant.names.empty() ? said : said + ": did you mean " + either_of(meant.names) + "?";
}

std::vector<std::string> with_own_names(const CLI::App& app, std::vector<std::string> words) {
  std::vector<std::string> keys;
  const std::vector<Named> configs = config_names(app, keys);
  for (std::string& word : words) {
    if (!word.starts_with("--") || word.size() == 2) continue;
    std::string name = word.substr(2, word.find('=') - 2);
    std::ranges::replace(name, '_', '-');
    if (has(app, word.substr(2, word.find('=') - 2))) continue;
    std::vector<std::string> meant;
    for (const Named& config : configs)
      if (is_among(name, config.also)) meant.push_back(config.name);
    const std::size_t equals = word.find('=');
    if (meant.size() == 1)
      word = "--" + meant.front() + (equals == std::string::npos ? "" : word.substr(equals));
  }
  return words;
}

}  // namespace pe::cmd
