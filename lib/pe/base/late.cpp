// The loader, asked once.
#include "pe/base/late.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "pe/base/error.hpp"

namespace pe {

void LateLibrary::load() const {
  if (handle_.load(std::memory_order_acquire)) return;
  void* handle = dlopen(file_, RTLD_LAZY | RTLD_LOCAL);
  if (!handle) throw FileError(fmt::format("{} cannot be loaded: {}", name_, dlerror()));
  handle_.store(handle, std::memory_order_release);
}

void* LateLibrary::find(const char* symbol) const {
  load();
  // As the loader binds what is linked: what the program itself has comes first. An object of a
  // library that it links to may have been moved into the program.
  void* found = dlsym(RTLD_DEFAULT, symbol);
  if (!found) found = dlsym(handle_.load(std::memory_order_acquire), symbol);
  if (!found) throw FileError(fmt::format("{} ({}) has no {}", name_, file_, symbol));
  return found;
}

}  // namespace pe
