// phasor export: the inside of a trained model as tensors.
#include <fmt/format.h>

#include "commands.h"
#include "phasor/train/export.h"
#include "run_folder_options.h"

namespace phasor::app {
namespace {

struct ExportOptions {
  RunFolderOptions run;
  DeviceOptions device;
  std::vector<std::string> tensors = {"logits", "hidden", "queries", "keys"};
  int64_t samples = 4;
  std::string out;
};

void run_export(const ExportOptions& options) {
  const std::unique_ptr<Backend> backend = options.device.open();
  Session session = options.run.open(*backend);
  export_activations(session, options.tensors, options.samples, options.out);
  fmt::print("{}: {} of {} test samples\n", options.out, fmt::join(options.tensors, ", "), options.samples);
}

}  // namespace

void add_export_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("export", "Write attention logits, hidden states, queries and keys of a model");
  auto options = std::make_shared<ExportOptions>();
  options->run.add_to(*command);
  options->device.add_to(*command);
  command->add_option("--tensors", options->tensors, "Any of logits, weights, hidden, queries, keys, values")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--samples", options->samples, "How many test samples")->capture_default_str();
  command->add_option("--out", options->out, "File to write (safetensors)")->required();
  command->footer("Example:\n  phasor export runs/rope --tensors logits,queries --samples 2 --out rope.safetensors\n"
                  "docs/formats.md names every tensor. Queries and keys come before and after rotation.");
  command->callback([options] { run_export(*options); });
}

}  // namespace phasor::app
