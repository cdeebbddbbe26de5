// The catalogue of quantities: rows are complete, and share no option that an encoding means
// otherwise.
#include "pe/analyze/quantity.hpp"

#include <doctest/doctest.h>

#include <string>

#include "pe/base/error.hpp"

TEST_SUITE_BEGIN("analyze");

TEST_CASE("a quantity's row is complete, and of some encoding") {
  for (const pe::Quantity* quantity : pe::all_quantities()) {
    INFO(quantity->name);
    for (const std::string_view text : {quantity->summary, quantity->definition, quantity->source,
                                        quantity->accuracy, quantity->subjects, quantity->example})
      CHECK_FALSE(text.empty());
    const std::string_view first = quantity->example.substr(0, quantity->example.find(' '));
    CHECK(pe::applies(*quantity, pe::find_encoding(first)));
    CHECK(&pe::find_quantity(quantity->name) == quantity);
  }
  CHECK_THROWS_AS(pe::find_quantity("spectra"), pe::UsageError);
}

// One option tells both, so it has to take the same words.
TEST_CASE("an option that quantity and encoding share is of one type") {
  for (const pe::Quantity* quantity : pe::all_quantities())
    for (const pe::Encoding* encoding : pe::all_encodings()) {
      if (!pe::applies(*quantity, *encoding)) continue;
      for (const pe::Parameter& theirs : pe::schema_of(*encoding))
        for (const pe::Parameter& mine : quantity->parameters) {
          const std::string_view name = mine.name;
          const bool shared = name == theirs.name || (theirs.alias && name == theirs.alias) ||
                              (theirs.negation && name == theirs.negation);
          if (!shared) continue;
          INFO(quantity->name << " " << encoding->name << " --" << mine.name);
          CHECK(mine.type == theirs.type);
          CHECK(std::string(mine.choices ? mine.choices : "") ==
                (theirs.choices ? theirs.choices : ""));
          CHECK_FALSE(mine.alias);
        }
    }
}

TEST_SUITE_END();
