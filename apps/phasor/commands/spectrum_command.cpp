// phasor spectrum: what position does to attention logits, of a trained model, of an encoding alone, or of queries and
// keys from elsewhere.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "commands/commands.h"
#include "options/encoding_shape_options.h"
#include "options/run_folder_options.h"
#include "options/typed_options.h"
#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/base/notice.h"
#include "phasor/encoding/measure/mask_text.h"
#include "phasor/run/run_list.h"
#include "phasor/spectrum/encoding_content.h"
#include "phasor/spectrum/foreign_encoding.h"
#include "phasor/spectrum/foreign_queries.h"
#include "phasor/spectrum/head_output.h"
#include "phasor/spectrum/model_report.h"
#include "phasor/spectrum/separation_table.h"
#include "phasor/spectrum/spectrum_files.h"
#include "phasor/study/records/run_facts.h"
#include "phasor/study/summary/contraction_output.h"
#include "terminal/terminal.h"
#include "terminal/work_progress.h"

namespace phasor::app {
namespace {

using Json = nlohmann::ordered_json;

// Of one content draw, or one foreign sample, dense matrices are kept for every head.
constexpr WholeRange kSampleRange{.least = 1, .most = 1024};

// What all of them write and print.
struct SpectrumOutput {
  std::string out;
  bool json = false;

  void add_to(CLI::App& command, const char* usual = "nowhere") {
    add_text(command, "--out", out,
             fmt::format("Folder for spectrum.json and spectrum.safetensors (default: {})", usual))
        ->type_name("DIR");
    command.add_flag("--json", json, "Print an object instead of a table");
  }
};

std::string written_text(const std::filesystem::path& folder, const std::string& stem) {
  return fmt::format("written: {}, {}", (folder / fmt::format("{}.json", stem)).string(),
                     (folder / fmt::format("{}.safetensors", stem)).string());
}

void show_heads(const SpectrumOutput& output, const std::string& title, const Json& source,
                const std::vector<HeadSummary>& heads) {
  const Json json = spectrum_json(source, heads);
  if (!output.out.empty()) write_spectrum(output.out, "spectrum", json, heads, 1);
  if (output.json) return print_out("{}\n", json.dump(2));
  print_out("{}\n\n{}{}{}\ntheorems (numbers of the first head: measured, bound)\n{}", title, mask_legend(heads),
            head_table(heads), head_legend(), check_table(heads));
  if (!output.out.empty()) print_out("\n{}\n", written_text(output.out, "spectrum"));
}

// --- RUN ----------------------------------------------------------------------------------------------------------

struct RunSpectrumOptions {
  RunFolderOptions run;
  DeviceOptions device;
  std::optional<int64_t> samples;
  SpectrumOutput output;
};

// As many as a batch, which is what the model has memory for.
int64_t sample_count(const RunSpectrumOptions& options, Session& session) {
  constexpr int64_t kUsualSamples = 64;
  const int64_t most = std::min(session.data().test.size(), session.config().train.batch);
  if (!options.samples) return std::min(kUsualSamples, most);
  if (*options.samples > most) fail_usage("--samples {}: the run allows at most {}", *options.samples, most);
  return *options.samples;
}

void run_model(const RunSpectrumOptions& options) {
  const std::unique_ptr<Backend> backend = options.device.open();
  Session session = options.run.open(*backend);
  const RunConfig& config = session.config();
  const int64_t samples = sample_count(options, session);
  const std::string folder = options.output.out.empty() ? options.run.folder : options.output.out;
  prepare_directory(folder);
  Batch batch;
  for (int64_t i = 0; i < samples; ++i) session.data().test.append_to(batch, i);
  batch.finish();
  const ModelReport report =
      report_model(session.model(), batch, [](const std::string& line) { say("spectrum: " + line + "\n"); });
  const Json source = {{"kind", "run"},
                       {"task", config.task},
                       {"encoding", config.model.encoding},
                       {"seed", config.seed},
                       {"step", options.run.step.value_or(config.train.steps)},
                       {"layers", config.model.layers},
                       {"heads", config.model.heads},
                       {"head_width", config.model.head_width},
                       {"causal", config.model.causal},
                       {"samples", samples}};
  const Json json = model_report_json(report, source);
  const std::string stem = options.run.step ? fmt::format("spectrum_step_{:06}", *options.run.step) : "spectrum";
  write_spectrum(folder, stem, json, report.heads, config.model.layers);
  if (options.output.json) return print_out("{}\n", json.dump(2));
  std::string title =
      fmt::format("{} on {}\n{} layers of {} heads of {}, means over {} test samples", config.model.encoding,
                  config.task, config.model.layers, config.model.heads, config.model.head_width, samples);
  if (const std::string masks = unmasked_text(session.model().encoding()); !masks.empty()) title += "\n" + masks;
  print_out("{}\n{}\n", model_report_text(report, title), written_text(folder, stem));
}

// --- An encoding alone --------------------------------------------------------------------------------------------

struct EncodingSpectrumOptions {
  std::string encoding, content = "gaussian";
  EncodingShapeOptions shape;
  DeviceOptions device;
  int64_t layer = 0, draws = 8;
  uint64_t seed = 0;
  SpectrumOutput output;
};

void run_encoding(const EncodingSpectrumOptions& options) {
  const Encoding encoding = parse_encoding(options.encoding);
  const EncodingShape shape = options.shape.shape(encoding);
  if (options.layer >= shape.layers)
    fail_usage("--layer {}: the model has layers 0 to {}", options.layer, shape.layers - 1);
  const EncodingContent content{.kind = read_content_kind("--content", options.content),
                                .layer = options.layer,
                                .draws = options.draws,
                                .seed = options.seed};
  const ResolvedEncoding resolved = resolve(encoding, shape);
  const char* content_is = content_is_words(resolved) ? "words through initial weights" : "queries and keys";
  if (!options.output.out.empty()) prepare_directory(options.output.out);
  const std::unique_ptr<Backend> backend = options.device.open();
  const std::vector<HeadSummary> heads =
      summarize_heads(content.layer, encoding_logits(*backend, encoding, shape, content));
  const Json source = {{"kind", "encoding"},
                       {"encoding", resolved.expression},
                       {"content", name(content.kind)},
                       {"content_is", content_is},
                       {"n", shape.positions},
                       {"layers", shape.layers},
                       {"layer", content.layer},
                       {"heads", shape.heads},
                       {"head_width", shape.head_width},
                       {"causal", shape.causal},
                       {"samples", content.draws},
                       {"seed", content.seed}};
  std::string title = fmt::format("{}\n{} positions, {} heads of {}{}, {} content ({}), {} draws", resolved.expression,
                                  shape.positions, shape.heads, shape.head_width, shape.causal ? ", causal" : "",
                                  name(content.kind), content_is, content.draws);
  if (const std::string factor = product_factor_text(resolved, content.layer); !factor.empty()) title += "\n" + factor;
  if (const std::string masks = unmasked_text(resolved); !masks.empty()) title += "\n" + masks;
  show_heads(options.output, title, source, heads);
}

void add_encoding(CLI::App& group) {
  CLI::App* command = group.add_subcommand("encoding", "An encoding without a model, with random content");
  auto options = std::make_shared<EncodingSpectrumOptions>();
  add_text(*command, "EXPRESSION", options->encoding, "The encoding, as 'phasor encodings' takes it")->required();
  options->shape.add_to(*command, EncodingShapeOptions::Use::matrices);
  add_text(*command, "--content", options->content, "gaussian, shared or psd: see below")
      ->type_name("KIND")
      ->capture_default_str();
  add_whole(*command, "--layer", options->layer, {.least = 0}, "Which layer to show, from 0")->type_name("L");
  add_whole(*command, "--samples", options->draws, kSampleRange, "Draws of content");
  add_seed(*command, "--seed", options->seed, "Seed of content and initial weights");
  options->output.add_to(*command);
  options->device.add_to(*command);
  command->footer(
      "Examples:\n"
      "  phasor spectrum encoding rope --length 256 --content shared\n"
      "  phasor spectrum encoding 'rope(frequencies=\"0.3\")' --content psd --head-width 2\n"
      "Content: gaussian has independent queries and keys at every position, shared one query and one key at all of\n"
      "them, psd keys equal to queries, so that the content Gram is positive semidefinite. Encodings with an input\n"
      "term (sinusoidal, learned, ...) act through the projections: there content is random words (shared: one word)\n"
      "and queries and keys come from a model's initial weights; psd takes its queries for keys.");
  command->callback([options] { run_encoding(*options); });
}

// --- Queries and keys of any model --------------------------------------------------------------------------------

struct QueriesOptions {
  std::string file, layout = "heads,n,width", encoding, positions;
  ForeignOptions foreign;
  DeviceOptions device;
  SpectrumOutput output;
};

bool reads_positions_first(const std::string& layout) {
  if (layout == "heads,n,width") return false;
  if (layout == "n,heads,width") return true;
  fail_usage("--layout {}: heads,n,width or n,heads,width is read", layout);
}

// "0:4": the first position, and from one token to the next.
ForeignPositions read_positions(const std::string& text) {
  const WholeRange first{.least = 0, .most = kMostForeignPosition}, step{.least = 1, .most = kMostForeignPosition};
  const size_t colon = text.find(':');
  ForeignPositions positions{.first = read_whole("--positions", text.substr(0, colon), first)};
  if (colon != std::string::npos) positions.step = read_whole("--positions", text.substr(colon + 1), step);
  return positions;
}

// Where a number is not of the first sample's queries, it is of all samples.
std::string queries_title(const QueriesOptions& options, const ForeignQueries& read, const AppliedEncoding& applied) {
  const HeadLogits& first = read.samples.front().front();
  std::string title = fmt::format("{}\n{}\n{} positions, {} heads of {}{}, scale {:.6g}, {} of {} samples{}",
                                  options.file, read.layer_is, first.size(), read.samples.front().size(),
                                  first.query.columns(), read.causal ? ", causal" : "", first.scale,
                                  read.samples.size(), read.samples_stored, read.bias ? ", with bias" : "");
  if (!applied.expression.empty()) title += fmt::format("\nwith {}:", applied.expression);
  for (const std::string& sentence : applied.done) title += fmt::format("\n  {}", sentence);
  if (!read.plain) {
    title +=
        "\nno queries_plain and keys_plain in it, so no contraction; if its queries and keys are not rotated yet, "
        "--encoding\nrotates them";
  }
  return title;
}

void run_queries(const QueriesOptions& options) {
  ForeignOptions foreign = options.foreign;
  foreign.positions_first = reads_positions_first(options.layout);
  if (!options.positions.empty() && options.encoding.empty()) {
    fail_usage("--positions says where --encoding sees the tokens: give one, for example --encoding rope");
  }
  const ForeignPositions positions = options.positions.empty() ? ForeignPositions() : read_positions(options.positions);
  std::optional<Encoding> encoding;
  if (!options.encoding.empty()) encoding = parse_encoding(options.encoding);
  foreign.plain_enough = encoding.has_value();
  if (!options.output.out.empty()) prepare_directory(options.output.out);
  const std::unique_ptr<Backend> backend = options.device.open();  // --threads
  ForeignQueries read = read_foreign_queries(options.file, foreign);
  if (!read.note.empty()) notice(read.note);
  AppliedEncoding applied;
  if (encoding) applied = apply_encoding(read, *encoding, positions, read.layer);
  for (const std::vector<HeadLogits>& sample : read.samples) {
    for (size_t h = 0; h < sample.size(); ++h) require_head(sample[h], fmt::format("'{}': head {}", options.file, h));
  }
  const std::vector<HeadSummary> heads = summarize_heads(read.layer, read.samples);
  const HeadLogits& first = read.samples.front().front();
  Json source = {{"kind", "queries"},
                 {"file", options.file},
                 {"layer", read.layer},
                 {"layers", read.layers},
                 {"layout", options.layout},
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
  if (encoding) {
    source["encoding"] = applied.expression;
    source["applied"] = applied.done;
    source["positions"] = {{"first", positions.first}, {"step", positions.step}};
  }
  show_heads(options.output, queries_title(options, read, applied), source, heads);
}

void add_queries(CLI::App& group) {
  CLI::App* command = group.add_subcommand("queries", "Queries and keys of any model, from a safetensors file");
  auto options = std::make_shared<QueriesOptions>();
  add_text(*command, "FILE", options->file, "Tensors 'queries' and 'keys': see below")->required();
  add_whole(*command, "--layer", options->foreign.layer, {.least = 0},
            "Which layer of an export to show (default 0), or what to call that of another file")
      ->type_name("L");
  add_text(*command, "--layout", options->layout, "Order of the axes: heads,n,width or n,heads,width")
      ->type_name("AXES")
      ->capture_default_str();
  add_text(*command, "--encoding", options->encoding,
           "Turn queries and keys from before rotation by this encoding, and add its bias")
      ->type_name("EXPRESSION");
  add_whole(*command, "--length", options->foreign.length, {.least = 1}, "The first positions only")->type_name("N");
  add_text(*command, "--positions", options->positions, "Where --encoding sees the tokens: 0:4 is 0, 4, 8, ...")
      ->type_name("FIRST[:STEP]");
  command->add_flag("--causal", options->foreign.causal, "With a causal mask");
  add_real(*command, "--scale", options->foreign.scale, {.least = 0.0, .least_included = false},
           "Factor on query-key products (default the file's, or 1/sqrt(width))")
      ->type_name("S");
  add_whole(*command, "--samples", options->foreign.most_samples, kSampleRange, "Samples of the file, at most");
  options->output.add_to(*command);
  options->device.add_to(*command);
  command->footer(
      "Examples:\n"
      "  phasor spectrum queries mine.safetensors --causal --out analysis\n"
      "  phasor spectrum queries plain.safetensors --encoding 'rope(base=500000)' --causal\n"
      "  phasor spectrum queries plain.safetensors --encoding rope --positions 0:8     eight times as far apart\n"
      "FILE has tensors 'queries' and 'keys' of shape [heads, n, width] or [samples, heads, n, width] as they are\n"
      "multiplied, and may have 'queries_plain', 'keys_plain' (before rotation) and 'bias'; what 'phasor export\n"
      "--tensors queries,keys,logits' wrote is read too. With --encoding, queries and keys from before rotation are\n"
      "turned: 'queries_plain' and 'keys_plain', or else 'queries' and 'keys'. docs/formats.md has the details.");
  command->callback([options] { run_queries(*options); });
}

// --- The separation game ------------------------------------------------------------------------------------------

struct SeparationOptions {
  SeparationTableOptions table;
  DeviceOptions device;
  SpectrumOutput output;
};

void run_separation(const SeparationOptions& options) {
  const SeparationTableOptions& table = options.table;
  if (table.width % 4 != 0) fail_usage("--head-width: {} is no multiple of 4, which mla's halves need", table.width);
  if (!options.output.out.empty()) prepare_directory(options.output.out);
  const std::unique_ptr<Backend> backend = options.device.open();  // --threads
  say(fmt::format("separation: 5 encodings, {} distances, {} seeds\n", table.distances, table.seeds));
  const SeparationTable result = separation_table(table);
  Json json = {{"format", kSpectrumFormat}, {"source", {{"kind", "separation"}}}};
  json["separation"] = separation_json(result);
  if (!options.output.out.empty()) write_spectrum(options.output.out, "spectrum", json, {}, 0);
  print_out("{}", options.output.json ? json.dump(2) + "\n" : separation_text(result));
}

void add_separation(CLI::App& group) {
  CLI::App* command = group.add_subcommand("separation", "Which encodings can single out a distance, and how easily");
  auto options = std::make_shared<SeparationOptions>();
  add_whole(*command, "--length", options->table.distances, {.least = 2, .most = 512}, "Distances to tell apart");
  add_whole(*command, "--head-width", options->table.width, {.least = 4, .most = 256},
            "Channels of a head, a multiple of 4")
      ->type_name("D");
  add_whole(*command, "--seeds", options->table.seeds, {.least = 1, .most = 100}, "How many seeds");
  add_seed(*command, "--seed", options->table.first_seed, "The first of them");
  options->output.add_to(*command);
  options->device.add_to(*command);
  command->footer("Example:\n  phasor spectrum separation --length 64");
  command->callback([options] { run_separation(*options); });
}

// --- Over runs ----------------------------------------------------------------------------------------------------

struct CorrelateOptions {
  std::string folder;
  DeviceOptions device;
  bool json = false;
};

void run_correlate(const CorrelateOptions& options) {
  const std::unique_ptr<Backend> backend = options.device.open();
  const std::vector<std::filesystem::path> paths = finished_runs(options.folder);
  std::vector<RunFacts> runs;
  {
    WorkProgress progress("spectrum correlate");
    for (const std::filesystem::path& path : paths) {
      runs.push_back(read_facts(*backend, path));
      progress.update("runs", static_cast<double>(runs.size()) / static_cast<double>(paths.size()));
    }
  }
  const ContractionStudy study = study_contraction(runs);
  print_out("{}", options.json ? contraction_json(runs, study).dump(2) + "\n" : contraction_text(runs, study));
}

void add_correlate(CLI::App& group) {
  CLI::App* command = group.add_subcommand(
      "correlate", "Over the runs in a folder: does a small sigma_1 go with steady and fast training?");
  auto options = std::make_shared<CorrelateOptions>();
  add_text(*command, "FOLDER", options->folder, "A folder of finished runs, such as a study")->required();
  command->add_flag("--json", options->json, "Print an object instead of tables");
  options->device.add_to(*command);
  command->footer("Example:\n  phasor spectrum correlate runs");
  command->callback([options] { run_correlate(*options); });
}

struct MatchOptions {
  std::string folder, encoding;
  DeviceOptions device;
  bool json = false;
};

// Before training, so the finished model is not read.
void run_match(const MatchOptions& options) {
  const RunConfig config = RunFolder(options.folder).load_config();
  const std::unique_ptr<Backend> backend = options.device.open();
  const double scale = matching_logit_scale(*backend, config, options.encoding);
  if (options.json) {
    print_out("{}\n",
              Json({{"encoding", config.model.encoding}, {"match", options.encoding}, {"logit_scale", scale}}).dump(2));
  } else {
    print_out("--set model.logit_scale={:.4f}\n", scale);
  }
}

void add_match(CLI::App& group) {
  CLI::App* command = group.add_subcommand(
      "match", "Print the model.logit_scale at which a run would start with another encoding's sigma_1");
  auto options = std::make_shared<MatchOptions>();
  add_text(*command, "RUN", options->folder, "a run folder made by 'phasor train'")->type_name("")->required();
  add_text(*command, "EXPRESSION", options->encoding, "The encoding to match")->required();
  command->add_flag("--json", options->json, "Print an object");
  options->device.add_to(*command);
  command->footer(
      "Example:\n"
      "  phasor spectrum match runs/nope0 rope\n"
      "Train the run again with that scale; 'phasor spectrum correlate' then shows whether sigma_1 causes the "
      "difference.");
  command->callback([options] { run_match(*options); });
}

// Spellings of before version 0.2, and what they are called now.
void add_old_spellings(CLI::App& command) {
  const std::pair<const char*, const char*> spellings[] = {{"--encoding", "phasor spectrum encoding EXPRESSION"},
                                                           {"--queries", "phasor spectrum queries FILE"},
                                                           {"--correlate", "phasor spectrum correlate FOLDER"},
                                                           {"--match", "phasor spectrum match RUN EXPRESSION"},
                                                           {"--separation", "phasor spectrum separation"}};
  for (const auto& [old, now] : spellings) {
    const std::string message = fmt::format("spectrum {} is now: {}", old, now);
    const std::function<void(const std::string&)> refuse = [message](const std::string&) { fail_usage("{}", message); };
    command.add_option_function<std::string>(old, refuse, "")->expected(0, 1)->group("")->trigger_on_parse();
  }
}

}  // namespace

void add_spectrum_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "spectrum", "What position does to attention logits: spectra, distance fits, and theorems beside them");
  auto options = std::make_shared<RunSpectrumOptions>();
  options->run.add_to(*command, "a run folder made by 'phasor train': all layers and heads of its model", false);
  add_whole(*command, "--samples", options->samples, {.least = 1}, "Test samples of the run (default 64)");
  options->output.add_to(*command, "the run folder");
  options->device.add_to(*command);
  add_old_spellings(*command);
  command->require_subcommand(0, 1);
  add_encoding(*command);
  add_queries(*command);
  add_separation(*command);
  add_correlate(*command);
  add_match(*command);
  command->footer(
      "Examples:\n"
      "  phasor spectrum runs/rope                            all layers and heads of a trained model\n"
      "  phasor spectrum encoding rope --length 256           an encoding alone\n"
      "  phasor spectrum queries mine.safetensors --causal    queries and keys of any model\n"
      "'phasor spectrum COMMAND --help' explains the others.");
  command->callback([options, command] {
    if (!command->get_subcommands().empty()) return;
    if (options->run.folder.empty()) {
      fail_usage("spectrum of what? Give a RUN folder, or one of encoding, queries, separation, correlate, match");
    }
    run_model(*options);
  });
}

}  // namespace phasor::app
