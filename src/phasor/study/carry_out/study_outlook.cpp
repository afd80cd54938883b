#include "phasor/study/carry_out/study_outlook.h"

#include <fmt/format.h>

#include <algorithm>

#include "phasor/base/duration_text.h"
#include "phasor/base/json_fields.h"
#include "phasor/base/text_table.h"
#include "phasor/base/wrapped_text.h"
#include "phasor/study/carry_out/run_work.h"
#include "phasor/study/plan/own_settings.h"
#include "phasor/study/summary/cell_json.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

bool is_decided(const RateChoice& choice) {
  return std::any_of(choice.trials.begin(), choice.trials.end(),
                     [](const RateChoice::Trial& trial) { return trial.accuracy.has_value(); });
}

const RateChoice* choice_for(const PlannedCell& cell, const std::vector<RateChoice>& rates) {
  const CellName& source = cell.rate_of ? *cell.rate_of : cell.cell;
  const auto found =
      std::find_if(rates.begin(), rates.end(), [&](const RateChoice& choice) { return choice.cell == source; });
  return found == rates.end() ? nullptr : &*found;
}

// Units of work in a second of a run, by the runs that are there; 0: none is.
double measured_speed(const std::vector<PlannedRun>& runs, const StudyResults& results) {
  double work = 0.0, seconds = 0.0;
  for (const CellRuns& cell : results.cells) {
    for (const RunRecord& record : cell.runs) {
      const auto run = std::find_if(runs.begin(), runs.end(), [&](const PlannedRun& it) { return it.id == record.id; });
      if (run == runs.end()) continue;
      work += expected_work(*run).training;
      seconds += record.seconds;
    }
  }
  return seconds > 0.0 ? work / seconds : 0.0;
}

Json cell_json(const StudyPlan& plan, const PlannedCell& cell, const StudyOutlook& outlook) {
  StudyPlan alone{.name = "", .preset = "", .cells = {cell}};
  const RateChoice* choice = choice_for(cell, outlook.rates);
  PlannedCell& own = alone.cells.front();
  own.rate_of.reset();
  const PlannedCell* source = cell.rate_of ? plan.find(*cell.rate_of) : &cell;
  own.rates = source == nullptr || choice != nullptr ? std::vector<double>() : source->rates;
  if (choice != nullptr) own.config.train.learning_rate = choice->rate;
  const bool fixed = own.rates.empty();
  Json runs = Json::array();
  for (const PlannedRun& run : possible_runs(alone)) {
    const double rate = run.config.train.learning_rate;
    const bool tried = fixed || std::find(own.rates.begin(), own.rates.end(), rate) != own.rates.end();
    if (!tried || (run.tuning && cell.rate_of)) continue;
    runs.push_back({{"id", run.id}, {"seed", run.config.seed}, {"learning_rate", rate}, {"chooses_rate", run.tuning}});
  }
  Json json = {{"cell", to_json(cell.cell)},
               {"name", text(cell.cell)},
               {"seeds", cell.seeds},
               {"steps", cell.config.train.steps},
               {"learning_rate", fixed ? Json(own.config.train.learning_rate) : Json(nullptr)},
               {"rates", cell.rates},
               {"rate_of", cell.rate_of ? to_json(*cell.rate_of) : Json(nullptr)},
               {"settings", Json::object()}};
  for (const auto& [key, value] : own_settings(cell.config)) json["settings"][key] = value;
  json["runs"] = std::move(runs);
  return json;
}

}  // namespace

StudyOutlook outlook_of(const StudyPlan& plan, const StudyFolder& folder, const RunnerOptions& runner) {
  StudyOutlook outlook;
  StudyResults results{.name = plan.name, .preset = plan.preset};
  if (folder.exists()) {
    outlook.rates = load_rates(folder, plan);
    std::erase_if(outlook.rates, [](const RateChoice& choice) { return !is_decided(choice); });
    results = load_results(folder, plan);
  }
  const std::vector<PlannedRun> tuning = tuning_runs(plan), runs = result_runs(plan, outlook.rates);
  outlook.tuning = std::ssize(tuning);
  outlook.runs = std::ssize(runs);
  double work = 0.0;
  for (const std::vector<PlannedRun>* all : {&tuning, &runs}) {
    for (const PlannedRun& run : *all) {
      if (folder.exists() && is_complete(folder, run)) {
        ++outlook.there;
      } else {
        work += run.tuning ? expected_work(run).training : expected_work(run).all();
      }
    }
  }
  const int64_t cores = runner.jobs * runner.threads;
  const double speed = measured_speed(runs, results);
  if (speed > 0.0) {
    outlook.seconds = work / (speed * static_cast<double>(runner.jobs));
    outlook.seconds_of = "by the times of the runs that are here";
  } else {
    outlook.seconds = work / (kWorkPerCoreSecond * static_cast<double>(cores));
    outlook.seconds_of =
        fmt::format("on {} like {}", cores == 1 ? "one core" : fmt::format("{} cores", cores), kEstimatedOn);
  }
  outlook.detectable = detectable_of(plan, results);
  return outlook;
}

std::string outlook_text(const StudyOutlook& outlook) {
  std::string text = fmt::format("{} run{}", outlook.runs, outlook.runs == 1 ? "" : "s");
  if (outlook.tuning > 0) text += fmt::format(", after {} that choose learning rates", outlook.tuning);
  const int64_t all = outlook.runs + outlook.tuning;
  if (outlook.there == all) {
    text += ", all of them here already";
  } else if (outlook.there > 0) {
    text +=
        fmt::format("; {} of these {} are here already, {} are to be made", outlook.there, all, all - outlook.there);
  }
  text += "\n";
  if (outlook.there < all) {
    text += fmt::format("about {} {}\n", duration_text(outlook.seconds), outlook.seconds_of);
  }
  return text + wrapped(detectable_text(outlook.detectable), kTerminalColumns, 2) + "\n";
}

Json outlook_json(const StudyPlan& plan, const StudyOutlook& outlook) {
  Json cells = Json::array();
  for (const PlannedCell& cell : plan.cells) cells.push_back(cell_json(plan, cell, outlook));
  return {{"study", shown_name(plan)},
          {"runs", outlook.runs},
          {"tuning_runs", outlook.tuning},
          {"finished_runs", outlook.there},
          {"seconds", outlook.seconds},
          {"seconds_of", outlook.seconds_of},
          {"detectable_difference", write_json(outlook.detectable)},
          {"cells", std::move(cells)}};
}

}  // namespace phasor
