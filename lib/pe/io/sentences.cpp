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
    if (taken.find("; ") != taken.npos || taken.find(": ") != taken.npos || taken.ends_with(':'))
      return {};  // two of them
    slots.emplace_back(sentence.substr(0, end));
    sentence.remove_prefix(end);
  }
}

constexpr std::string_view of_lists = ", ";  // begins rows that texts within a list are made of

struct Tables {
  std::string_view sentences, names;
};

std::string_view row_of(std::string_view& rest) {
  const std::string_view line = rest.substr(0, rest.find('\n'));
  rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  return line;
}

std::string name_of(const std::string& english, std::string_view names) {
  while (!names.empty()) {
    const std::string_view line = row_of(names);
    if (line.starts_with(english) && line.substr(english.size()).starts_with('\t'))
      return std::string(line.substr(english.size() + 1));
  }
  return english;
}

std::string of_one(std::string_view sentence, const Tables& tables, std::string_view lead = "");

std::string list_of(std::string_view texts, const Tables& tables) {
  std::string list;
  while (true) {
    const std::string_view one = texts.substr(0, texts.find(", "));
    const std::string found = of_one(one, tables, of_lists);
    list += found.empty() ? std::string(one) : found;
    if (one.size() == texts.size()) return list;
    texts.remove_prefix(one.size() + 2);
    list += "，";
  }
}

std::string filled(std::string_view form, const std::vector<std::string>& slots,
                   const Tables& tables) {
  std::string text(form);
  const auto put = [&](const std::string& mark, const auto& with) {
    for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at)) {
      const std::string there = with();
      text.replace(at, mark.size(), there);
      at += there.size();
    }
  };
  for (std::size_t i = 0; i < slots.size(); ++i) {
    put(fmt::format("{{{}}}", i), [&] { return slots[i]; });
    put(fmt::format("{{{}n}}", i), [&] { return name_of(slots[i], tables.names); });
    put(fmt::format("{{{},}}", i), [&] { return list_of(slots[i], tables); });
  }
  return text;
}

// By the row that leaves the least of the sentence to its slots: another one's last slot takes
// words.
std::string of_one(std::string_view sentence, const Tables& tables, std::string_view lead) {
  std::string text;
  std::size_t least = std::string_view::npos;
  for (std::string_view rest = tables.sentences; !rest.empty();) {
    std::string_view line = row_of(rest);
    if (line.starts_with(of_lists) == lead.empty()) continue;
    line.remove_prefix(lead.size());
    const std::size_t tab = line.find('\t');
    if (tab == line.npos) continue;
    const auto slots = slots_of(sentence, line.substr(0, tab));
    if (!slots) continue;
    std::size_t left = 0;
    for (const std::string& slot : *slots) left += slot.size();
    if (left >= least) continue;
    least = left;
    text = filled(line.substr(tab + 1), *slots, tables);
  }
  return text;
}

// What stands before a colon, a subject for one, has a row of its own or stays as it is.
std::string of_part(std::string_view sentence, const Tables& tables) {
  std::string whole = of_one(sentence, tables);
  const std::size_t colon = sentence.find(": ");
  if (!whole.empty() || colon > sentence.find("; ") || colon == sentence.npos) return whole;
  const std::string rest = of_part(sentence.substr(colon + 2), tables);
  return rest.empty() ? "" : list_of(sentence.substr(0, colon), tables) + "：" + rest;
}

}  // namespace

std::string translated(std::string_view sentence, std::string_view table, std::string_view names) {
  const Tables tables{table, names};
  if (std::string whole = of_part(sentence, tables); !whole.empty()) return whole;
  std::string text;
  while (true) {
    const std::size_t end = sentence.find("; ");
    std::string_view one = sentence.substr(0, end);
    const std::string part = of_part(one, tables);
    if (part.empty()) return "";
    text += part;
    if (end == sentence.npos) return text;
    text += "；";
    sentence.remove_prefix(end + 2);
  }
}

}  // namespace pe::io
