#include "phasor/ablation/snapshot_timeline.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "ablation/hand_made_ablation.h"
#include "support/temporary_folder.h"

namespace phasor {
namespace snapshot_timeline_test {

using namespace testing_support;

// The head that ends up with nearly everything is head 2 of layer 1; at step 10 it is head 0 that matters there.
std::vector<SnapshotAblation> timeline() {
  const std::vector<std::vector<double>> early = {{0.01, 0.01, 0.01}, {0.4, 0.1, 0.2}};
  const std::vector<std::vector<double>> late = {{0.01, 0.01, 0.01}, {0.05, 0.05, 0.9}};
  const std::vector<std::vector<double>> first = {{0.8, 0.1, 0.1}, {0.01, 0.01, 0.01}};
  std::vector<SnapshotAblation> rows;
  rows.push_back({10, ablation_of({.position = early, .importance = first, .number = 1, .accuracy = 0.5})});
  rows.push_back({40, ablation_of({.position = late, .importance = first, .number = 2, .accuracy = 1.0})});
  return rows;
}

std::vector<std::string> words_of_row(const std::string& text, const std::string& question, int64_t step) {
  std::istringstream lines(text.substr(text.find("\n" + question)));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::vector<std::string> all{std::istream_iterator<std::string>(words), {}};
    if (!all.empty() && all[0] == std::to_string(step)) return all;
  }
  return {};
}

// By definition: drops below 0 count nothing.
double share_of_head(const RunAblation& ablation, AblationMethod method, int64_t layer, int64_t head) {
  double sum = 0.0;
  const auto drop = [&](int64_t h) {
    return std::max(0.0, ablation.scores.mean_loss_drop({layer, method, AblationExtent::alone, h}));
  };
  for (int64_t h = 0; h < ablation.scores.heads; ++h) sum += drop(h);
  return drop(head) / sum;
}

TEST(SnapshotTimeline, FollowsTheFinishedModelsHead) {
  const std::vector<SnapshotAblation> rows = timeline();
  const std::string text = timeline_text(rows);
  expect_words(text, {"position (position_off): the finished model's head is 1.2",
                      "importance (zero): the finished model's head is 0.0"});
  const std::vector<std::string> early = words_of_row(text, "position", 10);
  ASSERT_GE(early.size(), 7u) << text;
  EXPECT_EQ(early[1], "50.0");
  const double top = share_of_head(rows[0].ablation, AblationMethod::position_off, 1, 0);
  const double later_top = share_of_head(rows[0].ablation, AblationMethod::position_off, 1, 2);
  EXPECT_EQ(early[3], fmt::format("{:.2f}", top));
  EXPECT_EQ(early[5], fmt::format("{:.2f}", later_top)) << "of the head that the finished model has";
  EXPECT_LT(later_top, top - 0.1);
  const std::vector<std::string> late = words_of_row(text, "position", 40);
  ASSERT_GE(late.size(), 7u) << text;
  EXPECT_EQ(late[1], "100.0");
  EXPECT_EQ(late[3], late[5]);
  // Importance lies in the first layer all the time.
  const double whole = rows[1].ablation.scores.mean_loss_drop({0, AblationMethod::zero, AblationExtent::whole, -1});
  EXPECT_EQ(words_of_row(text, "importance", 40).at(2), fmt::format("{:.3f}", whole));
}

TEST(SnapshotTimeline, LeavesOutAQuestionThatWasNotAsked) {
  std::vector<SnapshotAblation> rows;
  rows.push_back({20, ablation_of({.importance = {{0.5, 0.1}}, .accuracy = 0.75})});
  const std::string text = timeline_text(rows);
  EXPECT_EQ(text.find("position"), std::string::npos) << text;
  const nlohmann::ordered_json json = timeline_json(rows);
  ASSERT_EQ(json.size(), 1u);
  EXPECT_EQ(json[0].at("step"), 20);
  EXPECT_EQ(json[0].at("accuracy"), 0.75);
  EXPECT_FALSE(json[0].contains("position"));
  EXPECT_EQ(json[0].at("importance").at("layers").size(), 1u);
}

}  // namespace snapshot_timeline_test
}  // namespace phasor
