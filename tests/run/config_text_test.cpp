#include "phasor/run/config_text.h"

#include <gtest/gtest.h>

#include <functional>

#include "phasor/base/error.h"

namespace phasor {
namespace config_text_test {

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

std::string whole_error(std::string_view text, WholeRange range) {
  return error_of([&] { read_whole("k", text, range); });
}

std::string real_error(std::string_view text, RealRange range) {
  return error_of([&] { read_real("k", text, range); });
}

TEST(ReadWhole, TakesTheWholeTextOrNothing) {
  EXPECT_EQ(read_whole("k", "42", {}), 42);
  EXPECT_EQ(read_whole("k", "-3", {.least = -3}), -3);
  EXPECT_EQ(read_whole("k", "9223372036854775807", {}), 9223372036854775807);
  for (const char* text : {"", "abc", "1.5", "12x", " 1", "1 ", "+1", "1e3", "0x10", "--1"}) {
    EXPECT_EQ(whole_error(text, {}), std::string("k: '") + text + "' is not a whole number");
  }
}

TEST(ReadWhole, RangeIsInTheError) {
  EXPECT_EQ(whole_error("-3", {1}), "k: -3 is out of range, at least 1");
  EXPECT_EQ(whole_error("11", {1, 10}), "k: 11 is out of range, 1 to 10");
  EXPECT_EQ(whole_error("9223372036854775808", {1}), "k: 9223372036854775808 is out of range, at least 1");
}

TEST(ReadSeed, UsesAll64Bits) {
  EXPECT_EQ(read_seed("k", "18446744073709551615"), 18446744073709551615u);
  EXPECT_EQ(error_of([] { read_seed("k", "-1"); }), "k: -1 is out of range, 0 to 18446744073709551615");
  EXPECT_EQ(error_of([] { read_seed("k", "18446744073709551616"); }),
            "k: 18446744073709551616 is out of range, 0 to 18446744073709551615");
  EXPECT_EQ(error_of([] { read_seed("k", "x"); }), "k: 'x' is not a whole number");
}

TEST(ReadReal, RefusesWhatIsNoFiniteNumber) {
  EXPECT_EQ(read_real("k", "1e-4", {}), 1e-4);
  EXPECT_EQ(read_real("k", "1e6", {}), 1e6);
  EXPECT_EQ(real_error("nan", {}), "k: 'nan' is not a number");
  EXPECT_EQ(real_error("", {}), "k: '' is not a number");
  EXPECT_EQ(real_error("0,1", {}), "k: '0,1' is not a number");
  EXPECT_EQ(real_error("inf", {}), "k: inf is out of range, at least 0");
  EXPECT_EQ(real_error("1e999", {}), "k: 1e999 is out of range, at least 0");
}

TEST(ReadReal, EndsOfTheRangeCountOrNot) {
  EXPECT_EQ(real_error("-0.1", {}), "k: -0.1 is out of range, at least 0");
  EXPECT_EQ(real_error("0", {.least_included = false}), "k: 0 is out of range, above 0");
  EXPECT_EQ(real_error("1", {.most = 1.0, .most_included = false}), "k: 1 is out of range, at least 0 and below 1");
  EXPECT_EQ(real_error("1.5", {.most = 1.0}), "k: 1.5 is out of range, at least 0 and at most 1");
  EXPECT_EQ(read_real("k", "1", {.most = 1.0}), 1.0);
}

TEST(ReadReal, NegativeZeroIsZero) { EXPECT_EQ(write_real(read_real("k", "-0.0", {})), "0"); }

TEST(WriteReal, ReadsBackExactly) {
  for (const double value : {0.1, 1e-4, 1.0 / 3.0, 0.98, 5e-324, 1.7976931348623157e308, 123456789.123456789}) {
    EXPECT_EQ(read_real("k", write_real(value), {}), value);
  }
}

TEST(ReadFlag, KnowsTwoWords) {
  EXPECT_TRUE(read_flag("k", "true"));
  EXPECT_FALSE(read_flag("k", "false"));
  EXPECT_EQ(error_of([] { read_flag("k", "yes"); }), "k: 'yes' is neither true nor false");
}

TEST(ReadList, RisesWithoutRepeats) {
  EXPECT_EQ(read_list("k", "500,100,500", {0}), (std::vector<int64_t>{100, 500}));
  EXPECT_EQ(read_list("k", "7", {0}), (std::vector<int64_t>{7}));
  EXPECT_TRUE(read_list("k", "", {0}).empty());
  EXPECT_TRUE(read_list("k", "none", {0}).empty());
  EXPECT_EQ(error_of([] { read_list("k", "1,,2", {0}); }), "k: '' is not a whole number");
  EXPECT_EQ(error_of([] { read_list("k", "1,2,", {0}); }), "k: '' is not a whole number");
  EXPECT_EQ(error_of([] { read_list("k", "1,-2", {0}); }), "k: -2 is out of range, at least 0");
}

TEST(WriteList, ReadsBack) {
  EXPECT_EQ(write_list({}), "none");
  EXPECT_EQ(write_list({100, 500}), "100,500");
}

}  // namespace config_text_test
}  // namespace phasor
