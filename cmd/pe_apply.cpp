// pe-apply: one subcommand for each catalogue row; the encoding on real or random queries, keys,
// values and embeddings.
#include <fmt/format.h>

#include "apply_request.hpp"
#include "list.hpp"
#include "main.hpp"
#include "pe/apply/scores.hpp"
#include "pe/base/error.hpp"
#include "pe/base/version.hpp"
#include "pe/model/number.hpp"

namespace {

using pe::Index;
using pe::UsageError;
using pe::cmd::Apply;
using pe::cmd::owner;

void set_flag(pe::Given& flags, const pe::Parameter& parameter, bool value,
              const std::string& option) {
  const std::string text = value ? "true" : "false";
  if (const auto before = flags.find(parameter.name);
      before != flags.end() && before->second.text != text)
    throw UsageError(fmt::format("{} contradicts {}", option, before->second.origin.substr(5)));
  flags[parameter.name] = {text, "flag " + option};
}

double number(const std::string& option, const std::string& text) {
  return pe::checked_number({option, text}, text, {}).value();
}

void run(Apply& apply, const std::string& command) {
  const pe::Encoding& encoding = *apply.request.texts.encoding;
  const std::vector<pe::Parameter> schema = pe::schema_of(encoding);
  const std::string seed = owner(schema, "seed") && apply.request.texts.flags.contains("seed")
                               ? apply.request.texts.flags.at("seed").text
                               : apply.seed;
  const pe::Contents contents = pe::cmd::contents_of(
      apply, encoding.kind,
      static_cast<std::uint64_t>(pe::whole_number("seed", seed, "0", "9223372036854775807")));
  const pe::cmd::Places places = pe::cmd::places_of(apply, contents);

  pe::cmd::Request request = apply.request;
  if (!request.texts.length.empty())
    throw UsageError("--length is what the tensors say: leave it out, or give --positions");
  request.texts.positions.clear();
  request.explain = false;
  request.texts.implied = pe::cmd::implied_by(schema, contents);
  // The encoding's own flag says what its model masks; --no-causal is the other side of it.
  const pe::Parameter* own_mask = owner(schema, "causal");
  if (own_mask && apply.causal)
    set_flag(request.texts.flags, *own_mask, std::string_view(own_mask->name) != "causal",
             "--no-causal");
  pe::cmd::Resolved resolved =
      pe::cmd::resolve(request, "pe-apply", command, pe::cmd::length_of(places, encoding.kind));
  const pe::Subject& subject = resolved.subject;

  pe::Setting setting{
      .queries = places.queries, .keys = places.keys, .combine = pe::parse_combine(apply.combine)};
  const Index channels = pe::cmd::find(contents, {"q", "k", "x", "v"})->channels;
  setting.scale = apply.scale.empty() ? pe::usual_scale(subject.effect, channels, setting.combine)
                                      : number("scale", apply.scale);
  setting.causal = own_mask ? subject.parameters.flag(own_mask->name) ==
                                  (std::string_view(own_mask->name) == "causal")
                            : apply.causal.value_or(pe::usual_causal(subject.effect));

  std::vector<pe::Provenance::Entry>& entries = resolved.provenance.parameters;
  std::erase_if(entries, [](const auto& entry) { return entry.name == "positions"; });
  const auto note = [&](const std::string& name, const std::string& value,
                        const std::string& origin) {
    entries.push_back({name, value, origin});
  };
  for (const auto& [name, file] : apply.files)
    if (!file.empty()) note(name, file, "flag --" + name);
  if (!apply.random.empty()) {
    note("random", apply.random, "flag --random");
    if (!owner(schema, "seed")) note("seed", seed, apply.seed == "0" ? "default" : "flag --seed");
    if (!apply.kv_heads.empty()) note("kv-heads", apply.kv_heads, "flag --kv-heads");
  }
  note("axes", pe::cmd::find(contents, {"q", "k", "x", "v"})->axes,
       apply.axes.empty() ? "default" : "flag --axes");
  note("positions", spell(places.queries), places.queries_from);
  note("key-positions", spell(places.keys), places.keys_from);
  if (encoding.kind == pe::Kind::table)
    note("combine", apply.combine, apply.combine == "add" ? "default" : "flag --combine");
  note("scale", fmt::format("{}", setting.scale),
       apply.scale.empty() ? "default of " + std::string(encoding.name) : "flag --scale");
  if (!own_mask)
    note("causal", setting.causal ? "true" : "false",
         apply.causal ? setting.causal ? "flag --causal" : "flag --no-causal" : "default");
  if (apply.request.explain) pe::cmd::explain(subject, resolved.provenance);

  if (!apply.format.empty()) apply.output.format = pe::parse_format(apply.format);
  apply.output.threads = resolved.threads;
  const auto fields = pe::apply(subject.effect, contents, setting, subject.dtype,
                                pe::cmd::comma_separated(request.fields), !apply.random.empty());
  pe::write(fields, resolved.provenance, apply.output);
}

void add(CLI::App& app, const pe::Encoding& encoding, Apply& apply, const std::string& command) {
  apply.request.texts.encoding = &encoding;
  pe::cmd::add_options(app, apply.request);
  const std::vector<pe::Parameter> schema = pe::schema_of(encoding);
  const char* group = "Tensors";
  // Transformer-XL has a parameter v of its own: the values are --values there.
  const auto file = [&](std::string name, const char* whole, const char* help) {
    app.add_option(fmt::format("--{}", owner(schema, name) ? whole : name), apply.files[name], help)
        ->type_name("FILE[:TENSOR]")
        ->group(group);
  };
  file("q", "queries", "queries");
  file("k", "keys", "keys; heads of k and v may divide those of q");
  file("v", "values", "values; asks for the attention's output");
  if (encoding.kind == pe::Kind::table)
    file("x", "embeddings", "embeddings that the table is added to");
  app.add_option(
         "--axes", apply.axes,
         "order of the axes: letters b h s d, such as bhsd, bshd, sbhd, hsd, sd (default: by the "
         "rank sd, hsd, bhsd)")
      ->type_name("LETTERS")
      ->group(group);
  app.add_option("--random", apply.random,
                 "draw q, k, v (and x) instead, standard normal, rounded to --dtype")
      ->type_name("B,H,S,D")
      ->group(group);
  app.add_option("--kv-heads", apply.kv_heads, "heads of the random k and v")
      ->type_name("N")
      ->group(group);
  if (!owner(schema, "seed"))
    app.add_option("--seed", apply.seed, "seed of --random")
        ->type_name("N")
        ->group(group)
        ->capture_default_str();
  app.add_flag("--allow-nonfinite", apply.allow_nonfinite, "take NaN and infinity in tensors")
      ->group(group);
  group = "Attention";
  if (!owner(schema, "offset"))
    app.add_option("--offset", apply.offset,
                   "position of the first query (default: 0; with more keys than queries, so that "
                   "both end together)")
        ->type_name("N")
        ->group(group);
  app.add_option(
         "--key-positions", apply.key_positions,
         "positions of the keys (default: those of the queries; 0 to N-1 when there are more keys)")
      ->type_name("START:STOP[:STEP]")
      ->group(group);
  app.add_option("--scale", apply.scale,
                 "multiplies q · k (default: 1/√channels, or what the encoding uses)")
      ->type_name("NUMBER")
      ->group(group);
  if (encoding.kind == pe::Kind::table)
    app.add_option("--combine", apply.combine,
                   "how the table meets the content: x + p, x ⊗ p, x ⊗ (1 + p), [x; p]")
        ->type_name("{add,multiply,multiply-one,concatenate}")
        ->group(group)
        ->capture_default_str();
  const auto mask = [&apply](bool on) {
    return [&apply, on] {
      if (apply.causal.value_or(on) != on) throw UsageError("--causal contradicts --no-causal");
      apply.causal = on;
    };
  };
  if (!owner(schema, "causal"))
    app.add_flag_callback("--causal", mask(true), "mask keys at positions after the query")
        ->group(group);
  app.add_flag_callback(
         "--no-causal", mask(false),
         owner(schema, "causal") ? "the opposite of --causal" : "mask nothing (default)")
      ->group(group);
  app.add_option(
         "--fields", apply.request.fields,
         "fields to write (default: encoded tensors and logits; with v, attention and output)")
      ->type_name("NAME,...");
  app.add_option("-o,--output", apply.output.path, "file; its suffix picks the format; - is stdout")
      ->type_name("PATH")
      ->capture_default_str();
  app.add_option("--format", apply.format,
                 "csv, hdf5, npy, npz, safetensors, json or raw, whatever the suffix")
      ->type_name("NAME");
  app.add_flag("--tidy", apply.output.tidy, "CSV with one row for each element");
  std::string names;
  for (const pe::ApplyRow& row : pe::all_apply_fields())
    if (row.kinds == "any" || row.kinds.find(name_of(encoding.kind)) != std::string_view::npos)
      names += fmt::format("  {:<17} {}\n", row.name, row.description);
  app.footer(fmt::format(
      "FIELDS\n{}\nEXAMPLES\n  pe-apply {} --q q.npy --k k.npy --v v.npy -o out.safetensors\n"
      "  pe-apply {} --random 2,4,16,64 --seed 1 -o golden.h5\n\n"
      "ACCURACY\n  Inputs and the encoding's values are taken in f64, sums are made in f64 in "
      "index order, and each result is rounded\n"
      "  once to --dtype. Before that rounding a term of n channels is within (n + "
      "24)·2^-53·|left|·|right| of the exact one,\n"
      "  | | the lengths of the two vectors that it multiplies.\n\n"
      "EXIT STATUS\n  0 written; 2 bad usage, bad input or a failed write\n",
      names, encoding.name, encoding.name));
  app.callback([&apply, command] { run(apply, command); });
}

}  // namespace

int main(int argc, char** argv) {
  return pe::cmd::guarded("pe-apply", [&] {
    pe::cmd::Outcome outcome;
    Apply apply;
    CLI::App app(
        "pe-apply puts position encodings to work: encoded tensors, logits, attention and its "
        "output.",
        "pe-apply");
    app.set_version_flag("--version", fmt::format("pe-apply {}", pe::version()));
    app.require_subcommand(1);
    app.footer(
        "EXAMPLES\n  pe-apply rope --q q.npy --k k.npy -o out.safetensors\n"
        "  pe-apply alibi --random 1,8,32,64 --seed 1 -o golden.h5\n\n"
        "EXIT STATUS\n  0 written; 2 bad usage, bad input or a failed write\n");
    for (const pe::Encoding* encoding : pe::all_encodings()) {
      CLI::App* sub =
          app.add_subcommand(std::string(encoding->name), std::string(encoding->summary));
      if (pe::cmd::asked_for(argc, argv, 0, encoding->name))
        add(*sub, *encoding, apply, pe::cmd::command_line(argc, argv));
    }
    pe::cmd::List list;
    pe::cmd::add_list(app, list);
    pe::cmd::check_word(app, argc, argv, 0, "encoding");
    return pe::cmd::run(app, argc, argv, outcome);
  });
}
