// Training learns: on a task small enough to be mastered in a second, and in either precision.
#include <gtest/gtest.h>

#include "model/thread_guard.h"
#include "phasor/train/trainer.h"
#include "run/tiny_run.h"
#include "support/backend.h"
#include "support/temporary_folder.h"

namespace phasor {
namespace learning_test {

using testing_support::test_backend;
using testing_support::ThreadGuard;
using testing_support::tiny_run;

RunConfig learnable(Dtype precision, const char* encoding) {
  const std::string set_precision = std::string("train.precision=") + name(precision);
  const std::string set_encoding = std::string("model.encoding=") + encoding;
  return tiny_run({"model.layers=2", "model.width=32", "model.hidden=64", "model.heads=4", "model.dropout=0",
                   "train.batch=64", "train.steps=300", "train.evaluate_every=100", "train.checkpoint_every=1000",
                   "train.snapshots=", "data.train=2000", "data.test=256", "train.evaluation_samples=256",
                   set_precision.c_str(), set_encoding.c_str()});
}

RunResult trained(const RunConfig& config) {
  const TemporaryFolder temporary;
  const RunFolder folder(temporary / "run");
  folder.create(config);
  return train(test_backend(), config, folder, {}).result;
}

class Learning : public testing::TestWithParam<Dtype> {
 protected:
  void SetUp() override { PHASOR_SKIP_WITHOUT(GetParam()); }

  const ThreadGuard one_thread_{1};
};

// Four classes: chance is one in four.
TEST_P(Learning, DistancesAreLearnedWithPositions) {
  const RunResult result = trained(learnable(GetParam(), "rope"));
  EXPECT_GT(result.last.test_accuracy, 0.9);
  EXPECT_LT(result.last.test_loss, 0.3);
}

INSTANTIATE_TEST_SUITE_P(Precisions, Learning, testing::Values(Dtype::f32, Dtype::bf16),
                         [](const auto& tested) { return name(tested.param); });

}  // namespace learning_test
}  // namespace phasor
