#include "phasor/run/config_complete.h"

#include <gtest/gtest.h>

#include "phasor/base/error.h"
#include "phasor/run/config_builder.h"

namespace phasor {
namespace config_complete_test {

std::string error_of(const std::vector<std::string>& sets) {
  ConfigBuilder builder;
  for (const std::string& set : sets) builder.add_set(set);
  try {
    builder.build();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(CompleteModel, FillsTheDerivedZeros) {
  const ModelConfig model = complete(ModelConfig{.width = 96, .heads = 6});
  EXPECT_EQ(model.head_width, 16);
  EXPECT_EQ(model.kv_heads, 6);
}

TEST(CompleteModel, KeepsWhatWasGiven) {
  const ModelConfig model = complete(ModelConfig{.width = 64, .heads = 6, .kv_heads = 2, .head_width = 24});
  EXPECT_EQ(model.head_width, 24);
  EXPECT_EQ(model.kv_heads, 2);
}

TEST(CompleteModel, ChecksValuesThatCameFromNoKey) {
  EXPECT_THROW(complete(ModelConfig{.layers = 0}), UsageError);
  EXPECT_THROW(complete(ModelConfig{.width = 0}), UsageError);
  EXPECT_THROW(complete(ModelConfig{.hidden = -1}), UsageError);
  EXPECT_THROW(complete(ModelConfig{.heads = 0}), UsageError);
  EXPECT_THROW(complete(ModelConfig{.kv_heads = -1}), UsageError);
  EXPECT_THROW(complete(ModelConfig{.head_width = -1}), UsageError);
  EXPECT_THROW(complete(ModelConfig{.dropout = 1.0}), UsageError);
}

TEST(CompleteRun, ModelTakesItsSizesFromTheTask) {
  RunConfig config;
  config.task_values = {100, 12, 5, 0, 0, 0, 0, 0};
  const RunConfig completed = complete(config);
  EXPECT_EQ(completed.model.vocabulary, 100);
  EXPECT_EQ(completed.model.classes, 12);
  EXPECT_EQ(completed.model.max_length, 24);
  EXPECT_EQ(completed.model.readout, Readout::mean);
}

TEST(CompleteRun, HeadsDivideTheWidth) {
  EXPECT_EQ(error_of({"model.heads=5"}),
            "model.heads: 5 does not divide model.width=64; 4 or 8 would, or set model.head_width");
  EXPECT_EQ(error_of({"model.heads=65"}),
            "model.heads: 65 does not divide model.width=64; 64 would, or set model.head_width");
  EXPECT_EQ(error_of({"model.heads=5", "model.head_width=12"}), "accepted");
  EXPECT_EQ(error_of({"model.kv_heads=3"}), "model.kv_heads: 3 does not divide model.heads=4; 2 or 4 would");
  EXPECT_EQ(error_of({"model.kv_heads=8"}), "model.kv_heads: 8 does not divide model.heads=4; 4 would");
}

TEST(CompleteRun, FillersFitTheVocabulary) {
  EXPECT_EQ(error_of({"task.vocabulary=20"}),
            "task.gap: 24 different fillers cannot come from 18 filler words; at most 18, or task.vocabulary at least "
            "26");
  EXPECT_EQ(error_of({"task.vocabulary=8", "task.gap=4"}),
            "task.sides: 8 different fillers cannot come from 6 filler words; at most 6, or task.vocabulary at least "
            "10");
}

TEST(CompleteRun, StepsAndSamplesFit) {
  EXPECT_EQ(error_of({"train.snapshots=100,2001"}),
            "train.snapshots: step 2001 is after the last one; train.steps=2000");
  EXPECT_EQ(error_of({"train.snapshots=0,2000"}), "accepted");
  EXPECT_EQ(error_of({"train.evaluation_samples=20001"}),
            "train.evaluation_samples: 20001 is more than data.train=20000; at most 20000");
  EXPECT_EQ(error_of({"train.evaluation_tests=4097"}),
            "train.evaluation_tests: 4097 is more than data.test=4096; at most 4096");
  EXPECT_EQ(
      error_of({"data.train=2147483647"}),
      "data.train: 2147483647, data.test=4096 and data.validation=2048 are more than 2147483647 samples together");
  EXPECT_EQ(error_of({"train.batch=51130564"}),  // of 42 tokens each
            "train.batch: 51130564 sequences of up to 42 tokens are too many for one batch; at most 51130563");
}

TEST(CompleteRun, EncodingsAreCheckedAndWrittenCanonically) {
  ConfigBuilder builder;
  builder.add_set("model.encoding= rope( base = 500000 ) ");
  EXPECT_EQ(builder.build().model.encoding, "rope(base=500000)");
  EXPECT_NE(error_of({"model.encoding=roppe"}).find("did you mean 'rope'"), std::string::npos);
}

}  // namespace config_complete_test
}  // namespace phasor
