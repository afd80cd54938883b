#include "faults/workshop.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "phasor/base/file.h"
#include "support/paths.h"

namespace phasor::faults {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Words settings() {
  Words words;
  for (const char* setting :
       {"task.gap=3", "task.sides=2", "task.vocabulary=8", "model.width=8", "model.hidden=8", "model.heads=2",
        "model.layers=1", "train.steps=20", "train.batch=16", "data.train=64", "data.test=32", "data.validation=16",
        "train.evaluation_samples=32", "train.evaluate_every=5", "train.checkpoint_every=4"}) {
    words.insert(words.end(), {"--set", setting});
  }
  return words;
}

void require(const End& end, const char* what) {
  if (end.code != 0) throw std::runtime_error(fmt::format("{} without any fault: {}", what, end.text()));
}

// result.json and state.safetensors tell the time.
Files lasting_files(const fs::path& folder) {
  Files files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = fs::relative(entry.path(), folder).string();
    if (!entry.is_regular_file() || name == "state.safetensors") continue;
    files[name] = name == "result.json" ? "" : read_file(entry.path());
  }
  Json result = Json::parse(read_file(folder / "result.json"));
  for (const char* member : {"seconds", "tokens_per_second", "xxh64"}) result.erase(member);
  files["result.json"] = result.dump();
  return files;
}

std::string difference(const Files& got, const Files& expected) {
  for (const auto& [name, content] : expected) {
    const auto found = got.find(name);
    if (found == got.end()) return name + " is missing";
    if (found->second != content) return name + " differs";
  }
  for (const auto& file : got) {
    if (expected.find(file.first) == expected.end()) return file.first + " is left behind";
  }
  return "";
}

}  // namespace

Workshop::Workshop(const fs::path& root) : root_(fs::absolute(root)) { fs::create_directories(root_); }

fs::path Workshop::place() const {
  static int number = 0;
  const fs::path path = root_ / fmt::format("trial{}", ++number);
  fs::create_directories(path);
  return path;
}

Words Workshop::train(const fs::path& folder, int seed) {
  return Words{"train", "--resume", "--encoding", "rope", "--seed", std::to_string(seed), "--out", folder.string()} +
         settings() + Words{"--set", "train.snapshots=0,10", "--set", "telemetry.spectrum=5"};
}

Words Workshop::study(const fs::path& folder) {
  return Words{"study",     "quick",    "--encodings", "rope",    "alibi", "--seeds",      "2", "--jobs", "1",
               "--measure", "ablation", "spectrum",    "lengths", "--out", folder.string()} +
         settings();
}

const fs::path& Workshop::whole_run(int seed) {
  if (runs_.count(seed) > 0) return runs_[seed];
  const fs::path folder = root_ / fmt::format("whole{}", seed);
  const fs::path counts = root_ / "counts";
  require(run_phasor(train(folder, seed), root_,
                     {.environment = {{"LD_PRELOAD", fault_layer()},
                                      {"PHASOR_FAULT_UNDER", root_.string()},
                                      {"PHASOR_FAULT_COUNTS", counts.string()}}}),
          "training");
  std::istringstream lines(read_file(counts));
  std::string name;
  for (int count = 0; lines >> name >> count;) calls_[name] = count;
  const fs::path again = root_ / "timed";
  fs::remove_all(again);
  const End timed = run_phasor(train(again, seed), root_);
  require(timed, "training");
  run_seconds_ = timed.seconds;
  run_files_[seed] = lasting_files(folder);
  require(run_phasor({"ablate", folder.string(), "--samples", "20"}, root_), "ablating");
  require(run_phasor({"spectrum", folder.string()}, root_), "a spectrum");
  return runs_[seed] = folder;
}

const fs::path& Workshop::whole_study() {
  if (!study_.empty()) return study_;
  const fs::path folder = root_ / "whole_study";
  const End end = run_phasor(study(folder), root_);
  require(end, "a study");
  study_seconds_ = end.seconds;
  study_summary_ = timeless_summary(folder);
  return study_ = folder;
}

double Workshop::run_seconds() {
  whole_run();
  return run_seconds_;
}

double Workshop::study_seconds() {
  whole_study();
  return study_seconds_;
}

const std::map<std::string, int>& Workshop::calls() {
  whole_run();
  return calls_;
}

std::string Workshop::check_run(const fs::path& folder, int seed, bool with_claim) {
  whole_run(seed);
  Files files = lasting_files(folder);
  if (with_claim) files.erase(".claim");
  return difference(files, run_files_[seed]);
}

std::string Workshop::check_study(const fs::path& folder) {
  whole_study();
  if (timeless_summary(folder) != study_summary_) return "summary.json differs";
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.find(".partial") != std::string::npos || name.starts_with(".")) {
      return fs::relative(entry.path(), folder).string() + " is left behind";
    }
  }
  return "";
}

std::string timeless_summary(const fs::path& study) {
  Json json = Json::parse(read_file(study / "summary.json"));
  json.erase("times");
  json.erase("xxh64");
  return json.dump();
}

}  // namespace phasor::faults
