#pragma once
// What every function of a sample must refuse.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "phasor/base/error.h"
#include "phasor/statistics/sample.h"

namespace phasor::statistics {

// The text of the Error that the call throws; a failed test and "" if it throws none.
template <class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "no Error was thrown";
  return "";
}

template <class Function>
void expect_refuses_bad_samples(const Function& function) {
  const std::vector<double> empty;
  EXPECT_NE(error_of([&] { function(Sample(empty)); }).find("empty"), std::string::npos);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const std::vector<double> values = {1.0, bad, 2.0};
    const std::string text = error_of([&] { function(Sample(values)); });
    EXPECT_NE(text.find("value 1 of the sample is"), std::string::npos) << text;
  }
}

}  // namespace phasor::statistics
