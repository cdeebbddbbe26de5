// A page's reader has not typed the command: a seed that was asked for is said as well, which the
// reading's own doubts leave out.
#include "pe/page/drawn.hpp"

#include <fmt/format.h>

#include "pe/encodings/drawn.hpp"
#include "pe/subject/drawn_numbers.hpp"

namespace pe {

std::string drawn_warning(const Subject& subject) {
  if (drawn_options(*subject.encoding, subject.parameters).empty() ||
      !doubt_of_numbers(subject).empty())
    return "";
  return fmt::format("the numbers of {} are drawn with seed {}, not trained",
                     subject.encoding->name, subject.parameters.integer("seed"));
}

}  // namespace pe
