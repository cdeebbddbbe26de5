// The options of a subcommand of pe-apply.
#include <fmt/format.h>

#include "apply_request.hpp"
#include "examples.hpp"
#include "help_page.hpp"
#include "pe/base/error.hpp"
#include "pe/model/axis_letters.hpp"

namespace pe::cmd {
namespace {

// What the options of one subcommand are added to.
struct Form {
  CLI::App& app;
  const Encoding& encoding;
  std::vector<Parameter> schema;
  Apply& apply;

  bool has(std::string_view option) const { return parameter_of(schema, option) != nullptr; }
  bool is_table() const { return encoding.kind == Kind::table; }
};

void add_files(const Form& form) {
  // Transformer-XL has a parameter v of its own: the values are --values there.
  const auto file = [&](std::string name, const char* whole, const char* help) {
    form.app
        .add_option(fmt::format("--{}", form.has(name) ? whole : name), form.apply.files[name],
                    help)
        ->type_name("FILE[:TENSOR]")
        ->group("Tensors");
  };
  file("q", "queries", "queries");
  file("k", "keys", "keys; heads of k and v may divide those of q");
  file("v", "values", "values; asks for the attention's output");
  if (form.is_table()) file("x", "embeddings", "embeddings that the table is added to");
}

void add_tensors(const Form& form) {
  const char* group = "Tensors";
  add_files(form);
  form.app
      .add_option_function<std::string>(
          "--axes",
          [&axes = form.apply.axes](const std::string& text) { axes = checked_axes(text); },
          "order of the axes: letters b h s d, such as bhsd, bshd, sbhd, hsd, sd (default: "
          "by the rank sd, hsd, bhsd)")
      ->type_name("LETTERS")
      ->group(group);
  form.app
      .add_option("--random", form.apply.random,
                  "draw q, k, v (and x) instead, standard normal, rounded to --dtype")
      ->type_name("B,H,S,D")
      ->group(group);
  form.app.add_option("--kv-heads", form.apply.kv_heads, "heads of the random k and v")
      ->type_name("N")
      ->group(group);
  if (!form.has("seed"))
    form.app.add_option("--seed", form.apply.seed, "seed of --random")
        ->type_name("N")
        ->group(group)
        ->capture_default_str();
  form.app
      .add_flag("--allow-nonfinite", form.apply.allow_nonfinite, "take NaN and infinity in tensors")
      ->group(group);
}

void add_mask(const Form& form) {
  const auto mask = [&apply = form.apply](bool on) {
    return [&apply, on] {
      if (apply.causal.value_or(on) != on) throw UsageError("--causal contradicts --no-causal");
      apply.causal = on;
    };
  };
  const bool own = form.has("causal");
  if (!own)
    form.app.add_flag_callback("--causal", mask(true), "mask keys at positions after the query")
        ->group("Attention");
  form.app
      .add_flag_callback("--no-causal", mask(false),
                         own ? "the opposite of --causal" : "mask nothing (default)")
      ->group("Attention");
}

void add_attention(const Form& form) {
  const char* group = "Attention";
  if (!form.has("offset"))
    form.app
        .add_option("--offset", form.apply.offset,
                    "position of the first query (default: 0; with more keys than queries, so that "
                    "both end together)")
        ->type_name("N")
        ->group(group);
  form.app
      .add_option("--key-positions", form.apply.key_positions,
                  "positions of the keys (default: those of the queries; 0 to N-1 when there are "
                  "more keys)")
      ->type_name("START:STOP[:STEP] or P,P,...")
      ->group(group);
  form.app
      .add_option("--scale", form.apply.scale,
                  "multiplies q · k (default: 1/√channels, or what the encoding uses)")
      ->type_name("NUMBER")
      ->group(group);
  if (form.is_table())
    form.app
        .add_option("--combine", form.apply.combine,
                    "how the table meets the content: x + p, x ⊗ p, x ⊗ (1 + p), [x; p]")
        ->type_name("{add,multiply,multiply-one,concatenate}")
        ->group(group)
        ->capture_default_str();
  add_mask(form);
}

// Queries, keys and values of the file that the example before wrote.
std::string tensors_of(const Form& form) {
  return fmt::format("--{} golden.h5:q --{} golden.h5:k --{} golden.h5:v",
                     form.has("q") ? "queries" : "q", form.has("k") ? "keys" : "k",
                     form.has("v") ? "values" : "v");
}

std::string footer_of(const Form& form) {
  const Encoding& encoding = form.encoding;
  std::string names;
  for (const ApplyRow& row : all_apply_fields())
    if (row.kinds == "any" || row.kinds.find(name_of(encoding.kind)) != std::string_view::npos)
      names += fmt::format("  {:<17} {}\n", row.name, row.description);
  return fmt::format(
      "FIELDS\n{0}\nEXAMPLES\n  pe-apply {1} --random 2,4,16,64 --seed 1 -o golden.h5\n"
      "  pe-apply {2} {3} -o out.safetensors\n\n"
      "ACCURACY\n  Inputs and the encoding's values are taken in f64, sums are made in f64 in "
      "index order, and each result is rounded\n"
      "  once to --dtype. Before that rounding a term of n channels is within (n + "
      "24)·2^-53·|left|·|right| of the exact one,\n"
      "  | | the lengths of the two vectors that it multiplies.\n\n"
      "EXIT STATUS\n  0 written; 2 bad usage, bad input or a failed write\n",
      names, encoding.name, drawn(encoding), tensors_of(form));
}

}  // namespace

void add_apply_options(CLI::App& app, const Encoding& encoding, Apply& apply) {
  apply.request.texts.encoding = &encoding;
  add_options(app, apply.request);
  take_position_lists(app);
  const Form form{app, encoding, schema_of(encoding), apply};
  add_tensors(form);
  add_attention(form);
  app.add_option("--fields", apply.request.fields,
                 "fields to write (default: encoded tensors and logits; with v, attention and "
                 "output; as CSV: logits)")
      ->type_name("NAME,...")
      ->group(group::output);
  add_output_options(app, apply.output);
  app.footer("");
  app.footer([=] { return footer_of(form); });
}

}  // namespace pe::cmd
