// phasor encodings: the catalogue, a card for one expression or for what a run has made of it, and the road that leads
// to RoPE.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands/commands.h"
#include "options/encoding_shape_options.h"
#include "options/folder_word.h"
#include "options/typed_options.h"
#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/encoding/encoding_list.h"
#include "phasor/encoding/manual.h"
#include "phasor/encoding/measure/encoding_card.h"
#include "phasor/encoding/measure/road.h"
#include "phasor/run/run_list.h"
#include "phasor/run/trained_card.h"
#include "terminal/terminal.h"

namespace phasor::app {
namespace {

struct EncodingsOptions {
  std::string expression;
  EncodingShapeOptions shape;
  uint64_t seed = 0;
  std::optional<int64_t> step;  // of a run
  std::string update;           // a file
  bool parameters = false, all = false, road = false, markdown = false, ascii = false, json = false;
};

std::vector<std::filesystem::path> runs_below(const std::filesystem::path& folder) {
  try {
    return finished_runs(folder);
  } catch (const UsageError&) {
    return {};
  }
}

void show_run(const EncodingsOptions& options) {
  const RunFolder folder(options.expression);
  if (!options.shape.empty()) {
    fail_usage("--length, --layers, --heads, --head-width, --width, --grid and --causal are those of the run");
  }
  if (!folder.exists()) {
    const std::vector<std::filesystem::path> runs = runs_below(folder.path());
    fail_usage("'{}' holds no run{}", options.expression,
               runs.empty()
                   ? "; a run is a folder made by 'phasor train'"
                   : fmt::format(" itself; below it there are {}, such as '{}'", runs.size(), runs[0].string()));
  }
  const TrainedCard card = trained_card(folder, options.step);
  print_out("{}", options.json ? trained_card_json(card).dump(2) + "\n"
                               : trained_card_text(card, {.ascii = options.ascii, .all = options.all}));
}

void check(const EncodingsOptions& options) {
  const bool card = !options.expression.empty();
  const auto refuse = [](bool wrong, std::string_view what, std::string_view why) {
    if (wrong) fail_usage("{} {}", what, why);
  };
  refuse(card && options.road, "--road", "shows encodings of its own; leave the expression out");
  refuse(card && options.markdown, "--markdown", "is about the whole catalogue; leave the expression out");
  refuse(card && options.parameters, "--parameters", "is for the list; a card shows them anyway");
  refuse(options.road && options.markdown, "--road", "is part of what --markdown prints; give one of them");
  refuse(options.step.has_value() && !names_folder(options.expression), "--step", "goes with a run folder");
  refuse(options.json && options.markdown, "--json", "and --markdown are two forms; give one of them");
  refuse(!options.update.empty() && !options.markdown, "--update", "goes with --markdown");
  refuse(!card && options.all, "--all", "needs an EXPRESSION; --parameters lists those of every entry");
  refuse(!card && !options.shape.empty(), "--length, --layers, --heads, --head-width, --width, --grid and --causal",
         "need an EXPRESSION");
}

void print_json(const nlohmann::ordered_json& json) { print_out("{}\n", json.dump(2)); }

void run_encodings(const EncodingsOptions& options) {
  check(options);
  if (options.markdown) {
    const std::string catalogue = manual_catalogue();
    if (options.update.empty()) {
      print_out("{}", catalogue);
    } else {
      write_file_atomically(options.update, with_catalogue(read_file(options.update), catalogue));
    }
    return;
  }
  if (options.road) return options.json ? print_json(road_json()) : print_out("{}", road_text());
  if (options.expression.empty()) {
    if (options.json) return print_json(encoding_list_json());
    print_out("{}\n'phasor encodings rope' shows one of them, or any expression: 'rope[heads=0-1]+alibi'.\n",
              encoding_list(options.parameters));
    return;
  }
  if (names_folder(options.expression)) return show_run(options);
  const Encoding encoding = parse_encoding(options.expression);
  const EncodingCard card = make_card(encoding, options.shape.shape(encoding), options.seed);
  options.json ? print_json(card_json(card))
               : print_out("{}", card_text(card, {.ascii = options.ascii, .all = options.all}));
}

}  // namespace

void add_encodings_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("encodings", "List the positional encodings, or show one and measure it");
  auto options = std::make_shared<EncodingsOptions>();
  add_text(
      *command, "EXPRESSION", options->expression,
      "An encoding to show: what it is, its rotary pairs, its kernel over distance, five desiderata measured; or a "
      "run folder: what training has made of the encoding's numbers");
  options->shape.add_to(*command, EncodingShapeOptions::Use::card);
  add_whole(*command, "--step", options->step, {.least = 0},
            "Of a run: the snapshot of this step, not the finished model");
  add_seed(*command, "--seed", options->seed, "Seed for the initial values of learned parameters");
  command->add_flag("--ascii", options->ascii, "Draw kernels without Braille dots");
  command->add_flag(
      "--all", options->all,
      "Every parameter of the entries, used or not, and their notes; of a run, every number of its tables");
  command->add_flag("--parameters", options->parameters, "List with all parameters");
  command->add_flag("--road", options->road, "Compare the steps from integer positions to 2-D RoPE");
  command->add_flag("--markdown", options->markdown, "Print the catalogue's part of docs/encodings.md");
  add_text(*command, "--update", options->update, "With --markdown: put it between the markers in this file")
      ->type_name("FILE");
  command->add_flag("--json", options->json, "Print JSON: an array, or one object for an EXPRESSION or RUN");
  command->footer(
      "An expression is what --encoding of 'phasor train' takes, in quotes for the shell:\n"
      "  phasor encodings rope                                   one entry\n"
      "  phasor encodings 'rope(base=500,fraction=0.5)'          with arguments\n"
      "  phasor encodings 'rope[heads=0-1]+alibi[heads=2-3]'     a sum, by heads\n"
      "  phasor encodings 'bias(\"-a*abs(d)^0.5\",a=learned(1))'   invented on the spot\n"
      "  phasor encodings 'rope(axes=2)' --grid 4,6              by coordinates\n"
      "  phasor encodings runs/mine                              what a run has learned, start against end\n"
      "docs/encodings.md has the grammar, docs/adding_an_encoding.md says how to add an entry.");
  command->callback([options] { run_encodings(*options); });
}

}  // namespace phasor::app
