// pe-apply: one subcommand for each encoding, put to work on real or random queries, keys, values
// and embeddings.
#include <fmt/format.h>

#include <algorithm>

#include "apply_request.hpp"
#include "pe/apply/scores.hpp"
#include "pe/base/error.hpp"
#include "pe/io/format.hpp"
#include "pe/io/writable.hpp"
#include "pe/model/number.hpp"
#include "pe/subject/drawn_numbers.hpp"
#include "progress.hpp"
#include "talk.hpp"
#include "tool.hpp"
#include "tools.hpp"

namespace {

using namespace pe;
using namespace pe::cmd;

// An encoding at the places that tensors have.
struct Application {
  std::vector<Parameter> schema;
  OwnMask own_mask;
  std::string seed;
  Contents contents;
  Places places;

  const Content& content() const { return *find(contents, {"q", "k", "x", "v"}); }
};

Application application_of(const Apply& apply) {
  const Encoding& encoding = *apply.request.texts.encoding;
  const Given& flags = apply.request.texts.flags;
  Application found;
  found.schema = schema_of(encoding);
  found.seed = apply.seed;
  found.own_mask = own_mask_of(found.schema);
  if (parameter_of(found.schema, "seed") && flags.contains("seed"))
    found.seed = flags.at("seed").text;
  const Index seed = whole_number("seed", found.seed, "0", "9223372036854775807");
  found.contents = contents_of(apply, encoding.kind, static_cast<std::uint64_t>(seed));
  found.places = places_of(apply, found.contents);
  return found;
}

void set_flag(Given& flags, const Parameter& parameter, bool value, const std::string& option) {
  const std::string text = value ? "true" : "false";
  if (const auto before = flags.find(parameter.name);
      before != flags.end() && before->second.text != text)
    throw UsageError(fmt::format("{} contradicts {}", option, before->second.origin.substr(5)));
  flags[parameter.name] = {text, "flag " + option};
}

// The encoding as the options and the tensors' shapes mean it.
Request request_of(const Apply& apply, const Application& application) {
  Request request = apply.request;
  SubjectTexts& texts = request.texts;
  if (!texts.length.empty())
    throw UsageError("--length is what the tensors say: leave it out, or give --positions");
  texts.positions.clear();
  texts.among_tokens = true;
  texts.implied = implied_by(application.schema, application.contents);
  for (const char* name : {"dim", "head-dim"})
    if (const auto width = texts.implied.find(name);
        width != texts.implied.end() && !apply.random.empty())
      width->second.origin = "last size of --random";
  request.explain = false;  // once what the tensors say is known, too
  if (const OwnMask own = application.own_mask; own.flag && apply.causal)
    set_flag(texts.flags, *own.flag, !own.when, "--no-causal");
  return request;
}

AttentionGiven given_by(const Apply& apply) {
  AttentionGiven given{.combine = parse_combine(apply.combine), .causal = apply.causal};
  if (!apply.scale.empty())
    given.scale = checked_number({"scale", apply.scale}, apply.scale, {}).value();
  return given;
}

// What the options and the tensors say beside the encoding's parameters.
void add_entries(std::vector<Provenance::Entry>& entries, const Apply& apply,
                 const Application& application, const Attention& attention) {
  const Encoding& encoding = *apply.request.texts.encoding;
  const Places& places = application.places;
  const auto note = [&](const std::string& name, const std::string& value,
                        const std::string& origin) {
    entries.push_back({name, value, origin});
  };
  const auto flag_or = [](bool given, const std::string& name, const std::string& otherwise) {
    return given ? "flag --" + name : otherwise;
  };
  std::erase_if(entries, [](const auto& entry) { return entry.name == "positions"; });
  for (const auto& [name, file] : apply.files)
    if (!file.empty()) note(name, file, "flag --" + name);
  if (!apply.random.empty()) {
    note("random", apply.random, "flag --random");
    if (!parameter_of(application.schema, "seed"))
      note("seed", application.seed, flag_or(apply.seed != "0", "seed", "default"));
    if (!apply.kv_heads.empty()) note("kv-heads", apply.kv_heads, "flag --kv-heads");
  }
  note("axes", application.content().axes, flag_or(!apply.axes.empty(), "axes", "default"));
  note("positions", spell(places.queries), places.queries_from);
  note("key-positions", spell(places.keys), places.keys_from);
  if (encoding.kind == Kind::table)
    note("combine", apply.combine, flag_or(apply.combine != "add", "combine", "default"));
  note("scale", fmt::format("{}", attention.scale),
       flag_or(!apply.scale.empty(), "scale", "default of " + std::string(encoding.name)));
  if (!application.own_mask.flag)
    note("causal", attention.causal ? "true" : "false",
         flag_or(apply.causal.has_value(), attention.causal ? "causal" : "no-causal", "default"));
}

// A CSV has one shape, and the fields that are usual have several: of these the scores are what
// most want to see.
std::vector<std::string> fit_for_csv(std::vector<std::string> names, const Output& output,
                                     std::string& note) {
  const io::FormatRow* row = io::row_of_suffix(io::suffix_of(output.path));
  const bool is_csv = !output.tidy && (output.format        ? *output.format == Format::csv
                                       : output.path == "-" ? true
                                                            : row && row->format == Format::csv);
  if (!is_csv || names.size() < 2) return names;
  const bool scores = std::ranges::find(names, "logits") != names.end();
  const std::string shown = scores ? "logits" : names.front();
  note = fmt::format(
      "pe-apply: {} alone, as CSV holds one shape; --fields names others, -o FILE.npz "
      "holds {}",
      shown, fmt::join(names, ", "));
  return {shown};
}

// Which fields are asked for: known before anything is read or computed.
std::vector<std::string> names_of(const Apply& apply, Kind kind) {
  if (!apply.request.fields.empty()) return comma_separated(apply.request.fields);
  const bool is_random = !apply.random.empty();
  std::string letters = is_random ? kind == Kind::table ? "qkvx" : "qkv" : "";
  for (const auto& [name, file] : apply.files)
    if (!file.empty()) letters += name;
  return usual_fields(kind, letters, is_random);
}

void run(const Apply& apply, const std::string& command) {
  const Kind kind = apply.request.texts.encoding->kind;
  Output output = output_of(apply.output, 0);
  std::string note;
  std::vector<std::string> names = names_of(apply, kind);
  if (apply.request.fields.empty()) names = fit_for_csv(std::move(names), output, note);
  check_output(output, names);
  const Application application = application_of(apply);
  const Request request = request_of(apply, application);
  Resolved resolved = resolve(request, "pe-apply", command, length_of(application.places, kind));
  const Subject& subject = resolved.subject;
  const Attention attention =
      attention_of(subject.effect, subject.parameters, application.own_mask, application.places,
                   application.content().channels, given_by(apply));
  add_entries(resolved.provenance.parameters, apply, application, attention);
  if (apply.request.explain) explain(subject, resolved.provenance);
  output.threads = resolved.threads;
  Progress progress(output.path);
  const auto fields =
      pe::apply(subject.effect, application.contents, attention, subject.dtype, names);
  if (is_page(output))
    if (std::string drawn = drawn_as_asked(subject); !drawn.empty())
      resolved.provenance.warnings.push_back(std::move(drawn));
  write(watched(fields, progress), resolved.provenance, output);
  if (!note.empty()) say(note);
}

}  // namespace

int pe::cmd::pe_apply(int argc, char** argv) {
  Apply apply;
  const Tool tool{
      .name = "pe-apply",
      .summary =
          "pe-apply puts position encodings to work: encoded tensors, logits, attention and its "
          "output.",
      .footer =
          "EXAMPLES\n  pe-apply rope --random 1,8,32,64 --seed 1 -o golden.h5\n"
          "  pe-apply rope --q golden.h5:q --k golden.h5:k -o out.safetensors\n\n"
          "EXIT STATUS\n  0 written; 2 bad usage, bad input or a failed write\n"};
  return run_tool(tool, argc, argv, [&](CLI::App& app, const CommandLine& line, Outcome&) {
    add_encodings(app, line, 0, [&](CLI::App& sub, const Encoding& encoding) {
      add_apply_options(sub, encoding, apply);
      sub.callback([&apply, command = line.text()] { run(apply, command); });
    });
  });
}
