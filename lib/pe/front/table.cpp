// Tables: an encoding's fields in memory of our own, or one of them in the caller's.
#include <fmt/format.h>

#include "pe/base/error.hpp"
#include "pe/front/failures.hpp"
#include "pe/front/subjects.hpp"

namespace pe {
namespace {

constexpr Index usual_length = 32;

Subject subject_at(const Said& said) {
  SaidSubject from = subject_of(said);
  from.texts.among_tokens = true;
  return make_subject(from.texts, from.reading, usual_length, from.load);
}

std::vector<Field> fields_of(const Subject& subject, const std::vector<std::string>& names) {
  return spell(subject.effect, subject.span, subject.dtype, names, *subject.dialect);
}

// `dtype` as the elements of `out` have it.
void write(Said said, std::string_view name, DType dtype, std::byte* out, std::size_t room) {
  if (!is_integer(dtype)) said.dtype = dtype;
  const std::vector<Field> fields = fields_of(subject_at(said), {std::string(name)});
  const Field& field = fields.at(0);
  if (field.dtype != dtype)
    throw UsageError(fmt::format("{} has elements of {}, and the memory is for {}", name,
                                 name_of(field.dtype), name_of(dtype)));
  const Index size = field.lines() * field.line_size();
  if (static_cast<std::size_t>(size) != room)
    throw UsageError(fmt::format("{} [{}] has {} elements, and the memory is for {}", name,
                                 spell_shape(field.shape()), size, room));
  fill(field, 0, field.lines(), out, said.threads);
}

}  // namespace

Arrays table(const Said& said) {
  return or_failure([&] {
    const Subject subject = subject_at(said);
    return collected(fields_of(subject, said.fields), provenance_of(subject, "libpe", ""),
                     said.threads);
  });
}

void table(const Said& said, std::string_view field, std::span<double> out) {
  or_failure([&] {
    write(said, field, DType::f64, reinterpret_cast<std::byte*>(out.data()), out.size());
  });
}

void table(const Said& said, std::string_view field, std::span<float> out) {
  or_failure([&] {
    write(said, field, DType::f32, reinterpret_cast<std::byte*>(out.data()), out.size());
  });
}

void table(const Said& said, std::string_view field, std::span<std::int32_t> out) {
  or_failure([&] {
    write(said, field, DType::i32, reinterpret_cast<std::byte*>(out.data()), out.size());
  });
}

void table(const Said& said, std::string_view field, std::span<std::uint16_t> bits) {
  or_failure([&] {
    if (said.dtype != DType::f16 && said.dtype != DType::bf16)
      throw UsageError(fmt::format("memory of 16 bits is for f16 or bf16, and dtype is {}",
                                   name_of(said.dtype)));
    write(said, field, said.dtype, reinterpret_cast<std::byte*>(bits.data()), bits.size());
  });
}

}  // namespace pe
