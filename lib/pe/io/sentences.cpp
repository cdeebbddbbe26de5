// Templates held against sentences, word for word.
#include "pe/io/sentences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace pe::io {
namespace {

// What stands for each {} of the template, where the sentence is made of it.
std::optional<std::vector<std::string>> slots_of(std::string_view sentence, std::string_view form) {
  std::vector<std::string> slots;
  while (true) {
    const std::size_t slot = form.find("{}");
    const std::string_view words = form.substr(0, slot);
    if (slot == form.npos) return sentence == words ? std::optional(slots) : std::nullopt;
    if (!sentence.starts_with(words)) return {};
    sentence.remove_prefix(words.size());
    form.remove_prefix(slot + 2);
    const std::string_view next = form.substr(0, form.find("{}"));
    const std::size_t end = next.size() == form.size() && sentence.ends_with(next)
                                ? sentence.size() - next.size()
                            : next.empty() ? sentence.size()
                                           : sentence.find(next);
    if (end == sentence.npos || end == 0) return {};
    const std::string_view taken = sentence.substr(0, end);
    if (taken.find("; ") != taken.npos || taken.find(": ") != taken.npos) return {};  // two of them
    slots.emplace_back(sentence.substr(0, end));
    sentence.remove_prefix(end);
  }
}

std::string filled(std::string_view form, const std::vector<std::string>& slots) {
  std::string text(form);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const std::string mark = fmt::format("{{{}}}", i);
    for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at)) {
      text.replace(at, mark.size(), slots[i]);
      at += slots[i].size();
    }
  }
  return text;
}

// By the row that leaves the least of the sentence to its slots: another one's last slot takes
// words.
std::string of_one(std::string_view sentence, std::string_view table) {
  std::string text;
  std::size_t least = std::string_view::npos;
  for (std::string_view rest = table; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const std::size_t tab = line.find('\t');
    if (tab == line.npos) continue;
    const auto slots = slots_of(sentence, line.substr(0, tab));
    if (!slots) continue;
    std::size_t left = 0;
    for (const std::string& slot : *slots) left += slot.size();
    if (left >= least) continue;
    least = left;
    text = filled(line.substr(tab + 1), *slots);
  }
  return text;
}

}  // namespace

std::string translated(std::string_view sentence, std::string_view table) {
  if (std::string whole = of_one(sentence, table); !whole.empty()) return whole;
  std::string text;
  while (true) {
    const std::size_t end = sentence.find("; ");
    std::string_view one = sentence.substr(0, end);
    std::string part = of_one(one, table);
    const std::size_t colon = one.find(": ");
    if (part.empty() && text.empty() && colon != one.npos)
      if (part = of_one(one.substr(colon + 2), table); !part.empty())
        part = std::string(one.substr(0, colon)) + "：" + part;
    if (part.empty()) return "";
    text += part;
    if (end == sentence.npos) return text;
    text += "；";
    sentence.remove_prefix(end + 2);
  }
}

}  // namespace pe::io
