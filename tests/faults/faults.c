// Preloaded into a tool (faults.py): lets one call of the C library fail, or be the last thing that
// the process does, and counts them all.
//
// PE_FAULTS names a file of this struct. Counting starts where the tool itself does, with its
// signal(SIGPIPE): what fails before is the loader's.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CALL_WRITE, CALL_PWRITE, CALL_FSYNC, CALL_RENAME, CALL_OPEN, CALL_LINKAT, CALL_MMAP,
       CALL_MALLOC, CALL_FTRUNCATE, CALL_FALLOCATE, CALL_FORK, CALLS };

struct plan {
  int32_t call;           // which is to fail
  int32_t error;          // with this errno; 0: kill -9 instead
  int64_t at;             // the how-manieth; 0: none
  int32_t no_nameless;    // open() knows no O_TMPFILE
  _Atomic int32_t reached;
  _Atomic int64_t counts[CALLS];
};

void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
pid_t __libc_fork(void);

static struct plan* plan;
static _Atomic int running;

__attribute__((constructor)) static void begin(void) {
  const char* path = getenv("PE_FAULTS");
  const int file = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC) : -1;
  if (file < 0) return;
  void* room = (void*)syscall(SYS_mmap, NULL, sizeof *plan, PROT_READ | PROT_WRITE, MAP_SHARED,
                              file, 0);
  if (room != MAP_FAILED) plan = room;
  syscall(SYS_close, file);
}

static int fails(int call) {
  if (!plan || !running) return 0;
  const int64_t number = ++plan->counts[call];
  if (call != plan->call || number != plan->at) return 0;
  plan->reached = 1;
  if (plan->error == 0) syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
  errno = plan->error;
  return 1;
}

__sighandler_t signal(int number, __sighandler_t handler) {
  if (number == SIGPIPE) running = 1;
  struct sigaction action, before;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  return sigaction(number, &action, &before) == 0 ? before.sa_handler : SIG_ERR;
}

ssize_t write(int file, const void* data, size_t bytes) {
  return fails(CALL_WRITE) ? -1 : syscall(SYS_write, file, data, bytes);
}
ssize_t pwrite(int file, const void* data, size_t bytes, off_t offset) {
  return fails(CALL_PWRITE) ? -1 : syscall(SYS_pwrite64, file, data, bytes, offset);
}
ssize_t pwrite64(int file, const void* data, size_t bytes, off_t offset) {
  return pwrite(file, data, bytes, offset);
}
int fsync(int file) { return fails(CALL_FSYNC) ? -1 : (int)syscall(SYS_fsync, file); }
int rename(const char* from, const char* to) {
  return fails(CALL_RENAME) ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}
int linkat(int one, const char* from, int other, const char* to, int flags) {
  return fails(CALL_LINKAT) ? -1 : (int)syscall(SYS_linkat, one, from, other, to, flags);
}
int ftruncate(int file, off_t bytes) {
  return fails(CALL_FTRUNCATE) ? -1 : (int)syscall(SYS_ftruncate, file, bytes);
}
int fallocate(int file, int mode, off_t offset, off_t bytes) {
  return fails(CALL_FALLOCATE) ? -1 : (int)syscall(SYS_fallocate, file, mode, offset, bytes);
}
pid_t fork(void) { return fails(CALL_FORK) ? -1 : __libc_fork(); }
void* mmap(void* at, size_t bytes, int access, int flags, int file, off_t offset) {
  return fails(CALL_MMAP) ? MAP_FAILED
                          : (void*)syscall(SYS_mmap, at, bytes, access, flags, file, offset);
}

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if (fails(CALL_OPEN)) return -1;
  if (plan && plan->no_nameless && (flags & O_TMPFILE) == O_TMPFILE) {
    errno = EOPNOTSUPP;
    return -1;
  }
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open(path, flags, mode);
}

void* malloc(size_t bytes) { return fails(CALL_MALLOC) ? NULL : __libc_malloc(bytes); }
void* calloc(size_t count, size_t bytes) {
  return fails(CALL_MALLOC) ? NULL : __libc_calloc(count, bytes);
}
void* realloc(void* old, size_t bytes) {
  return fails(CALL_MALLOC) ? NULL : __libc_realloc(old, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) {
  return fails(CALL_MALLOC) ? NULL : __libc_memalign(alignment, bytes);
}
