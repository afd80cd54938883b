#pragma once
// Simulated drops with known means, to see how often a verdict is right. Drops of single samples are skewed and wide:
// their means plus centred exponential noise, part of which all ablations of a sample share.
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "phasor/ablation/verdict.h"
#include "phasor/random/distributions.h"

namespace phasor {

// True mean drops of one layer, nats.
struct DropWorld {
  std::vector<double> alone;
  double whole = 0.0;
  std::vector<double> only;
  double base = 0.0, slope = 2.0;  // a sample's drop deviates by base + slope x mean
  double shared = 0.5;             // part of its variance that all ablations have in common

  double deviation(double mean) const { return base + slope * std::abs(mean); }
};

// Ablating several heads costs the sum of what each costs.
inline DropWorld additive_world(std::vector<double> alone) {
  DropWorld world{.alone = std::move(alone)};
  world.whole = std::accumulate(world.alone.begin(), world.alone.end(), 0.0);
  for (const double drop : world.alone) world.only.push_back(world.whole - drop);
  return world;
}

// Random numbers of case number `number`: noise, means of other methods, worlds that are random themselves.
inline RandomStream case_stream(uint32_t number, uint32_t site) {
  return {.seed = 23, .purpose = Purpose::test, .site = site, .step = number};
}

inline double exponential(const RandomStream& stream, uint64_t index) { return -std::log(uniform(stream, index)); }

// Centred, of deviation 1; four values of 32 bits from each block of the stream.
inline std::vector<double> skewed_noise(const RandomStream& stream, size_t count) {
  std::vector<double> values(count);
  PhiloxBlock block = {};
  for (size_t i = 0; i < count; ++i) {
    if (i % 4 == 0) block = stream.block(i / 4);
    values[i] = -std::log((block[i % 4] + 0.5) * 0x1.0p-32) - 1.0;
  }
  return values;
}

inline LayerDrops draw_drops(const DropWorld& world, size_t samples, uint32_t number) {
  const size_t heads = world.alone.size();
  const double common = std::sqrt(world.shared);
  const double own = std::sqrt(1.0 - world.shared);
  const std::vector<double> of_samples = skewed_noise(case_stream(number, 1), samples);
  uint32_t site = 10;
  const auto column = [&](double mean) {
    const double deviation = world.deviation(mean);
    std::vector<double> values = skewed_noise(case_stream(number, site++), samples);
    for (size_t i = 0; i < samples; ++i) values[i] = mean + deviation * (common * of_samples[i] + own * values[i]);
    return values;
  };
  LayerDrops drops{.whole = column(world.whole)};
  for (size_t h = 0; h < heads; ++h) drops.alone.push_back(column(world.alone[h]));
  for (size_t h = 0; h < heads; ++h) drops.only.push_back(column(world.only[h]));
  return drops;
}

// A run of one such layer whose model has learned its task, and three more methods with means of the same error.
inline RunEvidence draw_run(const DropWorld& world, size_t samples, uint32_t number) {
  RunEvidence run{.layers = {draw_drops(world, samples, number)},
                  .correct = static_cast<int64_t>(samples - samples / 50),
                  .samples = static_cast<int64_t>(samples),
                  .floor_accuracy = 0.1,
                  .knowledge = 2.0};
  for (const char* const name : {"mean", "position_mean", "resample"}) {
    const RandomStream stream = case_stream(number, 2 + static_cast<uint32_t>(run.others.size()));
    std::vector<double> means = world.alone;
    for (size_t h = 0; h < means.size(); ++h) {
      means[h] += world.deviation(means[h]) / std::sqrt(static_cast<double>(samples)) * normal(stream, h);
    }
    run.others.push_back({.name = name, .drops = {means}});
  }
  return run;
}

}  // namespace phasor
