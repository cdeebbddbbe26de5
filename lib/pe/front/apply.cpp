// Applying: tensors of the caller's under an encoding that their shapes help to say.
#include <fmt/format.h>

#include <memory>

#include "pe/apply/places.hpp"
#include "pe/apply/scores.hpp"
#include "pe/base/error.hpp"
#include "pe/front/failures.hpp"
#include "pe/front/subjects.hpp"
#include "pe/model/axis_letters.hpp"

namespace pe {
namespace {

Contents contents_of(const Tensors& tensors) {
  const std::string axes = tensors.axes.empty() ? "" : checked_axes(tensors.axes);
  Contents contents;
  for (const auto& [name, view] :
       {std::pair<std::string, const std::optional<View>&>{"q", tensors.q},
        {"k", tensors.k},
        {"v", tensors.v},
        {"x", tensors.x}})
    if (view)
      contents[name] = std::make_shared<const Content>(
          content_of(name, array_of(*view), axes, tensors.allow_nonfinite, nullptr));
  if (contents.empty()) throw UsageError("nothing to apply this to: give q and k, or x");
  return contents;
}

// What is said of masks, to an encoding that has a flag of its own for it.
void say_mask(Given& flags, const OwnMask& own, bool causal) {
  const std::string text = causal == own.when ? "true" : "false";
  const auto [said, is_new] = flags.try_emplace(own.flag->name, GivenValue{text, "flag --causal"});
  if (!is_new && said->second.text != text)
    throw UsageError(fmt::format("causal contradicts --{}", own.flag->name));
}

Arrays applied(const Said& said, const Tensors& tensors) {
  if (said.length)
    throw UsageError("--length is what the tensors say: leave it out, or give positions");
  SaidSubject from = subject_of(said);
  const Encoding& encoding = from.encoding();
  const std::vector<Parameter> schema = schema_of(encoding);
  const OwnMask own = own_mask_of(schema);
  const Contents contents = contents_of(tensors);
  const Places places =
      places_of(contents, {said.positions, tensors.key_positions, tensors.offset});
  from.texts.positions.clear();
  from.texts.among_tokens = true;
  from.texts.implied = implied_by(schema, contents);
  if (own.flag && tensors.causal) say_mask(from.texts.flags, own, *tensors.causal);
  const Subject subject =
      make_subject(from.texts, from.reading, length_of(places, encoding.kind), from.load);
  const Attention attention = attention_of(subject.effect, subject.parameters, own, places,
                                           find(contents, {"q", "k", "x", "v"})->channels,
                                           {tensors.combine, tensors.scale, tensors.causal});
  return collected(apply(subject.effect, contents, attention, subject.dtype, said.fields),
                   provenance_of(subject, "libpe", ""), said.threads);
}

}  // namespace

Arrays apply(const Said& said, const Tensors& tensors) {
  return or_failure([&] { return applied(said, tensors); });
}

}  // namespace pe
