#include "interrupt.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string_view>

namespace phasor::app {
namespace {

volatile std::sig_atomic_t asked = 0;

volatile std::sig_atomic_t terminal = 0;

// An evaluation may stand between the signal and the next chance to stop, so whoever waits is told.
void remember(int) {
  asked = 1;
  if (terminal == 0) return;
  const int kept = errno;
  constexpr std::string_view kNote = "\nstopping as soon as the state can be saved; once more to end at once\n";
  if (write(STDERR_FILENO, kNote.data(), kNote.size()) < 0) asked = 1;
  errno = kept;
}

}  // namespace

void catch_interrupts() {
  terminal = isatty(STDERR_FILENO);
  struct sigaction action = {};
  action.sa_handler = remember;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // nohup has it ignored, and means it.
  struct sigaction hangup = {};
  if (sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
}

bool interrupted() { return asked != 0; }

}  // namespace phasor::app
