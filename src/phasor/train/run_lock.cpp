#include "phasor/train/run_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

#include "phasor/base/error.h"

namespace phasor {

RunLock::RunLock(const std::filesystem::path& folder)
    : folder_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  // A file system that knows no locks is no reason not to train.
  if (folder_.get() >= 0 && flock(folder_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    fail("another process is at work in '{}'; wait for it or choose another --out", folder.string());
  }
}

}  // namespace phasor
