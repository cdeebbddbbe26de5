// The fields of an application: which there are, and what each needs.
#include "pe/apply/apply.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pe/apply/fields.hpp"
#include "pe/apply/scores.hpp"
#include "pe/base/error.hpp"
#include "pe/base/kept.hpp"
#include "pe/model/naming.hpp"

namespace pe {
namespace {

constexpr ApplyRow rows[] = {
    {"q", "any", "q", "queries as they came"},
    {"k", "any", "k", "keys as they came"},
    {"v", "any", "v", "values as they came"},
    {"x", "table", "x", "embeddings as they came"},
    {"x_out", "table", "x", "embeddings, encoded"},
    {"q_out", "table rotation", "q", "queries, encoded"},
    {"k_out", "table rotation", "k", "keys, encoded"},
    {"content_content", "any", "qk", "query · key as they came, before the scale"},
    {"content_position", "table relative", "qk",
     "query · what position adds to the key, before the scale"},
    {"position_content", "table relative", "qk",
     "what position adds to the query · key, before the scale"},
    {"position_position", "table relative", "qk",
     "product of what position adds to both, before the scale"},
    {"bias", "bias", "qk", "what is added to the scaled score"},
    {"logits", "any", "qk", "scores before softmax, masked ones −inf"},
    {"attention", "any", "qk", "softmax of the logits along the keys"},
    {"output", "any", "qkv", "weights · values"},
};

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || text[at - 1] == ' ') && (end == text.size() || text[end] == ' ')) return true;
  }
  return false;
}

bool fits(const ApplyRow& row, Kind kind) {
  return row.kinds == "any" || has_word(row.kinds, name_of(kind));
}

// What other programs call the field.
std::string_view also_called(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> names[] = {
      {"q_out", "query query-out q-rot q-embed rotated-q"},
      {"k_out", "key key-out k-rot k-embed rotated-k"},
      {"logits", "scores score attn-scores attention-scores qk"},
      {"attention", "attn attn-weights attention-weights weights probs probabilities softmax"},
      {"output", "out o context attn-output"}};
  for (const auto& [own, others] : names)
    if (own == name) return others;
  return "";
}

class Application {
 public:
  Application(Kept<Effect> effect, Kept<Contents> contents, Kept<Attention> attention, DType dtype)
      : effect_(effect), contents_(contents), attention_(attention), dtype_(dtype) {
    if (has('q') && has('k'))
      scores_ =
          std::make_shared<const Scores>(effect, contents_.at("q"), contents_.at("k"), attention);
  }

  // Every field that this effect and these tensors have.
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const ApplyRow& row : rows)
      if (fits(row) && std::ranges::all_of(row.needs, [&](char letter) { return has(letter); }) &&
          !is_term(row.name)) {
        names.emplace_back(row.name);
        if (row.name == "content_content")
          for (std::size_t i = 1; i < scores_->terms().size(); ++i)
            names.push_back(scores_->terms()[i].name);
      }
    return names;
  }

  std::vector<std::string> usual(bool inputs) const {
    std::string letters;
    for (const auto& [name, content] : contents_) letters += name;
    return usual_fields(kind_of(effect_), letters, inputs);
  }

  Field field(const std::string& name) const {
    const std::vector<std::string> known = names();
    if (std::ranges::find(known, name) == known.end()) refuse(name, known);
    Field made = make(name);
    const auto row = std::ranges::find(rows, name, &ApplyRow::name);
    if (row != std::end(rows)) made.description = row->description;
    return made;
  }

 private:
  bool has(char letter) const { return contents_.contains(std::string(1, letter)); }
  bool fits(const ApplyRow& row) const { return pe::fits(row, kind_of(effect_)); }
  static bool is_term(std::string_view name) {
    return name == "content_position" || name == "position_content" || name == "position_position";
  }

  [[noreturn]] void refuse(const std::string& name, const std::vector<std::string>& known) const {
    const auto row = std::ranges::find(rows, name, &ApplyRow::name);
    if (row != std::end(rows) && fits(*row))
      for (const char letter : row->needs)
        if (!has(letter))
          throw UsageError(fmt::format("--fields {} needs --{}, or --random", name, letter));
    std::vector<Named> names;
    for (const std::string& one : known) names.push_back({one, also_called(one)});
    const std::string near = did_you_mean(name, names);
    throw UsageError(fmt::format("no field '{}' here{}: choose from {}", name,
                                 near.empty() ? "" : " (" + near + ")", fmt::join(known, ", ")));
  }

  Field make(const std::string& name) const {
    if (name.size() == 1)
      return content_field(name, contents_.at(name), positions_of(name), along_of(name), dtype_);
    if (name == "x_out")
      return content_field(name, encoded("x"), attention_.queries, "position", dtype_);
    if (name == "q_out")
      return content_field(name, scores_ ? scores_->queries() : encoded("q"), attention_.queries,
                           "query", dtype_);
    if (name == "k_out")
      return content_field(name, scores_ ? scores_->keys() : encoded("k"), attention_.keys, "key",
                           dtype_);
    if (name == "output") return output();
    const auto fill = [&]() -> RowsFill {
      const auto scores = scores_;
      if (name == "bias") return [scores](auto... all) { scores->bias(all...); };
      if (name == "logits") return [scores](auto... all) { scores->logits(all...); };
      if (name == "attention") return [scores](auto... all) { scores->attention(all...); };
      return std::ranges::find(scores->terms(), name, &Term::name)->fill;
    }();
    const Content& q = *contents_.at("q");
    std::string letters = name == "bias" ? "hs" : "bhs";
    std::erase_if(letters, [&](char letter) { return q.axes.find(letter) == std::string::npos; });
    Field made = rows_field(name, q, letters, attention_.queries, "query",
                            axis_at("key", attention_.keys, "key position"), dtype_, fill);
    const auto term = std::ranges::find(scores_->terms(), name, &Term::name);
    if (term != scores_->terms().end()) made.description = term->description;
    return made;
  }

  const Positions& positions_of(const std::string& name) const {
    return name == "k" || name == "v" ? attention_.keys : attention_.queries;
  }
  static std::string along_of(const std::string& name) {
    return name == "q" ? "query" : name == "x" ? "position" : "key";
  }

  std::shared_ptr<const Content> encoded(const std::string& name) const {
    const Content& content = *contents_.at(name);
    check_count(content, positions_of(name), name == "k" ? "--key-positions" : "--positions");
    return std::make_shared<const Content>(encode(effect_, content, positions_of(name),
                                                  attention_.combine,
                                                  name == "k" ? Side::key : Side::query));
  }

  Field output() const {
    const Content &q = *contents_.at("q"), &v = *contents_.at("v");
    const auto outputs =
        std::make_shared<const Outputs>(scores_, effect_, contents_.at("v"), attention_);
    if (q.axes.back() == 'd')
      return rows_field("output", q, q.axes.substr(0, q.axes.size() - 1), attention_.queries,
                        "query", {"dim", first_positions(v.channels), "channel"}, dtype_,
                        [outputs](auto... all) { outputs->fill(all...); });
    // Channels do not lie together: the whole output is made first, it is as large as q.
    Content whole = q;
    whole.channels = v.channels;
    whole.values.resize(static_cast<std::size_t>(q.batch * q.heads * q.length * v.channels));
    for (Index b = 0; b < q.batch; ++b)
      for (Index h = 0; h < q.heads; ++h)
        for (Index s = 0; s < q.length; ++s)
          outputs->fill(b, h, std::span(&s, 1), whole.row(b, h, s));
    return content_field("output", std::make_shared<const Content>(std::move(whole)),
                         attention_.queries, "query", dtype_);
  }

  const Effect& effect_;
  const Contents& contents_;
  const Attention& attention_;
  DType dtype_;
  std::shared_ptr<const Scores> scores_;
};

}  // namespace

std::span<const ApplyRow> all_apply_fields() { return rows; }

std::vector<std::string> usual_fields(Kind kind, std::string_view letters, bool inputs) {
  constexpr std::string_view outputs = "x_out q_out k_out logits attention output";
  const auto has = [&](char letter) { return letters.find(letter) != std::string_view::npos; };
  std::vector<std::string> usual;
  for (const ApplyRow& row : rows) {
    const bool is_input = row.name.size() == 1;
    if (is_input ? !inputs : !has_word(outputs, row.name)) continue;
    if (row.name == "attention" && !has('v')) continue;
    if (fits(row, kind) && std::ranges::all_of(row.needs, has)) usual.emplace_back(row.name);
  }
  return usual;
}

std::vector<Field> apply(const Effect& effect, const Contents& contents, const Attention& attention,
                         DType dtype, const std::vector<std::string>& names, bool inputs) {
  const Application application(effect, contents, attention, dtype);
  std::vector<Field> fields;
  for (const std::string& name : names.empty() ? application.usual(inputs) : names)
    fields.push_back(application.field(name));
  if (fields.empty())
    throw UsageError(
        "nothing to apply this to: give --q and --k (or --x for a table), or --random B,H,S,D");
  return fields;
}

}  // namespace pe
