// Memory of which a budget knows, whoever copies it.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

#include "pe/base/budget.hpp"
#include "pe/base/error.hpp"

namespace pe {

/// Takes what it allocates of a budget, and so do the copies of its container; without a budget it
/// is any allocator. FileError where the budget has no room.
template <typename T>
class Counted {
 public:
  using value_type = T;
  using propagate_on_container_copy_assignment = std::true_type;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;

  Counted() = default;
  explicit Counted(std::shared_ptr<Budget> budget) : budget_(std::move(budget)) {}
  template <typename Other>
  Counted(const Counted<Other>& other) : budget_(other.budget()) {}

  T* allocate(std::size_t count) {
    if (budget_ && !budget_->take(count * sizeof(T)))
      throw FileError("what is read must be held in memory whole, and takes more than " +
                      budget_->spell_most());
    try {
      return std::allocator<T>().allocate(count);
    } catch (...) {
      if (budget_) budget_->give_back(count * sizeof(T));
      throw;
    }
  }
  void deallocate(T* memory, std::size_t count) {
    std::allocator<T>().deallocate(memory, count);
    if (budget_) budget_->give_back(count * sizeof(T));
  }
  const std::shared_ptr<Budget>& budget() const { return budget_; }
  bool operator==(const Counted& other) const { return budget_ == other.budget_; }

 private:
  std::shared_ptr<Budget> budget_;
};

using CountedNumbers = std::vector<double, Counted<double>>;

}  // namespace pe
