// Causes of continuous window biases: the window by which their coordinates are divided.
#include <fmt/format.h>

#include "pe/diagnosis/biases/proposals.hpp"

namespace pe {

BiasProposals offer_windows(const BiasObservation& observation, const BiasHypothesis& hypothesis) {
  constexpr const char* name = "pretrained-window";
  const Expectation& expected = *observation.expected;
  BiasProposals proposals;
  if (observation.bias->series.empty() || !observation.bias->buckets || !expected.remake ||
      expected.encoding->name != "swin")
    return proposals;
  const std::string own = expected.parameters.choice("window"),
                    meant = expected.parameters.has(name) ? expected.parameters.choice(name) : own;
  for (const std::string& window :
       {own, std::string("7x7"), std::string("8x8"), std::string("12x12"), std::string("14x14"),
        std::string("16x16"), std::string("24x24")}) {
    if (window == meant || (window == own && !proposals.empty())) continue;
    auto made = expected.remake({{name, window}});
    Bias* const bias = made ? std::get_if<Bias>(&made->effect) : nullptr;
    if (!bias || bias->heads != observation.bias->heads) continue;
    BiasHypothesis other = hypothesis;
    other.bias = std::make_shared<const Bias>(std::move(*bias));
    proposals.push_back(
        {std::move(other),
         window == own ? fmt::format("coordinates are divided by those of the window {} itself, "
                                     "where those of {} {} are meant",
                                     own, name, meant)
                       : fmt::format("{} {}, where {} is meant", name, window, meant),
         1});
  }
  return proposals;
}

}  // namespace pe
