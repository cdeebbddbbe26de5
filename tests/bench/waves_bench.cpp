// How fast waves fill memory, as ratios to a plain non-temporal fill timed right before each run.
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "../waves_oracle.hpp"
#include "ceiling.hpp"
#ifdef PE_HAVE_SLEEF
#include "sleef_loop.hpp"
#endif

namespace {

using pe::DType;
using pe::Index;
using pe::Place;
using pe::WaveLayout;

// Wall time on a quiet machine. On a busy one, processor time of the calling thread: what others
// take is not counted then, but neither is the memory that two threads share.
clockid_t measured_by = CLOCK_MONOTONIC;

double now() {
  timespec time{};
  clock_gettime(measured_by, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double seconds(const std::function<void()>& work) {
  const double start = now();
  work();
  return now() - start;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

/// Pages of 2 MiB where the system grants them.
class Buffer {
 public:
  explicit Buffer(std::size_t bytes) : bytes_((bytes + huge - 1) / huge * huge) {
    raw_ = mmap(nullptr, bytes_ + huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw_ == MAP_FAILED) std::abort();
    data_ = reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(raw_) + huge - 1) /
                                         huge * huge);
    madvise(data_, bytes_, MADV_HUGEPAGE);
  }
  ~Buffer() { munmap(raw_, bytes_ + huge); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }

 private:
  static constexpr std::size_t huge = 2u << 20;
  std::size_t bytes_;
  void* raw_ = nullptr;
  std::byte* data_ = nullptr;
};

/// part(k) for k < threads at once, a thread each that is started before the clock; the time of the
/// slowest.
double in_parallel(int threads, const std::function<void(int)>& part) {
  std::vector<double> times(static_cast<std::size_t>(threads));
  std::atomic<int> ready = 0;
  const auto timed = [&](int k) {
    for (++ready; ready < threads;) std::this_thread::yield();
    times[static_cast<std::size_t>(k)] = seconds([&] { part(k); });
  };
  {
    std::vector<std::jthread> team;
    for (int k = 1; k < threads; ++k) team.emplace_back(timed, k);
    timed(0);
  }
  return *std::max_element(times.begin(), times.end());
}

struct Job {
  std::string name;
  Index rows, dim;
  WaveLayout layout;
  DType dtype;
  int tables = 1;  // 2: cosine and sine each into a table of its own
  std::int64_t first = 0;
  bool set_up = false;
};

class Bench {
 public:
  Bench(int repetitions, const char* only) : repetitions_(repetitions), only_(only) {}

  void run(const Job& job, int threads, bool fresh = false) {
    const std::string name = fmt::format(
        "{:<28} {:>8}x{:<5} {:<4} {}T{}{}{}", job.name, job.rows, job.dim, name_of(job.dtype),
        threads, job.first ? " @2^40" : "", job.set_up ? " +set-up" : "", fresh ? " fresh" : "");
    if (only_ && name.find(only_) == std::string::npos) return;
    const std::vector<pe::Real> frequencies = oracle::ladder("10000", static_cast<int>(job.dim));
    const pe::Waves waves(frequencies);
    const std::size_t row_bytes = static_cast<std::size_t>(job.layout.width) * size_of(job.dtype),
                      table_bytes = row_bytes * static_cast<std::size_t>(job.rows),
                      bytes = table_bytes * static_cast<std::size_t>(job.tables);
    const auto fill = [&](const pe::Waves& by, std::byte* out) {
      return in_parallel(threads, [&](int k) {
        for (int t = 0; t < job.tables; ++t) {
          WaveLayout layout = job.layout;
          if (job.tables == 2) (t == 0 ? layout.sine : layout.cosine).reset();
          const Index begin = job.rows * k / threads, end = job.rows * (k + 1) / threads;
          by.fill({job.first + begin, 1, end - begin, 0}, layout, job.dtype,
                  out + static_cast<std::size_t>(t) * table_bytes +
                      static_cast<std::size_t>(begin) * row_bytes);
        }
      });
    };
    const auto ceiling = [&](std::byte* out) {
      return in_parallel(threads, [&](int k) {
        const std::size_t part = bytes / static_cast<std::size_t>(threads) / 256 * 256;
        bench::stream_fill(out + static_cast<std::size_t>(k) * part, part);
      });
    };
    Buffer buffer(bytes);
    std::memset(buffer.data(), 1, buffer.size());
    fill(waves, buffer.data());
    if (!correct(job, buffer.data(), table_bytes)) {
      fmt::print("{}  WRONG\n", name);
      failed_ = true;
      return;
    }
    std::vector<double> ratios, times, ceilings;
    for (int i = 0; i < repetitions_; ++i) {
      double plain, ours;
      if (fresh) {
        {
          Buffer other(bytes);
          plain = ceiling(other.data());
        }
        Buffer other(bytes);
        ours = fill(waves, other.data());
      } else {
        plain = ceiling(buffer.data());
        if (job.set_up) {
          std::optional<pe::Waves> made;
          ours = seconds([&] { made.emplace(frequencies); });
          ours += fill(*made, buffer.data());
        } else {
          ours = fill(waves, buffer.data());
        }
      }
      ratios.push_back(plain / ours);
      times.push_back(ours);
      ceilings.push_back(plain);
    }
    std::sort(ratios.begin(), ratios.end());
    fmt::print("{:<64} {:6.1f} GB/s  ceiling {:6.1f}  ratio {:.2f} [{:.2f} {:.2f}]\n", name,
               static_cast<double>(bytes) / median(times) / 1e9,
               static_cast<double>(bytes) / median(ceilings) / 1e9, median(ratios),
               ratios[ratios.size() / 4], ratios[ratios.size() * 3 / 4]);
    std::fflush(stdout);
  }

  // Blocks of 1 MiB into one buffer, as when a table streams to a file.
  void flatness() {
    if (only_ && !std::strstr("flat", only_)) return;
    fmt::print("\nns per element, blocks of 1 MiB into one buffer, f32 interleaved, dim 128\n");
    const pe::Waves waves(oracle::ladder("10000", 128));
    const WaveLayout layout{128, Place{0, 2}, Place{1, 2}};
    Buffer buffer(1u << 20);
    for (const std::int64_t first : {std::int64_t{0}, std::int64_t{1} << 40, std::int64_t{1} << 50})
      for (int log = 12; log <= 24; log += 2) {
        const Index rows = Index{1} << log;
        std::vector<double> times;
        for (int i = 0; i < (log < 22 ? 9 : 3); ++i)
          times.push_back(seconds([&] {
            for (Index row = 0; row < rows; row += 2048)
              waves.fill({first + row, 1, 2048, 0}, layout, DType::f32, buffer.data());
          }));
        fmt::print("  from {:>16} 2^{:<2} rows  {:.4f}\n", first, log,
                   median(times) * 1e9 / static_cast<double>(rows * 128));
      }
  }

  // What relative-only does for all pairs of positions: every entry of a table in memory made again
  // and compared (pe/properties/rotation.cpp).
  void certificate() {
    if (only_ && !std::strstr("certificate", only_)) return;
    const Index rows = 131072, pairs = 64, block = 1024;
    const pe::Waves waves(oracle::ladder("10000", 128));
    const WaveLayout cosine{pairs, {}, Place{}}, sine{pairs, Place{}, {}};
    Buffer table(static_cast<std::size_t>(rows * pairs) * 8);
    std::byte* const cosines = table.data();
    std::byte* const sines = cosines + static_cast<std::size_t>(rows * pairs) * 4;
    waves.fill(pe::first_positions(rows), cosine, DType::f32, cosines);
    waves.fill(pe::first_positions(rows), sine, DType::f32, sines);
    for (const int threads : {1, 2}) {
      std::vector<double> times;
      std::atomic<Index> unlike = 0;
      for (int i = 0; i < repetitions_; ++i)
        times.push_back(in_parallel(threads, [&](int k) {
          Buffer scratch(static_cast<std::size_t>(block * pairs) * 4);
          for (Index row = rows * k / threads; row < rows * (k + 1) / threads; row += block)
            for (const bool side : {false, true}) {
              waves.fill({row, 1, block, 0}, side ? sine : cosine, DType::f32, scratch.data());
              const std::byte* stored =
                  (side ? sines : cosines) + static_cast<std::size_t>(row * pairs) * 4;
              unlike += std::memcmp(stored, scratch.data(),
                                    static_cast<std::size_t>(block * pairs) * 4) != 0;
            }
        }));
      fmt::print(
          "\ncertificate of relative-only, {} positions, 128 channels, {} thread{}: {:.1f} ms, {} "
          "blocks differ\n",
          rows, threads, threads > 1 ? "s" : "", 1e3 * median(times), unlike.load());
      failed_ |= unlike != 0;
    }
  }

  // The same table by the loops that people write, into memory that is there already.
  void peers() {
    if (only_ && !std::strstr("peers", only_)) return;
    const Index rows = 131072, dim = 128;
    std::vector<double> frequency;
    for (const pe::Real& theta : oracle::ladder("10000", dim))
      frequency.push_back(pe::to_double(theta));
    Buffer buffer(static_cast<std::size_t>(rows * dim) * 4);
    auto* out = reinterpret_cast<float*>(buffer.data());
    std::memset(buffer.data(), 1, buffer.size());
    const pe::Waves waves(oracle::ladder("10000", dim));
    const WaveLayout layout{dim, Place{0, 2}, Place{1, 2}};
    fmt::print("\nf32 interleaved {}x{}, 1 thread: how many times as long a peer takes\n", rows,
               dim);
    const auto compare = [&](const char* name, int repetitions, const std::function<void()>& peer) {
      std::vector<double> ratios;
      for (int i = 0; i < repetitions; ++i) {
        const double ours = seconds(
            [&] { waves.fill(pe::first_positions(rows), layout, DType::f32, buffer.data()); });
        ratios.push_back(seconds(peer) / ours);
      }
      fmt::print("  {:<40} {:7.1f}\n", name, median(ratios));
    };
    compare("libm, pow for each element", 3, [&] {
      for (Index p = 0; p < rows; ++p)
        for (Index j = 0; j < dim / 2; ++j) {
          const double angle =
              static_cast<double>(p) * std::pow(10000.0, -2.0 * static_cast<double>(j) / dim);
          out[p * dim + 2 * j] = static_cast<float>(std::sin(angle));
          out[p * dim + 2 * j + 1] = static_cast<float>(std::cos(angle));
        }
    });
    compare("libm, frequencies hoisted", 5, [&] {
      for (Index p = 0; p < rows; ++p)
        for (Index j = 0; j < dim / 2; ++j) {
          const double angle = static_cast<double>(p) * frequency[static_cast<std::size_t>(j)];
          out[p * dim + 2 * j] = static_cast<float>(std::sin(angle));
          out[p * dim + 2 * j + 1] = static_cast<float>(std::cos(angle));
        }
    });
#ifdef PE_HAVE_SLEEF
    compare("SLEEF f64, 1.0 ulp, 8 lanes", 9,
            [&] { bench::sleef_f64(frequency.data(), rows, dim, out); });
#endif
  }

  bool failed() const { return failed_; }

 private:
  // A few hundred elements of the table against MPFR.
  static bool correct(const Job& job, const std::byte* out, std::size_t table_bytes) {
    const oracle::Waves truth("10000", static_cast<int>(job.dim));
    for (Index k = 0; k < 300; ++k) {
      const Index row = k * 7919 % job.rows, pair = k * 31 % (job.dim / 2);
      for (const bool sine : {false, true}) {
        const auto& place = sine ? job.layout.sine : job.layout.cosine;
        if (!place) continue;
        const std::byte* table = out + (job.tables == 2 && sine ? table_bytes : 0);
        for (Index copy = 0; copy < place->copies; ++copy) {
          const Index at =
              row * job.layout.width + place->offset + pair * place->step + copy * place->copy_step;
          if (oracle::element(table, at, job.dtype) !=
              truth(static_cast<int>(pair), job.first + row, sine, job.dtype))
            return false;
        }
      }
    }
    return true;
  }

  int repetitions_;
  const char* only_;
  bool failed_ = false;
};

// Wall time in milliseconds of cos and sin tables [rows, dim] of f32, halves duplicated, into
// memory that was never touched: what scripts/record/bench_peers.py holds against NumPy and
// PyTorch, which allocate as they go.
double fresh_tables(Index rows, Index dim, int threads) {
  const std::vector<pe::Real> frequencies = oracle::ladder("10000", static_cast<int>(dim));
  const auto start = std::chrono::steady_clock::now();
  const pe::Waves waves(frequencies);
  const std::size_t row_bytes = static_cast<std::size_t>(dim) * 4,
                    table_bytes = row_bytes * static_cast<std::size_t>(rows);
  Buffer buffer(2 * table_bytes);
  in_parallel(threads, [&](int k) {
    const Index begin = rows * k / threads, count = rows * (k + 1) / threads - begin;
    for (const bool sine : {false, true}) {
      WaveLayout layout{dim, {}, {}};
      (sine ? layout.sine : layout.cosine) = Place{0, 1, 2, dim / 2};
      waves.fill(
          {begin, 1, count, 0}, layout, DType::f32,
          buffer.data() + (sine ? table_bytes : 0) + static_cast<std::size_t>(begin) * row_bytes);
    }
  });
  return 1e3 * std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

// waves_bench [REPETITIONS [FILTER [cpu]]], or waves_bench fresh ROWS DIM THREADS.
int main(int argc, char** argv) {
  if (argc == 5 && std::string(argv[1]) == "fresh") {
    fmt::print("{:.3f}\n",
               fresh_tables(std::atoll(argv[2]), std::atoll(argv[3]), std::atoi(argv[4])));
    return 0;
  }
  if (argc > 3 && std::string(argv[3]) == "cpu") measured_by = CLOCK_THREAD_CPUTIME_ID;
  Bench bench(argc > 1 ? std::atoi(argv[1]) : 15, argc > 2 ? argv[2] : nullptr);
  const auto interleaved = [](Index dim) { return WaveLayout{dim, Place{0, 2}, Place{1, 2}}; };
  const auto halves = [](Index dim) { return WaveLayout{dim, Place{0, 1}, Place{dim / 2, 1}}; };
  const auto twice = [](Index dim) {
    return WaveLayout{dim, Place{0, 1, 2, dim / 2}, Place{0, 1, 2, dim / 2}};
  };
  const auto single = [](Index dim) { return WaveLayout{dim / 2, Place{0, 1}, Place{0, 1}}; };
  for (const int threads : {1, 2}) {
    for (const DType dtype : {DType::f32, DType::bf16, DType::f16, DType::f64}) {
      const Index rows = dtype == DType::f32 ? 131072 : 262144;
      bench.run({"cos, sin twice", rows / 2, 128, twice(128), dtype, 2}, threads);
      bench.run({"cos, sin", rows, 128, single(128), dtype, 2}, threads);
      bench.run({"interleaved", rows, 128, interleaved(128), dtype}, threads);
      bench.run({"halves", rows, 128, halves(128), dtype}, threads);
      bench.run({"interleaved", 8192, 4096, interleaved(4096), dtype, 1, 0, true}, threads);
      bench.run({"interleaved", 8192, 4096, interleaved(4096), dtype}, threads);
    }
    bench.run({"interleaved", 131072, 128, interleaved(128), DType::f32, 1, std::int64_t{1} << 40},
              threads);
    bench.run({"interleaved", 1048576, 128, interleaved(128), DType::f32}, threads);
    bench.run({"cos, sin twice", 131072, 128, twice(128), DType::f32, 2}, threads, true);
    bench.run({"interleaved", 131072, 128, interleaved(128), DType::f32}, threads, true);
  }
  bench.flatness();
  bench.certificate();
  bench.peers();
  return bench.failed() ? 1 : 0;
}
