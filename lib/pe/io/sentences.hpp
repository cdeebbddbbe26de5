// Sentences whose numbers and names differ, in another language by templates.
#pragma once

#include <string>
#include <string_view>

namespace pe::io {

/// The sentence in the other language, by the row of the table, "template TAB template", that it is
/// made of, of several the one with the most words of its own; "" where none is. {} in a template
/// stands for any text that does not begin the words behind it, and the other one's {0}, {1} … for
/// the texts that stood there: {0n} for the name that `names`, a table of names, has for it, and
/// {0,} for a list of texts with ", " between them, each by the row that begins with ", " and is
/// made of it, where there is one. Sentences joined by "; " are looked up one by one, and a subject
/// before a colon stays as it is.
std::string translated(std::string_view sentence, std::string_view table, std::string_view names);

}  // namespace pe::io
