// Random files, and what classes save of themselves, against the tables that the real classes make.
#include <cstdlib>
#include <fstream>
#include <map>

#include "family_judge.hpp"

namespace {

using namespace pe_test;

using Counts = std::map<Outcome, int>;

// Judges every file of a record whose header has the key; says how many came out how.
Counts judge_all(const std::string& path, const char* key) {
  std::ifstream file(path);
  Counts count;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    const std::size_t tab = line.find('\t');
    const pe::JsonNode header = pe::parse_json(line.substr(0, tab), path);
    const pe::JsonNode* is = header.find(key);
    if (!is) continue;
    const pe::Config config = pe::parse_config(line.substr(tab + 1), "config.json");
    for (const auto& [layer, truth] : is->members) {
      const Judged judged = judge(config, layer, truth, pe::text_of(header.find("part")));
      ++count[judged.outcome];
      const std::string where = layer + " " + judged.why;
      INFO(where);
      INFO(line.substr(tab + 1, 600));
      CHECK(judged.outcome == Outcome::right);
    }
  }
  MESSAGE(count[Outcome::right] << " tables right, " << count[Outcome::silent]
                                << " silently wrong, " << count[Outcome::warned]
                                << " wrong with a warning, " << count[Outcome::refused]
                                << " refused");
  return count;
}

}  // namespace

TEST_SUITE_BEGIN("families");

// Another seed's file stands in the place of the recorded one where PE_RANDOM_FILES names it.
TEST_CASE("random files are read as their classes read them") {
  const char* other = std::getenv("PE_RANDOM_FILES");
  Counts count = judge_all(other ? other : PE_SOURCE_DIR "/data/parity/random.txt", "is");
  CHECK(count[Outcome::right] > 1000);
}

// Dots3's proportional rope spans the whole head; of 3 channels yarn divides nothing; a scaled kind
// of layers that the model has not fills no other (MiMo-V2); more channels turn than a head has; a
// null is a key that stands.
TEST_CASE("files that searches found are read as their classes read them") {
  CHECK(judge_all(PE_SOURCE_DIR "/data/parity/found.txt", "is")[Outcome::right] == 23);
}

TEST_CASE("a class's own file, as it saves it, turns as the class does") {
  Counts count = judge_all(PE_SOURCE_DIR "/data/parity/saved.txt", "turns");
  CHECK(count[Outcome::right] > 250);
}

TEST_SUITE_END();
