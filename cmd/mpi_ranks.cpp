// Meeting, telling and counting over MPI.
#include "mpi_ranks.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <new>
#include <numeric>
#include <string_view>
#include <utility>

#include "pe/base/error.hpp"

namespace pe::cmd {
namespace {

constexpr int ask_tag = 1, answer_tag = 2;
// Lengths are ints in MPI 3: longer texts would have to go in pieces, and no answer is as long.
constexpr std::size_t longest_text = std::size_t{1} << 30;

// Until all have come: the processor is left to whoever has work, where MPI's own waiting would
// keep it busy. What takes messages alone is over before the first sleep.
void wait_for(MPI_Request request) {
  using namespace std::chrono_literals;
  const auto start = std::chrono::steady_clock::now();
  for (;;) {
    int is_done = 0;
    MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    if (is_done) return;
    if (std::chrono::steady_clock::now() - start > 1ms) std::this_thread::sleep_for(1ms);
  }
}

// On one node messages go through memory; Open MPI would look for the hardware of networks first,
// for longer than all else of the start takes (0.2 of 0.33 s). Who chose a way keeps it.
void choose_messages() {
  const auto given = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string_view(value ? value : "");
  };
  const std::string_view here = given("OMPI_COMM_WORLD_LOCAL_SIZE");
  if (!here.empty() && here == given("OMPI_COMM_WORLD_SIZE")) setenv("OMPI_MCA_pml", "ob1", 0);
}

}  // namespace

struct MpiRanks::Channel {
  MPI_Comm numbers = MPI_COMM_NULL, node = MPI_COMM_NULL;
  MPI_Win memory = MPI_WIN_NULL;  // of the node: its first process' count
};

MpiRanks::MpiRanks() : channel_(std::make_unique<Channel>()) {
  choose_messages();
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &number_);
  MPI_Comm_size(MPI_COMM_WORLD, &count_);
  if (provided < MPI_THREAD_MULTIPLE)
    throw FileError("this MPI lets one thread call it, and several do: MPI_THREAD_MULTIPLE");
  MPI_Comm_dup(MPI_COMM_WORLD, &channel_->numbers);
  share_count();
  if (number_ == 0 && !is_on_one_node_) server_ = std::jthread([this] { serve(); });
}

// A count that the processes of a node raise in its memory: there nobody waits for an answer.
void MpiRanks::share_count() {
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &channel_->node);
  int here = 0, rank = 0, unit = 0;
  MPI_Comm_size(channel_->node, &here);
  MPI_Comm_rank(channel_->node, &rank);
  is_on_one_node_ = here == count_;
  const MPI_Aint size = rank == 0 ? sizeof *next_ : 0;
  void* place = nullptr;
  MPI_Win_allocate_shared(size, 1, MPI_INFO_NULL, channel_->node, &place, &channel_->memory);
  MPI_Aint held = 0;
  MPI_Win_shared_query(channel_->memory, 0, &held, &unit, &place);
  static_assert(std::atomic<std::size_t>::is_always_lock_free);
  next_ = static_cast<std::atomic<std::size_t>*>(place);
  if (rank == 0) new (place) std::atomic<std::size_t>(0);
}

MpiRanks::~MpiRanks() {
  if (!is_on_one_node_) {  // a rank that asks for no number tells the server that it is done
    const int done = 1;
    if (number_ != 0) MPI_Send(&done, 1, MPI_INT, 0, ask_tag, channel_->numbers);
    if (server_.joinable()) server_.join();
  }
  MPI_Win_free(&channel_->memory);
  MPI_Comm_free(&channel_->node);
  MPI_Comm_free(&channel_->numbers);
  MPI_Finalize();
}

// Answers until every other rank is done. It looks a thousand times a second: MPI's own waiting
// would keep a processor busy.
void MpiRanks::serve() {
  for (int left = count_ - 1; left > 0;) {
    int is_there = 0, done = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, ask_tag, channel_->numbers, &is_there, &status);
    if (!is_there) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      continue;
    }
    MPI_Recv(&done, 1, MPI_INT, status.MPI_SOURCE, ask_tag, channel_->numbers, MPI_STATUS_IGNORE);
    if (done) {
      --left;
      continue;
    }
    const unsigned long long number = (*next_)++;
    MPI_Send(&number, 1, MPI_UNSIGNED_LONG_LONG, status.MPI_SOURCE, answer_tag, channel_->numbers);
  }
}

std::string MpiRanks::name() const {
  char host[MPI_MAX_PROCESSOR_NAME + 1] = {};
  int length = 0;
  MPI_Get_processor_name(host, &length);
  return fmt::format("process {} of {} on {}", number_, count_, host);
}

std::string MpiRanks::library() {
  std::string text(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  return text.substr(0, std::min(text.find_first_of(",\n", 0), static_cast<std::size_t>(length)));
}

// Of one that failed: whether nobody is there who did not, but for those who wait for the first to
// do what it alone does.
bool MpiRanks::meet_with(const std::string* failure, bool is_for_first) {
  const int own[2] = {failure ? number_ : count_, failure || is_for_first ? 1 : 0};
  int least[2] = {count_, 0};  // the first that failed, and that
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(own, least, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &request);
  wait_for(request);
  if (least[0] == count_) return false;
  is_over_ = true;
  const std::string why = broadcast(failure ? name() + ": " + *failure : std::string(), least[0]);
  if (!failure) throw FileError(why);
  return least[1] == 1;
}

std::string MpiRanks::broadcast(std::string text, int from) const {
  unsigned long long size = text.size();
  MPI_Bcast(&size, 1, MPI_UNSIGNED_LONG_LONG, from, MPI_COMM_WORLD);
  text.resize(size);
  MPI_Bcast(text.data(), static_cast<int>(size), MPI_CHAR, from, MPI_COMM_WORLD);
  return text;
}

std::string MpiRanks::from_first(std::string text) {
  meet_with(nullptr, true);
  return broadcast(std::move(text), 0);
}

std::vector<std::string> MpiRanks::from_all(const std::string& text) {
  if (text.size() > longest_text) throw FileError("more than a GiB to tell the other processes");
  meet();
  const int own = static_cast<int>(text.size());
  std::vector<int> sizes(static_cast<std::size_t>(count_)), places(sizes.size());
  MPI_Allgather(&own, 1, MPI_INT, sizes.data(), 1, MPI_INT, MPI_COMM_WORLD);
  if (std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}) > longest_text)
    throw FileError("the processes have more than a GiB to tell each other");
  std::exclusive_scan(sizes.begin(), sizes.end(), places.begin(), 0);
  std::string whole(static_cast<std::size_t>(places.back() + sizes.back()), '\0');
  MPI_Allgatherv(text.data(), own, MPI_CHAR, whole.data(), sizes.data(), places.data(), MPI_CHAR,
                 MPI_COMM_WORLD);
  std::vector<std::string> all;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    all.push_back(
        whole.substr(static_cast<std::size_t>(places[i]), static_cast<std::size_t>(sizes[i])));
  return all;
}

void MpiRanks::share(std::span<double> numbers) {
  if (numbers.size() > longest_text) throw FileError("more than 2^30 numbers to tell each other");
  meet();
  std::vector<int> sizes, places;
  for (int rank = 0; rank < count_; ++rank) {
    const auto [first, past] = share_of(numbers.size(), rank, count_);
    sizes.push_back(static_cast<int>(past - first));
    places.push_back(static_cast<int>(first));
  }
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, numbers.data(), sizes.data(), places.data(),
                 MPI_DOUBLE, MPI_COMM_WORLD);
}

// Between two meetings rank 0 sets the count: nobody asks for a number of the old one any more, and
// nobody for one of the new.
void MpiRanks::begin_count() {
  meet();
  if (number_ == 0) *next_ = 1;
  is_first_taken_ = false;
  meet();
}

std::size_t MpiRanks::take() {
  if (number_ == 0 && !std::exchange(is_first_taken_, true)) return 0;
  if (number_ == 0 || is_on_one_node_) return (*next_)++;
  const int done = 0;
  unsigned long long number = 0;
  MPI_Send(&done, 1, MPI_INT, 0, ask_tag, channel_->numbers);
  MPI_Recv(&number, 1, MPI_UNSIGNED_LONG_LONG, 0, answer_tag, channel_->numbers, MPI_STATUS_IGNORE);
  return number;
}

bool MpiRanks::fail(const std::string& why) { return !is_over_ && !meet_with(&why); }

std::string MpiRanks::end() {
  if (is_over_) return {};
  try {
    meet();
  } catch (const FileError& error) {
    return error.what();
  }
  return {};
}

}  // namespace pe::cmd
