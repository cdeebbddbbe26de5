// Dealing work out to processes.
#include "pe/base/ranks.hpp"

#include <utility>

#include "pe/base/bytes.hpp"

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

std::vector<std::string> deal_out(std::size_t count,
                                  const std::function<std::string(std::size_t)>& work) {
  std::vector<std::string> answers(count);
  Ranks& all = ranks();
  if (!all.are_several()) {
    for (std::size_t i = 0; i < count; ++i) answers[i] = work(i);
    return answers;
  }
  ByteWriter own;
  all.begin_count();
  for (std::size_t i; (i = all.take()) < count;) {
    const Apart apart;
    own.put_number(i);
    own.put_text(work(i));
  }
  for (const std::string& told : all.from_all(own.text())) {
    ByteReader reader(told);
    while (!reader.is_at_end()) {
      const auto i = reader.number<std::size_t>();
      answers[i] = reader.text();
    }
  }
  return answers;
}

}  // namespace pe
