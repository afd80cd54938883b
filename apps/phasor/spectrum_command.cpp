// phasor spectrum: what position does to attention logits, of a trained model, of an encoding alone, or of queries and
// keys from elsewhere.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "correlate.h"
#include "encoding_shape_options.h"
#include "foreign_queries.h"
#include "head_output.h"
#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/spectrum/encoding_content.h"
#include "phasor/study/run_facts.h"
#include "phasor/train/config_text.h"
#include "run_folder_options.h"
#include "run_spectrum.h"
#include "separation_output.h"
#include "spectrum_files.h"
#include "terminal.h"
#include "usage.h"

namespace phasor::app {
namespace {

using Json = nlohmann::ordered_json;

// Of one content draw, or one foreign sample, dense matrices are kept for every head.
constexpr int64_t kMostSamples = 1024;
constexpr int64_t kUsualDraws = 8;

struct SpectrumOptions {
  RunFolderOptions run;
  DeviceOptions device;
  EncodingShapeOptions shape;
  std::string encoding, queries, content, head_width, layer, seed, seeds, samples, scale, out, correlate, match;
  bool separation = false;
  bool json = false;
};

// --- Which source, and which options belong to it ---------------------------------------------------------------

constexpr const char* kSources = "a RUN folder, --encoding, --queries, --separation or --correlate";

std::string source_of(const SpectrumOptions& options) {
  std::vector<std::string> given;
  if (!options.run.folder.empty()) given.emplace_back("RUN");
  if (!options.encoding.empty()) given.emplace_back("--encoding");
  if (!options.queries.empty()) given.emplace_back("--queries");
  if (options.separation) given.emplace_back("--separation");
  if (!options.correlate.empty()) given.emplace_back("--correlate");
  if (given.empty()) fail_usage("spectrum of what? Give {}", kSources);
  if (given.size() > 1) fail_usage("{} and {} cannot go together; give one of {}", given[0], given[1], kSources);
  return given.front();
}

void refuse_strangers(const CLI::App& command, const std::string& source) {
  const std::pair<const char*, std::vector<std::string>> belongs[] = {
      {"--step", {"RUN"}},
      {"--match", {"RUN"}},
      {"--length", {"--encoding", "--separation"}},
      {"--layers", {"--encoding"}},
      {"--heads", {"--encoding"}},
      {"--head-width", {"--encoding", "--separation"}},
      {"--grid", {"--encoding"}},
      {"--content", {"--encoding"}},
      {"--layer", {"--encoding", "--queries"}},
      {"--causal", {"--encoding", "--queries"}},
      {"--samples", {"RUN", "--encoding", "--queries"}},
      {"--scale", {"--queries"}},
      {"--seed", {"--encoding", "--separation"}},
      {"--seeds", {"--separation"}},
      {"--device", {"RUN", "--encoding", "--correlate"}},
      {"--out", {"RUN", "--encoding", "--queries", "--separation"}},
  };
  for (const auto& [option, sources] : belongs) {
    if (command.count(option) == 0 || std::find(sources.begin(), sources.end(), source) != sources.end()) continue;
    fail_usage("{} says nothing with {}; it belongs to {}", option, source, fmt::join(sources, ", "));
  }
}

int64_t read_or(const char* option, const std::string& text, int64_t usual, const WholeRange& range) {
  return text.empty() ? usual : read_whole(option, text, range);
}

// --- The sources ------------------------------------------------------------------------------------------------

Json result_json(Json source, const std::vector<HeadSummary>& heads) {
  Json json = {{"format", kSpectrumFormat}, {"source", std::move(source)}};
  json["checks"] = checks_json(heads);
  json["heads"] = Json::array();
  for (const HeadSummary& head : heads) json["heads"].push_back(head_json(head));
  return json;
}

constexpr const char* kHeadLegend =
    "\nsigma_1: spectral norm; stable, eff.: stable and effective rank; contraction: sigma_1 over that of\n"
    "the same queries and keys with all angles at zero; bias x: sigma_1 with over without the bias;\n"
    "R2_rel: what distance explains beside a constant per query, adjusted for chance; Toeplitz: share of\n"
    "diagonal means, less chance; key, content: shares of what each key has on its own, and of the rest.\n";

void show(const SpectrumOptions& options, const std::string& title, const Json& json,
          const std::vector<HeadSummary>& heads) {
  if (!options.out.empty()) write_spectrum(options.out, "spectrum", json, heads, 1);
  if (options.json) {
    print_out("{}\n", json.dump(2));
    return;
  }
  print_out("{}\n\n{}{}\ntheorems (numbers of the first head: measured, bound)\n{}", title, head_table(heads),
            kHeadLegend, check_table(heads));
  if (!options.out.empty()) print_out("\n{}\n", written_text(options.out, "spectrum"));
}

void run_encoding(const SpectrumOptions& options) {
  const Encoding encoding = parse_encoding(options.encoding);
  EncodingShape shape = options.shape.shape(encoding);
  if (!options.head_width.empty()) {
    shape.head_width = read_whole("--head-width", options.head_width, {.least = 1, .most = 512});
    shape.width = shape.heads * shape.head_width;
  }
  EncodingContent content;
  if (!options.content.empty()) content.kind = read_content_kind("--content", options.content);
  content.layer = read_or("--layer", options.layer, 0, {.least = 0, .most = shape.layers - 1});
  content.draws = read_or("--samples", options.samples, kUsualDraws, {.least = 1, .most = kMostSamples});
  if (!options.seed.empty()) content.seed = read_seed("--seed", options.seed);
  const ResolvedEncoding resolved = resolve(encoding, shape);
  const bool words = content_is_words(resolved);
  if (!options.out.empty()) prepare_folder(options.out);
  const std::unique_ptr<Backend> backend = options.device.open();
  const std::vector<HeadSummary> heads =
      summarize_heads(content.layer, encoding_logits(*backend, encoding, shape, content));
  const Json source = {{"kind", "encoding"},
                       {"encoding", resolved.expression},
                       {"content", name(content.kind)},
                       {"content_is", words ? "words through initial weights" : "queries and keys"},
                       {"n", shape.positions},
                       {"layers", shape.layers},
                       {"layer", content.layer},
                       {"heads", shape.heads},
                       {"head_width", shape.head_width},
                       {"causal", shape.causal},
                       {"samples", content.draws},
                       {"seed", content.seed}};
  const std::string title =
      fmt::format("{}\n{} positions, {} heads of {}{}, {} content ({}), {} draws", resolved.expression, shape.positions,
                  shape.heads, shape.head_width, shape.causal ? ", causal" : "", name(content.kind),
                  words ? "words through initial weights" : "queries and keys", content.draws);
  show(options, title, result_json(source, heads), heads);
}

void run_queries(const SpectrumOptions& options) {
  ForeignOptions foreign;
  if (!options.scale.empty()) {
    foreign.scale = read_real("--scale", options.scale, {.least = 0.0, .least_included = false});
  }
  foreign.causal = options.shape.causal;
  foreign.layer = read_or("--layer", options.layer, 0, {.least = 0});
  foreign.most_samples =
      read_or("--samples", options.samples, foreign.most_samples, {.least = 1, .most = kMostSamples});
  if (!options.out.empty()) prepare_folder(options.out);
  const std::unique_ptr<Backend> backend = options.device.open();  // --threads
  const ForeignQueries read = read_foreign_queries(options.queries, foreign);
  for (const std::vector<HeadLogits>& sample : read.samples) {
    for (size_t h = 0; h < sample.size(); ++h) {
      require_head(sample[h], fmt::format("'{}': head {}", options.queries, h));
    }
  }
  const std::vector<HeadSummary> heads = summarize_heads(foreign.layer, read.samples);
  const HeadLogits& first = read.samples.front().front();
  const Json source = {{"kind", "queries"},
                       {"file", options.queries},
                       {"layer", foreign.layer},
                       {"n", first.size()},
                       {"heads", heads.size()},
                       {"head_width", first.query.columns()},
                       {"scale", read.scale},
                       {"causal", read.causal},
                       {"bias", read.bias},
                       {"plain", read.plain},
                       {"rotary_pairs", first.rotary_pairs.size()},
                       {"samples", read.samples.size()},
                       {"samples_in_file", read.samples_stored}};
  const std::string title =
      fmt::format("{}\n{} positions, {} heads of {}{}, scale {:.6g}, {} of {} samples{}{}", options.queries,
                  first.size(), heads.size(), first.query.columns(), read.causal ? ", causal" : "", read.scale,
                  read.samples.size(), read.samples_stored, read.bias ? ", with bias" : "",
                  read.plain ? "" : "\nno queries_plain and keys_plain in it, so no contraction");
  show(options, title, result_json(source, heads), heads);
}

void run_separation(const SpectrumOptions& options) {
  SeparationTableOptions table;
  if (!options.shape.length.empty()) {
    table.distances = read_whole("--length", options.shape.length, {.least = 2, .most = 512});
  }
  if (!options.head_width.empty()) {
    table.width = read_whole("--head-width", options.head_width, {.least = 4, .most = 256});
    if (table.width % 4 != 0) fail_usage("--head-width: {} is no multiple of 4, which mla's halves need", table.width);
  }
  table.seeds = read_or("--seeds", options.seeds, table.seeds, {.least = 1, .most = 100});
  if (!options.seed.empty()) table.first_seed = read_seed("--seed", options.seed);
  if (!options.out.empty()) prepare_folder(options.out);
  const std::unique_ptr<Backend> backend = options.device.open();  // --threads
  say_progress(fmt::format("separation: 5 encodings, {} distances, {} seeds", table.distances, table.seeds));
  const SeparationTable result = separation_table(table);
  Json json = {{"format", kSpectrumFormat}, {"source", {{"kind", "separation"}}}};
  json["separation"] = separation_json(result);
  if (!options.out.empty()) write_spectrum(options.out, "spectrum", json, {}, 0);
  if (options.json) {
    print_out("{}\n", json.dump(2));
  } else {
    print_out("{}", separation_text(result));
  }
}

// Before training, so the finished model is not read.
void print_matching_scale(const SpectrumOptions& options) {
  const RunConfig config = RunFolder(options.run.folder).load_config();
  const std::unique_ptr<Backend> backend = options.device.open();
  const double scale = matching_logit_scale(*backend, config, options.match);
  if (options.json) {
    print_out("{}\n",
              Json({{"encoding", config.model.encoding}, {"match", options.match}, {"logit_scale", scale}}).dump(2));
  } else {
    print_out("--set model.logit_scale={:.4f}\n", scale);
  }
}

void run_spectrum(const SpectrumOptions& options, const CLI::App& command) {
  const std::string source = source_of(options);
  refuse_strangers(command, source);
  if (source == "--encoding") return run_encoding(options);
  if (source == "--queries") return run_queries(options);
  if (source == "--separation") return run_separation(options);
  if (source == "--correlate") return correlate_runs(*options.device.open(), options.correlate, options.json);
  if (!options.match.empty()) return print_matching_scale(options);
  run_model_spectrum({.run = options.run,
                      .device = options.device,
                      .samples = options.samples,
                      .out = options.out,
                      .json = options.json});
}

}  // namespace

void add_spectrum_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "spectrum", "What position does to attention logits: spectra, distance fits, and theorems beside them");
  auto options = std::make_shared<SpectrumOptions>();
  add_text(*command, "RUN", options->run.folder, "a run folder made by 'phasor train'")->type_name("");
  add_text(*command, "--step", options->run.step, "Of a RUN: use the snapshot of this step")->type_name("N");
  add_text(*command, "--encoding", options->encoding, "An encoding alone, with made-up content")
      ->type_name("EXPRESSION");
  add_text(*command, "--queries", options->queries, "Queries and keys of any model, as safetensors")->type_name("FILE");
  command->add_flag("--separation", options->separation, "Which encodings can single out a distance, and how easily");
  add_text(*command, "--correlate", options->correlate,
           "Over the runs in a folder: does a small sigma_1 go with steady and fast training?")
      ->type_name("FOLDER");
  add_text(*command, "--match", options->match,
           "Of a RUN: print the model.logit_scale at which it would start with this encoding's sigma_1")
      ->type_name("EXPRESSION");
  add_text(*command, "--length", options->shape.length, "Positions, or distances to tell apart (default 128, or 32)")
      ->type_name("N");
  add_text(*command, "--content", options->content, "gaussian, shared or psd: see below (default gaussian)")
      ->type_name("KIND");
  add_text(*command, "--heads", options->shape.heads, "Heads (default 4, or those that the expression names)")
      ->type_name("H");
  add_text(*command, "--head-width", options->head_width, "Channels of a head (default 16)")->type_name("D");
  add_text(*command, "--layers", options->shape.layers, "Layers of the encoding's model (default 2)")->type_name("L");
  add_text(*command, "--layer", options->layer, "Which layer to show, from 0")->type_name("L");
  add_text(*command, "--grid", options->shape.grid, "Extents of the tokens' coordinates, such as 4,6")
      ->type_name("N,N");
  command->add_flag("--causal", options->shape.causal, "With a causal mask");
  add_text(*command, "--samples", options->samples,
           "Test samples of a RUN or samples of FILE (default 64), draws of content (default 8)")
      ->type_name("N");
  add_text(*command, "--scale", options->scale, "Of the products in FILE (default the file's, or 1/sqrt(width))")
      ->type_name("S");
  add_text(*command, "--seed", options->seed, "Of content and first weights (default 0)")->type_name("N");
  add_text(*command, "--seeds", options->seeds, "How many seeds --separation takes (default 5)")->type_name("N");
  add_text(*command, "--out", options->out,
           "Folder for spectrum.json and spectrum.safetensors (default for a RUN: the run folder)")
      ->type_name("DIR");
  command->add_flag("--json", options->json, "Print an object instead of a table");
  options->device.add_to(*command);
  command->footer(
      "Examples:\n"
      "  phasor spectrum runs/rope                            all layers and heads of a trained model\n"
      "  phasor spectrum --encoding rope --length 256 --content shared\n"
      "  phasor spectrum --encoding 'rope(frequencies=\"0.3\")' --content psd --head-width 2\n"
      "  phasor spectrum --queries mine.safetensors --causal --out analysis\n"
      "  phasor spectrum --separation --length 64\n"
      "  phasor spectrum runs/nope0 --match rope              then train it with that scale, and\n"
      "  phasor spectrum --correlate runs                     asks which goes with what, over seeds\n"
      "Content: gaussian has independent queries and keys at every position, shared one query and one key at all of\n"
      "them, psd keys equal to queries, so that the content Gram is positive semidefinite. Encodings with an input\n"
      "term (sinusoidal, learned, ...) act through the projections: there content is random words (shared: one word)\n"
      "and queries and keys come from a model's initial weights; psd takes its queries for keys.\n"
      "FILE has tensors 'queries' and 'keys' of shape [heads, n, width] or [samples, heads, n, width] as they are\n"
      "multiplied, and may have 'queries_plain', 'keys_plain' (before rotation) and 'bias'; what 'phasor export\n"
      "--tensors queries,keys,logits' wrote is read too. docs/formats.md has the details.");
  command->callback([options, command] { run_spectrum(*options, *command); });
}

}  // namespace phasor::app
