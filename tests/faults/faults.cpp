// Makes trouble for phasor in every way that is known, and says what did not end well.
//
//   faults [--minutes M] [--trials N] [--seed S] [--only KIND,...] [--trial I] [--keep DIR]
//
// All kinds by turns for M minutes (default 1), or N trials of each. --trial I: that one alone.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>

#include "faults/trials.h"

namespace phasor::faults {
namespace {

namespace fs = std::filesystem;

// How many trials of a kind come by turns: those that are quick come oftener.
struct Weighed {
  Kind kind;
  int turns;
};

const std::vector<Weighed>& kinds() {
  static const std::vector<Weighed> all = {
      {{"kills", "train killed at a moment or at a call", kill_training}, 4},
      {{"study_kills", "study killed at a moment", kill_study}, 1},
      {{"calls", "system calls that fail", fail_a_call}, 8},
      {{"races", "starts racing for one folder", race_for_a_folder}, 8},
      {{"damage", "files damaged, taken away, or of another run", damage_a_file}, 12},
      {{"nonsense", "hostile settings, expressions, paths and limits", ask_for_nonsense}, 4},
  };
  return all;
}

struct Options {
  double minutes = 1.0;
  int trials = 0;
  uint64_t seed = 1;
  std::string only;
  std::optional<int> trial;
  std::string keep;
};

[[noreturn]] void usage(const std::string& what) {
  fmt::print(
      stderr,
      "faults: {}\nusage: faults [--minutes M] [--trials N] [--seed S] [--only KIND,...] [--trial I] [--keep DIR]\n",
      what);
  std::exit(2);
}

Options read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 >= argc) usage(name + " wants a value");
    const char* value = argv[i + 1];
    if (name == "--minutes") {
      options.minutes = std::atof(value);
    } else if (name == "--trials") {
      options.trials = std::atoi(value);
    } else if (name == "--seed") {
      options.seed = std::strtoull(value, nullptr, 10);
    } else if (name == "--only") {
      options.only = fmt::format(",{},", value);
    } else if (name == "--trial") {
      options.trial = std::atoi(value);
    } else if (name == "--keep") {
      options.keep = value;
    } else {
      usage("unknown option " + name);
    }
  }
  return options;
}

struct Tally {
  int tried = 0, failed = 0;
  double seconds = 0.0;
};

class Session {
 public:
  explicit Session(const Options& options) : options_(options), workshop_(root(options)) {}
  ~Session() {
    std::error_code ignored;
    if (options_.keep.empty() && failed_ == 0) fs::remove_all(workshop_.root(), ignored);
  }

  int run() {
    const double began = now();
    const auto is_over = [&] {
      return options_.trials == 0 &&
             (now() - began > 60.0 * options_.minutes || (options_.trial && tallies_.size() > 0));
    };
    for (int round = 0; !is_over(); ++round) {
      bool any = false;
      for (const Weighed& weighed : kinds()) {
        if (!options_.only.empty() && options_.only.find(fmt::format(",{},", weighed.kind.name)) == std::string::npos)
          continue;
        const int turns = options_.trial ? 1 : weighed.turns;
        for (int turn = 0; turn < turns && !is_over(); ++turn) {
          Tally& tally = tallies_[weighed.kind.name];
          if (options_.trials > 0 && tally.tried >= options_.trials) break;
          attempt(weighed.kind, options_.trial.value_or(tally.tried), tally);
          any = true;
        }
      }
      if (!any) break;
    }
    print_table(now() - began);
    return failed_ == 0 ? 0 : 1;
  }

 private:
  static fs::path root(const Options& options) {
    if (!options.keep.empty()) return options.keep;
    std::string pattern = (fs::temp_directory_path() / "phasor_faults_XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) usage("no temporary folder");
    return pattern;
  }

  void attempt(const Kind& kind, int number, Tally& tally) {
    uint64_t seed = options_.seed * 1'000'003u + static_cast<uint64_t>(number);
    for (const char* c = kind.name; *c != '\0'; ++c) seed = seed * 131u + static_cast<unsigned char>(*c);
    Dice dice(seed);
    const double began = now();
    std::string wrong;
    try {
      wrong = kind.trial(workshop_, dice);
    } catch (const std::exception& error) {
      wrong = error.what();
    }
    tally.seconds += now() - began;
    ++tally.tried;
    if (wrong.empty()) return;
    ++tally.failed;
    ++failed_;
    fmt::print("FAILED {}: {}\n  again with: faults --seed {} --only {} --trial {}\n", kind.name, wrong, options_.seed,
               kind.name, number);
    std::fflush(stdout);
  }

  void print_table(double seconds) const {
    fmt::print("\n{:<12} {:>7} {:>7} {:>9}  what\n", "kind", "tried", "failed", "seconds");
    for (const Weighed& weighed : kinds()) {
      const auto tally = tallies_.find(weighed.kind.name);
      if (tally == tallies_.end()) continue;
      fmt::print("{:<12} {:>7} {:>7} {:>9.0f}  {}\n", weighed.kind.name, tally->second.tried, tally->second.failed,
                 tally->second.seconds, weighed.kind.what);
    }
    fmt::print("seed {}, {:.0f} s\n", options_.seed, seconds);
    if (failed_ > 0) fmt::print("what failed lies in {}\n", workshop_.root().string());
  }

  Options options_;
  Workshop workshop_;
  std::map<std::string, Tally> tallies_;
  int failed_ = 0;
};

}  // namespace
}  // namespace phasor::faults

int main(int argc, char** argv) {
  try {
    return phasor::faults::Session(phasor::faults::read_options(argc, argv)).run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "faults: {}\n", error.what());
    return 1;
  }
}
