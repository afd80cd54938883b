#pragma once
// The phasor binary as a person at the terminal meets it: what it prints, how it ends.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "phasor/base/file.h"
#include "support/paths.h"
#include "support/temporary_folder.h"

namespace phasor {

using Arguments = std::vector<std::string>;

inline Arguments operator+(Arguments a, const Arguments& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

struct Outcome {
  int code = -1;   // exit code, or -1 where a signal ended it
  int signal = 0;  // that signal
  std::string out, err;
};

// Runs in the child between fork and exec: the descriptors become its standard output and error. Below 0: closed.
[[noreturn]] inline void become_phasor(const Arguments& arguments, int out, int err) {
  if (out < 0) close(STDOUT_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  // A parent in the background may have these ignored, and an ignored signal stays ignored.
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(number, SIG_DFL);
  // A second thread would wait for its turn on a busy machine, once per op. Results do not depend on it.
  setenv("OMP_NUM_THREADS", "1", 1);
  std::vector<char*> words = {const_cast<char*>("phasor")};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  execv(phasor_binary(), words.data());
  _exit(127);
}

// A process that cannot run ahead: its progress goes into a pipe of one page, so it stops within about fifty lines of
// what was read. A signal sent in between finds it in mid-run, however busy the machine is.
class RunningPhasor {
 public:
  explicit RunningPhasor(const Arguments& arguments) {
    std::array<int, 2> pipe_ends;
    if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    fcntl(pipe_ends[1], F_SETPIPE_SZ, 4096);
    read_end_ = FileDescriptor(pipe_ends[0]);
    const FileDescriptor write_end(pipe_ends[1]);
    const FileDescriptor nowhere(open("/dev/null", O_WRONLY | O_CLOEXEC));
    process_ = fork();
    if (process_ == 0) become_phasor(arguments, nowhere.get(), write_end.get());
    if (process_ < 0) throw std::runtime_error("no process");
  }
  RunningPhasor(const RunningPhasor&) = delete;
  RunningPhasor& operator=(const RunningPhasor&) = delete;
  ~RunningPhasor() {
    if (process_ > 0) finish(SIGKILL);
  }

  // Reads progress up to this text; false where the process ended without it.
  bool wait_for(const std::string& text) {
    while (err_.find(text) == std::string::npos) {
      if (!read_some()) return false;
    }
    return true;
  }

  Outcome finish(int number) {
    kill(process_, number);
    while (read_some()) {
    }
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = -1;
    return {.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
            .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
            .out = "",
            .err = err_};
  }

 private:
  bool read_some() {
    std::array<char, 128> block;
    const ssize_t count = read(read_end_.get(), block.data(), block.size());
    if (count > 0) err_.append(block.data(), static_cast<size_t>(count));
    return count > 0;
  }

  FileDescriptor read_end_;
  pid_t process_ = -1;
  std::string err_;
};

inline constexpr const char* kClosed = ">&-";

// Where stdout goes, when it is not to be read: a device, for example, or kClosed.
inline Outcome phasor_command(const Arguments& arguments, const std::string& stdout_to = "") {
  const TemporaryFolder folder;
  const auto open_output = [](const std::string& path) {
    return FileDescriptor(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  };
  const FileDescriptor out =
      stdout_to == kClosed ? FileDescriptor() : open_output(stdout_to.empty() ? (folder / "out").string() : stdout_to);
  const FileDescriptor err = open_output((folder / "err").string());
  const pid_t process = fork();
  if (process == 0) become_phasor(arguments, out.get(), err.get());
  int status = 0;
  if (process < 0 || waitpid(process, &status, 0) != process) throw std::runtime_error("no process");
  return {.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
          .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
          .out = stdout_to.empty() ? read_file(folder / "out") : "",
          .err = read_file(folder / "err")};
}

// It ends with this code and one line on stderr that begins with the program's name and holds the words.
inline void expect_error(const Outcome& outcome, int code, std::initializer_list<std::string_view> words) {
  EXPECT_EQ(outcome.code, code) << "signal " << outcome.signal << ", stderr: " << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err.rfind("phasor: ", 0), 0u) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  expect_words(outcome.err, words);
}

// The last line that stands after the progress.
inline std::string last_line(const std::string& text) {
  const size_t end = text.find_last_not_of('\n');
  const size_t begin = text.find_last_of('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1);
}

}  // namespace phasor
