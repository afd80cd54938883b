// Whole models with windows, chunks and sinks: what must not make a difference makes none, in bits.
#include <gtest/gtest.h>

#include "model/encoding_cases.h"
#include "model/thread_guard.h"
#include "phasor/model/flops.h"

namespace phasor::testing_support {
namespace mask_test {

class ModelMasks : public ::testing::Test {
 protected:
  void SetUp() override {
    if (tested_device() != kDefaultDevice) GTEST_SKIP() << "refused by this backend";
  }

  struct Trained {
    BatchResult result;
    std::vector<float> gradients;
  };

  // Loss and gradients of a model of this encoding, causal or not, with the parameters that all of them share.
  static Trained train(const std::string& encoding, bool causal) {
    const ThreadGuard one_thread(1);
    ModelConfig config = small_model(encoding);
    config.causal = causal;
    const ModelData data(config, {10, 7, 1, 9}, 71);
    Transformer model(test_backend(), data.config, data.encoding, options_for(data.batch, Dtype::f32));
    model.load_parameters(data.parameters);
    Trained trained;
    trained.result = model.loss_gradient(data.batch);
    trained.gradients.resize(static_cast<size_t>(model.gradients().size()));
    model.backend().copy_out(trained.gradients.data(), model.gradients().data(),
                             trained.gradients.size() * sizeof(float));
    return trained;
  }

  static void expect_equal(const std::string& a, const std::string& b) {
    for (const bool causal : {false, true}) {
      const Trained one = train(a, causal), other = train(b, causal);
      EXPECT_EQ(one.result.loss, other.result.loss) << a << " and " << b;
      EXPECT_EQ(one.gradients, other.gradients) << a << " and " << b;
    }
  }
};

TEST_F(ModelMasks, AWindowOrAChunkOfAllTokensIsNone) {
  expect_equal("rope", "rope[window=10]");
  expect_equal("alibi(slopes=learned)", "alibi(slopes=learned)[chunk=10,window=4000]");
  expect_equal("nope", "nope[chunk=1048576]");
}

TEST_F(ModelMasks, ASmallerOneIsNot) {
  EXPECT_NE(train("rope", true).result.loss, train("rope[window=9]", true).result.loss);
  EXPECT_NE(train("rope", true).result.loss, train("rope[chunk=9]", true).result.loss);
  EXPECT_NE(train("rope", true).result.loss, train("rope+sink(logit=fixed)", true).result.loss);
}

// A window may stand at any term of the heads and layers that it is for.
TEST_F(ModelMasks, ItDoesNotMatterWhichTermHasTheWindow) {
  expect_equal("rope[window=3]+alibi", "rope+alibi[window=3]");
  expect_equal("rope[window=3]+alibi", "nope[window=3]+rope+alibi[window=8]");
  expect_equal("rope[layers=0]+rope[layers=1,window=3]", "rope+nope[layers=1,window=3]");
}

// Beside a window of one, which sees one key for each of 17 tokens.
TEST_F(ModelMasks, FlopsCountWhatIsSeen) {
  const auto flops = [](const std::string& encoding, bool causal) {
    ModelConfig config = small_model(encoding);
    config.causal = causal;
    const ModelData data(config, {10, 7}, 71);
    return training_flops(data.config, data.encoding, data.batch);
  };
  const double none = flops("nope[window=1]", false);
  const double pair =
      2 * 3 * 2.0 * 3 * (4 + 4);  // layers, heads, multiply-adds of 2, passes, channels of key and value
  EXPECT_EQ(flops("nope", false) - none, pair * (100 + 49 - 17));
  EXPECT_EQ(flops("nope", true) - none, pair * (55 + 28 - 17));
  EXPECT_EQ(flops("nope[window=2]", true) - none, pair * (9 + 6));
  EXPECT_EQ(flops("nope[window=2]", false) - none, pair * 2 * (9 + 6));
  EXPECT_EQ(flops("nope[chunk=5]", true) - none, pair * (15 + 15 + 15 + 3 - 17));
}

}  // namespace mask_test
}  // namespace phasor::testing_support
