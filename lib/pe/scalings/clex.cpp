// clex: the flow of frequencies in closed form, before anything is learnt.
#include "pe/scalings/base_change.hpp"
#include "pe/scalings/parameters.hpp"
#include "pe/scalings/scaling.hpp"

namespace pe::scaling_rows {
namespace {

constexpr Parameter schema[] = {row::required(row::factor)};

// CLEX integrates d ln θ / dt from t = 1 to t; with the network at its zero initialisation the
// published code's field gives θ_j(t) = θ_j·(2t − 1)^(−2j/(d−2)): the ntk rule with α = 2t − 1, not
// t (Chen et al. 2023; DAMO-NLP-SG/CLEX).
Ladder bend(const Ladder& plain, const Parameters& parameters, Index) {
  const Real t = parameters.number("factor").real();
  if (t < 1)
    throw UsageError(fmt::format("--factor must be at least 1 for --scaling clex, got {}",
                                 parameters.spell("factor")));
  return stretched(plain, 2 * t - 1);
}

}  // namespace

extern constinit const Scaling clex{
    .name = "clex",
    .summary = "the frequency flow of CLEX at its initialisation: ntk with α = 2t − 1",
    .source = "Chen et al. 2023, arXiv:2310.16450; DAMO-NLP-SG/CLEX",
    .parameters = schema,
    .revokes = "",
    .bend = &bend,
};

}  // namespace pe::scaling_rows
