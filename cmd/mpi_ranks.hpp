// Ranks of MPI.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "pe/base/ranks.hpp"

namespace pe::cmd {

/// The processes of MPI_COMM_WORLD. Those of one node count in its memory. Where there are several
/// nodes, one thread of rank 0 answers those who take a number, so that nobody waits for the work
/// of rank 0.
class MpiRanks final : public Ranks {
 public:
  /// Throws FileError where MPI does not let several threads call it.
  MpiRanks();
  ~MpiRanks() override;
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  int number() const override { return number_; }
  int count() const override { return count_; }
  /// "process 1 of 3 on node7".
  std::string name() const override;
  void meet() override { meet_with(nullptr); }
  std::string from_first(std::string text) override;
  std::vector<std::string> from_all(const std::string& text) override;
  void share(std::span<double> numbers) override;
  void begin_count() override;
  std::size_t take() override;

  /// What the MPI library calls itself: "Open MPI v4.1.4".
  static std::string library();

  /// Tells all, wherever they meet next, that this one failed and why; nothing where they know of
  /// a failure already. Whether another has done what this one could not.
  bool fail(const std::string& why);
  /// Meets all at the end. What the first of those that failed said; empty: none did.
  std::string end();

 private:
  bool meet_with(const std::string* failure, bool is_for_first = false);
  std::string broadcast(std::string text, int from) const;
  void share_count();
  void serve();

  int number_ = 0, count_ = 1;
  bool is_over_ = false;         // somebody failed, and all know it
  bool is_first_taken_ = false;  // number 0, by rank 0
  bool is_on_one_node_ = true;
  std::atomic<std::size_t>* next_ = nullptr;  // of rank 0, or of this node where it is the only one
  struct Channel;                             // for those who take a number; MPI's own types
  std::unique_ptr<Channel> channel_;
  std::jthread server_;
};

}  // namespace pe::cmd
