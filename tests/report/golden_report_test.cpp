// A small report with every member that a report can have, as the program writes it. The page's tests read the file
// strictly (web/tests/golden.test.mjs), so that the two sides cannot drift apart.
//   PHASOR_UPDATE_GOLDEN=1 build/release/report_tests --gtest_filter='GoldenReport.*'
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "phasor/base/file.h"
#include "phasor/paper/paper_json.h"
#include "phasor/paper/published.h"
#include "phasor/report/report_data.h"
#include "phasor/report/story_output.h"
#include "phasor/report/study_report.h"
#include "phasor/study/carry_out/head_curves.h"
#include "phasor/study/summary/study_comparisons.h"
#include "study/records.h"
#include "support/paths.h"
#include "support/temporary_folder.h"

namespace phasor {
namespace golden_report_test {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using namespace testing_support;

const std::string kFile = std::string(fixtures_folder()) + "/report/golden.json";
const CellName kMla{.task = "distance",
                    .protocol = "released_mla",
                    .encoding = "learned(init=0)+mla(query=shared,table=released,norm=none)"};

StreamRemoval removal() {
  StreamRemoval removal;
  for (int64_t layer = 0; layer < 2; ++layer) {
    removal.layers.push_back({.layer = layer,
                              .means = {2.0, 0.25},
                              .input_term = RemovalScore{1.5, 0.5},
                              .random = {{0.5, 0.75}, {0.75, 0.625}},
                              .excess = {1.375, 1.25, 1.5},
                              .norm_share = 0.125});
  }
  return removal;
}

void measure(RunRecord& run) {
  const double accuracy = run.test_accuracy;
  run.floors = {.chance = 0.05, .length = 0.1, .rule = 0.5, .ceiling = 1.0};
  run.steps_to_90 = 1000;
  run.validation_accuracy = accuracy;
  run.validation_loss = 0.5;
  run.curve = {{.step = 0, .gradient_norm = 2.0, .test_loss = 3.0, .test_accuracy = 0.05},
               {.step = 1000,
                .learning_rate = 1e-3,
                .gradient_norm = 0.5,
                .train_accuracy = accuracy,
                .test_loss = 1.0 - accuracy,
                .test_accuracy = accuracy}};
  const auto number = static_cast<uint32_t>(run.seed);
  run.ablation = ablation_record(2000, accuracy, concentrated(number));
  run.ablation->importance = even(number);
  run.ablation->removal = removal();
  run.snapshots = {ablation_record(500, 0.5, concentrated(number + 10))};
  run.snapshots[0].importance = even(number + 10);
  run.published = PublishedAblation{.baseline = accuracy, .accuracy = {{0.5, 0.75}, {0.25, 0.5}}, .samples = 64};
  run.spectrum = SpectrumRecord{.start = {.contraction = 0.75 + 0.01 * accuracy, .product_norm = 2.0},
                                .end = {.contraction = 0.5 + 0.01 * accuracy, .product_norm = 3.0},
                                .start_contractions = {0.75, 0.8},
                                .end_contractions = {0.5, 0.6},
                                .content_share = 0.625};
  run.lengths = {{1.0, 42, accuracy}, {2.0, 84, 0.5 * accuracy}};
  run.learned = {{.name = "layers.1.encoding.alibi.slope",
                  .label = "alibi.slope",
                  .layer = 1,
                  .heads = {0, 2},
                  .shape = {2},
                  .start = {0.5, 0.25},
                  .end = {0.5 + accuracy, 0.25}},
                 {.name = "encoding.learned",
                  .label = "learned",
                  .layer = {},
                  .heads = {},
                  .shape = {2, 16},
                  .start = std::vector<double>(32),
                  .end = std::vector<double>(32)}};
}

StudyResults study() {
  StudyResults results{.name = "golden", .preset = "demo"};
  // Five of two encodings, which is what a permutation test takes.
  results.cells = {cell_runs(kRope, {0.875, 0.9375, 0.96875, 0.953125, 0.9375}),
                   cell_runs(kAlibi, {0.5, 0.5625, 0.53125, 0.515625, 0.546875}), cell_runs(kMla, {0.75, 0.8125})};
  for (CellRuns& cell : results.cells) {
    for (RunRecord& run : cell.runs) measure(run);
  }
  results.cells[0].runs[0].converged = false;
  results.cells[1].cell.label = "mine";
  results.cells[1].cell.named = true;
  results.cells[1].planned = 7;
  results.cells[1].failures = {{.id = "f", .cell = kAlibi, .seed = 5, .what = "step 200: the loss is not finite"}};
  results.rates = {{.cell = kRope, .rate = 1e-3, .trials = {{"a", 3e-4, 0.5, 1.0}, {"b", 1e-3, 0.75, 0.5}}}};
  return results;
}

paper::AuditBlock audit_block() {
  const paper::AuditChange change{.base = {90.0, 92.0},
                                  .switched = {80.0, 82.0},
                                  .base_mean = 91.0,
                                  .mean = 81.0,
                                  .change = {.estimate = -10.0, .low = -14.0, .high = -6.0},
                                  .test = {.p = 0.03125, .smallest_p = 0.03125},
                                  .holm = 0.03125};
  const paper::AuditCounts counts{.planned = 2, .finished = 2};
  return {.encoding = "rope",
          .base = "clean",
          .base_counts = counts,
          .base_accuracy = 91.0,
          .base_max_share = 0.5,
          .base_ceiling = 100.0,
          .rows = {{.name = "padding",
                    .what = "pads that attention and readout see",
                    .counts = counts,
                    .ceiling = 100.0,
                    .accuracy = change,
                    .max_share = change}},
          .finding = "rope, clean but for one choice: accuracy is moved by padding."};
}

// Times and places are those of no machine.
void settle(Json& json, const std::string& folder) {
  Json& times = json["summary"]["times"];
  for (const char* member : {"version", "commit", "machine", "date"}) times[member] = member;
  for (Json& cell : json["cells"]) {
    std::string command = cell["command"];
    cell["command"] = command.replace(command.find(folder), folder.size(), "runs/golden/runs");
  }
}

Registration golden_registration() {
  return {.date = "2026-01-01", .commit = "0123456", .plan = "1", .rules = "2", .claims = "3"};
}

Json made() {
  const TemporaryFolder temporary;
  const StudyResults results = study();
  for (const CellRuns& cell : results.cells) {
    for (const RunRecord& run : cell.runs) {
      fs::create_directories(temporary / run.id);
      std::ofstream(temporary / run.id / "config.json") << R"({"task": {"name": "distance"}})";
      std::vector<HeadCurves> heads;
      for (int64_t layer = 0; layer < 2; ++layer) {
        heads.push_back({.layer = layer,
                         .head = 1,
                         .singular = {3.0, 1.0},
                         .plain = {4.0, 1.0},
                         .eigenvalues = {{0.5, -0.25}},
                         .kernel = {-1.0, 0.0, 1.0},
                         .shares = {.content_content = 0.75, .bias = 0.25},
                         .contraction = 0.875});
      }
      write_head_curves({.tokens = 2, .heads = heads}, temporary / run.id / kHeadCurvesFile);
    }
  }
  Json summary = make_report(results).json;
  const paper::JudgedClaim claim{.id = "rope_best_on_distance",
                                 .protocol = "clean",
                                 .verdict = paper::ClaimVerdict::fails,
                                 .reason = "A reason.",
                                 .evidence = {{.what = "lead", .value = 0.1, .low = 0.05, .high = 0.2, .text = "five"}},
                                 .needs = "more",
                                 .post_hoc = true,
                                 .extension = true};
  summary["registration"] = {{"registered", write_json(std::optional(golden_registration()))},
                             {"extensions", Json::array()},
                             {"post_hoc", Json::array({"the claims are not those registered"})},
                             {"text", "Post hoc: the claims are not those registered (registered on 2026-01-01)."}};
  summary["story"] = story_json(study_story(summarize(results, compare_with_first(results)), {claim}));
  summary["claims"] = paper::claims_json({claim});
  summary["audit"] = paper::audit_json({audit_block()});
  summary["published"] = paper::published_json({paper::published().front()});
  Json json = report_data({.kind = "paper",
                           .folder = "golden",
                           .repeat = "phasor reproduce --out runs/golden",
                           .report = "phasor report runs/golden",
                           .run_folder = [&](const RunRecord& run) { return temporary / run.id; }},
                          results, summary);
  settle(json, temporary.path().string());
  return json;
}

// Equal but for the last digits, which differ between processors.
void expect_like(const Json& actual, const Json& expected, const std::string& path) {
  if (expected.is_number() && actual.is_number()) {
    const auto value = expected.get<double>();
    EXPECT_NEAR(actual.get<double>(), value, 1e-6 * std::max(1.0, std::abs(value))) << path;
  } else if (expected.is_object() && actual.is_object()) {
    std::vector<std::string> members, others;
    for (const auto& [name, value] : expected.items()) members.push_back(name);
    for (const auto& [name, value] : actual.items()) others.push_back(name);
    EXPECT_EQ(others, members) << path;
    for (const auto& [name, value] : expected.items()) {
      if (actual.contains(name)) expect_like(actual[name], value, path + "." + name);
    }
  } else if (expected.is_array() && actual.is_array() && expected.size() == actual.size()) {
    for (size_t i = 0; i < expected.size(); ++i)
      expect_like(actual[i], expected[i], path + "[" + std::to_string(i) + "]");
  } else {
    EXPECT_EQ(actual, expected) << path;
  }
}

TEST(GoldenReport, IsWhatTheProgramWrites) {
  const Json json = made();
  if (const char* update = std::getenv("PHASOR_UPDATE_GOLDEN"); update != nullptr && *update == '1') {
    std::ofstream(kFile) << json.dump(1) << '\n';
  }
  expect_like(json, Json::parse(read_file(kFile)), "golden");
}

}  // namespace golden_report_test
}  // namespace phasor
