// What files say is shown as one short line, as a cell and as a word of a shell.
#include "pe/base/text.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <memory>

namespace {

// What a shell prints of the word.
std::string echoed(const std::string& word) {
  const std::string command = "bash -c \"$(cat <<'end'\nprintf %s " + word + "\nend\n)\"";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), &pclose);
  std::string text;
  std::array<char, 256> piece;
  while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), pipe.get()))
    text.append(piece.data(), got);
  return text;
}

TEST_SUITE("text") {
  TEST_CASE("nothing that moves a cursor, ends a line or turns the writing is shown") {
    CHECK(pe::printable("a\x1b[31m\nb\tc\r\x7f") == "a?[31m b c??");
    CHECK(pe::printable("\xc2\x9b"
                        "31m \xe2\x80\xae \xe2\x80\xa8 \xe2\x81\xa6") == "?31m ? ? ?");
    CHECK(pe::printable("\xff\xc0\xaf θ√ 😀") == "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd θ√ 😀");
    CHECK(pe::printable("a\nb\x1b", true) == "a\nb?");
    CHECK(pe::printable(std::string_view("\0", 1)) == "?");
  }
  TEST_CASE("a text of megabytes is shown by its start and its end") {
    const std::string start = "cannot read ", end = ": no such file";
    const std::string shown = pe::printable(start + std::string(15'000'000, 'x') + end);
    CHECK(shown.size() < pe::longest_text + 100);
    CHECK(shown.starts_with(start));
    CHECK(shown.ends_with(end));
    CHECK(shown.find("bytes …") != std::string::npos);
    std::string thetas;
    for (int i = 0; i < 5000; ++i) thetas += "θ";
    for (std::size_t front = 0; front < 4; ++front)
      CHECK(pe::printable(std::string(front, 'x') + thetas).find("\xef\xbf\xbd") ==
            std::string::npos);
    CHECK(pe::shortened("as it is\n") == "as it is\n");
  }
  TEST_CASE("a cell is text, whatever it begins with") {
    for (const char* formula : {"=1+1", "+1", "-1", "@sum"})
      CHECK(pe::csv_cell(formula) == std::string("'") + formula);
    CHECK(pe::csv_cell("=a,\"b\"") == "\"'=a,\"\"b\"\"\"");
    CHECK(pe::csv_cell("\t=1") == " =1");
    CHECK(pe::csv_cell("plain - text") == "plain - text");
  }
  TEST_CASE("a shell reads back the word") {
    CHECK(pe::shell_word("--dim=8") == "--dim=8");
    CHECK(pe::shell_word("a b.npy") == "'a b.npy'");
    for (const char* word : {"", "it's", "'; touch x; '", "$(id) `id` $HOME", "a\nb",
                             "a\\'b\x1b[31m", "\xff\xfe'", "!x*?~ #", "θ \xe2\x80\xae"}) {
      const std::string quoted = pe::shell_word(word);
      CHECK(echoed(quoted) == word);
      CHECK(quoted == pe::printable(quoted));
    }
  }
}

}  // namespace
