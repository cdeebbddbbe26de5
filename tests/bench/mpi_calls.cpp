// Counts what a program asks of MPI: mpirun -n 2 -x LD_PRELOAD=$PWD/libmpi_calls.so pe-mpi …
#include <mpi.h>

#include <atomic>
#include <cstdio>

namespace {

enum Call { iallreduce, bcast, allgather, allgatherv, send, calls };
constexpr const char* names[calls] = {"MPI_Iallreduce", "MPI_Bcast", "MPI_Allgather",
                                      "MPI_Allgatherv", "MPI_Send"};
std::atomic<long> counted[calls], bytes[calls];

void note(Call call, long count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  ++counted[call];
  bytes[call] += count * size;
}

}  // namespace

extern "C" {

int MPI_Iallreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm all, MPI_Request* request) {
  note(iallreduce, count, type);
  return PMPI_Iallreduce(from, to, count, type, op, all, request);
}

int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm all) {
  note(bcast, count, type);
  return PMPI_Bcast(data, count, type, root, all);
}

int MPI_Allgather(const void* from, int count, MPI_Datatype type, void* to, int to_count,
                  MPI_Datatype to_type, MPI_Comm all) {
  note(allgather, count, type);
  return PMPI_Allgather(from, count, type, to, to_count, to_type, all);
}

int MPI_Allgatherv(const void* from, int count, MPI_Datatype type, void* to, const int* counts,
                   const int* places, MPI_Datatype to_type, MPI_Comm all) {
  note(allgatherv, count, type);
  return PMPI_Allgatherv(from, count, type, to, counts, places, to_type, all);
}

int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm all) {
  note(send, count, type);
  return PMPI_Send(data, count, type, to, tag, all);
}

// Sums over the ranks of what each put in; collectives are counted once.
int MPI_Finalize() {
  long own[2 * calls], sum[2 * calls] = {};
  for (int i = 0; i < calls; ++i) own[i] = counted[i], own[calls + i] = bytes[i];
  int number = 0, count = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &number);
  PMPI_Comm_size(MPI_COMM_WORLD, &count);
  PMPI_Reduce(own, sum, 2 * calls, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  for (int i = 0; i < calls && number == 0; ++i)
    std::fprintf(stderr, "%-14s %6ld calls, %10ld bytes put in by all %d ranks\n", names[i],
                 i == send ? sum[i] : own[i], sum[calls + i], count);
  return PMPI_Finalize();
}
}
