#include "options/run_folder_options.h"

#include "options/typed_options.h"

namespace phasor::app {

void RunFolderOptions::add_to(CLI::App& command, const char* what, bool required) {
  add_text(command, "RUN", folder, what)->type_name("")->required(required);
  add_whole(command, "--step", step, {.least = 0}, "Use the snapshot of this step instead of the finished model");
}

Session RunFolderOptions::open(Backend& backend) const {
  return open_trained_model(backend, RunFolder(folder), {.step = step});
}

Session RunFolderOptions::open_for_gradients(Backend& backend) const {
  return open_trained_model(backend, RunFolder(folder), {.step = step, .gradients = true});
}

}  // namespace phasor::app
