#include "phasor/run/parameter_match.h"

#include <gtest/gtest.h>

#include <cmath>

#include "phasor/base/error.h"
#include "run/tiny_run.h"

namespace phasor {
namespace parameter_match_test {

using testing_support::tiny_run;

// A unit of the feed-forward part has a row and a bias going up and a column going down, in every layer.
TEST(ParameterMatch, IsTheNearestThatAWidthCanGive) {
  for (const char* reference : {"mla", "relative", "learned", "nope"}) {
    RunConfig config = tiny_run({"model.encoding=rope"});
    RunConfig other = config;
    other.model.encoding = reference;
    const int64_t per_unit = config.model.layers * (2 * config.model.width + 1);
    const int64_t before = std::abs(parameter_count(config) - parameter_count(other));
    config.model.hidden = matching_hidden(config, reference);
    const int64_t after = std::abs(parameter_count(config) - parameter_count(other));
    EXPECT_LE(2 * after, per_unit) << reference;
    EXPECT_LE(after, before) << reference;
  }
}

TEST(ParameterMatch, TheSameEncodingNeedsNoChange) {
  const RunConfig config = tiny_run({"model.encoding=rope"});
  EXPECT_EQ(matching_hidden(config, "rope"), config.model.hidden);
  EXPECT_EQ(matching_hidden(config, "nope"), config.model.hidden);
}

TEST(ParameterMatch, WhatNoWidthGivesIsRefused) {
  RunConfig config = tiny_run({"model.encoding=relative"});
  config.model.hidden = 1;
  config.model.max_length = 4000;
  EXPECT_THROW(matching_hidden(config, "nope"), UsageError);
}

}  // namespace parameter_match_test
}  // namespace phasor
