#include "phasor/study/records/run_facts.h"

#include <gtest/gtest.h>

#include "phasor/base/error.h"
#include "phasor/run/run_list.h"
#include "phasor/train/trainer.h"
#include "run/tiny_run.h"
#include "support/backend.h"
#include "support/temporary_folder.h"

namespace phasor {
namespace run_facts_test {

using testing_support::test_backend;
using testing_support::tiny_run;

TEST(RunFacts, AreThoseOfTheRun) {
  const TemporaryFolder temporary;
  const RunConfig config = tiny_run();
  const RunFolder folder(temporary / "runs/a");
  std::filesystem::create_directories(temporary / "runs");
  folder.create(config);
  train(test_backend(), config, folder, {});
  const RunFacts facts = read_facts(test_backend(), folder.path());
  EXPECT_EQ(facts.encoding, "rope");
  EXPECT_EQ(facts.logit_scale, 1.0);
  EXPECT_GT(facts.gradient_variation, 0.0);
  EXPECT_GT(facts.loss_area, 0.0);
  EXPECT_EQ(facts.start.product_norm, initial_facts(test_backend(), config).product_norm);
  EXPECT_NE(facts.end.product_norm, facts.start.product_norm);
  EXPECT_EQ(finished_runs(temporary / "runs"), (std::vector<std::filesystem::path>{folder.path()}));
  EXPECT_EQ(finished_runs(folder.path()).size(), 1u);
}

TEST(RunFacts, TheMatchingScaleMatches) {
  const RunConfig config = tiny_run({"model.encoding=nope"});
  const double scale = matching_logit_scale(test_backend(), config, "rope");
  RunConfig scaled = config;
  scaled.model.logit_scale = scale;
  const double wanted = initial_facts(test_backend(), tiny_run({"model.encoding=rope"})).product_norm;
  // With more than one layer the scale also changes what later layers read; here there is one.
  EXPECT_NEAR(initial_facts(test_backend(), scaled).product_norm, wanted, 1e-5 * wanted);
}

TEST(RunList, FoldersWithoutRunsAreRefused) {
  const TemporaryFolder temporary;
  EXPECT_THROW(finished_runs(temporary / "nowhere"), UsageError);
  EXPECT_THROW(finished_runs(temporary / "."), UsageError);
}

}  // namespace run_facts_test
}  // namespace phasor
