#pragma once
// One process at a time trains in a folder. The system lets go of the lock when the process ends, however it ends.
#include <filesystem>

#include "phasor/base/file.h"

namespace phasor {

class RunLock {
 public:
  // Throws Error when another process holds the folder.
  explicit RunLock(const std::filesystem::path& folder);

 private:
  FileDescriptor folder_;
};

}  // namespace phasor
