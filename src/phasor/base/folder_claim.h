#pragma once
// One process at a time works in a folder. Whoever does holds a claim: the file `.claim`, which names its owner, is
// locked, and is touched every few seconds. A claim whose owner is gone is taken over: at once where the lock tells
// (the owner ran on this machine), else when the file has not been touched for a while (another machine on a shared
// disk, or a disk without locks).
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "phasor/base/error.h"
#include "phasor/base/file.h"

namespace phasor {

inline constexpr const char* kClaimFile = ".claim";

// Another process works in the folder.
class FolderBusy : public Error {
 public:
  using Error::Error;
};

struct ClaimOwner {
  std::string host, boot;  // boot: an id that every start of a machine gets anew
  int64_t process = 0;
  std::string token;  // unlike any other claim's

  static ClaimOwner self();
};

struct ClaimRules {
  std::chrono::milliseconds beat = std::chrono::seconds(20);    // between touches
  std::chrono::milliseconds stale = std::chrono::seconds(120);  // without a touch: given up
  bool locks = true;                                            // ask the file system's locks
};

struct ClaimSlot;

class FolderClaim {
 public:
  // Makes the folder where there is none. Throws FolderBusy, with nothing left behind, when another process holds it.
  explicit FolderClaim(const std::filesystem::path& folder, const ClaimRules& rules = {},
                       const ClaimOwner& owner = ClaimOwner::self());
  FolderClaim(const FolderClaim&) = delete;
  FolderClaim& operator=(const FolderClaim&) = delete;
  ~FolderClaim();

  // The folder was not there before, so it may go again.
  bool made_folder() const { return made_folder_; }
  // Files of the folder, a list that ends with null and lives on, that drop_claims_at_exit() removes; null: none.
  void set_temporary(const char* const* names);
  // Nobody has taken it over.
  bool is_mine() const;
  // Throws Error when somebody else has taken the folder, as may happen to a process that was asleep for long.
  void require() const;

 private:
  enum class Attempt : uint8_t { won, again };
  Attempt try_to_claim();
  void take_over_without_locks();
  void write_owner(int descriptor) const;
  void keep_alive(const std::stop_token& stop);

  std::filesystem::path folder_, file_path_;
  ClaimRules rules_;
  ClaimOwner owner_;
  bool made_folder_ = false;
  ClaimSlot* slot_ = nullptr;
  FileDescriptor file_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread heart_;
};

// Nothing is in the folder but what a claim or a killed writer left, and, where it is named, an empty folder.
bool is_free_folder(const std::filesystem::path& folder, const char* empty_folder = nullptr);

// Takes away what killed processes left in the folder: a claim, files on their way. Not while somebody works in it, nor
// where it cannot be written.
void sweep_folder(const std::filesystem::path& folder);

// Removes the claim files of this process, and the folders it made if nothing else is in them. Only calls what a signal
// handler may call: for ends that run no destructors.
void drop_claims_at_exit() noexcept;

}  // namespace phasor
