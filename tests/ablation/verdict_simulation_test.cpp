// How often is a verdict of DEPOSIT right? In worlds without a deposit at most 5 % of runs may get it, in a world with
// one at least 90 % must.
//
// Noise of two kinds. Wide: whatever is ablated, a sample's drop deviates by twice the layer's mean drop. That is the
// hardest for worlds without a deposit, but it drowns shares: small heads are as noisy as large ones, and a sum over
// heads collects the noise of all. Graded: it deviates by twice the ablation's own mean and a tenth of the layer's.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ablation/drop_world.h"
#include "phasor/ablation/verdict.h"

namespace phasor {
namespace verdict_simulation_test {

constexpr size_t kSamples = 512;
constexpr VerdictOptions kOptions{.resamples = 160, .flips = 499};
constexpr uint32_t kNullCases = 1000;
constexpr uint32_t kDepositCases = 500;

DropWorld with_noise(DropWorld world, double base, double slope) {
  world.base = base;
  world.slope = slope;
  return world;
}

DropWorld wide(DropWorld world) { return with_noise(std::move(world), 2.0, 0.0); }
DropWorld graded(DropWorld world) { return with_noise(std::move(world), 0.1, 2.0); }

// Any head can stand in for all others: ablating one costs nothing, and so does ablating all but one.
DropWorld redundant_layer(size_t heads, uint32_t) {
  return wide({.alone = std::vector<double>(heads), .whole = 1.0, .only = std::vector<double>(heads)});
}

DropWorld idle_layer(size_t heads, uint32_t) {
  return wide({.alone = std::vector<double>(heads), .whole = 0.0, .only = std::vector<double>(heads)});
}

// Of 4 such heads one has 80 % or more, and with it all that a deposit needs, in 4 x 0.2^3 = 3.2 % of cases.
DropWorld exponential_heads(size_t heads, uint32_t number) {
  std::vector<double> drops(heads);
  double sum = 0.0;
  for (size_t h = 0; h < heads; ++h) sum += drops[h] = exponential(case_stream(number, 9), h);
  for (double& drop : drops) drop /= sum;
  return additive_world(drops);
}

DropWorld two_equal_heads(size_t heads, uint32_t) {
  std::vector<double> drops(heads);
  drops[0] = drops[1] = 0.5;
  return additive_world(drops);
}

// Either of two heads does the work; the first is a little better at it. Little noise, so that its share and its lead
// are plain to see.
DropWorld two_redundant_heads(size_t heads, uint32_t) {
  DropWorld world{.alone = std::vector<double>(heads), .whole = 1.0, .only = std::vector<double>(heads, 1.0)};
  world.alone[0] = 0.02;
  world.alone[1] = 0.01;
  world.only[0] = world.only[1] = 0.05;
  return with_noise(world, 0.01, 2.0);
}

// 70 % in one head and the rest spread evenly; that head alone recovers 90 %.
DropWorld deposit(size_t heads, uint32_t) {
  std::vector<double> drops(heads, 0.3 / static_cast<double>(heads - 1));
  drops[1] = 0.7;
  DropWorld world = additive_world(drops);
  world.only[1] = 0.1;
  return graded(world);
}

struct World {
  const char* name;
  DropWorld (*make)(size_t heads, uint32_t number);
};

const World kNulls[] = {
    {"RedundantLayer", redundant_layer},
    {"IdleLayer", idle_layer},
    {"ExponentialHeadsWide", [](size_t heads, uint32_t number) { return wide(exponential_heads(heads, number)); }},
    {"ExponentialHeadsGraded", [](size_t heads, uint32_t number) { return graded(exponential_heads(heads, number)); }},
    {"TwoEqualHeadsWide", [](size_t heads, uint32_t number) { return wide(two_equal_heads(heads, number)); }},
    {"TwoEqualHeadsGraded", [](size_t heads, uint32_t number) { return graded(two_equal_heads(heads, number)); }},
    {"TwoRedundantHeads", two_redundant_heads},
};
const World kDeposits[] = {{"Deposit", deposit}};

class VerdictSimulation : public testing::TestWithParam<std::tuple<World, size_t>> {
 protected:
  // Of each verdict, in the order of the enumeration.
  std::vector<uint32_t> count_verdicts(uint32_t cases) {
    const auto& [world, heads] = GetParam();
    std::vector<uint32_t> counts(5);
    for (uint32_t number = 0; number < cases; ++number) {
      VerdictOptions options = kOptions;
      options.seed = number;
      const RunVerdict run = judge_run(draw_run(world.make(heads, number), kSamples, number), options);
      ++counts[static_cast<size_t>(run.verdict)];
    }
    for (const Deposit verdict :
         {Deposit::deposit, Deposit::partial, Deposit::spread, Deposit::not_used, Deposit::undetermined}) {
      RecordProperty(std::string(name(verdict)), static_cast<int>(counts[static_cast<size_t>(verdict)]));
    }
    return counts;
  }
};

using NullSimulation = VerdictSimulation;
using DepositSimulation = VerdictSimulation;

TEST_P(NullSimulation, SeldomIsADeposit) {
  const std::vector<uint32_t> counts = count_verdicts(kNullCases);
  EXPECT_LE(counts[static_cast<size_t>(Deposit::deposit)], kNullCases * 5 / 100);
}

TEST_P(DepositSimulation, IsFound) {
  const std::vector<uint32_t> counts = count_verdicts(kDepositCases);
  EXPECT_GE(counts[static_cast<size_t>(Deposit::deposit)], kDepositCases * 90 / 100);
  // What is one head's must seldom count as an answer against it.
  EXPECT_LE(counts[static_cast<size_t>(Deposit::partial)] + counts[static_cast<size_t>(Deposit::spread)],
            kDepositCases * 5 / 100);
  EXPECT_EQ(counts[static_cast<size_t>(Deposit::not_used)], 0u);
}

std::string case_name(const testing::TestParamInfo<std::tuple<World, size_t>>& info) {
  return std::get<0>(info.param).name + std::to_string(std::get<1>(info.param)) + "Heads";
}

const auto kHeads = testing::Values(size_t{4}, size_t{8}, size_t{16});
INSTANTIATE_TEST_SUITE_P(Worlds, NullSimulation, testing::Combine(testing::ValuesIn(kNulls), kHeads), case_name);
INSTANTIATE_TEST_SUITE_P(Worlds, DepositSimulation, testing::Combine(testing::ValuesIn(kDeposits), kHeads), case_name);

}  // namespace verdict_simulation_test
}  // namespace phasor
