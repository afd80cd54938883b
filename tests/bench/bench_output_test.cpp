#include "phasor/bench/bench_output.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "phasor/base/threads.h"
#include "phasor/run/config_builder.h"
#include "support/temporary_folder.h"

namespace phasor {
namespace bench_output_test {

RunConfig config() {
  ConfigBuilder builder;
  for (const char* value : {"model.encoding=alibi", "train.batch=48"}) builder.add_set(value);
  return builder.build();
}

TEST(BenchOutput, OfAStepHasEveryRateAndTheOps) {
  StepBench bench;
  bench.ms_per_step = 12.5;
  bench.ms_fastest = 11.25;
  bench.tokens_per_step = 400.0;
  bench.tokens_per_second = 32000.0;
  bench.gflops = 150.0;
  bench.peak_gflops = 600.0;
  bench.peak_library = "a library";
  bench.share_of_peak = 0.25;
  bench.resident_mib = 96.0;
  expect_words(to_text(config(), bench),
               {"preset quick, alibi, batch 48, fp32, " + std::to_string(thread_count()) + " threads",
                "12.50 ms per step (median; fastest 11.25)", "32000 real tokens per second (400 per step",
                "150.0 useful GFLOP/s", "600.0 GFLOP/s peak (2048^3 fp32 product by a library", "25.0 % of peak"});
  EXPECT_EQ(to_text(config(), bench).find("by op"), std::string::npos) << "nothing was profiled";
  bench.times["attention"] = {.seconds = 0.0045, .calls = 6};
  expect_words(to_text(config(), bench), {"time per step by op", "4.50 ms    6 x  attention"});
  const nlohmann::ordered_json json = to_json(config(), bench);
  EXPECT_EQ(json.at("share_of_peak"), 0.25);
  EXPECT_EQ(json.at("encoding"), "alibi");
  EXPECT_EQ(json.at("ops").at("attention").at("calls"), 6);
  EXPECT_DOUBLE_EQ(json.at("ops").at("attention").at("ms").get<double>(), 4.5);
}

TEST(BenchOutput, OfASweepSaysWhereScoresDiffer) {
  SweepBench bench;
  bench.heads = 12;
  bench.samples = 256;
  bench.seconds = 2.0;
  bench.naive_seconds = 5.0;
  bench.same_scores = true;
  expect_words(to_text(config(), bench), {"12 heads", "256 samples", "2.50 times as fast; scores equal bit for bit"});
  bench.same_scores = false;
  expect_words(to_text(config(), bench), {"scores NOT equal"});
  EXPECT_EQ(to_json(config(), bench).at("ratio"), 2.5);
  EXPECT_EQ(to_json(config(), bench).at("same_scores"), false);
}

TEST(BenchOutput, OfEncodingsIsALineEach) {
  const EncodingTime time{
      .encoding = "fire", .causal = true, .ms = 3.0, .rope_ms = 2.0, .ratio = 1.5, .parameters = 77};
  EXPECT_EQ(to_text(time), "     3.00      2.00   1.500          77  fire  (causal)\n");
  const nlohmann::ordered_json json = to_json(std::vector<EncodingTime>{time});
  EXPECT_EQ(json.at(0).at("rope_ms_per_step"), 2.0);
  EXPECT_EQ(json.at(0).at("ms_per_step"), 3.0);
  EXPECT_EQ(to_text(HashBench{.gigabytes_per_second = 17.25, .turns = 5, .bytes = 256 << 20}),
            "checksum (XXH64): 17.2 GB/s, median of 5 over 256 MiB in memory\n");
}

}  // namespace bench_output_test
}  // namespace phasor
