// Dealing work out to processes.
#include "pe/base/ranks.hpp"

#include <algorithm>
#include <mutex>

#include "pe/base/bytes.hpp"
#include "pe/base/team.hpp"

namespace pe {
namespace {

Ranks& lonely() {
  static Ranks one;
  return one;
}

Ranks*& current() {
  static Ranks* all = &lonely();
  return all;
}

// For as long as it lives each rank works for itself.
class Apart {
 public:
  Apart() : before_(std::exchange(current(), &lonely())) {}
  ~Apart() { current() = before_; }
  Apart(const Apart&) = delete;
  Apart& operator=(const Apart&) = delete;

 private:
  Ranks* before_;
};

}  // namespace

Ranks& ranks() { return *current(); }
void set_ranks(Ranks& all) { current() = &all; }

std::vector<std::string> deal_out(std::size_t count, std::size_t threads,
                                  const std::function<std::string(std::size_t, bool)>& work) {
  std::vector<std::string> answers(count);
  Ranks& all = ranks();
  if (!all.are_several() || count == 0) {
    in_turn(count, threads, [&](std::size_t i, bool here) { answers[i] = work(i, here); });
    return answers;
  }
  all.begin_count();
  std::mutex door;
  std::vector<std::size_t> own;  // whose answers are here; no number is one's after a failure
  bool has_failed = false;
  const auto take = [&](bool is_over) {
    const std::scoped_lock lock(door);
    has_failed = has_failed || is_over;
    const std::size_t i = has_failed ? count : all.take();
    if (i < count) own.push_back(i);
    return i;
  };
  {
    const Apart apart;
    side_by_side(std::clamp<std::size_t>(threads, 1, count), [&](std::size_t member) {
      try {
        for (std::size_t i; (i = take(false)) < count;) answers[i] = work(i, member == 0);
      } catch (...) {
        take(true);
        throw;
      }
    });
  }
  ByteWriter told;
  for (const std::size_t i : own) {
    told.put_number(i);
    told.put_text(answers[i]);
  }
  for (const std::string& text : all.from_all(told.text())) {
    ByteReader reader(text);
    while (!reader.is_at_end()) {
      const auto i = reader.number<std::size_t>();
      answers[i] = reader.text();
    }
  }
  return answers;
}

std::pair<std::size_t, std::size_t> share_of(std::size_t count, int rank, int ranks) {
  const auto place = [&](int number) {
    return count * static_cast<std::size_t>(number) / static_cast<std::size_t>(ranks);
  };
  return {place(rank), place(rank + 1)};
}

void fill_together(std::span<double> numbers, std::size_t threads,
                   const std::function<void(std::size_t, std::size_t)>& fill) {
  Ranks& all = ranks();
  const auto [first, past] = share_of(numbers.size(), all.number(), all.count());
  side_by_side(threads, [&, start = first, count = past - first](std::size_t member) {
    const auto [from, to] = share_of(count, static_cast<int>(member), static_cast<int>(threads));
    fill(start + from, start + to);
  });
  all.share(numbers);
}

}  // namespace pe
