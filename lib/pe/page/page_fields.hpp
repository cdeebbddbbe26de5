// What a page shows beside the fields of an encoding: angles, wavelengths, shifts, and quantities
// measured of the same subject.
#pragma once

#include <vector>

#include "pe/model/field.hpp"
#include "pe/model/provenance.hpp"
#include "pe/subject/subject.hpp"

namespace pe {

/// The fields, and behind them those that explain them. Fields of a quantity are named
/// QUANTITY.COLUMN. What quantities say of themselves joins the provenance's texts "notes", and
/// what is left out, with the reason, its "left_out".
std::vector<Field> page_fields(const Subject& subject, std::vector<Field> fields,
                               Provenance& provenance, int threads);

/// The places along which coordinates count get the names that their axis's description lists.
void name_coordinates(std::vector<Field>& fields);

}  // namespace pe
