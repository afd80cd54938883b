#pragma once
// What 'phasor ablate' is asked for, whatever it works on.
#include <string>

#include "phasor/ablation/run_ablation.h"
#include "run_folder_options.h"
#include "run_options.h"

namespace phasor::app {

struct AblateOptions {
  RunFolderOptions run;  // a run, or a folder of runs
  DeviceOptions device;
  std::string methods = "all";
  std::string samples = "4096";
  std::string draws = "1";
  std::string seed = "0";
  std::string out;
  std::string against;
  bool as_published = false;
  bool snapshots = false;
  bool clauses = false;
  bool replace = false;
  bool json = false;

  // Throws UsageError for what is out of range.
  AblationOptions read(int64_t batch) const;
};

}  // namespace phasor::app
