#include "phasor/base/folder_claim.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>

namespace phasor {

// Claims of this process, for drop_claims_at_exit(): fixed places, because a signal handler must not allocate.
struct ClaimSlot {
  std::atomic<int> state = 0;  // 0 free, 1 being written, 2 in use
  std::atomic<const char* const*> temporary = nullptr;
  bool made_folder = false;
  std::array<char, 4096> folder;
};

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

std::string reason_of(int code) { return std::generic_category().message(code); }

std::string first_line(const char* path) {
  std::string line;
  const FileDescriptor file(::open(path, O_RDONLY | O_CLOEXEC));
  std::array<char, 256> text;
  const ssize_t count = file.get() < 0 ? 0 : ::read(file.get(), text.data(), text.size());
  if (count > 0) line.assign(text.data(), static_cast<size_t>(count));
  return line.substr(0, line.find('\n'));
}

// Four lines: host, boot, process, token.
std::string owner_text(const ClaimOwner& owner) {
  return fmt::format("{}\n{}\n{}\n{}\n", owner.host, owner.boot, owner.process, owner.token);
}

// Nothing where the owner had not written it whole.
std::optional<ClaimOwner> read_owner(int descriptor) {
  std::array<char, 1024> text;
  ssize_t count = -1;
  for (int attempt = 0; attempt < 3 && count < 0; ++attempt) count = ::pread(descriptor, text.data(), text.size(), 0);
  if (count <= 0) return std::nullopt;
  std::string_view rest(text.data(), static_cast<size_t>(count));
  std::array<std::string, 4> lines;
  for (std::string& line : lines) {
    const size_t end = rest.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
  }
  ClaimOwner owner{.host = lines[0], .boot = lines[1], .token = lines[3]};
  for (const char c : lines[2]) {
    if (c < '0' || c > '9' || owner.process > 1'000'000'000) return std::nullopt;
    owner.process = 10 * owner.process + (c - '0');
  }
  return owner;
}

[[noreturn]] void fail_taken(const fs::path& folder, const std::optional<ClaimOwner>& owner) {
  throw FolderBusy(fmt::format("another process{} is at work in '{}'; wait for it or choose another --out",
                               owner ? fmt::format(" ({} on {})", owner->process, owner->host) : "", folder.string()));
}

milliseconds modified(const struct stat& status) {
  return milliseconds(int64_t{status.st_mtim.tv_sec} * 1000 + status.st_mtim.tv_nsec / 1'000'000);
}

// Since the claim was last touched, by the clock of the disk that it lies on.
milliseconds age_of(int descriptor, const fs::path& folder, const std::string& token) {
  struct stat claim {
  }, now{};
  const fs::path probe = folder / fmt::format("{}.{}", kClaimFile, token);
  const FileDescriptor file(::open(probe.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (file.get() < 0) fail("cannot write into the directory '{}': {}", folder.string(), reason_of(errno));
  const bool known = ::fstat(file.get(), &now) == 0 && ::fstat(descriptor, &claim) == 0;
  ::unlink(probe.c_str());
  if (!known) fail("cannot examine '{}': {}", probe.string(), reason_of(errno));
  return std::max(milliseconds(0), modified(now) - modified(claim));
}

bool is_at(int descriptor, const fs::path& path) {
  struct stat open_status {
  }, path_status{};
  return ::fstat(descriptor, &open_status) == 0 && ::lstat(path.c_str(), &path_status) == 0 &&
         open_status.st_ino == path_status.st_ino && open_status.st_dev == path_status.st_dev;
}

constexpr size_t kClaimSlots = 128;
std::array<ClaimSlot, kClaimSlots> claim_slots;

ClaimSlot* remember_claim(const fs::path& folder, bool made_folder) {
  const std::string text = fs::absolute(folder).string();
  for (ClaimSlot& slot : claim_slots) {
    int free = 0;
    if (text.size() >= slot.folder.size() || !slot.state.compare_exchange_strong(free, 1)) continue;
    slot.temporary = nullptr;
    slot.made_folder = made_folder;
    std::memcpy(slot.folder.data(), text.c_str(), text.size() + 1);
    slot.state = 2;
    return &slot;
  }
  return nullptr;
}

}  // namespace

ClaimOwner ClaimOwner::self() {
  std::array<char, 256> host = {};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '?';
  std::string name = host.data();
  std::erase_if(name, [](char c) { return static_cast<unsigned char>(c) <= ' '; });
  static std::atomic<uint64_t> count = 0;
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  return {.host = name,
          .boot = first_line("/proc/sys/kernel/random/boot_id"),
          .process = ::getpid(),
          .token = fmt::format("{}{:x}{:x}", first_line("/proc/sys/kernel/random/uuid"), now, ++count)};
}

FolderClaim::FolderClaim(const fs::path& folder, const ClaimRules& rules, const ClaimOwner& owner)
    : folder_(folder), file_path_(folder / kClaimFile), rules_(rules), owner_(owner) {
  constexpr int kMostAttempts = 1000;
  for (int attempt = 1; try_to_claim() == Attempt::again; ++attempt) {
    // Each time somebody else gave the folder back between two steps of ours, or no file can be made here at all.
    if (attempt < kMostAttempts) continue;
    if (!fs::exists(file_path_)) fail("cannot lock the directory '{}': no file can be made in it", folder_.string());
    fail_taken(folder_, std::nullopt);
  }
  slot_ = remember_claim(folder_, made_folder_);
  try {
    heart_ = std::jthread([this](const std::stop_token& stop) { keep_alive(stop); });
  } catch (const std::system_error&) {
    // Without a thread to touch it, the lock alone says that this process lives: enough on one machine.
  }
}

FolderClaim::Attempt FolderClaim::try_to_claim() {
  std::error_code error;
  made_folder_ |= fs::create_directories(folder_, error);
  if (error) fail("cannot create the directory '{}': {}", folder_.string(), error.message());
  const int created = ::open(file_path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
  const int opened = created >= 0 || errno != EEXIST
                         ? created
                         : ::open(file_path_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (opened < 0) {
    if (errno == ENOENT || errno == EINTR) return Attempt::again;
    const int code = errno;
    if (made_folder_) fs::remove(folder_, error);
    fail("cannot lock the directory '{}': {}", folder_.string(), reason_of(code));
  }
  FileDescriptor file(opened);
  const bool locked = rules_.locks && ::flock(opened, LOCK_EX | LOCK_NB) == 0;
  if (rules_.locks && !locked) {
    if (errno == EINTR) return Attempt::again;
    if (errno == EWOULDBLOCK) {
      // Given back meanwhile, or held.
      if (!is_at(opened, file_path_)) return Attempt::again;
      fail_taken(folder_, read_owner(opened));
    }
    // Some disks have no locks at all (then the claim's age decides); other errors are errors.
    if (errno != ENOLCK && errno != EOPNOTSUPP && errno != ENOSYS && errno != EINVAL) {
      const int code = errno;
      if (created >= 0) ::unlink(file_path_.c_str());
      if (made_folder_) fs::remove(folder_, error);
      errno = code;
      fail("cannot lock the directory '{}': {}", folder_.string(), reason_of(errno));
    }
  }
  if (!is_at(opened, file_path_)) return Attempt::again;
  const std::optional<ClaimOwner> owner = read_owner(opened);
  const bool lock_tells = locked && (!owner || owner->boot == owner_.boot);
  if (created < 0 && !lock_tells && age_of(opened, folder_, owner_.token) < rules_.stale) fail_taken(folder_, owner);
  if (created < 0 && !locked) {
    take_over_without_locks();
    return Attempt::won;
  }
  file_ = std::move(file);
  try {
    write_owner(file_.get());
  } catch (...) {
    ::unlink(file_path_.c_str());
    if (made_folder_) fs::remove(folder_, error);
    throw;
  }
  return Attempt::won;
}

// Several may find the same claim stale. Each puts its own in place; the one that is still there a moment later has
// won.
void FolderClaim::take_over_without_locks() {
  const fs::path mine = folder_ / fmt::format("{}.{}", kClaimFile, owner_.token);
  file_ = FileDescriptor(::open(mine.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (file_.get() < 0) fail("cannot lock the directory '{}': {}", folder_.string(), reason_of(errno));
  try {
    write_owner(file_.get());
    if (::rename(mine.c_str(), file_path_.c_str()) != 0) {
      fail("cannot lock the directory '{}': {}", folder_.string(), reason_of(errno));
    }
  } catch (...) {
    ::unlink(mine.c_str());
    throw;
  }
  std::this_thread::sleep_for(std::min<milliseconds>(milliseconds(1000), rules_.stale / 2));
  if (!is_mine()) fail_taken(folder_, std::nullopt);
}

void FolderClaim::write_owner(int descriptor) const {
  const std::string text = owner_text(owner_);
  if (::ftruncate(descriptor, 0) != 0 ||
      ::pwrite(descriptor, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
    fail("cannot lock the directory '{}': {}", folder_.string(), reason_of(errno == 0 ? ENOSPC : errno));
  }
}

bool FolderClaim::is_mine() const {
  if (is_at(file_.get(), file_path_)) {
    const std::optional<ClaimOwner> owner = read_owner(file_.get());
    return owner && owner->token == owner_.token;
  }
  return false;
}

void FolderClaim::require() const {
  if (!is_mine()) {
    fail("'{}' was taken over by another process while this one did not answer; nothing more is written to it",
         folder_.string());
  }
}

void FolderClaim::keep_alive(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    wake_.wait_for(lock, stop, rules_.beat, [] { return false; });
    if (!stop.stop_requested()) ::futimens(file_.get(), nullptr);
  }
}

FolderClaim::~FolderClaim() {
  if (heart_.joinable()) {
    heart_.request_stop();
    heart_.join();
  }
  if (slot_ != nullptr) slot_->state = 0;
  if (file_.get() >= 0 && is_mine()) ::unlink(file_path_.c_str());
}

bool is_free_folder(const fs::path& folder, const char* empty_folder) {
  std::error_code gone;  // a folder that somebody else has just removed is free
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, gone)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(kClaimFile) || is_partial_file(entry.path())) continue;
    if (empty_folder != nullptr && name == empty_folder && entry.is_directory() && fs::is_empty(entry.path())) continue;
    return false;
  }
  return true;
}

void sweep_folder(const fs::path& folder) {
  std::error_code ignored;
  try {
    std::optional<FolderClaim> claim;
    if (fs::exists(folder / kClaimFile, ignored)) claim.emplace(folder);
    remove_abandoned_files(folder);
  } catch (const Error&) {
    return;
  }
}

void FolderClaim::set_temporary(const char* const* names) {
  if (slot_ != nullptr) slot_->temporary = names;
}

void drop_claims_at_exit() noexcept {
  for (ClaimSlot& slot : claim_slots) {
    if (slot.state != 2) continue;
    const int folder = ::open(slot.folder.data(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) continue;
    for (const char* const* name = slot.temporary; name != nullptr && *name != nullptr; ++name) {
      ::unlinkat(folder, *name, 0);
    }
    ::unlinkat(folder, kClaimFile, 0);
    ::close(folder);
    if (slot.made_folder) ::rmdir(slot.folder.data());
  }
}

}  // namespace phasor
