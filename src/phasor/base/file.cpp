#include "phasor/base/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

#include "phasor/base/error.h"

namespace phasor {
namespace {

namespace fs = std::filesystem;

std::string system_reason(int code) { return std::generic_category().message(code); }

// Repeats a system call for as long as a signal interrupts it.
template <class Call>
auto uninterrupted(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

FileDescriptor open_file(const fs::path& path, int flags, std::string_view purpose) {
  const int descriptor = uninterrupted([&] { return ::open(path.c_str(), flags | O_CLOEXEC, 0666); });
  if (descriptor < 0) fail("cannot open '{}' for {}: {}", path.string(), purpose, system_reason(errno));
  return FileDescriptor(descriptor);
}

struct stat status_of(const FileDescriptor& file, const fs::path& path) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail("cannot examine '{}': {}", path.string(), system_reason(errno));
  return status;
}

// The errno of the first failure, or 0 when every byte was taken.
int write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = uninterrupted([&] { return ::write(descriptor, bytes.data(), bytes.size()); });
    if (written < 0) return errno;
    if (written == 0) return EIO;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return 0;
}

// Removes the file at the end of the scope unless it was kept.
class PartialFile {
 public:
  explicit PartialFile(fs::path path) : path_(std::move(path)) {}
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;
  ~PartialFile() {
    if (!kept_) ::unlink(path_.c_str());
  }

  const fs::path& path() const { return path_; }
  void keep() { kept_ = true; }

 private:
  fs::path path_;
  bool kept_ = false;
};

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

// Makes a rename survive a loss of power. Not every file system can do this (EINVAL); those that can and fail say so.
void sync_folder(const fs::path& folder, const fs::path& renamed) {
  const FileDescriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() < 0) {
    if (errno == EACCES) return;  // one may write in a folder that one must not list
    fail("cannot bring '{}' to the disk: {}", renamed.string(), system_reason(errno));
  }
  if (uninterrupted([&] { return ::fsync(directory.get()); }) != 0 && errno != EINVAL && errno != ENOTSUP) {
    fail("cannot bring '{}' to the disk: {}", renamed.string(), system_reason(errno));
  }
}

// Text is read whole: larger files than this are something else.
constexpr off_t kMostTextBytes = off_t{1} << 30;

// Of a file system that has no locks there is nothing to learn.
enum class LockAnswer : uint8_t { taken, held_by_another, unknown };

LockAnswer try_lock(const FileDescriptor& file) {
  if (uninterrupted([&] { return ::flock(file.get(), LOCK_EX | LOCK_NB); }) == 0) return LockAnswer::taken;
  return errno == EWOULDBLOCK ? LockAnswer::held_by_another : LockAnswer::unknown;
}

bool is_same_file(const FileDescriptor& file, const fs::path& path) {
  struct stat open_status {
  }, path_status{};
  return ::fstat(file.get(), &open_status) == 0 && ::lstat(path.c_str(), &path_status) == 0 &&
         open_status.st_ino == path_status.st_ino && open_status.st_dev == path_status.st_dev;
}

// Removes the file unless a living writer has it locked.
void remove_abandoned(const fs::path& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (file.get() >= 0 && try_lock(file) == LockAnswer::taken && is_same_file(file, path)) ::unlink(path.c_str());
}

struct OpenPartial {
  fs::path path;
  FileDescriptor file;
};

// A new file, locked for as long as it is open, so that nobody takes it for an abandoned one. A name that is taken
// belongs to a dead process of this number, or to a living one of another machine.
OpenPartial open_partial(const fs::path& target) {
  constexpr int kMostNames = 100;
  for (int name = 0; name < kMostNames; ++name) {
    const fs::path aside =
        fmt::format("{}.partial{}{}", target.string(), ::getpid(), name == 0 ? "" : fmt::format("{:02}", name));
    FileDescriptor file(
        uninterrupted([&] { return ::open(aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); }));
    if (file.get() >= 0) {
      // Whoever sweeps may have taken it away before it was locked.
      const LockAnswer answer = try_lock(file);
      if (answer == LockAnswer::unknown || (answer == LockAnswer::taken && is_same_file(file, aside))) {
        return {aside, std::move(file)};
      }
      ::unlink(aside.c_str());  // ours in any case; whoever sweeps was about to do the same
    } else if (errno == EEXIST) {
      remove_abandoned(aside);
    } else {
      fail("cannot write '{}': {}", target.string(), system_reason(errno));
    }
  }
  fail("cannot write '{}': others are writing it", target.string());
}

// "partial1234" or "writable1234" after a dot.
bool ends_with_number_after(std::string_view name, std::string_view mark) {
  const size_t found = name.rfind(mark);
  if (found == std::string_view::npos || found + mark.size() == name.size()) return false;
  return name.find_first_not_of("0123456789", found + mark.size()) == std::string_view::npos;
}

// The length of the file's part that ends with a line's end.
off_t whole_lines_length(const FileDescriptor& file, const fs::path& path, off_t size) {
  std::array<char, 4096> block;
  while (size > 0) {
    const off_t begin = std::max<off_t>(0, size - static_cast<off_t>(block.size()));
    const auto wanted = static_cast<size_t>(size - begin);
    const ssize_t count = uninterrupted([&] { return ::pread(file.get(), block.data(), wanted, begin); });
    if (count < 0) fail("cannot read '{}': {}", path.string(), system_reason(errno));
    if (static_cast<size_t>(count) < wanted) fail("cannot read '{}': it shrank meanwhile", path.string());
    const size_t end = std::string_view(block.data(), wanted).rfind('\n');
    if (end != std::string_view::npos) return begin + static_cast<off_t>(end) + 1;
    size = begin;
  }
  return 0;
}

}  // namespace

FileDescriptor::FileDescriptor(FileDescriptor&& other) noexcept : value_(other.release()) {}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  FileDescriptor taken(std::move(other));
  std::swap(value_, taken.value_);
  return *this;
}

FileDescriptor::~FileDescriptor() {
  if (value_ >= 0) ::close(value_);
}

int FileDescriptor::release() { return std::exchange(value_, -1); }

std::string read_file(const fs::path& path) {
  // Not waiting for somebody to write into a pipe.
  const FileDescriptor file = open_file(path, O_RDONLY | O_NONBLOCK, "reading");
  const struct stat status = status_of(file, path);
  if (!S_ISREG(status.st_mode)) fail("cannot read '{}': it is not a regular file", path.string());
  if (status.st_size > kMostTextBytes) {
    fail("cannot read '{}': its {} bytes are more than any such file has", path.string(), status.st_size);
  }
  std::string content;
  // One byte more than the size, so that the end shows without another round.
  content.resize(static_cast<size_t>(std::max<off_t>(status.st_size, 4095)) + 1);
  size_t length = 0;
  while (true) {
    const ssize_t count =
        uninterrupted([&] { return ::read(file.get(), content.data() + length, content.size() - length); });
    if (count < 0) fail("cannot read '{}': {}", path.string(), system_reason(errno));
    if (count == 0) break;
    length += static_cast<size_t>(count);
    if (length == content.size()) content.resize(2 * length);
    if (static_cast<off_t>(length) > kMostTextBytes) fail("cannot read '{}': it does not end", path.string());
  }
  content.resize(length);
  return content;
}

InputFile::InputFile(fs::path path)
    : path_(std::move(path)), file_(open_file(path_, O_RDONLY | O_NONBLOCK, "reading")) {
  const struct stat status = status_of(file_, path_);
  if (!S_ISREG(status.st_mode)) fail("cannot read '{}': it is not a regular file", path_.string());
  size_ = static_cast<uint64_t>(status.st_size);
}

void InputFile::read(uint64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const ssize_t count =
        uninterrupted([&] { return ::pread(file_.get(), out.data(), out.size(), static_cast<off_t>(offset)); });
    if (count < 0) fail("cannot read '{}' at byte {}: {}", path_.string(), offset, system_reason(errno));
    if (count == 0) {
      fail("cannot read '{}': it ends at byte {}, {} bytes too early", path_.string(), offset, out.size());
    }
    out = out.subspan(static_cast<size_t>(count));
    offset += static_cast<uint64_t>(count);
  }
}

void OutputFile::write(std::span<const std::byte> bytes) {
  const int code = write_all(descriptor_, bytes);
  if (code != 0) fail("cannot write '{}': {}", path_.string(), system_reason(code));
}

void write_file_atomically(const fs::path& path, const std::function<void(OutputFile&)>& content) {
  // A rename would replace a device such as /dev/stdout by a plain file.
  struct stat old {};
  if (::stat(path.c_str(), &old) == 0 && !S_ISREG(old.st_mode)) {
    fail("cannot write '{}': it exists and is not a regular file", path.string());
  }
  OpenPartial opened = open_partial(path);
  FileDescriptor& file = opened.file;
  PartialFile partial(opened.path);

  OutputFile output(path, file.get());
  content(output);
  if (uninterrupted([&] { return ::fsync(file.get()); }) != 0) {
    fail("cannot write '{}': {}", path.string(), system_reason(errno));
  }
  // Renamed while it is open, and so still locked.
  if (::rename(partial.path().c_str(), path.c_str()) != 0) {
    fail("cannot rename '{}' to '{}': {}", partial.path().string(), path.string(), system_reason(errno));
  }
  partial.keep();
  // Linux closes the file even when a signal interrupts, and the data is on the disk already.
  if (::close(file.release()) != 0 && errno != EINTR) {
    fail("cannot write '{}': {}", path.string(), system_reason(errno));
  }
  sync_folder(folder_of(path), path);
}

bool is_partial_file(const fs::path& file) {
  const std::string name = file.filename().string();
  return ends_with_number_after(name, ".partial") || (name[0] == '.' && ends_with_number_after(name, ".writable"));
}

void remove_abandoned_files(const fs::path& folder) {
  std::error_code ignored;
  std::vector<fs::path> found;
  for (fs::directory_iterator it(folder, ignored), end; !ignored && it != end; it.increment(ignored)) {
    if (it->is_regular_file(ignored) && !it->is_symlink(ignored) && is_partial_file(it->path())) {
      found.push_back(it->path());
    }
  }
  for (const fs::path& path : found) remove_abandoned(path);
}

void write_file_atomically(const fs::path& path, std::string_view content) {
  write_file_atomically(path, std::as_bytes(std::span(content)));
}

void write_file_atomically(const fs::path& path, std::span<const std::byte> content) {
  write_file_atomically(path, [&](OutputFile& file) { file.write(content); });
}

LineFile::LineFile(fs::path path)
    : path_(std::move(path)), file_(open_file(path_, O_RDWR | O_CREAT | O_APPEND, "appending")) {
  const struct stat status = status_of(file_, path_);
  if (!S_ISREG(status.st_mode)) return;
  const off_t whole = whole_lines_length(file_, path_, status.st_size);
  if (whole < status.st_size && ::ftruncate(file_.get(), whole) != 0) {
    fail("cannot cut the unfinished last line off '{}': {}", path_.string(), system_reason(errno));
  }
}

void LineFile::append(std::string_view line) {
  if (line.find('\n') != std::string_view::npos) {
    fail("cannot append to '{}': the text of {} bytes is more than one line", path_.string(), line.size());
  }
  const struct stat before = status_of(file_, path_);
  const std::string text = std::string(line) + '\n';
  const int code = write_all(file_.get(), std::as_bytes(std::span(text)));
  if (code == 0) return;
  std::string rest;
  if (S_ISREG(before.st_mode) && ::ftruncate(file_.get(), before.st_size) != 0) {
    rest = fmt::format("; a part of the line may remain ({})", system_reason(errno));
  }
  fail("cannot append a line to '{}': {}{}", path_.string(), system_reason(code), rest);
}

void LineFile::sync() {
  if (uninterrupted([&] { return ::fsync(file_.get()); }) != 0) {
    fail("cannot bring '{}' to the disk: {}", path_.string(), system_reason(errno));
  }
}

void make_directory(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (!error && !fs::is_directory(path, error) && !error) error = std::make_error_code(std::errc::not_a_directory);
  if (error) fail("cannot create the directory '{}': {}", path.string(), error.message());
}

void check_directory_writable(const fs::path& path) {
  const PartialFile probe(path / fmt::format(".writable{}", ::getpid()));
  const FileDescriptor file(::open(probe.path().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  if (file.get() < 0) fail("cannot write into the directory '{}': {}", path.string(), system_reason(errno));
}

bool is_full_disk(std::string_view what) {
  const auto says = [&](int code) {
    return what.find(std::generic_category().message(code)) != std::string_view::npos;
  };
  return says(ENOSPC) || says(EDQUOT);
}

void prepare_directory(const fs::path& path) {
  make_directory(path);
  check_directory_writable(path);
}

}  // namespace phasor
