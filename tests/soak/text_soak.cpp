// The text of every f32 there is, by every instruction set, and of half a milliard of random f64
// against std::to_chars.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <cmath>
#include <random>
#include <string_view>
#include <thread>
#include <vector>

#include "pe/io/shortest.hpp"

namespace {

constexpr std::uint64_t block = 1 << 14, f32_blocks = (std::uint64_t{1} << 32) / block,
                        f64_blocks = f32_blocks / 8;

// True when all instruction sets write `values` as std::to_chars does.
template <typename T>
bool agree(const std::vector<T>& values) {
  static thread_local std::vector<char> right(block * 64), text(block * 64);
  char* end = right.data();
  for (const T value : values) {
    *end++ = ',';
    if (std::isnan(value))
      end = std::copy_n("nan", 3, end);
    else
      end = std::to_chars(end, end + 64, value).ptr;
  }
  bool same = true;
  for (const pe::Isa isa : pe::all_isas) {
    if (!pe::runs_here(isa)) continue;
    char* const its_end =
        pe::io::put_numbers(text.data(), reinterpret_cast<const std::byte*>(values.data()), block,
                            sizeof(T) == 4 ? pe::DType::f32 : pe::DType::f64, ',', isa);
    same &= std::string_view(right.data(), end) == std::string_view(text.data(), its_end);
  }
  return same;
}

bool f32_agree(std::uint64_t number) {
  std::vector<float> values(block);
  for (std::uint64_t i = 0; i < block; ++i)
    values[i] = std::bit_cast<float>(static_cast<std::uint32_t>(number * block + i));
  return agree(values);
}

// Any pattern, one of a usual exponent, few digits, a neighbour of these, or a wave.
bool f64_agree(std::uint64_t number) {
  std::mt19937_64 random(number);
  std::vector<double> values(block);
  for (std::uint64_t i = 0; i < block; ++i) {
    const std::uint64_t bits = random();
    if (i % 8 == 0)
      values[i] = std::bit_cast<double>(bits);
    else if (i % 8 == 1)
      values[i] = static_cast<double>(bits % 1000000000) / std::pow(10.0, bits >> 32 & 15);
    else if (i % 8 == 2)
      values[i] = static_cast<double>(bits >> (bits & 63));
    else if (i % 8 == 3)
      values[i] = std::sin(static_cast<double>(bits >> 20));
    else if (i % 8 == 4)  // up to three places beside a number of up to sixteen digits
      values[i] = std::bit_cast<double>(
          std::bit_cast<std::uint64_t>(static_cast<double>(bits >> (11 + bits % 50)) /
                                       std::pow(10.0, bits >> 56 & 15)) +
          (bits >> 60) % 7 - 3);
    else if (i % 8 == 5)
      values[i] = std::ldexp(static_cast<double>(bits >> 11), -static_cast<int>(bits % 200));
    else  // that registers write
      values[i] = std::ldexp(static_cast<double>(bits >> 11), -35 - static_cast<int>(bits % 60));
  }
  return agree(values);
}

}  // namespace

int main() {
  std::atomic<std::uint64_t> next = 0, wrong = 0;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
    threads.emplace_back([&] {
      for (std::uint64_t number; (number = next++) < f32_blocks + f64_blocks;) {
        const bool is_f32 = number >= f64_blocks;
        if (is_f32 ? f32_agree(number - f64_blocks) : f64_agree(number)) continue;
        ++wrong;
        fmt::print("wrong: {} block {}\n", is_f32 ? "f32" : "f64", number);
      }
    });
  for (std::thread& thread : threads) thread.join();
  fmt::print("{} f32 and {} f64, {} blocks of {} wrong\n", f32_blocks * block, f64_blocks * block,
             wrong.load(), block);
  return wrong != 0;
}
