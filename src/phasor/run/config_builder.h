#pragma once
// Puts a run's configuration together from everything a person gave, and remembers where each value
// came from.
#include <string>
#include <string_view>
#include <vector>

#include "phasor/run/config.h"

namespace phasor {

// One line of `--dry-run`.
struct ConfigLine {
  std::string key;
  std::string value;
  std::string source;  // "default", "preset quick", "protocol clean", "file runs.json", "--encoding", "--set"
};

// Weakest first: defaults, preset, protocol, files, command-line options, --set. Within one kind the
// later call wins; between kinds the order of calls does not matter. Nothing is checked before
// build(), because which keys exist depends on the task.
class ConfigBuilder {
 public:
  void add_file(const std::string& path);
  // As add_file, for text that was read elsewhere.
  void add_json(std::string_view text, std::string_view file);
  // `option` is the command-line option as people know it: add_option("--steps", "train.steps", "100").
  void add_option(std::string_view option, std::string_view key, std::string_view value);
  // "model.width=128"
  void add_set(std::string_view assignment);

  // Throws UsageError.
  RunConfig build() const;
  // The configuration that build() gives, key by key.
  std::vector<ConfigLine> explain() const;

 private:
  struct Given {
    std::string key;
    std::string value;
    std::string source;
    std::string file;  // begins the text of errors; empty on the command line
  };
  struct Resolved {
    RunConfig config;
    std::vector<ConfigLine> lines;
  };

  Resolved resolve() const;

  std::vector<Given> files_, options_, sets_;
};

}  // namespace phasor
