// phasor export: the inside of a trained model as tensors.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "commands.h"
#include "phasor/train/config_text.h"
#include "phasor/train/export.h"
#include "run_folder_options.h"
#include "terminal.h"
#include "usage.h"

namespace phasor::app {
namespace {

struct ExportOptions {
  RunFolderOptions run;
  DeviceOptions device;
  std::vector<std::string> tensors = {"logits", "hidden", "queries", "keys"};
  std::string samples = "4";
  std::string out;
};

// A link is written through, so that /dev/stdout stays the link that it is.
std::filesystem::path target(const std::string& out) {
  const bool through = std::filesystem::is_symlink(out) && std::filesystem::is_regular_file(out);
  return through ? std::filesystem::canonical(out) : std::filesystem::path(out);
}

void run_export(const ExportOptions& options) {
  const int64_t samples = read_whole("--samples", options.samples, {.least = 1});
  const std::unique_ptr<Backend> backend = options.device.open();
  Session session = options.run.open(*backend);
  export_activations(session, options.tensors, samples, target(options.out));
  print_out("{}: {} of {} test samples\n", options.out, fmt::join(options.tensors, ", "), samples);
}

}  // namespace

void add_export_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("export", "Write attention logits, hidden states, queries and keys of a model");
  auto options = std::make_shared<ExportOptions>();
  options->run.add_to(*command);
  options->device.add_to(*command);
  command->add_option("--tensors", options->tensors, "Any of logits, weights, hidden, queries, keys, values")
      ->type_name("NAMES")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  add_text(*command, "--samples", options->samples, "How many test samples, at most one batch")
      ->type_name("N")
      ->capture_default_str();
  add_text(*command, "--out", options->out, "safetensors file to write")->type_name("FILE")->required();
  command->footer(
      "Example:\n"
      "  phasor export runs/rope --tensors logits,queries --samples 2 --out rope.safetensors\n"
      "docs/formats.md names every tensor. Queries and keys come before and after rotation.");
  command->callback([options] { run_export(*options); });
}

}  // namespace phasor::app
