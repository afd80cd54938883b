// Several starts at once in one folder: one wins and its run is whole; the others leave nothing.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "faults/trials.h"
#include "phasor/base/file.h"

namespace phasor::faults {
namespace {

namespace fs = std::filesystem;

constexpr int kSeeds = 3;

// A start that goes on with nothing: the first takes the folder.
Words fresh_start(const fs::path& folder, int seed) {
  Words words = Workshop::train(folder, seed);
  words.erase(words.begin() + 1);  // --resume
  return words;
}

std::string race_studies(Workshop& workshop, Dice& dice) {
  const fs::path folder = workshop.place() / "study";
  std::vector<std::unique_ptr<Child>> starts;
  for (int i = 0; i < 2; ++i) {
    starts.push_back(std::make_unique<Child>(Workshop::study(folder), workshop.root()));
    sleep_for(0.01 * dice.share());
  }
  int won = 0;
  for (const auto& start : starts) {
    const End end = start->wait();
    if (end.killed() || end.hung) return end.text();
    if (end.code == 0) ++won;
    if (end.code != 0 && end.err.find("is at work in") == std::string::npos) return "a loser says: " + end.text();
  }
  if (won == 0) return "nobody won";
  if (const std::string wrong = workshop.check_study(folder); !wrong.empty()) return wrong;
  fs::remove_all(folder.parent_path());
  return "";
}

}  // namespace

std::string race_for_a_folder(Workshop& workshop, Dice& dice) {
  if (dice.below(20) == 0) return race_studies(workshop, dice);
  const fs::path folder = workshop.place() / "run";
  std::vector<std::unique_ptr<Child>> starts;
  const int count = 2 + dice.below(kSeeds - 1);
  for (int seed = 0; seed < count; ++seed) {
    starts.push_back(std::make_unique<Child>(fresh_start(folder, seed), workshop.root()));
    if (dice.below(2) == 0) sleep_for(0.004 * dice.share());
  }
  int winner = -1;
  std::string losers;
  for (int seed = 0; seed < count; ++seed) {
    const End end = starts[static_cast<size_t>(seed)]->wait();
    if (end.killed() || end.hung) return end.text();
    if (end.code == 0 && winner >= 0) return fmt::format("seeds {} and {} both end well", winner, seed);
    if (end.code == 0) winner = seed;
    if (end.code == 0) continue;
    losers += end.text() + "; ";
    if (end.err.find("is at work in") == std::string::npos &&
        end.err.find("contains a run already") == std::string::npos) {
      return "a loser says: " + end.text();
    }
  }
  if (winner < 0) return "nobody won: " + losers;
  if (const std::string wrong = workshop.check_run(folder, winner); !wrong.empty()) {
    return fmt::format("seed {} won: {}", winner, wrong);
  }
  fs::remove_all(folder.parent_path());
  return "";
}

}  // namespace phasor::faults
