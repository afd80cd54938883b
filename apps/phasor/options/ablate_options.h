#pragma once
// What 'phasor ablate' is asked for, whatever it works on.
#include <string>

#include "options/run_folder_options.h"
#include "options/run_options.h"
#include "phasor/ablation/run_ablation.h"

namespace phasor::app {

struct AblateOptions {
  RunFolderOptions run;  // a run, or a folder of runs
  DeviceOptions device;
  std::string methods = "all";
  int64_t samples = 4096;
  int64_t draws = 1;
  uint64_t seed = 0;
  std::string out;
  std::string against;
  bool as_published = false;
  bool snapshots = false;
  bool clauses = false;
  bool replace = false;
  bool json = false;
  bool asked = false;  // something that says what is to be measured was given: else finished ablations are shown

  // Throws UsageError for methods that do not exist.
  AblationOptions read(int64_t batch) const;
};

}  // namespace phasor::app
