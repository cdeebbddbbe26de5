// What several processes cost each other: the terms of scripts/cluster.md, one a line.
#include <fmt/format.h>
#include <mpi.h>

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "../../cmd/mpi_ranks.hpp"

namespace {

using pe::cmd::MpiRanks;

double now() { return MPI_Wtime(); }

void tell(const MpiRanks& ranks, const char* term, double value, const char* unit) {
  if (ranks.is_first()) fmt::print("{:24} {:12.4g} {}\n", term, value, unit);
}

/// Seconds of one message of so many bytes, half a way there and back between the first and the
/// last rank.
double message_seconds(const MpiRanks& ranks, int bytes, int rounds) {
  std::vector<char> data(static_cast<std::size_t>(bytes));
  const int other = ranks.is_first() ? ranks.count() - 1 : 0;
  if (!ranks.is_first() && ranks.number() != ranks.count() - 1) return 0;
  const double start = now();
  for (int i = 0; i < rounds; ++i) {
    if (ranks.is_first()) MPI_Send(data.data(), bytes, MPI_CHAR, other, 9, MPI_COMM_WORLD);
    MPI_Recv(data.data(), bytes, MPI_CHAR, other, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!ranks.is_first()) MPI_Send(data.data(), bytes, MPI_CHAR, other, 9, MPI_COMM_WORLD);
  }
  return (now() - start) / rounds / 2;
}

/// Seconds of one of so many calls that all ranks come to.
double call_seconds(MpiRanks& ranks, int calls, const std::function<void()>& call) {
  ranks.meet();
  const double start = now();
  for (int i = 0; i < calls; ++i) call();
  return (now() - start) / calls;
}

/// Numbers that the ranks other than the first were given in a second, who ask for the next at
/// once. The first one sleeps, so that its thread that answers has a processor.
double numbers_per_second(MpiRanks& ranks, std::size_t count) {
  ranks.begin_count();
  const double start = now();
  while (!ranks.is_first() && ranks.take() < count) {
  }
  MPI_Request all = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &all);
  for (int is_done = 0; !is_done; MPI_Test(&all, &is_done, MPI_STATUS_IGNORE))
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  return static_cast<double>(count) / (now() - start);
}

/// Answers that one thread gives in a second, as MpiRanks does, to asks that wait already.
double answers_per_second(const MpiRanks& ranks, int asks) {
  constexpr int tag = 10;
  unsigned long long number = 0;
  int is_there = 0, word = 0;
  MPI_Status from;
  std::vector<MPI_Request> sent(static_cast<std::size_t>(asks));
  if (ranks.number() == 1)
    for (MPI_Request& one : sent) MPI_Isend(&word, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, &one);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = now();
  for (int i = 0; i < asks && ranks.number() < 2; ++i) {
    if (ranks.is_first()) {
      for (is_there = 0; !is_there;)
        MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &is_there, &from);
      MPI_Recv(&word, 1, MPI_INT, from.MPI_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(&++number, 1, MPI_UNSIGNED_LONG_LONG, from.MPI_SOURCE, tag, MPI_COMM_WORLD);
    } else {
      MPI_Recv(&number, 1, MPI_UNSIGNED_LONG_LONG, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  const double taken = now() - start;
  if (ranks.number() == 1) MPI_Waitall(asks, sent.data(), MPI_STATUSES_IGNORE);
  return asks / taken;
}

/// Seconds that rank 1 waits for a number when nobody else has asked for a while.
double number_seconds(MpiRanks& ranks, int asks) {
  ranks.begin_count();
  double waited = 0;
  for (int i = 0; i < asks && ranks.number() == 1; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(5300));
    const double start = now();
    ranks.take();
    waited += now() - start;
  }
  MPI_Bcast(&waited, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
  return waited / asks;
}

int measure(MpiRanks& ranks) {
  tell(ranks, "ranks", ranks.count(), "");
  tell(ranks, "message of 8 bytes", 1e6 * message_seconds(ranks, 8, 20'000), "us");
  constexpr int large = 64 << 20;
  message_seconds(ranks, large, 2);
  tell(ranks, "bytes of a long message", large / message_seconds(ranks, large, 10) / 1e9, "GB/s");
  tell(ranks, "meet", 1e6 * call_seconds(ranks, 20'000, [&] { ranks.meet(); }), "us");
  const std::string name(100, 'n');
  tell(ranks, "from_first of 100 bytes",
       1e6 * call_seconds(ranks, 5'000, [&] { ranks.from_first(name); }), "us");
  const std::string answer(std::size_t{8} << 20, 'a');
  const double all = call_seconds(ranks, 10, [&] { ranks.from_all(answer); });
  tell(ranks, "from_all", static_cast<double>(answer.size()) * ranks.count() / all / 1e9,
       "GB/s of all that is told");
  tell(ranks, "answers to a queue", answers_per_second(ranks, 2'000), "a second");
  tell(ranks, "numbers asked at once", numbers_per_second(ranks, 5'000), "a second");
  tell(ranks, "a number, server idle", 1e6 * number_seconds(ranks, 200), "us");
  return 0;
}

}  // namespace

int main() {
  MpiRanks ranks;
  if (ranks.count() > 1) return measure(ranks);
  fmt::print(stderr, "mpi_terms: needs two ranks or more: mpirun -n 2 mpi_terms\n");
  return 2;
}
