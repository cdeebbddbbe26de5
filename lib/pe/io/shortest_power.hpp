// Powers of ten as Schubfach multiplies by them.
#pragma once

#include <cstdint>

namespace pe::io {

__extension__ typedef unsigned __int128 Wide;

/// ⌈10^k / 2^r⌉ with r such that 64 bits are used; 10^k and 5^k have the same leading bits.
constexpr std::uint64_t leading_bits(int k) {
  Wide five = 1;
  for (int i = 0; i < (k < 0 ? -k : k); ++i) five *= 5;
  std::uint64_t bits = 0;
  bool rest = false;
  if (k >= 0) {
    int excess = 0;
    for (; (five >> excess) >> 64; ++excess) {
    }
    bits = static_cast<std::uint64_t>(five >> excess);
    rest = (static_cast<Wide>(bits) << excess) != five;
    while (!(bits >> 63)) bits <<= 1;
  } else {
    Wide remainder = 1;
    while (!(bits >> 63)) {
      remainder <<= 1;
      bits = bits << 1 | (remainder >= five);
      if (remainder >= five) remainder -= five;
    }
    rest = true;
  }
  return bits + rest;
}

}  // namespace pe::io
