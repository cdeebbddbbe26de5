// How rows a little apart differ, channel by channel.
#pragma once

#include "pe/analyze/lags.hpp"

namespace pe {

/// Mean, root mean square and largest |P(p + lag) − P(p)| of each channel.
Sheet neighbours_sheet(const Rows& rows, Index lag);

}  // namespace pe
