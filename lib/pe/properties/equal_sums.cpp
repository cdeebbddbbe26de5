// Two looks at all hashes: a bit for each, and then those alone that fell on a bit that was set.
#include "pe/properties/equal_sums.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "pe/properties/laws.hpp"
#include "pe/properties/sum_hashes.hpp"

namespace pe::laws {
namespace {

constexpr std::size_t most_bits = std::size_t{1} << 27;      // 16 MiB
constexpr std::size_t most_repeated = std::size_t{1} << 19;  // hashes that are kept at once
constexpr std::size_t slots = 2 * most_repeated;

// All channels of two sums, from rows that are made again.
class Comparison {
 public:
  Comparison(Kept<std::vector<double>> tokens, Kept<Table> table, Kept<PositionRange> positions,
             DType dtype, const double* rows)
      : tokens_(tokens),
        table_(table),
        positions_(positions),
        dtype_(dtype),
        kept_(rows),
        rows_(65) {}

  bool are_equal(const SumPlace& a, const SumPlace& b) {
    const double *const p = row(64, a.position), *const q =
                                                     row(static_cast<std::size_t>(b.position % 64),
                                                         b.position);
    const Index width = table_.width;
    if (a.token == b.token && std::equal(p, p + width, q)) return true;
    const double *const x = &tokens_[static_cast<std::size_t>(a.token * width)],
                        *const y = &tokens_[static_cast<std::size_t>(b.token * width)];
    for (Index c = 0; c < width; ++c)
      if (stored_bits(x[c], p[c], dtype_) != stored_bits(y[c], q[c], dtype_)) return false;
    return true;
  }

 private:
  struct Row {
    Index position = -1;
    std::vector<double> values;
  };

  const double* row(std::size_t place, Index position) {
    if (kept_) return kept_ + position * table_.width;
    Row& row = rows_[place];
    if (row.position != position)
      row = {position, rows_of(table_, positions_.slice(position, 1), dtype_)};
    return row.values.data();
  }

  const std::vector<double>& tokens_;
  const Table& table_;
  const PositionRange& positions_;
  DType dtype_;
  const double* kept_;
  std::vector<Row> rows_;  // the last is of the sum that is looked at
};

// Bits by the leading bits of hashes.
class Bits {
 public:
  explicit Bits(double sums, std::size_t most) {
    std::size_t bits = 1 << 12;
    while (bits < most && static_cast<double>(bits) < 32 * sums) bits *= 2;
    shift_ = 64 - std::countr_zero(bits);
    words_.assign(bits / 64, 0);
  }
  bool test(std::uint64_t hash) const { return word(hash) >> (hash >> shift_ & 63) & 1; }
  void ahead(std::uint64_t hash) const { __builtin_prefetch(&words_[hash >> shift_ >> 6], 1); }
  void set(std::uint64_t hash) {
    words_[hash >> shift_ >> 6] |= std::uint64_t{1} << (hash >> shift_ & 63);
  }

 private:
  std::uint64_t word(std::uint64_t hash) const { return words_[hash >> shift_ >> 6]; }

  int shift_;
  std::vector<std::uint64_t> words_;
};

// Hashes are looked at in parts, by their last bits.
struct Part {
  std::uint64_t mask, number;
  bool has(std::uint64_t hash) const { return (hash >> 1 & mask) == number; }
};

// Some hashes, each at a slot of its own.
class Few {
 public:
  static constexpr std::size_t none = slots;

  void ahead(std::uint64_t hash) const { __builtin_prefetch(&hashes_[hash >> 20 & (slots - 1)]); }
  /// Where it is, or `none`.
  std::size_t find(std::uint64_t hash) const {
    const std::size_t slot = slot_of(hash);
    return hashes_[slot] == hash ? slot : none;
  }
  void add(std::uint64_t hash) {
    std::uint64_t& slot = hashes_[slot_of(hash)];
    count_ += slot != hash;
    slot = hash;
  }
  std::size_t count() const { return count_; }

 private:
  std::size_t slot_of(std::uint64_t hash) const {
    std::size_t slot = hash >> 20 & (slots - 1);
    while (hashes_[slot] != hash && hashes_[slot] != 0) slot = (slot + 1) & (slots - 1);
    return slot;
  }

  std::vector<std::uint64_t> hashes_ = std::vector<std::uint64_t>(slots);
  std::size_t count_ = 0;
};

// Hashes that more than one sum may have; none when they are too many to be kept.
std::optional<Few> repeated(const Hashes& hashes, const Part& part) {
  Bits seen(hashes.sums() / static_cast<double>(part.mask + 1), most_bits);
  Few found;
  hashes.visit([&](std::uint64_t hash) { seen.ahead(hash); },
               [&](std::uint64_t hash, const SumPlace&) {
                 if (!part.has(hash) || found.count() >= most_repeated) return;
                 if (seen.test(hash))
                   found.add(hash);
                 else
                   seen.set(hash);
               });
  if (found.count() >= most_repeated) return {};
  return found;
}

class Search {
 public:
  Search(Kept<Hashes> hashes, Comparison& comparison) : hashes_(hashes), comparison_(comparison) {}

  /// False when too many sums had one hash and were not equal.
  bool look(const Part& part, const Few& repeated) {
    const double most_unequal = 4096 + hashes_.sums() / 64;
    double unequal = 0;
    std::vector<SumPlace> firsts(slots, SumPlace{-1, -1});
    std::unordered_multimap<std::uint64_t, SumPlace> others;  // of the same hash
    const auto one = [&](std::uint64_t hash, const SumPlace& place) {
      if (!part.has(hash) || unequal > most_unequal) return;
      const std::size_t slot = repeated.find(hash);
      if (slot == Few::none) return;
      if (firsts[slot].token < 0) {
        firsts[slot] = place;
        return;
      }
      if (comparison_.are_equal(place, firsts[slot])) return add(place, firsts[slot]);
      ++unequal;
      for (auto [other, end] = others.equal_range(hash); other != end; ++other) {
        if (comparison_.are_equal(place, other->second)) return add(place, other->second);
        ++unequal;
      }
      others.emplace(hash, place);
    };
    hashes_.visit([&](std::uint64_t hash) { repeated.ahead(hash); }, one);
    return hashes_.are_of_all() || unequal <= most_unequal;
  }

  const EqualSums& found() const { return found_; }

 private:
  void add(const SumPlace& place, const SumPlace& before) {
    const auto order = [](const SumPlace& of) { return std::pair(of.position, of.token); };
    if (found_.count++ == 0 || order(place) < order(found_.first)) {
      found_.first = place;
      found_.before = before;
    }
  }

  const Hashes& hashes_;
  Comparison& comparison_;
  EqualSums found_;
};

// None: the hashes do not tell the sums apart.
std::optional<EqualSums> search(const Hashes& hashes, Comparison& comparison) {
  for (std::uint64_t parts = 1;; parts *= 2) {
    Search search(hashes, comparison);
    std::uint64_t number = 0;
    for (; number < parts; ++number) {
      const Part part{parts - 1, number};
      const auto several = repeated(hashes, part);
      if (!several) break;
      if (several->count() > 0 && !search.look(part, *several)) return {};
    }
    if (number == parts) return search.found();
  }
}

}  // namespace

EqualSums equal_sums(const std::vector<double>& tokens, const Table& table,
                     const PositionRange& positions, DType dtype) {
  if (positions.count == 0 || tokens.empty()) return {};
  Hashes hashes(tokens, table, positions, dtype);
  Comparison comparison(tokens, table, positions, dtype, hashes.rows());
  if (const auto found = search(hashes, comparison)) return *found;
  hashes.take_all();
  return *search(hashes, comparison);
}

}  // namespace pe::laws
