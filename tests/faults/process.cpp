#include "faults/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>

#include "phasor/base/file.h"
#include "support/paths.h"

namespace phasor::faults {
namespace {

namespace fs = std::filesystem;

constexpr double kLongest = 60.0;

[[noreturn]] void become_phasor(const Words& words, const Conditions& conditions, const char* out, const char* err) {
  const int out_file = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600),
            err_file = open(err, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int in_file = open("/dev/null", O_RDONLY);
  dup2(in_file, STDIN_FILENO);
  dup2(out_file, STDOUT_FILENO);
  dup2(err_file, STDERR_FILENO);
  for (const int descriptor : {in_file, out_file, err_file}) close(descriptor);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(number, SIG_DFL);
  setenv("OMP_NUM_THREADS", "1", 1);
  for (const auto& [name, value] : conditions.environment) setenv(name.c_str(), value.c_str(), 1);
  if (conditions.memory > 0) {
    const rlimit limit{conditions.memory, conditions.memory};
    setrlimit(RLIMIT_AS, &limit);
  }
  std::vector<char*> argv = {const_cast<char*>("phasor")};
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execv(phasor_binary(), argv.data());
  _exit(127);
}

}  // namespace

Words operator+(Words a, const Words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

double now() {
  timespec time = {};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void sleep_for(double seconds) {
  if (seconds <= 0.0) return;
  const auto whole = static_cast<time_t>(seconds);
  const timespec time{whole, static_cast<long>(1e9 * (seconds - static_cast<double>(whole)))};
  nanosleep(&time, nullptr);
}

std::string End::text() const {
  const size_t last = err.find_last_not_of('\n');
  const size_t begin = last == std::string::npos ? 0 : err.find_last_of('\n', last);
  const std::string line = last == std::string::npos ? "" : err.substr(begin == std::string::npos ? 0 : begin + 1, 300);
  const std::string how = hung     ? "hung for a minute"
                          : signal ? "signal " + std::to_string(signal)
                                   : "exit " + std::to_string(code);
  return how + ": " + line;
}

Child::Child(const Words& words, const fs::path& scratch, const Conditions& conditions) : conditions_(conditions) {
  static std::atomic<int> number = 0;
  const std::string name = std::to_string(++number);
  out_ = scratch / (name + ".out");
  err_ = scratch / (name + ".err");
  const std::string out = out_.string(), err = err_.string();
  began_ = now();
  process_ = fork();
  if (process_ < 0) throw std::runtime_error("no process");
  if (process_ == 0) become_phasor(words, conditions_, out.c_str(), err.c_str());
}

Child::~Child() {
  if (process_ > 0) wait();
}

End Child::wait() {
  End end;
  const double limit = conditions_.kill_after >= 0.0 ? conditions_.kill_after : kLongest;
  int status = 0;
  bool ended = false;
  for (double pause = 0.0002; now() - began_ < limit; pause = std::min(2.0 * pause, 0.01)) {
    ended = waitpid(process_, &status, WNOHANG) == process_;
    if (ended) break;
    sleep_for(std::min(pause, limit - (now() - began_)));
  }
  if (!ended) {
    kill(process_, SIGKILL);
    waitpid(process_, &status, 0);
    end.hung = conditions_.kill_after < 0.0;
  }
  process_ = -1;
  end.seconds = now() - began_;
  end.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  std::error_code ignored;
  for (auto [path, text] : {std::pair(out_, &end.out), std::pair(err_, &end.err)}) {
    if (fs::exists(path, ignored)) *text = read_file(path);
    fs::remove(path, ignored);
  }
  return end;
}

End run_phasor(const Words& words, const fs::path& scratch, const Conditions& conditions) {
  return Child(words, scratch, conditions).wait();
}

}  // namespace phasor::faults
