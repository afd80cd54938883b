#include "phasor/figure/ticks.h"

#include <gtest/gtest.h>

namespace phasor::figure {
namespace ticks_test {

std::string texts(const std::vector<Tick>& ticks) {
  std::string text;
  for (const Tick& tick : ticks) {
    if (tick.text.empty()) continue;
    text += (text.empty() ? "" : " ") + tick.text + (tick.raised.empty() ? "" : "^" + tick.raised);
  }
  return text;
}

TEST(Ticks, AreRound) {
  EXPECT_EQ(texts(linear_ticks(0, 1, 5)), "0 0.2 0.4 0.6 0.8 1.0");
  EXPECT_EQ(texts(linear_ticks(-0.03, 1.03, 5, false, 100)), "0 25 50 75 100");
  EXPECT_EQ(texts(linear_ticks(-3, 7, 5)), "\u22122 0 2 4 6");
  EXPECT_EQ(texts(linear_ticks(0.4, 4.6, 5, true)), "1 2 3 4");
  EXPECT_EQ(texts(linear_ticks(0, 30000, 4)), "0 10k 20k 30k");
  EXPECT_EQ(texts(linear_ticks(0, 5e-5, 3)), "0 2\u00d710^\u22125 4\u00d710^\u22125");
  EXPECT_TRUE(linear_ticks(1, 1, 5).empty());
}

TEST(Ticks, OfLogarithmsArePowers) {
  EXPECT_EQ(texts(logarithmic_ticks(0.05, 200, 5)), "0.1 1 10 100");
  EXPECT_EQ(texts(logarithmic_ticks(1e-7, 10, 4)), "10^\u22127 10^\u22124 10^\u22121");
  EXPECT_EQ(texts(logarithmic_ticks(1.5, 8, 5)), "2 5");
  EXPECT_EQ(texts(logarithmic_ticks(6.1, 8.9, 3)), "7 8");
  EXPECT_TRUE(logarithmic_ticks(0, 8, 5).empty());
}

}  // namespace ticks_test
}  // namespace phasor::figure
