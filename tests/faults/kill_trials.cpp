// Processes killed at any moment: whoever takes their work up ends with the bytes of a run that was never stopped.
#include <fmt/format.h>

#include "faults/trials.h"
#include "support/paths.h"

namespace phasor::faults {
namespace {

namespace fs = std::filesystem;

// A few kills, each somewhere between the start and a little after the end, then once to the end.
std::string survive(Workshop& workshop, Dice& dice, const Words& words, double seconds) {
  const int kills = 1 + dice.below(3);
  for (int i = 0; i < kills; ++i) {
    // Half of them early, where files come into being.
    const double share = dice.below(2) == 0 ? 0.3 * dice.share() : 1.1 * dice.share();
    const End end = run_phasor(words, workshop.root(), {.kill_after = share * seconds});
    if (end.code > 0) return "after a kill: " + end.text();
  }
  const End end = run_phasor(words, workshop.root());
  return end.code == 0 ? "" : "after the last kill: " + end.text();
}

}  // namespace

std::string kill_training(Workshop& workshop, Dice& dice) {
  const fs::path folder = workshop.place() / "run";
  // At a chosen call of the file system, or at a moment.
  std::string wrong;
  if (dice.below(2) == 0) {
    const auto& calls = workshop.calls();
    auto call = calls.begin();
    do {
      call = std::next(calls.begin(), dice.below(static_cast<int>(calls.size())));
    } while (call->second == 0);
    const std::string fault = fmt::format("{}:{}:kill", call->first, 1 + dice.below(call->second));
    const End killed = run_phasor(Workshop::train(folder), workshop.root(),
                                  {.environment = {{"LD_PRELOAD", fault_layer()},
                                                   {"PHASOR_FAULT_UNDER", workshop.root().string()},
                                                   {"PHASOR_FAULT", fault}}});
    if (killed.code > 0) return fault + ": " + killed.text();
    const End end = run_phasor(Workshop::train(folder), workshop.root());
    if (end.code != 0) return "after " + fault + ": " + end.text();
  } else {
    wrong = survive(workshop, dice, Workshop::train(folder), workshop.run_seconds());
  }
  if (wrong.empty()) wrong = workshop.check_run(folder);
  if (wrong.empty()) fs::remove_all(folder.parent_path());
  return wrong;
}

std::string kill_study(Workshop& workshop, Dice& dice) {
  const fs::path folder = workshop.place() / "study";
  std::string wrong = survive(workshop, dice, Workshop::study(folder), workshop.study_seconds());
  if (wrong.empty()) wrong = workshop.check_study(folder);
  if (wrong.empty()) fs::remove_all(folder.parent_path());
  return wrong;
}

}  // namespace phasor::faults
