// Several processes that do one work, and the one that is alone.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace pe {

/// The same program with the same words in each process; ranks count from 0. All of them come to
/// each call that says so in the same order, and where one of them failed before it came, the call
/// throws FileError with what that one said, in all others. Alone there is rank 0 of 1, and no call
/// waits.
class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int number() const { return 0; }
  virtual int count() const { return 1; }
  /// As messages name it; empty: alone.
  virtual std::string name() const { return {}; }
  bool is_first() const { return number() == 0; }
  bool are_several() const { return count() > 1; }

  /// Returns when all are here.
  virtual void meet() {}
  /// What rank 0 says, to all of them.
  virtual std::string from_first(std::string text) { return text; }
  /// What each says, to all of them.
  virtual std::vector<std::string> from_all(const std::string& text) { return {text}; }
  /// Begins a count of numbers from 0 on, each of which one rank takes. All come here.
  virtual void begin_count() { next_ = 0; }
  /// The next number that no rank has; 0 is rank 0's.
  virtual std::size_t take() { return next_++; }

 private:
  std::size_t next_ = 0;
};

/// Those of this process: alone, unless it was told otherwise, and within work that is dealt out.
Ranks& ranks();
/// For the start of a process; `all` lives as long as it.
void set_ranks(Ranks& all);

/// work(0) … work(count − 1), each by the rank that is free for it; every rank gets all that was
/// answered. What `work` itself would deal out, it does alone.
std::vector<std::string> deal_out(std::size_t count,
                                  const std::function<std::string(std::size_t)>& work);

}  // namespace pe
