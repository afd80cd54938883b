#include "phasor/study/swap/swap_study.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "model/thread_guard.h"
#include "phasor/base/error.h"
#include "phasor/run/config_json.h"
#include "phasor/run/length_evaluation.h"
#include "phasor/run/trained_model.h"
#include "phasor/train/train_in_folder.h"
#include "run/tiny_run.h"
#include "support/backend.h"
#include "support/temporary_folder.h"

namespace phasor {
namespace swap_study_test {

using namespace testing_support;
namespace fs = std::filesystem;

constexpr const char* kLinear = "rope(scaling=linear,factor={length})";

SwapPlan tiny_plan() {
  return {.swaps = {{"linear", kLinear}, {"", "learned"}},
          .recalibrated = {{"", "nope"}},
          .steps = 6,
          .factors = {1.0, 2.0},
          .samples = 20,
          .damage_samples = 2};
}

struct MeasuredRun {
  TemporaryFolder folder;
  PlannedRun run;
  std::vector<SwapPoint> points;

  MeasuredRun() {
    const ThreadGuard one_thread(1);
    run.config = tiny_run({"data.validation=0"});
    run.id = config_id(run.config);
    train_in_folder(test_backend(), run.config, RunFolder(folder / "run"));
    points = measure();
  }
  std::vector<SwapPoint> measure() const {
    return measure_swaps(test_backend(), run, folder / "run", folder / "further", tiny_plan());
  }
  const SwapPoint& at(const std::string& swap, double factor) const {
    for (const SwapPoint& point : points) {
      if (point.swap == swap && point.factor == factor) return point;
    }
    throw std::runtime_error("no " + swap);
  }
};

TEST(SwapStudy, MeasuresTheRunUnderEveryEncoding) {
  const ThreadGuard one_thread(1);
  const MeasuredRun measured;
  ASSERT_EQ(measured.points.size(), 8u) << "as trained, two swaps and one that was trained further, at two lengths";
  Session session = open_trained_model(test_backend(), RunFolder(measured.folder / "run"));
  EXPECT_EQ(measured.at("", 2.0).accuracy, LengthEvaluation(session, 2.0).run(20).accuracy);
  EXPECT_EQ(measured.at("", 2.0).loss, LengthEvaluation(session, 2.0).run(20).loss);
  EXPECT_TRUE(measured.at("", 1.0).blind);
  const SwapPoint& linear = measured.at("linear", 2.0);
  EXPECT_EQ(linear.encoding, "rope(scaling=linear,factor=2)");
  EXPECT_EQ(linear.expression, kLinear);
  EXPECT_EQ(linear.loss, LengthEvaluation(session, 2.0, kLinear).run(20).loss);
  EXPECT_GT(*linear.divergence, 0.0);
  EXPECT_EQ(*measured.at("linear", 1.0).divergence, 0.0);
  // What cannot be done says why, and nothing else.
  const SwapPoint& learned = measured.at("learned", 1.0);
  EXPECT_FALSE(learned.accuracy);
  expect_words(learned.refused, {"never had", "encoding.learned"});
}

TEST(SwapStudy, TrainsFurtherOnceAndKeepsIt) {
  const ThreadGuard one_thread(1);
  const MeasuredRun measured;
  const SwapPoint& nope = measured.at("nope, 6 more steps", 2.0);
  EXPECT_EQ(nope.further_steps, 6);
  EXPECT_FALSE(nope.divergence) << "other weights";
  std::vector<fs::path> further;
  for (const auto& entry : fs::directory_iterator(measured.folder / "further")) further.push_back(entry.path());
  ASSERT_EQ(further.size(), 1u);
  const RunFolder folder(further.front());
  EXPECT_EQ(folder.load_config().start.run, measured.run.id);
  EXPECT_EQ(folder.path().filename(), config_id(folder.load_config()));
  Session session = open_trained_model(test_backend(), folder);
  EXPECT_EQ(nope.loss, LengthEvaluation(session, 2.0).run(20).loss);
  const auto before = fs::last_write_time(folder.file("model.safetensors"));
  EXPECT_EQ(swap_csv(measured.measure()), swap_csv(measured.points));
  EXPECT_EQ(fs::last_write_time(folder.file("model.safetensors")), before);
}

TEST(SwapStudy, PlansThatMakeNoSenseAreRefused) {
  const auto refusal = [](const SwapPlan& plan) { return message_of<UsageError>([&] { check(plan, 12); }); };
  expect_words(refusal({}), {"--swap", "--recalibrate"});
  expect_words(refusal({.swaps = {{"", "nope"}, {"", "nope"}}}), {"nope", "twice"});
  expect_words(refusal({.swaps = {{"", "rope(base={})"}}}), {"{length}"});
  expect_words(refusal({.swaps = {{"", "ropes"}}}), {"ropes"});
  expect_words(refusal({.recalibrated = {{"", kLinear}}}), {"--recalibrate", "{length}"});
  EXPECT_NO_THROW(check({.swaps = {{"a", "nope"}, {"b", "nope"}}, .recalibrated = {{"a", "nope"}}}, 12));
}

SwapPoint point(const std::string& run, const std::string& swap, double factor, double accuracy) {
  return {.run = run,
          .task = "distance",
          .protocol = "clean",
          .base = "rope",
          .swap = swap,
          .expression = swap.empty() ? "rope" : swap,
          .factor = factor,
          .longest = static_cast<int64_t>(10 * factor),
          .accuracy = accuracy,
          .loss = 1.0 - accuracy,
          .blind = swap.empty() ? std::optional(0.1) : std::nullopt,
          .samples = 1000};
}

// Three runs that scatter more than the swap moves any of them: only their differences tell.
std::vector<SwapPoint> paired() {
  std::vector<SwapPoint> points;
  const double own[] = {0.5, 0.7, 0.9, 0.6, 0.8};
  const double cost[] = {0.20, 0.22, 0.19, 0.21, 0.23};
  const double none[] = {0.01, -0.01, 0.02, -0.02, 0.0};
  for (int r = 0; r < 5; ++r) {
    const std::string run = "run" + std::to_string(r);
    points.push_back(point(run, "", 1.0, own[r]));
    points.push_back(point(run, "worse", 1.0, own[r] - cost[r]));
    points.push_back(point(run, "same", 1.0, own[r] + none[r]));
  }
  return points;
}

TEST(SwapStudy, ChangesArePairedByRun) {
  const SwapSummary found = summarize(paired(), 10);
  ASSERT_EQ(found.cells.size(), 3u);
  EXPECT_EQ(found.seeds, 5);
  EXPECT_EQ(found.task, "distance");
  const SwapCell &own = found.cells[0], &worse = found.cells[1], &same = found.cells[2];
  EXPECT_FALSE(own.change);
  EXPECT_NEAR(own.accuracy.mean, 0.7, 1e-12);
  EXPECT_EQ(own.blind, 0.1);
  ASSERT_TRUE(worse.change);
  EXPECT_NEAR(worse.change->difference, -0.21, 1e-12);
  // Student's t with four degrees of freedom, by the spread of the five differences or the floor, binomial errors of
  // 5000 samples on each side, whichever is larger.
  const double p = (0.7 * 5000 + 1) / 5002, q = (0.49 * 5000 + 1) / 5002;
  const double floor = p * (1 - p) / 5000 + q * (1 - q) / 5000;
  const double variance = std::max(2.5e-4 / 5, floor);
  EXPECT_NEAR(worse.change->low, -0.21 - 2.7764451 * std::sqrt(variance), 1e-6);
  EXPECT_NEAR(worse.change->high, -0.21 + 2.7764451 * std::sqrt(variance), 1e-6);
  EXPECT_EQ(worse.reading, statistics::DifferenceReading::of_interest);
  EXPECT_LT(*worse.holm, 0.05);
  EXPECT_NEAR(*worse.holm, std::min(1.0, 2.0 * worse.change->p), 1e-12) << "the smaller of two";
  EXPECT_FALSE(same.change->significant());
  // Unpaired, accuracies from 0.5 to 0.9 would hide 21 points.
  EXPECT_GT(*own.accuracy.high - *own.accuracy.low, 0.3);
  const std::string text = to_text(found);
  expect_words(text, {"rope on distance, 5 seeds", "as trained", "70.0 [", "-21.0 [", "]*", "10.0 at 1x"});
  const auto json = to_json(found);
  EXPECT_EQ(json.at("cells").at(1).at("reading"), "of interest");
  EXPECT_TRUE(json.at("cells").at(0).at("change").is_null());
  EXPECT_NEAR(json.at("cells").at(1).at("change").at("difference").get<double>(), -0.21, 1e-12);
}

TEST(SwapStudy, RunsWithoutAnAnswerArePairedWithNothing) {
  std::vector<SwapPoint> points = paired();
  for (SwapPoint& one : points) {
    if (one.swap != "worse" || one.run == "run0") continue;
    one.accuracy.reset();
    one.loss.reset();
    one.refused = "it cannot";
  }
  const SwapSummary found = summarize(points, 10);
  EXPECT_FALSE(found.cells[1].change) << "one pair is left";
  EXPECT_EQ(found.cells[1].accuracy.count, 1);
  expect_words(to_text(found), {"worse at 1x: it cannot"});
  EXPECT_EQ(summarize({}, 10).cells.size(), 0u);
}

TEST(SwapStudy, TheTableOfRunsHasALineForEachRunAndEncoding) {
  std::vector<SwapPoint> points = paired();
  for (SwapPoint& one : paired()) {
    one.factor = 2.0;
    if (one.swap == "same") {
      one.accuracy.reset();
    } else {
      *one.accuracy /= 2.0;
    }
    points.push_back(one);
  }
  const std::string csv = swap_csv(points);
  std::istringstream lines(csv);
  std::string titles, own, worse, same;
  std::getline(lines, titles);
  std::getline(lines, own);
  std::getline(lines, worse);
  std::getline(lines, same);
  EXPECT_EQ(titles,
            "id,task,protocol,encoding,variant,expression,further_steps,seed,samples,accuracy_at_1,accuracy_at_2,"
            "change_at_1,change_at_2,loss_at_1,loss_at_2,whole_at_1,whole_at_2,divergence_at_1,divergence_at_2,"
            "moved_at_1,moved_at_2,blind_at_1,blind_at_2");
  EXPECT_EQ(own, "run0,distance,clean,rope,as trained,rope,0,0,1000,0.5,0.25,,,0.5,0.5,,,,,,,0.1,0.1");
  EXPECT_EQ(worse.substr(0, worse.find(",-")), "run0,distance,clean,rope,worse,worse,0,0,1000,0.3,0.15");
  EXPECT_EQ(same, "run0,distance,clean,rope,same,same,0,0,1000,0.51,,0.010000000000000009,,0.49,0.49,,,,,,,,");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 16);
}

}  // namespace swap_study_test
}  // namespace phasor
