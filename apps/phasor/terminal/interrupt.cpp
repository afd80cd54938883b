#include "terminal/interrupt.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <string_view>

#include "phasor/base/cancellation.h"
#include "phasor/base/folder_claim.h"

namespace phasor::app {
namespace {

// Seconds after the signal: work that has nothing to save is cancelled; work that does not answer at all is ended.
constexpr double kPatience = 1.0;
constexpr unsigned kNothingToSave = 2, kSomethingToSave = 20, kWhileSaving = 50;

volatile std::sig_atomic_t asked = 0;
volatile std::sig_atomic_t terminal = 0;
std::atomic<double> asked_at = 0.0;
std::atomic<unsigned> grace = kNothingToSave;
static_assert(std::atomic<double>::is_always_lock_free && std::atomic<unsigned>::is_always_lock_free);

double now() {
  timespec time = {};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void write_note(std::string_view note) {
  if (write(STDERR_FILENO, note.data(), note.size()) < 0) asked = 1;
}

// An evaluation may stand between the signal and the next chance to stop, so whoever waits is told.
void remember(int) {
  const int kept = errno;
  asked_at = now();
  asked = 1;
  alarm(grace);
  if (terminal != 0) write_note("\nstopping as soon as the state can be saved; once more to end at once\n");
  errno = kept;
}

// Files are whole at any time: what is lost is what was done since the last was written.
void give_up(int) {
  write_note("phasor: interrupted; what was saved before is kept\n");
  drop_claims_at_exit();
  _exit(EXIT_FAILURE);
}

bool cancelled() { return asked != 0 && now() - asked_at > kPatience; }

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
  struct sigaction end = {};
  end.sa_handler = give_up;
  sigaction(SIGALRM, &end, nullptr);
  set_cancellation(cancelled);
}

void expect_saving() { grace = kSomethingToSave; }

bool interrupted() {
  if (asked == 0) return false;
  // Whoever asks will save; let it take its time.
  static std::atomic<bool> answered = false;
  if (!answered.exchange(true)) alarm(kWhileSaving);
  return true;
}

}  // namespace phasor::app
