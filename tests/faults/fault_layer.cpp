// Loaded before the C library (LD_PRELOAD): lets chosen calls fail, or ends the process at them.
//
//   PHASOR_FAULT=write:7:28     the 7th write fails with errno 28; errno 0: half of what was asked for is done
//   PHASOR_FAULT=rename:2:kill  the process is killed before its 2nd rename
//   PHASOR_FAULT=fsync_folder:1:5  the 1st fsync of a folder fails; those of files are counted apart, as fsync
//   PHASOR_FAULT_UNDER=DIR      only calls about files below DIR count
//   PHASOR_FAULT_COUNTS=FILE    at the end of the process: how often each was called
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace {

enum Call { kOpen, kRead, kWrite, kFsync, kFsyncFolder, kClose, kRename, kTruncate, kUnlink, kMkdir, kFlock, kCalls };
const char* const kNames[kCalls] = {"open",   "read",      "write",  "fsync", "fsync_folder", "close",
                                    "rename", "ftruncate", "unlink", "mkdir", "flock"};

struct Plan {
  int call = kCalls;
  long number = 0;
  int code = 0;  // errno; -1: kill
  const char* under = getenv("PHASOR_FAULT_UNDER");

  Plan() {
    const char* text = getenv("PHASOR_FAULT");
    if (text == nullptr) return;
    for (int i = 0; i < kCalls; ++i) {
      const size_t length = strlen(kNames[i]);
      if (strncmp(text, kNames[i], length) != 0 || text[length] != ':') continue;
      char* rest = nullptr;
      number = strtol(text + length + 1, &rest, 10);
      code = strcmp(rest, ":kill") == 0 ? -1 : static_cast<int>(strtol(rest + 1, nullptr, 10));
      call = i;
    }
  }
};

const Plan& plan() {
  static const Plan value;
  return value;
}

std::atomic<long> counts[kCalls];

bool is_under(const char* path) {
  if (plan().under == nullptr) return false;
  return strncmp(path, plan().under, strlen(plan().under)) == 0;
}

bool is_under(int descriptor) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return false;
  path[length] = '\0';
  return is_under(path);
}

enum Fate { kPass, kFail, kHalf };

Fate fate(Call call) {
  const long number = ++counts[call];
  if (plan().call != call || plan().number != number) return kPass;
  if (plan().code < 0) kill(getpid(), SIGKILL);
  if (plan().code == 0) return kHalf;
  errno = plan().code;
  return kFail;
}

template <class Function>
Function* next(const char* name, Function*) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

struct Report {
  ~Report() {
    const char* path = getenv("PHASOR_FAULT_COUNTS");
    FILE* file = path == nullptr ? nullptr : fopen(path, "w");
    if (file == nullptr) return;
    for (int i = 0; i < kCalls; ++i) fprintf(file, "%s %ld\n", kNames[i], counts[i].load());
    fclose(file);
  }
} report;

int open_with(const char* name, const char* path, int flags, mode_t mode) {
  static auto* const real = next("open", static_cast<int (*)(const char*, int, mode_t)>(nullptr));
  (void)name;
  if (is_under(path) && fate(kOpen) == kFail) return -1;
  return real(path, flags, mode);
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = static_cast<mode_t>(va_arg(rest, int));
  va_end(rest);
  return open_with("open", path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = static_cast<mode_t>(va_arg(rest, int));
  va_end(rest);
  return open_with("open64", path, flags, mode);
}

ssize_t read(int descriptor, void* data, size_t bytes) {
  static auto* const real = next("read", static_cast<ssize_t (*)(int, void*, size_t)>(nullptr));
  if (is_under(descriptor)) {
    const Fate now = fate(kRead);
    if (now == kFail) return -1;
    if (now == kHalf) bytes = (bytes + 1) / 2;
  }
  return real(descriptor, data, bytes);
}

ssize_t pread64(int descriptor, void* data, size_t bytes, off64_t offset) {
  static auto* const real = next("pread64", static_cast<ssize_t (*)(int, void*, size_t, off64_t)>(nullptr));
  if (is_under(descriptor)) {
    const Fate now = fate(kRead);
    if (now == kFail) return -1;
    if (now == kHalf) bytes = (bytes + 1) / 2;
  }
  return real(descriptor, data, bytes, offset);
}
ssize_t pread(int descriptor, void* data, size_t bytes, off_t offset) {
  return pread64(descriptor, data, bytes, offset);
}

ssize_t write(int descriptor, const void* data, size_t bytes) {
  static auto* const real = next("write", static_cast<ssize_t (*)(int, const void*, size_t)>(nullptr));
  if (is_under(descriptor)) {
    const Fate now = fate(kWrite);
    if (now == kFail) return -1;
    if (now == kHalf) bytes = (bytes + 1) / 2;
  }
  return real(descriptor, data, bytes);
}

ssize_t pwrite64(int descriptor, const void* data, size_t bytes, off64_t offset) {
  static auto* const real = next("pwrite64", static_cast<ssize_t (*)(int, const void*, size_t, off64_t)>(nullptr));
  if (is_under(descriptor)) {
    const Fate now = fate(kWrite);
    if (now == kFail) return -1;
    if (now == kHalf) bytes = (bytes + 1) / 2;
  }
  return real(descriptor, data, bytes, offset);
}
ssize_t pwrite(int descriptor, const void* data, size_t bytes, off_t offset) {
  return pwrite64(descriptor, data, bytes, offset);
}

int fsync(int descriptor) {
  static auto* const real = next("fsync", static_cast<int (*)(int)>(nullptr));
  struct stat status;
  const bool folder = fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode);
  if (is_under(descriptor) && fate(folder ? kFsyncFolder : kFsync) == kFail) return -1;
  return real(descriptor);
}

// A close that fails has closed.
int close(int descriptor) {
  static auto* const real = next("close", static_cast<int (*)(int)>(nullptr));
  const bool fails = is_under(descriptor) && fate(kClose) == kFail;
  const int code = errno;
  const int result = real(descriptor);
  if (!fails) return result;
  errno = code;
  return -1;
}

int rename(const char* from, const char* to) {
  static auto* const real = next("rename", static_cast<int (*)(const char*, const char*)>(nullptr));
  if (is_under(to) && fate(kRename) == kFail) return -1;
  return real(from, to);
}

int ftruncate64(int descriptor, off64_t length) {
  static auto* const real = next("ftruncate64", static_cast<int (*)(int, off64_t)>(nullptr));
  if (is_under(descriptor) && fate(kTruncate) == kFail) return -1;
  return real(descriptor, length);
}
int ftruncate(int descriptor, off_t length) noexcept { return ftruncate64(descriptor, length); }

int unlink(const char* path) {
  static auto* const real = next("unlink", static_cast<int (*)(const char*)>(nullptr));
  if (is_under(path) && fate(kUnlink) == kFail) return -1;
  return real(path);
}

int mkdir(const char* path, mode_t mode) {
  static auto* const real = next("mkdir", static_cast<int (*)(const char*, mode_t)>(nullptr));
  if (is_under(path) && fate(kMkdir) == kFail) return -1;
  return real(path, mode);
}

int flock(int descriptor, int operation) {
  static auto* const real = next("flock", static_cast<int (*)(int, int)>(nullptr));
  if (is_under(descriptor) && fate(kFlock) == kFail) return -1;
  return real(descriptor, operation);
}

}  // extern "C"
