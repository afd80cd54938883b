#include "phasor/paper/road_study.h"

#include "phasor/encoding/encoding.h"
#include "phasor/paper/paper_cells.h"
#include "phasor/study/plan/study_grid.h"

namespace phasor::paper {
namespace {

constexpr const char* kRoadName = "the road to RoPE, trained";
constexpr const char* kGrid = "grid";
constexpr const char* kGrid3 = "grid3";

struct RoadTask {
  std::string name;
  std::string coordinates;  // the encoding that reads its axes; empty: it has none
  ConfigBundle settings;
};

// Sizes: docs/results/road.md has the trials behind them.
const std::vector<RoadTask>& tasks() {
  static const std::vector<RoadTask> all = {
      {kDistance, "", {{"task.gap", "12"}, {"task.sides", "4"}, {"task.length", "fixed"}}},
      {kIndex, "", {{"task.length", "12"}}},
      {kGrid, "rope(axes=2)", {{"task.rows", "4"}, {"task.columns", "4"}}},
      {kGrid3, "rope(axes=3)", {{"task.planes", "2"}, {"task.rows", "3"}, {"task.columns", "3"}}},
  };
  return all;
}

// A head of 12 channels has 6 pairs, which one, two and three axes share evenly.
ConfigBundle model_settings() {
  return {{"model.width", "48"},
          {"model.hidden", "96"},
          {"model.heads", "4"},
          {"model.layers", "3"},
          {"train.batch", "64"},
          {"train.steps", "1500"},
          {"data.train", "20000"},
          {"data.test", "2048"},
          {"data.validation", "1024"},
          {"train.evaluation_samples", "256"},
          {"train.evaluation_tests", "512"}};
}

std::string road_form(const std::string& expression) { return print(parse_encoding(expression)); }

// Which read the tokens' index.
const std::vector<std::string>& index_encodings() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> encodings = {
        "nope", "integer", "integer(normalised)", "binary", "sinusoidal", "concat(sinusoidal)", "learned", "rope"};
    for (std::string& encoding : encodings) encoding = road_form(encoding);
    return encodings;
  }();
  return all;
}

// Of the variant kRmsNorm.
std::vector<std::string> mean_encodings() {
  return {road_form("nope"), road_form("integer"), road_form("integer(normalised)")};
}

}  // namespace

const std::vector<std::string>& road_encodings() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> encodings = index_encodings();
    for (const RoadTask& task : tasks()) {
      if (!task.coordinates.empty()) encodings.push_back(road_form(task.coordinates));
    }
    return encodings;
  }();
  return all;
}

const std::vector<std::string>& road_tasks() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names;
    for (const RoadTask& task : tasks()) names.push_back(task.name);
    return names;
  }();
  return all;
}

StudyPlan road_study(const RoadStudyOptions& options) {
  StudyPlan plan{.name = kRoadName, .preset = "quick"};
  for (const RoadTask& task : tasks()) {
    StudyGrid grid{.preset = plan.preset,
                   .encodings = index_encodings(),
                   .tasks = {task.name},
                   .seeds = StudyGrid::first_seeds(options.seeds),
                   .settings = model_settings(),
                   .rates = options.rates.empty() ? std::vector<double>{1e-3, 3e-3, 1e-2} : options.rates};
    if (!task.coordinates.empty()) grid.encodings.push_back(task.coordinates);
    grid.settings.insert(grid.settings.end(), task.settings.begin(), task.settings.end());
    if (options.steps > 0) grid.settings.emplace_back("train.steps", std::to_string(options.steps));
    add_cells(plan, grid);
    grid.encodings = mean_encodings();
    grid.variant = kRmsNorm;
    grid.settings.emplace_back("model.norm", "rms");
    add_cells(plan, grid);
  }
  check(plan);
  return plan;
}

bool is_road_study(const StudyPlan& plan) { return plan.name == kRoadName; }

}  // namespace phasor::paper
