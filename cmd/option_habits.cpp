// Rows of names and letters from elsewhere.
#include "option_habits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "option_names.hpp"
#include "pe/dialects/spell.hpp"
#include "pe/io/format.hpp"
#include "pe/model/naming.hpp"
#include "pe/model/parameter.hpp"

namespace pe::cmd {
namespace {

// What other programs call the options that have no row in a schema, or have one without such a
// key.
struct Habit {
  std::string_view option;
  const char* also;
};
constexpr Habit habits[] = {
    {"length",
     "max-len max-length seqlen seq-len seq-length sequence-length n-ctx ctx context "
     "context-length num-positions n-positions max-positions max-position-embeddings max-seq-len "
     "max-seq-length max-seq-len-cached max-sequence-length rows limit size n num-embeddings "
     "target target-length wanted wanted-length max-model-len ctx-size num-ctx max-seq to until "
     "model-max-length "
     "cutoff-len block-size max-context context-window"},
    {"dim",
     "d-model hidden-size hidden-dim embed-dim embedding-dim n-embd width channels head-size hd d "
     "n-rot qk-head-dim key-length"},
    {"heads", "num-heads n-heads n-head nheads nhead num-attention-heads h"},
    {"rotary-dim", "rope-dim rot-dim rotary-ndims rotary-emb-dim qk-rope-head-dim"},
    {"max-distance", "clip clipping clip-distance max-relative-position max-relative-positions"},
    {"rules", "scalings methods"},
    {"kernel", "type kind variant"},
    {"axes", "axis layout"},
    {"positions", "position-ids position pos ids range"},
    {"output",
     "out outfile output-file save save-path out-path output-path filename file-name dest to"},
    {"dtype", "precision type float torch-dtype bits bit kv-cache-dtype cache-dtype"},
    {"base",
     "freq-base rope-freq-base frequency-base rope-base temperature max-period max-wavelength"},
    {"scaling", "rope-scaling rope-type scaling-type rope-scaling-type method"},
    {"factor",
     "scaling-factor scale-factor rope-scale rope-factor rope-scaling-factor yarn-factor "
     "ntk-factor linear-factor "
     "compress-pos-emb alpha-value stretch"},
    {"original-max-position",
     "yarn-orig-ctx orig-ctx original-context original-context-length original-length "
     "pretrained-length train-length training-length trained-length trained"},
    {"attention-factor", "yarn-attn-factor attn-factor attention-scaling"},
    {"beta-fast", "yarn-beta-fast"},
    {"beta-slow", "yarn-beta-slow"},
    {"explain", "verbose v debug trace why"},
    {"config", "config-file cfg hf-config"},
    {"model", "model-name pretrained hf-model hf-repo hf-id hf repo m"},
    {"fields", "field columns what f"},
    {"dialect", "backend framework implementation engine"},
    {"threads", "jobs j workers nproc n-threads num-threads"},
    {"report", "output out junit"},
    {"file", "dump input data tensor array path in"},
    {"partial-rotary-factor",
     "rotary-percentage rotary-percent rotary-fraction rotary-ratio percentage rope-pct"},
    {"kv-heads", "gqa num-kv-heads n-kv-heads num-key-value-heads"},
    {"versus", "vs against compare compare-with other others with baseline"},
    {"atol", "abs-tol absolute-tolerance"},
    {"rtol", "rel-tol relative-tolerance"},
    {"seed", "random-seed manual-seed"},
    {"q", "query queries query-states"},
    {"k", "key keys key-states"},
    {"v", "value values value-states"},
    {"x", "embedding embeddings embeds inputs-embeds"},
    {"values", "value"},
    {"random", "shape batch batch-size randn rand normal"},
    {"tokens", "text sentence prompt words string input-text"},
    {"causal", "mask is-causal causal-mask"},
    {"input", "weights weight checkpoint ckpt state-dict"},
    {"ulps", "max-ulp max-ulps ulp-tol"},
    {"jobs", "parallel workers processes n-jobs threads"},
    {"only", "paper papers claim filter grep"},
    {"no-clobber", "no-overwrite keep noclobber"},
};

// What a letter alone stands for elsewhere, the likeliest first.
struct Letter {
  char letter;
  const char* options;
};
constexpr Letter letters[] = {
    {'a', "atol accept axes"},
    {'b', "base"},
    {'c', "config length"},
    {'f', "format fields file"},
    {'i', "file input"},
    {'j', "jobs threads"},
    {'l', "length"},
    {'o', "output report"},
    {'p', "positions"},
    {'r', "rtol report random"},
    {'s', "scaling seed shape"},
    {'t', "dtype threads timeout"},
};

bool is_number(const std::string& text) { return text.find_first_of("0123456789") == 0; }

// Whether an option takes such a value, where its values show that.
bool takes(const std::string& option, const std::string& value) {
  const std::string first = value.substr(0, value.find(','));
  if (option == "format")
    return std::ranges::any_of(io::formats(), [&](const io::FormatRow& row) {
      return row.write && (row.name == value || is_among("." + value, row.suffixes));
    });
  if (option == "fields")
    return std::ranges::any_of(all_fields(),
                               [&](const FieldRow& row) { return row.name == first; });
  if (option == "file" || option == "input" || option == "report" || option == "config")
    return value.find('.') != std::string::npos;
  const bool names = option == "dtype" || option == "scaling" || option == "accept" ||
                     option == "axes" || value.empty();
  return names != is_number(value);
}

}  // namespace

bool is_among(const std::string& word, std::string_view list) {
  const std::vector<std::string> all = words(list);
  return std::ranges::find(all, word) != all.end();
}

std::string_view called_elsewhere(std::string_view option) {
  const auto found = std::ranges::find(habits, option, &Habit::option);
  return found == std::end(habits) ? "" : found->also;
}

std::string letter_meant(const CLI::App& app, const std::string& option, const std::string& value) {
  if (option.size() > 2 && option[1] != '-' && is_number(option.substr(2)))
    return letter_meant(app, option.substr(0, 2), option.substr(2));  // -j4
  if (option.size() != 2) return "";
  for (const Letter& row : letters) {
    if (row.letter != option[1]) continue;
    std::vector<std::string> meant;
    for (const std::string& name : words(row.options)) {
      if (!has(app, name)) continue;
      if (takes(name, value)) return fmt::format("--{}{}{}", name, value.empty() ? "" : " ", value);
      meant.push_back("--" + name);
    }
    return either_of(meant);
  }
  return "";
}

}  // namespace pe::cmd
