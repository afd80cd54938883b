#include "phasor/base/file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>

#include "phasor/base/error.h"
#include "support/temporary_folder.h"

namespace phasor {
namespace file_test {

namespace fs = std::filesystem;

void put(const fs::path& path, std::string_view text) { std::ofstream(path, std::ios::binary) << text; }

// Files cannot grow beyond `bytes` in this scope: a full disk, without one.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : old_handler_(signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit{bytes, old_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &old_);
    signal(SIGXFSZ, old_handler_);
  }

 private:
  void (*old_handler_)(int);
  rlimit old_{};
};

TEST(ReadFile, GivesEveryByte) {
  const TemporaryFolder folder;
  for (const size_t size : {size_t{0}, size_t{1}, size_t{4095}, size_t{4096}, size_t{4097}, size_t{1'000'003}}) {
    std::string content(size, '\0');
    for (size_t i = 0; i < size; ++i) content[i] = static_cast<char>(i * 31 % 256);
    put(folder / "a", content);
    EXPECT_TRUE(read_file(folder / "a") == content) << size;
  }
}

TEST(ReadFile, RefusesWhatMayNeverEnd) {
  const TemporaryFolder folder;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  for (const fs::path& path : {folder / "pipe", fs::path("/dev/zero"), fs::path("/dev/null")}) {
    expect_words(message_of<Error>([&] { read_file(path); }), {path.string(), "not a regular file"});
    expect_words(message_of<Error>([&] { InputFile file(path); }), {path.string(), "not a regular file"});
  }
}

TEST(ReadFile, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  const fs::path path = folder / "absent.json";
  expect_words(message_of<Error>([&] { read_file(path); }), {path.string(), "No such file or directory"});
  expect_words(message_of<Error>([&] { read_file(folder.path()); }), {folder.path().string(), "not a regular file"});
}

TEST(InputFile, ReadsAtOffsetsAndRefusesToReadPastTheEnd) {
  const TemporaryFolder folder;
  put(folder / "a", "0123456789");
  const InputFile file(folder / "a");
  EXPECT_EQ(file.size(), 10u);
  std::string out(3, ' ');
  file.read(7, std::as_writable_bytes(std::span(out)));
  EXPECT_EQ(out, "789");
  const std::string message = message_of<Error>([&] { file.read(8, std::as_writable_bytes(std::span(out))); });
  expect_words(message, {(folder / "a").string(), "ends at byte 10", "1 bytes too early"});
}

TEST(InputFile, TakesRegularFilesOnly) {
  expect_words(message_of<Error>([] { InputFile file("/dev/null"); }), {"/dev/null", "not a regular file"});
}

TEST(AtomicWrite, WritesNewAndReplacesOld) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "a", std::string_view("first"));
  EXPECT_EQ(read_file(folder / "a"), "first");
  write_file_atomically(folder / "a", [](OutputFile& file) {
    file.write("sec");
    file.write("ond");
  });
  EXPECT_EQ(read_file(folder / "a"), "second");
  EXPECT_EQ(folder.files(), 1u) << "a partial file was left";
}

TEST(AtomicWrite, WritesAsideWhileTheOldFileStays) {
  const TemporaryFolder folder;
  const fs::path path = folder / "a";
  put(path, "old");
  write_file_atomically(path, [&](OutputFile& file) {
    file.write("new");
    EXPECT_EQ(read_file(path), "old");
    EXPECT_EQ(read_file(path.string() + ".partial" + std::to_string(getpid())), "new");
  });
  EXPECT_EQ(read_file(path), "new");
}

TEST(AtomicWrite, KeepsTheOldFileWhenTheCallbackThrows) {
  const TemporaryFolder folder;
  put(folder / "a", "old");
  const std::string message = message_of<std::runtime_error>([&] {
    write_file_atomically(folder / "a", [](OutputFile& file) {
      file.write("half of the ne");
      throw std::runtime_error("changed my mind");
    });
  });
  EXPECT_EQ(message, "changed my mind");
  EXPECT_EQ(read_file(folder / "a"), "old");
  EXPECT_EQ(folder.files(), 1u) << "a partial file was left";
}

TEST(AtomicWrite, KeepsTheOldFileWhenTheDiskTakesNoMore) {
  const TemporaryFolder folder;
  put(folder / "a", "old");
  const std::string large(100'000, 'x');
  const std::string message = message_of<Error>([&] {
    const FileSizeLimit limit(10'000);
    write_file_atomically(folder / "a", large);
  });
  expect_words(message, {"cannot write", (folder / "a").string(), "File too large"});
  EXPECT_EQ(read_file(folder / "a"), "old");
  EXPECT_EQ(folder.files(), 1u) << "a partial file was left";
}

TEST(AtomicWrite, SaysThatTheFolderIsMissing) {
  const TemporaryFolder folder;
  const fs::path path = folder / "absent/a.json";
  const std::string message = message_of<Error>([&] { write_file_atomically(path, std::string_view("x")); });
  expect_words(message, {"cannot write", path.string(), "No such file or directory"});
}

TEST(AtomicWrite, DoesNotReplaceWhatIsNoFile) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "run");
  expect_words(message_of<Error>([&] { write_file_atomically(folder / "run", std::string_view("x")); }),
               {(folder / "run").string(), "not a regular file"});
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  expect_words(message_of<Error>([&] { write_file_atomically(folder / "pipe", std::string_view("x")); }),
               {(folder / "pipe").string(), "not a regular file"});
  EXPECT_TRUE(fs::is_fifo(folder / "pipe"));
  EXPECT_EQ(folder.files(), 2u);
}

TEST(LineFile, AppendsAcrossOpenings) {
  const TemporaryFolder folder;
  {
    LineFile file(folder / "metrics.jsonl");
    file.append("{\"step\":1}");
    EXPECT_EQ(read_file(folder / "metrics.jsonl"), "{\"step\":1}\n") << "a line is there at once";
    file.append("");
  }
  LineFile file(folder / "metrics.jsonl");
  file.append("{\"step\":2}");
  file.sync();
  EXPECT_EQ(read_file(folder / "metrics.jsonl"), "{\"step\":1}\n\n{\"step\":2}\n");
}

TEST(LineFile, CutsOffAnUnfinishedLastLine) {
  const TemporaryFolder folder;
  for (const size_t torn : {size_t{1}, size_t{4095}, size_t{4096}, size_t{4097}, size_t{10'000}}) {
    put(folder / "a", "one\ntwo\n" + std::string(torn, 'x'));
    LineFile(folder / "a").append("three");
    EXPECT_EQ(read_file(folder / "a"), "one\ntwo\nthree\n") << torn;
    put(folder / "a", std::string(torn, 'x'));
    LineFile(folder / "a").append("one");
    EXPECT_EQ(read_file(folder / "a"), "one\n") << torn;
  }
}

TEST(LineFile, SaysThatTheDiskIsFull) {
  LineFile file("/dev/full");
  expect_words(message_of<Error>([&] { file.append("{}"); }), {"/dev/full", "No space left on device"});
}

TEST(LineFile, TakesBackALineThatDidNotFit) {
  const TemporaryFolder folder;
  LineFile file(folder / "a");
  file.append("one");
  const std::string large(10'000, 'x');
  const std::string message = message_of<Error>([&] {
    const FileSizeLimit limit(1'000);
    file.append(large);
  });
  expect_words(message, {(folder / "a").string(), "File too large"});
  file.append("two");
  EXPECT_EQ(read_file(folder / "a"), "one\ntwo\n");
}

TEST(LineFile, RefusesTwoLinesAtOnce) {
  const TemporaryFolder folder;
  LineFile file(folder / "a");
  expect_words(message_of<Error>([&] { file.append("a\nb"); }), {"more than one line"});
  EXPECT_EQ(read_file(folder / "a"), "");
}

TEST(MakeDirectory, MakesAllAboveAndAcceptsAnOldOne) {
  const TemporaryFolder folder;
  make_directory(folder / "a/b/c");
  make_directory(folder / "a/b/c");
  EXPECT_TRUE(fs::is_directory(folder / "a/b/c"));
}

TEST(MakeDirectory, SaysWhatIsInTheWay) {
  const TemporaryFolder folder;
  put(folder / "a", "");
  for (const char* name : {"a", "a/b"}) {
    expect_words(message_of<Error>([&] { make_directory(folder / name); }),
                 {"cannot create the directory", (folder / name).string(), "Not a directory"});
  }
}

TEST(CheckDirectoryWritable, LeavesNothingBehind) {
  const TemporaryFolder folder;
  check_directory_writable(folder.path());
  EXPECT_EQ(folder.files(), 0u);
  expect_words(message_of<Error>([&] { check_directory_writable(folder / "absent"); }),
               {(folder / "absent").string(), "No such file or directory"});
  // A folder that takes no files, also from root.
  expect_words(message_of<Error>([] { check_directory_writable("/proc/self"); }), {"cannot write", "/proc/self"});
}

}  // namespace file_test
}  // namespace phasor
