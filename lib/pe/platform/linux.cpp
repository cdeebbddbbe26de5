// Linux's own calls: files without names, memory files, signals of a parent's end, a seccomp
// filter.
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "pe/platform/platform.hpp"

namespace pe::platform {
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

sock_filter statement(unsigned code, std::uint32_t value) {
  return {static_cast<std::uint16_t>(code), 0, 0, value};
}

// Skips the next instruction where what was loaded is not `value`.
sock_filter only_if(std::uint32_t value) {
  return {static_cast<std::uint16_t>(BPF_JMP | BPF_JEQ | BPF_K), 0, 1, value};
}

// How a call names a file that has no name.
std::string path_of(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

// For kernels before 5.9.
bool close_listed(int first, unsigned last) {
  DIR* folder = opendir("/proc/self/fd");
  if (!folder) return false;
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
  return true;
}

}  // namespace

int open_memory_file(const char* name) { return memfd_create(name, MFD_CLOEXEC); }

int open_pipe(int (&ends)[2]) { return pipe2(ends, O_CLOEXEC); }

int open_nameless_file(const char* folder) {
  const int descriptor = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    // As a file system says that has none, or a kernel.
    if (errno == EISDIR || errno == EINVAL || errno == ENOENT) errno = EOPNOTSUPP;
    return -1;
  }
  if (access(path_of(descriptor).c_str(), F_OK) == 0) return descriptor;
  close(descriptor);
  errno = EOPNOTSUPP;
  return -1;
}

int give_name(int nameless, const char* path) {
  return linkat(AT_FDCWD, path_of(nameless).c_str(), AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

int rename_unless_there(const char* from, const char* to) {
  return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
}

// Not posix_fallocate: where the file system cannot, that writes a byte into every block.
int claim_room(int descriptor, std::uint64_t bytes) {
  return fallocate(descriptor, 0, 0, static_cast<off_t>(bytes));
}

std::optional<std::uint64_t> memory_of_machine() {
  struct sysinfo memory;
  if (sysinfo(&memory) != 0) return std::nullopt;
  return std::uint64_t{memory.totalram} * memory.mem_unit;
}

std::span<const std::string_view> descriptor_folders() {
  static constexpr std::string_view folders[] = {"/dev/fd/", "/proc/self/fd/"};
  return folders;
}

std::uint64_t data_bytes() {
  std::uint64_t pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "re")) {
    if (std::fscanf(file, "%*u %*u %*u %*u %*u %lu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// Pieces of a size beyond the first limit are mapped one by one; an arena's end that is free is
// given back beyond the second.
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
}

// A parent that died before it could be followed has left another one in its place.
Fork::Fork(int number) {
  const pid_t parent = getpid();
  child_ = fork();
  if (child_ != 0) return;
  prctl(PR_SET_PDEATHSIG, number);
  if (getppid() != parent) _exit(2);
}

Fork::~Fork() { static_cast<void>(leash_); }  // the system sees to it

std::size_t waiting(int descriptor, std::span<char> bytes) {
  const off_t at = lseek(descriptor, 0, SEEK_CUR);
  ssize_t count = -1;
  int ends[2];
  if (at >= 0) {
    count = pread(descriptor, bytes.data(), bytes.size(), at);
  } else if (open_pipe(ends) == 0) {
    count = tee(descriptor, ends[1], bytes.size(), SPLICE_F_NONBLOCK);
    if (count > 0) count = read(ends[0], bytes.data(), static_cast<std::size_t>(count));
    close(ends[0]);
    close(ends[1]);
  }
  return count > 0 ? static_cast<std::size_t>(count) : 0;
}

bool close_between(int first, unsigned last) {
  if (static_cast<unsigned>(first) > last) return true;
#ifdef __NR_close_range
  if (syscall(__NR_close_range, static_cast<unsigned>(first), last, 0) == 0) return true;
#endif
  return close_listed(first, last);
}

bool filters_calls() { return true; }

bool filter_calls() {
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
  return this_machine != 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0;
}

}  // namespace pe::platform
