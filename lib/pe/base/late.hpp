// Functions of a shared library that is loaded when the first of them is called.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace pe {

/// A library that a program does not link to. It is never unloaded.
class LateLibrary {
 public:
  /// name: as people say it, for errors; file: as the loader has it ("libm.so.6").
  constexpr LateLibrary(const char* name, const char* file) : name_(name), file_(file) {}

  /// Does nothing the second time. Throws FileError where it cannot be loaded.
  void load() const;
  /// Where it has a function or an object. Throws FileError where it has none.
  void* find(const char* symbol) const;

 private:
  const char* name_;
  const char* file_;
  mutable std::atomic<void*> handle_{nullptr};
};

/// Something of such a library, looked up at its first use.
class LateSymbol {
 public:
  constexpr LateSymbol(const LateLibrary& library, const char* name)
      : library_(&library), name_(name) {}
  LateSymbol(const LateLibrary&&, const char*) = delete;

 protected:
  void* address() const {
    void* found = address_.load(std::memory_order_acquire);
    if (!found) address_.store(found = library_->find(name_), std::memory_order_release);
    return found;
  }

 private:
  const LateLibrary* library_;
  const char* name_;
  mutable std::atomic<void*> address_{nullptr};
};

/// An object of type T, read as if it were linked.
template <class T>
class Late : public LateSymbol {
 public:
  using LateSymbol::LateSymbol;
  operator const T&() const { return *static_cast<const T*>(address()); }
};

/// A function, called as if it were linked.
template <class R, class... A>
class Late<R(A...)> : public LateSymbol {
 public:
  using LateSymbol::LateSymbol;
  R operator()(A... arguments) const {
    return reinterpret_cast<R (*)(A...)>(address())(arguments...);
  }
};

/// Says in the program itself, where packagers look, that it may load a library (ELF dlopen
/// metadata, UAPI group).
template <std::size_t N>
struct LateNote {
  consteval explicit LateNote(const char (&words)[N]) { std::copy_n(words, N, text); }

  std::uint32_t owner_size = 4, text_size = N, type = 0x407c0c0a;
  char owner[4] = "FDO";
  char text[(N + 3) / 4 * 4] = {};
};

}  // namespace pe

/// A library as a constant of a source file, and the note of it. file: a literal.
#define PE_LATE_LIBRARY(variable, name, file)                                                    \
  [[gnu::used, gnu::section(".note.dlopen")]] alignas(4) constexpr pe::LateNote variable##_note( \
      "[{\"soname\":[\"" file "\"],\"priority\":\"required\"}]");                                \
  constinit const pe::LateLibrary variable(name, file)
