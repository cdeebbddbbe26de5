// Each exception of the library, with its kind.
#include "pe/front/failures.hpp"

#include <new>

#include "pe/base/error.hpp"

namespace pe {

void fail_as_handled() {
  using enum Failure::Kind;
  constexpr const char* too_large =
      "out of memory: what is asked for (positions, --dim), or a file that is read, is too large";
  try {
    throw;
  } catch (const Failure&) {
    throw;
  } catch (const UsageError& error) {
    throw Failure(usage, error.what());
  } catch (const FileError& error) {
    throw Failure(file, error.what());
  } catch (const MathError& error) {
    throw Failure(mathematics, error.what());
  } catch (const OutOfTime& error) {
    throw Failure(time, error.what());
  } catch (const std::bad_alloc&) {
    throw Failure(memory, too_large);
  } catch (const std::length_error&) {
    throw Failure(memory, too_large);
  } catch (const std::exception& error) {
    throw Failure(fault, error.what());
  } catch (...) {
    throw Failure(fault, "an error without a text");
  }
}

}  // namespace pe
