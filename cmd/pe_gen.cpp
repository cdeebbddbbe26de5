// pe-gen: one subcommand for each encoding; make, spell, write.
#include <fmt/format.h>

#include "help_page.hpp"
#include "info.hpp"
#include "options.hpp"
#include "pe/base/error.hpp"
#include "pe/base/ranks.hpp"
#include "pe/page/page_fields.hpp"
#include "pe/subject/drawn_numbers.hpp"
#include "position_list.hpp"
#include "progress.hpp"
#include "talk.hpp"
#include "tool.hpp"
#include "tools.hpp"

namespace {

using namespace pe;
using namespace pe::cmd;

constexpr Index usual_length = 32;

struct Generate {
  Request request;
  OutputRequest output;
};

std::vector<Field> fields_of(const Subject& subject, const Request& request) {
  return spell(subject.effect, subject.span, subject.dtype, comma_separated(request.fields),
               *subject.dialect);
}

// The fields of every kind of layer that the config tells apart, under the kind's name.
std::vector<Field> fields_of_layers(Resolved& resolved, Request request,
                                    const std::string& command) {
  const std::vector<std::string> types = resolved.subject.reading.layer_types;
  if (types.empty()) throw UsageError("--layer-type all: all layers of this model are alike");
  std::vector<Field> fields;
  for (const std::string& type : types) {
    request.texts.layer_type = type;
    resolved = resolve(request, "pe-gen", command, usual_length, true);
    for (Field& field : fields_of(resolved.subject, request)) {
      field.name = type + "." + field.name;
      fields.push_back(std::move(field));
    }
  }
  return fields;
}

void run(const Generate& generate, const std::string& command) {
  Request request = generate.request;
  std::string& asked = request.texts.positions;
  const Positions positions = asked.empty() ? Positions() : parse_places(asked);
  const bool listed = !positions.is_run();
  if (listed) asked = spell(positions.run());
  const bool all = request.texts.layer_type == "all";
  if (all) request.texts.layer_type.clear();
  Output output = output_of(generate.output, 0);
  request.texts.among_tokens = !is_page(output);  // a page shows cells
  Resolved resolved = resolve(request, "pe-gen", command, usual_length, all);
  output.threads = resolved.threads;
  output.together = ranks().are_several();
  if (request.texts.flags.contains("max-position") && !resolved.subject.positions_given() &&
      !is_page(output))
    say_at_end(
        fmt::format("pe-gen: warning: --max-position is how far the model goes; --length says how "
                    "many positions are written, {} here",
                    resolved.subject.span.positions.count));
  std::vector<Field> fields = fields_of(resolved.subject, request);
  if (all) fields = fields_of_layers(resolved, request, command);
  if (listed) {
    for (Field& field : fields) field = at_positions(field, positions);
    for (Provenance::Entry& entry : resolved.provenance.parameters)
      if (entry.name == "positions") entry.value = spell(positions);
  }
  if (is_page(output))
    if (std::string drawn = drawn_as_asked(resolved.subject); !drawn.empty())
      resolved.provenance.warnings.push_back(std::move(drawn));
  if (is_page(output) && request.fields.empty() && !all && !listed)
    fields =
        page_fields(resolved.subject, std::move(fields), resolved.provenance, resolved.threads);
  if (is_page(output)) name_coordinates(fields);
  Progress progress(output.path);
  write(watched(std::move(fields), progress), resolved.provenance, output);
}

void add(CLI::App& app, const Encoding& encoding, Generate& generate, const std::string& command) {
  generate.request.texts.encoding = &encoding;
  generate.request.of_fields = true;
  add_options(app, generate.request);
  take_position_lists(app);
  tell_usual_length(app, encoding, usual_length);
  app.add_option("--fields", generate.request.fields, "fields to write (pe-gen list fields)")
      ->type_name("NAME,...")
      ->group(group::output);
  add_output_options(app, generate.output);
  app.footer(
      app.get_footer() +
      "  float16 in HDF5 is for h5py, or xarray's engine h5netcdf: netCDF4-python 1.7 crashes "
      "on it.\n\nEXIT STATUS\n  0 written; 2 bad usage, bad input or a failed write\n");
  app.callback([&generate, command] { run(generate, command); });
}

}  // namespace

int pe::cmd::pe_gen(int argc, char** argv) {
  Generate generate;
  Info info;
  const Tool tool{
      .name = "pe-gen",
      .summary =
          "pe-gen computes the tables, buckets, slopes and frequencies of position encodings.",
      .footer =
          "EXAMPLES\n  pe-gen sinusoidal --length 100 --dim 512 -o sinusoidal.h5\n"
          "  pe-gen rope --model llama-3.1-8b --length 131072 -o rope.h5\n\n"
          "EXIT STATUS\n  0 written; 2 bad usage, bad input or a failed write\n"};
  return run_tool(tool, argc, argv, [&](CLI::App& app, const CommandLine& line, Outcome&) {
    add_encodings(app, line, 0, [&](CLI::App& sub, const Encoding& encoding) {
      add(sub, encoding, generate, line.text());
    });
    add_info(app, info);
  });
}
