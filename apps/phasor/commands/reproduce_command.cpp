// phasor reproduce: arXiv 2505.13027 from one command, its numbers beside ours, each of its claims judged; and the road
// to RoPE, trained.
#include <fmt/format.h>

#include "commands/commands.h"
#include "commands/only_run.h"
#include "commands/study_session.h"
#include "options/grid_options.h"
#include "options/typed_options.h"
#include "phasor/base/error.h"
#include "phasor/paper/paper_study.h"
#include "phasor/paper/road_study.h"

namespace phasor::app {
namespace {

struct ReproduceOptions {
  StudyOptions study;
  std::string preset = "quick";
  std::string protocol;
  std::optional<int64_t> seeds, steps;
  std::string tune;
  bool no_audit = false;
  bool road = false;
  std::string only;
};

paper::Protocols protocols(const ReproduceOptions& options) {
  // At demo size there is time for one of them.
  const std::string name = !options.protocol.empty() ? options.protocol : (options.preset == "demo" ? "clean" : "both");
  if (name == "clean") return paper::Protocols::clean;
  if (name == "released") return paper::Protocols::released;
  if (name == "both") return paper::Protocols::both;
  fail_usage("--protocol {}: clean, released or both", name);
}

StudyPlan road_of(const ReproduceOptions& options) {
  paper::RoadStudyOptions road{.rates = parse_rates(options.tune)};
  if (options.seeds) road.seeds = *options.seeds;
  if (options.steps) road.steps = *options.steps;
  return paper::road_study(road);
}

StudyPlan plan_of(const ReproduceOptions& options) {
  if (options.road) return road_of(options);
  paper::PaperStudyOptions paper{.preset = options.preset,
                                 .protocols = protocols(options),
                                 .rates = parse_rates(options.tune),
                                 .audit = !options.no_audit};
  if (options.seeds) paper.seeds = *options.seeds;
  if (options.steps) paper.steps = *options.steps;
  return paper::paper_study(paper);
}

void run_reproduce(ReproduceOptions options) {
  const StudyPlan plan = plan_of(options);
  if (!options.only.empty()) return run_only(plan, options.only, options.study, "");
  if (options.study.out.empty()) options.study.out = options.road ? "runs/road" : "runs/reproduce-" + options.preset;
  run_study(plan, options.study);
}

}  // namespace

void add_reproduce_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "reproduce", "Rerun arXiv 2505.13027 over seeds, cleanly and as released, and judge its claims");
  auto options = std::make_shared<ReproduceOptions>();
  CLI::Option* size = add_text(*command, "--size", options->preset,
                               "demo (minutes), quick (hours), paper (the paper's own: days on a CPU); --dry-run says "
                               "what that is beside the preset of single runs");
  size->type_name("NAME")->capture_default_str();
  // It had the name of what sizes single runs, and differed from it.
  CLI::Option* preset = add_text(*command, "--preset", options->preset, "The older name of --size");
  preset->type_name("NAME")->excludes(size);
  CLI::Option* protocol = add_text(*command, "--protocol", options->protocol,
                                   "clean, released or both (default: both; clean at demo size)");
  protocol->type_name("NAME");
  add_whole(*command, "--seeds", options->seeds, {.least = 1, .most = 1000},
            "How many seeds each (default: 5; 3 at demo size)");
  add_whole(*command, "--steps", options->steps, {.least = 1, .most = 10000000},
            "Updates of every run, for a trial (default: the size's)");
  add_text(*command, "--tune", options->tune, "Rates to choose clean learning rates from: lr=3e-4,1e-3,3e-3")
      ->type_name("lr=RATES");
  command->add_flag("--no-audit", options->no_audit, "Leave out the runs that switch one confound each");
  command
      ->add_flag("--road", options->road,
                 "Train the road from integer positions to RoPE instead: what each step lacks, and what that costs")
      ->excludes(size)
      ->excludes(preset)
      ->excludes(protocol);
  add_text(*command, "--only", options->only,
           "Repeat one run, by its id or the first digits of it, into --out (default: runs/only-ID)")
      ->type_name("ID");
  options->study.add_to(*command, "");
  command->footer(
      "Examples:\n"
      "  phasor reproduce --size demo                       a first look, minutes\n"
      "  phasor reproduce --size quick --out runs/quick     everything at small size, hours\n"
      "  phasor reproduce --size quick --dry-run            what that would run\n"
      "  phasor reproduce --size quick --only 9174c242      one run of it, by its id in docs/results/quick_runs.csv\n"
      "  phasor reproduce --road --out runs/road            integers, bits, sines, rotations: 40 minutes on 2 cores\n"
      "Ctrl-C saves everything; rerun the command to resume. The folder gets summary.json, summary.csv and\n"
      "summary.md: see docs/studies.md. What counts as holding for each claim: docs/claims.md.");
  command->callback([options] { run_reproduce(*options); });
}

}  // namespace phasor::app
