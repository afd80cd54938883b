#include "phasor/study/records/registration.h"

#include <gtest/gtest.h>

#include <fstream>

#include "phasor/base/content_hash.h"
#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/study/records/study_folder.h"
#include "phasor/study/summary/study_rules.h"
#include "study/tiny_study.h"
#include "support/temporary_folder.h"

namespace phasor {
namespace registration_test {

using namespace testing_support;

constexpr const char* kClaims = "rope is best";

TEST(Registration, IsOfPlanRulesAndClaims) {
  const Registration now = registration_of(tiny_study(), kClaims);
  EXPECT_EQ(now.rules, content_hash(study_rules()));
  EXPECT_EQ(now.claims, content_hash(kClaims));
  EXPECT_EQ(now.date.size(), 10u);
  EXPECT_TRUE(registration_of(tiny_study(), "").claims.empty());
  EXPECT_EQ(registration_of(tiny_study(), kClaims).plan, now.plan);
  StudyPlan more_seeds = tiny_study();
  more_seeds.cells[0].seeds.push_back(77);
  EXPECT_NE(registration_of(more_seeds, kClaims).plan, now.plan);
  StudyPlan other_rate = tiny_study();
  other_rate.cells[0].config.train.learning_rate *= 2.0;
  EXPECT_NE(registration_of(other_rate, kClaims).plan, now.plan);
}

TEST(Registration, SaysWhyAVerdictIsPostHoc) {
  const Registration then = registration_of(tiny_study(), kClaims);
  EXPECT_TRUE(post_hoc_reasons(then, then).empty());
  EXPECT_EQ(registration_text(then, then).rfind("Registered on " + then.date, 0), 0u);
  EXPECT_EQ(post_hoc_reasons(std::nullopt, then).size(), 1u);
  Registration now = then;
  now.date = "2030-01-01";  // a later day and another commit change nothing
  now.commit = "fffffff";
  EXPECT_TRUE(post_hoc_reasons(then, now).empty());
  now.rules = "0";
  now.claims = "0";
  now.plan = "0";
  EXPECT_EQ(post_hoc_reasons(then, now).size(), 3u);
  EXPECT_EQ(registration_text(then, now).rfind("Post hoc: ", 0), 0u);
}

// As soon as there are runs, what was registered stays, whatever comes later.
TEST(Registration, StaysOnceThereAreRuns) {
  const TemporaryFolder temporary;
  const StudyFolder study(temporary / "study");
  StudyPlan plan = tiny_study();
  study.open(plan, registration_of(plan, kClaims));
  const std::optional<Registration> first = study.load_registration();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->plan, registration_of(plan, kClaims).plan);
  // Nothing has run yet: a corrected plan may still be registered.
  plan.cells[0].seeds.push_back(77);
  study.open(plan, registration_of(plan, kClaims));
  EXPECT_EQ(study.load_registration()->plan, registration_of(plan, kClaims).plan);
  make_directory(study.path() / "runs" / "one");
  StudyPlan later = plan;
  later.cells[0].seeds.push_back(78);
  study.open(later, registration_of(later, kClaims));
  EXPECT_EQ(study.load_registration()->plan, registration_of(plan, kClaims).plan);
  EXPECT_EQ(post_hoc_reasons(study.load_registration(), registration_of(study.load_plan(), kClaims)).size(), 1u);
}

TEST(Registration, OfAnOlderStudyIsNone) {
  const TemporaryFolder temporary;
  const StudyFolder study(temporary / "study");
  study.open(tiny_study());
  EXPECT_FALSE(study.load_registration());
  make_directory(study.path() / "runs" / "one");
  study.open(tiny_study(), registration_of(tiny_study(), kClaims));
  EXPECT_FALSE(study.load_registration()) << "registered after its first run";
}

TEST(Registration, ThatIsBrokenIsNamed) {
  const TemporaryFolder temporary;
  const StudyFolder study(temporary / "study");
  make_directory(study.path());
  std::ofstream(study.file("study.json")) << R"({"registered": {"date": 7}})";
  try {
    study.load_registration();
    FAIL();
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find("registered.date"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("study.json"), std::string::npos) << error.what();
  }
}

}  // namespace registration_test
}  // namespace phasor
