// Two walls: a limit of no descriptors, which every kernel has, and a seccomp filter, which lets
// pass what a list names.
#include "pe/io/confine.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace pe::io {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t this_machine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__) && defined(__AARCH64EL__)
constexpr std::uint32_t this_machine = AUDIT_ARCH_AARCH64;
#elif defined(__riscv) && __riscv_xlen == 64
constexpr std::uint32_t this_machine = AUDIT_ARCH_RISCV64;
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
constexpr std::uint32_t this_machine = AUDIT_ARCH_PPC64LE;
#else
constexpr std::uint32_t this_machine = 0;  // refused
#endif

// sigaltstack: AddressSanitizer asks for it at every throw.
// Of x86-64 the calls of x32 have this bit and the same machine; they are not in the list.
constexpr std::uint32_t passed[] = {
    __NR_read,           __NR_pread64,       __NR_write,
    __NR_close,          __NR_ftruncate,     __NR_brk,
    __NR_munmap,         __NR_mremap,        __NR_madvise,
    __NR_futex,          __NR_sched_yield,   __NR_getrandom,
    __NR_gettimeofday,   __NR_clock_gettime, __NR_rt_sigaction,
    __NR_rt_sigprocmask, __NR_rt_sigreturn,  __NR_restart_syscall,
    __NR_getpid,         __NR_gettid,        __NR_sigaltstack,
    __NR_exit,           __NR_exit_group,
};
// Passed where they ask for no memory that can be executed.
constexpr std::uint32_t passed_without_code[] = {__NR_mmap, __NR_mprotect};

[[noreturn]] void fail(const char* what) {
  throw Unconfined(fmt::format("this system cannot confine the process that is to read it ({}: {})",
                               what, std::strerror(errno)));
}

sock_filter statement(unsigned code, std::uint32_t value) {
  return {static_cast<std::uint16_t>(code), 0, 0, value};
}

// Skips the next instruction where what was loaded is not `value`.
sock_filter only_if(std::uint32_t value) {
  return {static_cast<std::uint16_t>(BPF_JMP | BPF_JEQ | BPF_K), 0, 1, value};
}

void filter_calls() {
  constexpr unsigned load = BPF_LD | BPF_W | BPF_ABS, answer = BPF_RET | BPF_K;
  constexpr std::uint32_t no = SECCOMP_RET_ERRNO | EPERM;
  std::vector<sock_filter> program{
      statement(load, offsetof(seccomp_data, arch)),
      {static_cast<std::uint16_t>(BPF_JMP | BPF_JEQ | BPF_K), 1, 0, this_machine},
      statement(answer, SECCOMP_RET_KILL_PROCESS),
      statement(load, offsetof(seccomp_data, nr))};
  for (const std::uint32_t call : passed) {
    program.push_back(only_if(call));
    program.push_back(statement(answer, SECCOMP_RET_ALLOW));
  }
  for (const std::uint32_t call : passed_without_code) {
    program.push_back({static_cast<std::uint16_t>(BPF_JMP | BPF_JEQ | BPF_K), 0, 4, call});
    // The third argument's lower half; the machines above are little-endian.
    program.push_back(statement(load, offsetof(seccomp_data, args) + 2 * sizeof(std::uint64_t)));
    program.push_back({static_cast<std::uint16_t>(BPF_JMP | BPF_JSET | BPF_K), 1, 0, PROT_EXEC});
    program.push_back(statement(answer, SECCOMP_RET_ALLOW));
    program.push_back(statement(answer, no));
  }
  program.push_back(statement(answer, no));
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  if (this_machine == 0) errno = ENOSYS;
  if (this_machine == 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) != 0)
    fail("seccomp");
}

// For kernels before 5.9.
void close_listed(int first, unsigned last) {
  DIR* folder = opendir("/proc/self/fd");
  if (!folder) fail("/proc/self/fd");
  std::vector<int> found;
  while (const dirent* entry = readdir(folder)) {
    const std::string_view name = entry->d_name;
    int number = -1;
    std::from_chars(name.data(), name.data() + name.size(), number);
    if (number >= first && static_cast<unsigned>(number) <= last && number != dirfd(folder))
      found.push_back(number);
  }
  closedir(folder);
  for (const int number : found) close(number);
}

void close_between(int first, unsigned last) {
  if (static_cast<unsigned>(first) > last) return;
#ifdef __NR_close_range
  if (syscall(__NR_close_range, static_cast<unsigned>(first), last, 0) == 0) return;
#endif
  close_listed(first, last);
}

void close_all_but(std::span<const int> kept) {
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nowhere < 0) fail("/dev/null");
  std::vector<int> numbers(kept.begin(), kept.end());
  std::ranges::sort(numbers);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (!std::ranges::binary_search(numbers, standard)) dup2(nowhere, standard);
  int first = STDERR_FILENO + 1;
  for (const int number : numbers) {
    if (number < first) continue;
    close_between(first, static_cast<unsigned>(number) - 1);
    first = number + 1;
  }
  close_between(first, ~0u);
}

}  // namespace

void confine(std::span<const int> kept) {
  close_all_but(kept);
  const rlimit none{0, 0};
  if (setrlimit(RLIMIT_NOFILE, &none) != 0) fail("RLIMIT_NOFILE");
  filter_calls();
}

}  // namespace pe::io
