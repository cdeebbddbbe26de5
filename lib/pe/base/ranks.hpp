// Several processes that do one work, and the one that is alone.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
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
  /// Numbers of which each filled the share that share_of says, to all of them.
  virtual void share(std::span<double>) {}
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

/// work(0, here) … work(count − 1, here), each by the thread of the rank that is free for it, of
/// which `here` is one that called; every rank gets all that was answered. What `work` itself would
/// deal out, it does alone.
std::vector<std::string> deal_out(std::size_t count, std::size_t threads,
                                  const std::function<std::string(std::size_t, bool)>& work);

/// The first and one past the last of `count` things that a rank has where all have as many.
std::pair<std::size_t, std::size_t> share_of(std::size_t count, int rank, int ranks);

/// fill(first, past) sets those of the numbers, a share for each thread of each rank; every rank
/// gets all. Unlike deal_out, for what takes the same time for each number.
void fill_together(std::span<double> numbers, std::size_t threads,
                   const std::function<void(std::size_t, std::size_t)>& fill);

}  // namespace pe
