#include "phasor/task/dataset.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>
#include <string>

#include "phasor/base/error.h"
#include "phasor/random/distributions.h"
#include "phasor/task/distinct_index.h"

namespace phasor {
namespace dataset_test {

std::unique_ptr<Task> quick_distance() { return make_task("distance", quick_values(find_task("distance"))); }

std::vector<int32_t> copy(std::span<const int32_t> values) { return {values.begin(), values.end()}; }

// One token out of a few: a task whose samples run out.
class FewSamples final : public Task {
 public:
  explicit FewSamples(uint32_t count) : count_(count) {}
  TaskShape shape() const override { return {.vocabulary = count_, .classes = 1, .max_length = 1}; }
  Sample sample(const RandomStream& stream) const override {
    return {.tokens = {static_cast<int32_t>(Draws(stream).below(count_))}, .targets = {0}, .place = -1};
  }
  std::vector<int32_t> solve(const std::vector<int32_t>&) const override { return {0}; }

 private:
  uint32_t count_;
};

TEST(MakeSplit, TrainAndTestHaveTheirSizesAndShareNoSample) {
  const auto task = quick_distance();
  const Split split = make_split(*task, 0, {20000, 4096});
  EXPECT_EQ(split.train.size(), 20000);
  EXPECT_EQ(split.test.size(), 4096);
  std::set<std::vector<int32_t>> seen;
  for (const Dataset* set : {&split.train, &split.test}) {
    for (int64_t i = 0; i < set->size(); ++i) {
      ASSERT_TRUE(seen.insert(copy(set->tokens(i))).second) << "sample " << i << " is a repeat";
      ASSERT_EQ(copy(set->targets(i)), task->solve(copy(set->tokens(i))));
      ASSERT_EQ(set->length(i), static_cast<int64_t>(set->tokens(i).size()));
    }
  }
}

TEST(MakeSplit, TheThreeSetsShareNoSample) {
  const auto task = quick_distance();
  const Split split = make_split(*task, 3, {3000, 500, 400});
  EXPECT_EQ(split.validation.size(), 400);
  std::set<std::vector<int32_t>> seen;
  for (const Dataset* set : {&split.train, &split.test, &split.validation}) {
    for (int64_t i = 0; i < set->size(); ++i) ASSERT_TRUE(seen.insert(copy(set->tokens(i))).second) << i;
  }
  const Split few = make_split(FewSamples(50), 0, {30, 10, 10});
  std::set<int32_t> tokens;
  for (const Dataset* set : {&few.train, &few.test, &few.validation}) {
    for (int64_t i = 0; i < set->size(); ++i) tokens.insert(set->tokens(i)[0]);
  }
  EXPECT_EQ(tokens.size(), 50u) << "all of them, each once";
}

TEST(SampleStream, NeverGivesWhatIsHeldOut) {
  const FewSamples task(50);
  const Split split = make_split(task, 0, {0, 30, 15});
  std::set<int32_t> held_out, given;
  for (const Dataset* set : {&split.test, &split.validation}) {
    for (int64_t i = 0; i < set->size(); ++i) held_out.insert(set->tokens(i)[0]);
  }
  const SampleStream stream(task, 0, split, {});
  for (int64_t i = 0; i < 2000; ++i) given.insert(stream.sample(i).tokens[0]);
  EXPECT_EQ(given.size(), 5u);
  for (const int32_t token : given) EXPECT_EQ(held_out.count(token), 0u) << token;
}

TEST(SampleStream, ASampleDependsOnItsNumberAlone) {
  const auto task = quick_distance();
  const Split split = make_split(*task, 1, {0, 200, 100});
  const SampleStream stream(*task, 1, split, {}), again(*task, 1, split, {}), other(*task, 2, split, {});
  std::set<std::vector<int32_t>> seen;
  for (const int64_t number : {int64_t{7}, int64_t{0}, int64_t{1} << 32, int64_t{3}}) {
    const Sample sample = stream.sample(number);
    EXPECT_EQ(sample.tokens, again.sample(number).tokens);
    EXPECT_NE(sample.tokens, other.sample(number).tokens);
    EXPECT_EQ(sample.targets, task->solve(sample.tokens));
    EXPECT_TRUE(seen.insert(sample.tokens).second) << number;
  }
}

TEST(SampleStream, NothingLeftToTrainOnIsAnError) {
  const FewSamples task(20);
  const Split split = make_split(task, 0, {0, 20, 0});
  EXPECT_THROW(SampleStream(task, 0, split, {}).sample(0), UsageError);
}

TEST(MakeSplit, EqualSeedsGiveEqualBitsAndSizesOnlyMoveTheBorder) {
  const auto task = quick_distance();
  const Split a = make_split(*task, 5, {300, 100});
  const Split b = make_split(*task, 5, {250, 150});
  const Split other = make_split(*task, 6, {300, 100});
  const auto at = [](const Split& split, int64_t i) {
    return copy(i < split.train.size() ? split.train.tokens(i) : split.test.tokens(i - split.train.size()));
  };
  int equal_to_other = 0;
  for (int64_t i = 0; i < 400; ++i) {
    ASSERT_EQ(at(a, i), at(b, i)) << i;
    equal_to_other += at(a, i) == at(other, i) ? 1 : 0;
  }
  EXPECT_EQ(equal_to_other, 0);
}

TEST(MakeSplit, RepeatedSamplesAreSkippedUntilAllAreFound) {
  const Split split = make_split(FewSamples(50), 0, {40, 10});
  std::set<int32_t> tokens;
  for (int64_t i = 0; i < 40; ++i) tokens.insert(split.train.tokens(i)[0]);
  for (int64_t i = 0; i < 10; ++i) tokens.insert(split.test.tokens(i)[0]);
  EXPECT_EQ(tokens.size(), 50u);
}

TEST(MakeSplit, TooFewDifferentSamplesIsAnErrorThatCounts) {
  try {
    make_split(FewSamples(50), 0, {45, 6});
    FAIL() << "made 51 different samples out of 50";
  } catch (const UsageError& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find("data.train: the task gave only 50 different samples in "), 0u) << text;
    EXPECT_NE(text.find(" draws, and 51 are asked for (45 train, 6 test, 0 validation); ask for fewer"), text.npos)
        << text;
  }
}

TEST(MakeSplit, ImpossibleSizesAreRefused) {
  EXPECT_THROW(make_split(FewSamples(50), 0, {-1, 6}), UsageError);
  EXPECT_THROW(make_split(FewSamples(50), 0, {2147483647, 1}), UsageError);
}

TEST(DistinctIndex, EqualHashesAreComparedInFull) {
  DistinctIndex index(4);
  const auto never = [](int64_t) { return false; };
  EXPECT_TRUE(index.insert(9, never));
  EXPECT_TRUE(index.insert(9, never)) << "a collision of hashes is no repeat";
  std::vector<int64_t> asked;
  EXPECT_FALSE(index.insert(9, [&](int64_t number) {
    asked.push_back(number);
    return number == 1;
  }));
  EXPECT_EQ(asked, (std::vector<int64_t>{0, 1}));
  EXPECT_TRUE(index.insert(10, [](int64_t) { return true; })) << "only equal hashes are compared";
}

TEST(DistinctIndex, HashTellsOrderLengthAndWordApart) {
  std::set<uint64_t> hashes;
  for (const std::vector<int32_t>& tokens :
       {std::vector<int32_t>{}, {0}, {0, 0}, {0, 0, 0}, {1}, {1, 0}, {0, 1}, {2, 1}, {1, 2}}) {
    EXPECT_TRUE(hashes.insert(hash_sequence(tokens)).second);
  }
}

TEST(Dataset, AppendToCarriesTargetsAndPlace) {
  Dataset set;
  set.append({.tokens = {3, 4, 5}, .targets = {0, kNotScored, 1}, .place = -2});
  set.append({.tokens = {6}, .targets = {2}, .place = 0});
  Batch batch;
  set.append_to(batch, 1);
  set.append_to(batch, 0);
  EXPECT_EQ(batch.tokens, (std::vector<int32_t>{6, 3, 4, 5}));
  EXPECT_EQ(batch.offsets, (std::vector<int32_t>{0, 1, 4}));
  EXPECT_EQ(batch.targets, (std::vector<int32_t>{2, 0, kNotScored, 1}));
  EXPECT_EQ(batch.places, (std::vector<int32_t>{0, -2}));
}

TEST(EpochOrder, EveryEpochIsAFreshPermutation) {
  constexpr int64_t kSamples = 1000;
  EpochOrder order(4, kSamples);
  std::vector<std::vector<int64_t>> epochs;
  for (int64_t epoch = 0; epoch < 3; ++epoch) {
    std::vector<int64_t> visited;
    for (int64_t i = 0; i < kSamples; ++i) visited.push_back(order.sample(epoch * kSamples + i));
    epochs.push_back(visited);
    std::sort(visited.begin(), visited.end());
    std::vector<int64_t> all(kSamples);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(visited, all) << "epoch " << epoch;
  }
  EXPECT_NE(epochs[0], epochs[1]);
  EXPECT_NE(epochs[1], epochs[2]);
  // A random permutation of n leaves one place fixed on average; 10 has probability below 1e-6.
  int fixed = 0;
  for (int64_t i = 0; i < kSamples; ++i) fixed += epochs[0][static_cast<size_t>(i)] == i ? 1 : 0;
  EXPECT_LT(fixed, 10);
}

TEST(EpochOrder, IsAFunctionOfSeedAndPlaceAlone) {
  EpochOrder straight(4, 100), jumping(4, 100), other(5, 100);
  std::vector<int64_t> row;
  for (int64_t place = 0; place < 500; ++place) row.push_back(straight.sample(place));
  int equal_to_other = 0;
  for (int64_t place : {499, 0, 250, 99, 100, 101, 450}) {
    EXPECT_EQ(jumping.sample(place), row[static_cast<size_t>(place)]) << place;
  }
  for (int64_t place = 0; place < 100; ++place)
    equal_to_other += other.sample(place) == row[static_cast<size_t>(place)];
  EXPECT_LT(equal_to_other, 10);
}

TEST(EpochOrder, FirstPlaceIsUniformOverSeeds) {
  std::vector<double> counts(10);
  for (uint64_t seed = 0; seed < 10000; ++seed) ++counts[static_cast<size_t>(EpochOrder(seed, 10).sample(0))];
  double chi_squared = 0.0;
  for (const double count : counts) chi_squared += (count - 1000.0) * (count - 1000.0) / 1000.0;
  EXPECT_LT(chi_squared, 45.1);  // quantile at 1 - 1e-6 with 9 degrees of freedom
}

TEST(EpochOrder, OneSampleIsItsOwnOrder) {
  EpochOrder order(0, 1);
  EXPECT_EQ(order.sample(0), 0);
  EXPECT_EQ(order.sample(12345), 0);
}

}  // namespace dataset_test
}  // namespace phasor
