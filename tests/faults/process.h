#pragma once
// phasor as a child process that may be killed, starved or lied to.
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace phasor::faults {

using Words = std::vector<std::string>;

Words operator+(Words a, const Words& b);

struct Conditions {
  double kill_after = -1.0;                        // seconds until SIGKILL; below 0: never
  std::map<std::string, std::string> environment;  // added to the usual one
  size_t memory = 0;                               // bytes of address space; 0: unlimited
};

struct End {
  int code = -1;      // exit code; -1 where a signal ended it
  int signal = 0;     // that signal
  bool hung = false;  // it did not end within a minute, and was killed
  double seconds = 0.0;
  std::string out, err;

  bool killed() const { return signal != 0; }
  // "exit 1: the last line of stderr"
  std::string text() const;
};

// A running child. The destructor waits for it.
class Child {
 public:
  Child(const Words& words, const std::filesystem::path& scratch, const Conditions& conditions = {});
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  End wait();

 private:
  int process_ = -1;
  Conditions conditions_;
  double began_ = 0.0;
  std::filesystem::path out_, err_;
};

// `scratch` is a folder for what it prints.
End run_phasor(const Words& words, const std::filesystem::path& scratch, const Conditions& conditions = {});

double now();
void sleep_for(double seconds);

}  // namespace phasor::faults
