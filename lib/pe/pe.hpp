// The library for its users: a table, an applied tensor or a judged dump in one call each, from the
// name of a model, its config or an encoding with parameters.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pe/apply/combine.hpp"
#include "pe/base/array.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/model/position.hpp"
#include "pe/model/provenance.hpp"

namespace pe {

/// Why a call gave no result, the one exception of this header. `what()` is one line: what was
/// wrong, the value, what to do; parameters are named as the tools have them (`--dim`).
struct Failure : std::runtime_error {
  /// What went wrong.
  enum class Kind {
    usage,        ///< what was asked for makes no sense: the caller's to mend
    file,         ///< a config or weights that cannot be read
    mathematics,  ///< a computation that has no answer
    time,         ///< the time that was allowed is over
    memory,       ///< it does not fit
    fault         ///< a fault of this library
  };

  /// Of one kind, said in one line.
  Failure(Kind why, const std::string& line) : std::runtime_error(line), kind(why) {}
  Kind kind;  ///< which of them
};

/// An array in the caller's memory, which must stay as it is until the call returns. Nothing is
/// copied of arrays that are judged. `strides` are in elements, one for each axis; none: C order,
/// last axis fastest. Every constructor throws Failure (usage) where the shape has no axis or an
/// extent below 1, or where the elements do not lie within the span (in C order: fill it).
class View {
 public:
  /// Of f64 numbers.
  View(std::span<const double> values, std::vector<Index> shape, std::vector<Index> strides = {});
  /// Of f32 numbers.
  View(std::span<const float> values, std::vector<Index> shape, std::vector<Index> strides = {});
  /// Of i64 numbers: buckets, say.
  View(std::span<const std::int64_t> values, std::vector<Index> shape,
       std::vector<Index> strides = {});
  /// Of i32 numbers.
  View(std::span<const std::int32_t> values, std::vector<Index> shape,
       std::vector<Index> strides = {});
  /// The bits of float16 or bfloat16 numbers, as `half` says.
  View(std::span<const std::uint16_t> bits, DType half, std::vector<Index> shape,
       std::vector<Index> strides = {});

  /// The same under a name, by which reports call it.
  View named(std::string name) const;

  const std::string& name() const { return name_; }           ///< "": the usual one
  DType dtype() const { return dtype_; }                      ///< of an element
  const std::vector<Index>& shape() const { return shape_; }  ///< outermost axis first
  Index size() const { return size_; }                        ///< how many elements
  /// Elements first … first+count−1 in C order, whatever the strides.
  void copy(Index first, Index count, std::byte* out) const;

 private:
  View(const void* data, std::size_t room, DType dtype, std::vector<Index> shape,
       std::vector<Index> strides);

  std::string name_;
  const std::byte* data_;
  DType dtype_;
  std::vector<Index> shape_, strides_;
  Index size_ = 1;
  bool is_dense_ = true;
};

/// What is said of an encoding: which it is, with which parameters, where, in which type. Names are
/// those of the catalogues (`pe-gen list encodings`, `models`, `dialects`, `fields`); one that is
/// unknown is refused with the nearest.
struct Said {
  /// A number, a flag, a word, a list of numbers, or a trained tensor.
  using Value = std::variant<bool, std::int64_t, double, std::string, std::vector<double>, View>;
  /// Values by the parameter's name.
  using Values = std::map<std::string, Value, std::less<>>;

  std::string encoding = {};  ///< may be left out where a model or a config means one
  std::string model = {};     ///< of the catalogue, or its id on Hugging Face's hub
  std::string config = {};    ///< path of a config.json, its folder or a GGUF file, or JSON itself
  Values parameters = {};     ///< as `pe-gen ENCODING --help` has them: {{"base", 500000}}
  std::optional<Index> length = {};             ///< positions 0 … length−1
  std::optional<PositionRange> positions = {};  ///< or a run of positions
  DType dtype = DType::f32;     ///< of real arrays that are made: f64, f32, f16 or bf16
  std::string dialect = {};     ///< whose layout and roundings; "": correctly rounded, or any
  std::string layer_type = {};  ///< where the config tells layers apart: "sliding_attention"
  std::string part = {};        ///< of a model with several: text, vision, audio, encoder, decoder
  std::vector<std::string> fields = {};  ///< arrays that are made; none: the usual ones
  int threads = 0;                       ///< to compute with; 0: one for each processor
};

/// Arrays by name, what their axes are, and where they come from.
struct Arrays {
  /// One of them.
  struct Entry {
    std::string name;               ///< cos, sin, pe, bias, q_out, logits …
    std::vector<std::string> axes;  ///< position, pair, channel, head, query, key …
    Array array;                    ///< the numbers; values_of() and Array::read() give them
  };

  std::vector<Entry> entries;  ///< in the order of Said::fields
  Provenance provenance;       ///< every parameter with its origin; warnings about the config

  /// The array of that name. Throws Failure (usage) naming those that there are.
  const Array& operator[](std::string_view name) const;
};

/// The elements of an array, which owns them, in C order. Throws Failure (usage) where its type is
/// another one.
template <typename Element>
std::span<const Element> values_of(const Array& array);
/// Of f64 numbers.
template <>
std::span<const double> values_of<double>(const Array& array);
/// Of f32 numbers.
template <>
std::span<const float> values_of<float>(const Array& array);
/// Of i32 numbers: buckets, indices.
template <>
std::span<const std::int32_t> values_of<std::int32_t>(const Array& array);
/// The bits of float16 or bfloat16 numbers; Array::at() and Array::read() give the numbers.
template <>
std::span<const std::uint16_t> values_of<std::uint16_t>(const Array& array);

/// The arrays of an encoding over positions, 32 of them where nothing says how many: cosines and
/// sines [position, pair] of a rotation, rows [position, channel] of a table, a bias [head, query,
/// key]. Angles are position · frequency in radians. Correctly rounded (f64: within 1 ulp) where
/// the encoding claims it, or as a dialect rounds. Throws Failure.
Arrays table(const Said& said);

/// One of them, written in C order into the caller's memory, of which the type of the elements
/// follows (`said.dtype` is not read); bits are of the half type that `said.dtype` names. Throws
/// Failure (usage) where the memory has another size or the field another type.
void table(const Said& said, std::string_view field, std::span<double> out);
/// The same in f32.
void table(const Said& said, std::string_view field, std::span<float> out);
/// The same of buckets and indices.
void table(const Said& said, std::string_view field, std::span<std::int32_t> out);
/// The same in float16 or bfloat16, as bits.
void table(const Said& said, std::string_view field, std::span<std::uint16_t> bits);

/// What an encoding is applied to, and how scores are made of it.
struct Tensors {
  std::optional<View> q = {};  ///< queries [batch, heads, positions, channels]
  std::optional<View> k = {};  ///< keys, of as many heads or of a divisor of them
  std::optional<View> v = {};  ///< values, for attention and its output
  std::optional<View> x = {};  ///< embeddings for a table: [batch, positions, channels]
  std::string axes = {};       ///< otherwise, outermost first, letters b h s d: "bshd"
  /// Said::positions are those of q, which else begin at `offset`, or end with the keys.
  std::optional<Index> offset = {};
  std::optional<PositionRange> key_positions = {};  ///< of k and v
  std::optional<double> scale = {};                 ///< of the scores; none: the encoding's own
  std::optional<bool> causal = {};                  ///< none: as the encoding's models have it
  Combine combine = Combine::add;                   ///< of tables with x
  bool allow_nonfinite = false;                     ///< NaN and infinities in the tensors
};

/// The tensors after the encoding was applied (`q_out`, `k_out`, `x_out`, axes as they came), and
/// what attention makes of them: `logits` [batch, head, query, key], with v `attention` and
/// `output`. Head width and heads are those of the tensors where nothing else says them. Computed
/// in f64 and rounded once to `said.dtype`. Throws Failure.
Arrays apply(const Said& said, const Tensors& tensors);

/// How a dump is judged.
struct Judging {
  Tier accept = Tier::drift;      ///< the worst tier that passes; identify() does not read it
  std::vector<View> before = {};  ///< vectors before the encoding; the arrays hold them afterwards
  std::string layout = {};        ///< `pe-gen list layouts`; "": recognised
  std::string axes = {};          ///< of vectors, letters b h s d; "": by the count of positions
  std::chrono::duration<double> timeout{0};  ///< 0: as long as it takes
};

/// What check() found.
struct Judged {
  /// One value of a dump.
  struct Cell {
    std::string place;  ///< "position 59, pair 2, cos"
    double expected;    ///< by the encoding that is meant, exactly
    double got;         ///< in the dump
  };

  Tier tier = Tier::wrong;  ///< how good it is
  bool passes = false;      ///< the tier is accepted
  std::string sentence;     ///< the finding in one line
  std::vector<Reason>
      causes;  ///< the smallest that explain it; none where it is right, or none does
  std::optional<Cell> worst;  ///< farthest from the truth
  std::string text;           ///< the report for people, several lines
  std::string json;           ///< the same for programs, as `pe-verify check --report` has it
  std::vector<std::string> warnings;  ///< about the config

  explicit operator bool() const { return passes; }  ///< `if (judged)`
};

/// Holds arrays against the encoding that they ought to be: one table or cache [positions,
/// columns], cosines and sines [positions, pairs or channels], a bias [heads, queries, keys],
/// bucket numbers, or vectors [… positions, channels] with Judging::before. Nothing is copied but
/// blocks of a few rows. Throws Failure; a wrong dump is no failure.
Judged check(const std::vector<View>& arrays, const Said& said, const Judging& judging = {});

/// What identify() found.
struct Identified {
  std::string encoding;  ///< "": of none that is known
  std::string summary;  ///< "rope, base 500000, 64 pairs turn, …", or what can be said all the same
  std::vector<Provenance::Entry> parameters;  ///< that decide it
  std::string scaling;                        ///< of a rope: none, linear, yarn …
  std::string layout;                         ///< of the dump, by name
  Tier tier = Tier::wrong;                    ///< of the dump, held against what was identified
  std::vector<Reason> causes;                 ///< in what the dump is off from it
  std::vector<std::string> models;            ///< of the catalogue, that have this encoding
  std::string make;                           ///< the command that makes the same arrays
  std::string text;                           ///< the report for people, several lines
  std::string json;                           ///< the same for programs

  explicit operator bool() const { return !encoding.empty(); }  ///< `if (found)`
};

/// Which encoding, layout, base, scaling and arithmetic made these arrays, of which nothing is
/// said. Arrays as check() takes them. Throws Failure.
Identified identify(const std::vector<View>& arrays, const Judging& judging = {});

}  // namespace pe
