// A finished ablation read back from its files tells what it told when it was made, without the model.
#include <gtest/gtest.h>

#include "phasor/ablation/ablation_files.h"
#include "phasor/ablation/ablation_text.h"
#include "phasor/base/file.h"
#include "phasor/run/session.h"
#include "run/tiny_run.h"
#include "support/backend.h"
#include "support/temporary_folder.h"

namespace phasor {
namespace stored_ablation_test {

using testing_support::test_backend;
using testing_support::tiny_run;

class StoredAblationTest : public testing::Test {
 protected:
  StoredAblationTest() {
    Session session(test_backend(), config_, {.training = false});
    session.model().load_parameters(session.model().layout().initial_values(1));
    options_.sweep.samples = 30;
    options_.sweep.batch = 8;
    options_.sweep.draws = 2;
    options_.sweep.methods = {AblationMethod::zero, AblationMethod::position_off};
    made_ = ablate_to_files(session, folder_.path(), {}, options_);
  }

  const RunConfig config_ = tiny_run({"data.test=40"});
  AblationOptions options_;
  TemporaryFolder folder_;
  std::optional<RunAblation> made_;
};

TEST_F(StoredAblationTest, TellsWhatItTold) {
  ASSERT_TRUE(made_);
  const std::optional<FinishedAblation> found = load_ablation(folder_.path(), {}, config_);
  ASSERT_TRUE(found);
  EXPECT_EQ(ablation_text(config_, found->ablation, {.step = {}, .clauses = true}),
            ablation_text(config_, *made_, {.step = {}, .clauses = true}));
  EXPECT_EQ(found->ablation.scores, made_->scores);
  EXPECT_EQ(found->ablation.parameters, made_->parameters);
  EXPECT_EQ(sweep_text(found->sweep), "30 samples, methods zero, position_off, 2 draws, seed 0");
}

TEST_F(StoredAblationTest, IsThatOfTheRunOrNothing) {
  EXPECT_FALSE(load_ablation(folder_.path(), {}, tiny_run({"data.test=40", "train.lr=0.5"}))) << "other settings";
  EXPECT_FALSE(load_ablation(folder_.path(), 10, config_)) << "of a snapshot there is none";
  const std::filesystem::path json = folder_ / "ablation.json";
  const std::string text = read_file(json);
  write_file_atomically(json, text.substr(0, text.size() / 2));
  EXPECT_FALSE(load_ablation(folder_.path(), {}, config_)) << "damaged";
  write_file_atomically(json, text);
  EXPECT_TRUE(load_ablation(folder_.path(), {}, config_));
  std::filesystem::remove(folder_ / "ablation.safetensors");
  EXPECT_FALSE(load_ablation(folder_.path(), {}, config_)) << "half of it";
}

}  // namespace stored_ablation_test
}  // namespace phasor
