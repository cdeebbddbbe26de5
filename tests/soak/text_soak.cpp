// The text of every f32 there is, by every instruction set, against std::to_chars.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <cmath>
#include <string_view>
#include <thread>
#include <vector>

#include "pe/io/shortest.hpp"

namespace {

constexpr std::uint64_t block = 1 << 14, blocks = (std::uint64_t{1} << 32) / block;

// The text of f32 patterns from block · number on; true when all agree.
bool agree(std::uint64_t number) {
  static thread_local std::vector<float> values(block);
  static thread_local std::vector<char> right(block * 64), text(block * 64);
  char* end = right.data();
  for (std::uint64_t i = 0; i < block; ++i) {
    values[i] = std::bit_cast<float>(static_cast<std::uint32_t>(number * block + i));
    *end++ = ',';
    if (std::isnan(values[i]))
      end = std::copy_n("nan", 3, end);
    else
      end = std::to_chars(end, end + 64, values[i]).ptr;
  }
  bool same = true;
  for (const pe::Isa isa : pe::all_isas) {
    if (!pe::runs_here(isa)) continue;
    char* const its_end =
        pe::io::put_numbers(text.data(), reinterpret_cast<const std::byte*>(values.data()), block,
                            pe::DType::f32, ',', isa);
    same &= std::string_view(right.data(), end) == std::string_view(text.data(), its_end);
  }
  return same;
}

}  // namespace

int main() {
  std::atomic<std::uint64_t> next = 0, wrong = 0;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
    threads.emplace_back([&] {
      for (std::uint64_t number; (number = next++) < blocks;)
        if (!agree(number) && wrong++ == 0)
          fmt::print("wrong among {:#010x} and the {} behind it\n", number * block, block - 1);
    });
  for (std::thread& thread : threads) thread.join();
  fmt::print("{} numbers, {} blocks of {} wrong\n", blocks * block, wrong.load(), block);
  return wrong != 0;
}
