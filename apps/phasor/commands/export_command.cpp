// phasor export: the inside of a trained model as tensors.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "commands/commands.h"
#include "options/run_folder_options.h"
#include "options/typed_options.h"
#include "phasor/run/export.h"
#include "terminal/terminal.h"

namespace phasor::app {
namespace {

struct ExportOptions {
  RunFolderOptions run;
  DeviceOptions device;
  std::vector<std::string> tensors = {"logits", "hidden", "queries", "keys"};
  int64_t samples = 4;
  std::string out;
};

// A link is written through, so that /dev/stdout stays the link that it is.
std::filesystem::path target(const std::string& out) {
  const bool through = std::filesystem::is_symlink(out) && std::filesystem::is_regular_file(out);
  return through ? std::filesystem::canonical(out) : std::filesystem::path(out);
}

void run_export(const ExportOptions& options) {
  const std::unique_ptr<Backend> backend = options.device.open();
  Session session = options.run.open(*backend);
  export_activations(session, options.tensors, options.samples, target(options.out));
  print_out("{}: {} of {} test samples\n", options.out, fmt::join(options.tensors, ", "), options.samples);
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
  add_whole(*command, "--samples", options->samples, {.least = 1}, "How many test samples, at most one batch");
  add_text(*command, "--out", options->out, "safetensors file to write")->type_name("FILE")->required();
  command->footer(
      "Example:\n"
      "  phasor export runs/rope --tensors logits,queries --samples 2 --out rope.safetensors\n"
      "docs/formats.md names every tensor. Queries and keys come before and after rotation.");
  command->callback([options] { run_export(*options); });
}

}  // namespace phasor::app
