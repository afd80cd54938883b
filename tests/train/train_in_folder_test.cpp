#include "phasor/train/train_in_folder.h"

#include <gtest/gtest.h>

#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/base/folder_claim.h"
#include "phasor/run/finished_run.h"
#include "run/tiny_run.h"
#include "support/backend.h"
#include "support/temporary_folder.h"

namespace phasor {
namespace train_in_folder_test {

using namespace testing_support;

int64_t evaluations(const RunConfig& config, const RunFolder& folder, int64_t stop_after = 1000) {
  int64_t count = 0;
  train_in_folder(test_backend(), config, folder,
                  {.evaluation = [&](const Metrics&) { ++count; }, .stop = [&] { return count >= stop_after; }});
  return count;
}

TEST(TrainInFolder, TrainsResumesAndLeavesAFinishedRunAlone) {
  const TemporaryFolder temporary;
  const RunFolder folder(temporary / "run"), whole(temporary / "whole");
  const RunConfig config = tiny_run();
  EXPECT_EQ(evaluations(config, folder, 2), 2);
  EXPECT_FALSE(folder.complete());
  EXPECT_GT(evaluations(config, folder), 0);
  EXPECT_TRUE(folder.complete());
  EXPECT_FALSE(std::filesystem::exists(folder.file(kClaimFile)));
  evaluations(config, whole);
  EXPECT_EQ(read_file(folder.file("model.safetensors")), read_file(whole.file("model.safetensors")));
  EXPECT_EQ(evaluations(config, folder), 0) << "a finished run is not trained again";
}

TEST(TrainInFolder, RefusesAnotherRunsFolder) {
  const TemporaryFolder temporary;
  const RunFolder folder(temporary / "run");
  evaluations(tiny_run(), folder);
  EXPECT_THROW(evaluations(tiny_run({"seed=9"}), folder), UsageError);
  const FolderClaim claim(temporary / "busy");
  EXPECT_THROW(evaluations(tiny_run(), RunFolder(temporary / "busy")), FolderBusy);
}

TEST(TrainInFolder, MakesADamagedResultAgain) {
  const TemporaryFolder temporary;
  const RunFolder folder(temporary / "run");
  evaluations(tiny_run(), folder);
  write_file_atomically(folder.file("result.json"), "{");
  evaluations(tiny_run(), folder);
  EXPECT_EQ(read_finished_run(folder).result.steps, 20);
}

}  // namespace train_in_folder_test
}  // namespace phasor
