#pragma once
// phasor spectrum RUN: the heads of a trained model.
#include <string>

#include "run_folder_options.h"

namespace phasor::app {

struct RunSpectrumOptions {
  RunFolderOptions run;
  DeviceOptions device;
  std::string samples;  // empty: 64, or as many as there are
  std::string out;      // empty: the run folder
  bool json = false;
};

void run_model_spectrum(const RunSpectrumOptions& options);

}  // namespace phasor::app
