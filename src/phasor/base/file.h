#pragma once
// Files. Every failure is an Error that names the path and the system's reason.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace phasor {

// Move-only ownership of an open file.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int value) : value_(value) {}
  FileDescriptor(FileDescriptor&& other) noexcept;
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor();

  int get() const { return value_; }
  int release();

 private:
  int value_ = -1;
};

// The whole content of a regular file, byte for byte. Pipes and devices, which may never end, and files too large to be
// text are refused.
std::string read_file(const std::filesystem::path& path);

// A regular file, read at chosen offsets.
class InputFile {
 public:
  explicit InputFile(std::filesystem::path path);

  uint64_t size() const { return size_; }
  // Fills `out` from byte `offset` on; that the file ends before is an error.
  void read(uint64_t offset, std::span<std::byte> out) const;

 private:
  std::filesystem::path path_;
  FileDescriptor file_;
  uint64_t size_ = 0;
};

// What the callback of write_file_atomically() writes to. Unbuffered: hand over large pieces.
class OutputFile {
 public:
  OutputFile(std::filesystem::path path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }

 private:
  std::filesystem::path path_;
  int descriptor_;
};

// Readers see the old file or the new one, never a part. The content is written aside to
// `<path>.partial<pid>`, forced to the disk and renamed, and so is the folder's entry. Whatever fails, the callback
// included, the partial file is removed and an old file stays as it was. A link at `path` is replaced, not followed.
void write_file_atomically(const std::filesystem::path& path, const std::function<void(OutputFile&)>& content);
void write_file_atomically(const std::filesystem::path& path, std::string_view content);
void write_file_atomically(const std::filesystem::path& path, std::span<const std::byte> content);

// Removes what writers left in the folder (not below it) that were killed: partial files, and probes for writing. Those
// of a writer that lives are kept: it holds a lock on them.
void remove_abandoned_files(const std::filesystem::path& folder);

// The file is one of those, of a living writer or a dead one.
bool is_partial_file(const std::filesystem::path& file);

// A file that grows by whole lines, such as metrics.jsonl. A last line without its end, left by a
// crash, is cut off at opening, and a line that could not be written whole is taken back.
class LineFile {
 public:
  explicit LineFile(std::filesystem::path path);

  // `line` comes without its end. It has reached the system when this returns, so it outlives the
  // process, though not the machine's power.
  void append(std::string_view line);
  // Forces all lines to the disk. A delayed error, as on a network disk, shows here.
  void sync();

 private:
  std::filesystem::path path_;
  FileDescriptor file_;
};

// Makes the directory and those above it; one that is there already is fine.
void make_directory(const std::filesystem::path& path);

// An error's text says that the disk, or a person's share of it, is full.
bool is_full_disk(std::string_view what);

// Makes sure, by trying, that files can be created in the directory.
void check_directory_writable(const std::filesystem::path& path);

// Both, before long work whose results come there.
void prepare_directory(const std::filesystem::path& path);

}  // namespace phasor
