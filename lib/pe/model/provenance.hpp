// Everything needed to make a result again; each format writes it where its readers look.
#pragma once

#include <string>
#include <vector>

namespace pe {

struct Provenance {
  struct Entry {
    std::string name, value, origin;  // origin: "flag --dim", "config rope_theta", "default", …
  };
  std::string tool;      // pe-gen
  std::string version;   // 0.1.0
  std::string command;   // the command line
  std::string encoding;  // catalogue name
  std::string dialect;   // exact, hf, …
  std::string accuracy;  // the row's claim, as a sentence
  std::string source;    // paper or code
  std::vector<Entry> parameters;
  struct Texts {
    std::string name;
    std::vector<std::string> rows;
  };
  std::vector<std::string> warnings = {};  // what is doubtful about the config that was read
  std::vector<Texts> texts = {};  // beside the fields, one for each row: an attribute each in HDF5
};

}  // namespace pe
