// How fast numbers become text, as ratios to std::to_chars timed right before each run; every text
// is compared before it is timed.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>
#include <functional>
#include <vector>

#include "pe/io/shortest.hpp"

namespace {

using pe::DType;
using pe::Index;
using pe::Isa;

constexpr Index columns = 128, rows = 1024, count = rows * columns;
constexpr int rounds = 21;
const char* const names[] = {"portable", "neon", "avx2", "avx512"};

// Of this thread's processor: what others take is not counted.
double seconds(const std::function<void()>& work) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  work();
  return now() - start;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + rounds / 2, values.end());
  return values[rounds / 2];
}

// Sines and cosines from position `first` on, as of a model of 128 channels.
template <typename T>
std::vector<T> table(Index first) {
  std::vector<T> values;
  for (Index row = first; row < first + rows; ++row)
    for (Index column = 0; column < columns; ++column) {
      const double angle = static_cast<double>(row) *
                           std::pow(10000.0, -static_cast<double>(column / 2 * 2) / columns);
      values.push_back(static_cast<T>(column % 2 ? std::cos(angle) : std::sin(angle)));
    }
  return values;
}

template <typename T>
char* by_to_chars(char* out, const std::vector<T>& values) {
  for (const T value : values) {
    *out++ = ',';
    out = std::to_chars(out, out + pe::io::longest_number, value).ptr;
  }
  return out;
}

template <typename T>
void measure(const char* what, const std::vector<T>& values) {
  constexpr DType dtype = sizeof(T) == 4 ? DType::f32 : DType::f64;
  std::vector<char> right(values.size() * (pe::io::longest_number + 1)), text(right.size() + 64);
  char* const end = by_to_chars(right.data(), values);
  for (const Isa isa : pe::all_isas) {
    if (!pe::runs_here(isa) || isa == Isa::neon) continue;
    const auto write = [&] {
      return pe::io::put_numbers(text.data(), reinterpret_cast<const std::byte*>(values.data()),
                                 count, dtype, ',', isa);
    };
    if (!std::equal(right.data(), end, text.data(), write())) {
      fmt::print("{} {}: WRONG\n", what, names[static_cast<int>(isa)]);
      continue;
    }
    std::vector<double> times, ratios;
    for (int round = 0; round < rounds; ++round) {
      const double theirs = seconds([&] { by_to_chars(right.data(), values); });
      times.push_back(seconds([&] { write(); }));
      ratios.push_back(theirs / times.back());
    }
    const double time = median(times);
    fmt::print("{} {:<22} {:<9} {:5.2f} ns a number, {:4.2f} GB/s, {:4.1f} times std::to_chars\n",
               sizeof(T) == 4 ? "f32" : "f64", what, names[static_cast<int>(isa)],
               1e9 * time / static_cast<double>(count),
               1e-9 * static_cast<double>(end - right.data()) / time, median(ratios));
  }
}

}  // namespace

int main() {
  measure("sines from 0 on", table<float>(0));
  measure("sines from 100000 on", table<float>(100000));
  measure("sines from 0 on", table<double>(0));
  measure("sines from 100000 on", table<double>(100000));
  std::vector<float> biases;
  for (Index i = 0; i < count; ++i)
    biases.push_back(-static_cast<float>(i % 4096) *
                     std::ldexp(1.0F, -static_cast<int>(i / 16384)));
  measure("ALiBi's biases", biases);
  return 0;
}
