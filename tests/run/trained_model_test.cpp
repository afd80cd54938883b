// Where a run starts, and its trained model.
#include "phasor/run/trained_model.h"

#include <gtest/gtest.h>

#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/run/config_json.h"
#include "phasor/run/run_start.h"
#include "phasor/train/trainer.h"
#include "run/tiny_run.h"
#include "support/backend.h"
#include "support/resealed.h"
#include "support/temporary_folder.h"

namespace phasor {
namespace trained_model_test {

using namespace testing_support;

class TrainedModel : public testing::Test {
 protected:
  void SetUp() override {
    PHASOR_SKIP_WITHOUT(Dtype::bf16);
    folder_.create(tiny_run({"train.precision=bf16"}));
    train(test_backend(), folder_.load_config(), folder_, {});
  }
  std::vector<float> parameters(const TrainedModelOptions& options) const {
    return open_trained_model(test_backend(), folder_, options).model().save_parameters();
  }
  std::vector<float> stored(const std::string& name) const {
    const RunConfig config = folder_.load_config();
    return folder_.load_model(ParameterLayout(config.model, resolve_encoding(config.model)), name);
  }
  std::string refusal(const TrainedModelOptions& options) const {
    return message_of<UsageError>([&] { open_trained_model(test_backend(), folder_, options); });
  }

  TemporaryFolder temporary_;
  RunFolder folder_{temporary_ / "run"};
};

TEST_F(TrainedModel, IsTheFinishedOneOrASnapshot) {
  EXPECT_EQ(parameters({}), stored("model.safetensors"));
  EXPECT_EQ(parameters({.step = 10}), stored(snapshot_name(10)));
  EXPECT_NE(parameters({.step = 10}), parameters({}));
  // Differences of gradients need fp32.
  const Session plain = open_trained_model(test_backend(), folder_);
  EXPECT_EQ(plain.config().train.precision, Dtype::bf16);
  const Session exact = open_trained_model(test_backend(), folder_, {.gradients = true});
  EXPECT_EQ(exact.config().train.precision, Dtype::f32);
}

TEST_F(TrainedModel, ThatIsNotThereIsAUsageError) {
  expect_words(refusal({.step = 7}), {"no snapshot of step 7", "train.snapshots=3,10"});
  expect_words(refusal({.step = 20}), {"no snapshot of step 20", "train.snapshots=3,10"});
  expect_words(refusal({.step = 21}), {"has 20 steps"});
  const std::string model = read_file(folder_.file("model.safetensors"));
  std::filesystem::remove(folder_.file("model.safetensors"));
  expect_words(refusal({}), {"has no finished model", "phasor train --resume --out " + folder_.path().string()});
  // What was left out on purpose is no reason to resume.
  auto result = read_json_of(folder_.file("result.json"));
  result["packed"] = {"model.safetensors"};
  write_resealed(folder_.file("result.json"), result);
  expect_words(refusal({}), {"was packed", "phasor train --config"});
  // Weights of another step under the model's name.
  write_file_atomically(folder_.file("model.safetensors"), read_file(folder_.file(snapshot_name(3))));
  expect_words(message_of<Error>([&] { open_trained_model(test_backend(), folder_); }), {"--resume", "makes it again"});
  write_file_atomically(folder_.file(snapshot_name(3)), model.substr(0, 100));
  expect_words(message_of<Error>([&] { open_trained_model(test_backend(), folder_, {.step = 3}); }),
               {"only training the run again"});
}

TEST_F(TrainedModel, OfARunThatIsNotFinishedIsAUsageErrorToo) {
  const RunFolder begun(temporary_ / "begun");
  begun.create(tiny_run());
  const auto refusal = [&](const TrainedModelOptions& options) {
    return message_of<UsageError>([&] { open_trained_model(test_backend(), begun, options); });
  };
  expect_words(refusal({}), {"has no finished model", "phasor train --resume --out " + begun.path().string()});
  expect_words(refusal({.step = 3}), {"no snapshot of step 3"});
}

TEST(RunStart, AFolderIsNamedByTaskEncodingSeedAndSettings) {
  const RunConfig rope = tiny_run({"model.encoding=rope(base=500)", "seed=4"});
  EXPECT_EQ(default_folder(rope).string(), "runs/distance-rope_base_500_-seed4-" + config_id(rope).substr(0, 8));
  EXPECT_NE(default_folder(rope), default_folder(tiny_run({"model.encoding=rope(base=500)", "seed=4", "train.lr=1"})));
  const RunConfig longest =
      tiny_run({"model.encoding=bias(\"-a*log(1+b*abs(d))+0*abs(d)+0*abs(d)\",a=1,b=learned(0.1))"});
  EXPECT_LE(default_folder(longest).string().size(), std::string("runs/distance--seed0-12345678").size() + 40);
}

TEST(RunStart, OtherSettingsThanTheFoldersAreRefusedByKey) {
  const TemporaryFolder temporary;
  const RunFolder folder(temporary / "run");
  const RunConfig stored = tiny_run();
  EXPECT_NO_THROW(require_same_config(folder, stored, tiny_run()));
  const auto refusal = [&](const RunConfig& asked) {
    return message_of<UsageError>([&] { require_same_config(folder, stored, asked); });
  };
  expect_words(refusal(tiny_run({"train.lr=0.5"})), {"was started with train.lr=0.003, not train.lr=0.5", "--out"});
  expect_words(refusal(tiny_run({"seed=1"})), {"seed=0", "seed=1"});
  RunConfig other = stored;
  other.preset = "paper";
  expect_words(refusal(other), {"preset=quick, not preset=paper"});
}

}  // namespace trained_model_test
}  // namespace phasor
