// pe-gen: one subcommand for each catalogue row; make, spell, write.
#include <fmt/format.h>
#include <unistd.h>

#include "list.hpp"
#include "main.hpp"
#include "options.hpp"
#include "pe/base/error.hpp"
#include "pe/base/version.hpp"
#include "pe/io/file.hpp"

namespace {

constexpr pe::Index usual_length = 32;

struct Generate {
  pe::cmd::Request request;
  pe::Output output;
  std::string format;
};

std::vector<pe::Field> fields_of(const pe::Subject& subject, const pe::cmd::Request& request) {
  return pe::spell(subject.effect, subject.span, subject.dtype,
                   pe::cmd::comma_separated(request.fields), *subject.dialect);
}

void add(CLI::App& app, const pe::Encoding& encoding, Generate& generate,
         const std::string& command) {
  generate.request.texts.encoding = &encoding;
  pe::cmd::add_options(app, generate.request);
  app.add_option("--fields", generate.request.fields, "fields to write (pe-gen list fields)")
      ->type_name("NAME,...");
  app.add_option("-o,--output", generate.output.path,
                 "file; its suffix picks the format; - is stdout")
      ->type_name("PATH")
      ->capture_default_str();
  app.add_option("--format", generate.format,
                 "csv, hdf5, npy, npz, safetensors, json or raw, whatever the suffix")
      ->type_name("NAME");
  app.add_flag("--tidy", generate.output.tidy, "CSV with one row for each element");
  app.footer(app.get_footer() +
             "\nEXIT STATUS\n  0 written; 2 bad usage, bad input or a failed write\n");
  app.callback([&generate, command] {
    const bool all = generate.request.texts.layer_type == "all";
    if (all) generate.request.texts.layer_type.clear();
    pe::cmd::Resolved resolved =
        pe::cmd::resolve(generate.request, "pe-gen", command, usual_length, all);
    if (!generate.format.empty()) generate.output.format = pe::parse_format(generate.format);
    const pe::Subject& subject = resolved.subject;
    generate.output.threads = resolved.threads;
    std::vector<pe::Field> fields = fields_of(subject, generate.request);
    if (all) {
      if (subject.reading.layer_types.empty())
        throw pe::UsageError("--layer-type all: all layers of this model are alike");
      fields.clear();
      for (const std::string& type : std::vector<std::string>(subject.reading.layer_types)) {
        generate.request.texts.layer_type = type;
        resolved = pe::cmd::resolve(generate.request, "pe-gen", command, usual_length, true);
        for (pe::Field& field : fields_of(subject, generate.request)) {
          field.name = type + "." + field.name;
          fields.push_back(std::move(field));
        }
      }
    }
    pe::write(fields, resolved.provenance, generate.output);
  });
}

}  // namespace

int main(int argc, char** argv) {
  return pe::cmd::guarded("pe-gen", [&] {
    const std::string command = pe::cmd::command_line(argc, argv);
    std::vector<std::string> line = pe::cmd::with_encoding(argc, argv, 0);
    std::vector<char*> words;
    for (std::string& word : line) words.push_back(word.data());
    argc = static_cast<int>(words.size());
    argv = words.data();
    pe::cmd::Outcome outcome;
    Generate generate;
    CLI::App app(
        "pe-gen computes the tables, buckets, slopes and frequencies of position encodings.",
        "pe-gen");
    app.set_version_flag("--version", fmt::format("pe-gen {}", pe::version()));
    app.require_subcommand(1);
    app.footer(
        "EXAMPLES\n  pe-gen sinusoidal --length 100 --dim 512 -o sinusoidal.h5\n"
        "  pe-gen rope --config config.json --length 131072 -o rope.h5\n\n"
        "EXIT STATUS\n  0 written; 2 bad usage, bad input or a failed write\n");
    for (const pe::Encoding* encoding : pe::all_encodings()) {
      CLI::App* sub =
          app.add_subcommand(std::string(encoding->name), std::string(encoding->summary));
      if (pe::cmd::asked_for(argc, argv, 0, encoding->name))
        add(*sub, *encoding, generate, command);
    }
    pe::cmd::List list;
    pe::cmd::add_list(app, list);
    pe::cmd::check_word(app, argc, argv, 0, "encoding");
    return pe::cmd::run(app, argc, argv, outcome);
  });
}
