#include "phasor/study/plan/short_labels.h"

#include <gtest/gtest.h>

#include "phasor/encoding/encoding.h"

namespace phasor::short_labels_test {
namespace {

std::vector<std::string> labels(const std::vector<std::string>& written, const std::set<std::string>& taken = {}) {
  std::vector<std::string> expressions;
  for (const std::string& expression : written) expressions.push_back(print(parse_encoding(expression)));
  const std::map<std::string, std::string> found = short_labels(expressions, taken);
  std::vector<std::string> result;
  for (const std::string& expression : expressions) {
    result.push_back(found.contains(expression) ? found.at(expression) : expression);
  }
  return result;
}

using Labels = std::vector<std::string>;

constexpr const char* kYarn4 = "rope(scaling=yarn,factor=4,original=64)";
constexpr const char* kYarn8 = "rope(scaling=yarn,factor=8,original=64)";

TEST(ShortLabels, ShortExpressionsStayAsTheyAre) {
  EXPECT_EQ(labels({"rope", "rope(base=500)", "learned(init=1)"}),
            (Labels{"rope", "rope(base=500)", "learned(init=1)"}));
}

TEST(ShortLabels, WordsSayMost) {
  EXPECT_EQ(labels({kYarn4, "rope"}), (Labels{"rope(yarn)", "rope"}));
  EXPECT_EQ(labels({"learned(init=0)+mla(query=shared,table=released,norm=none)"}),
            (Labels{"learned+mla(shared,released,none)"}));
}

TEST(ShortLabels, WhatDiffersIsAdded) {
  EXPECT_EQ(labels({kYarn4, kYarn8}), (Labels{"rope(yarn,factor=4)", "rope(yarn,factor=8)"}));
  EXPECT_EQ(labels({"rope(base=500)[heads=0-1]+alibi[heads=2-3]"}), (Labels{"rope(..)[..]+alibi[..]"}));
  EXPECT_EQ(labels({"rope(base=500)[heads=0-1]+alibi[heads=2-3]", "rope(base=500)[heads=0-2]+alibi[heads=3]"}),
            (Labels{"rope(..)[heads=0-1]+alibi[heads=2-3]", "rope(..)[heads=0-2]+alibi[heads=3]"}));
}

TEST(ShortLabels, FormulasAreCut) {
  EXPECT_EQ(labels({"bias(\"-abs(d)/8+0.25*cos(d)\")"}), (Labels{"bias(\"-abs(d)/8+0.25*c..\")"}));
  // Where beginnings are equal, those that fit stand whole, and others are counted.
  const Labels fit = {"bias(\"-abs(d)/8+0.25*cos(d/1000)\")", "bias(\"-abs(d)/8+0.25*cos(d/2000)\")"};
  EXPECT_EQ(labels(fit), fit);
  EXPECT_EQ(
      labels({"bias(\"-abs(d)/8+0.25*cos(d/1000)+sin(d/1000)\")", "bias(\"-abs(d)/8+0.25*cos(d/1000)+sin(d/2000)\")"}),
      (Labels{"bias(\"-abs(d)/8+0.25*cos(d/1000)+sin(d..", "bias(\"-abs(d)/8+0.25*cos(d/1000)+sin(d.. #2"}));
}

TEST(ShortLabels, NothingElseIsMeant) {
  EXPECT_EQ(labels({"rope(base=123456,fraction=0.25)"}), (Labels{"rope(base=123456,..)"}));
  EXPECT_EQ(labels({kYarn4}, {"rope(yarn)"}), (Labels{"rope(yarn) #2"}));
}

}  // namespace
}  // namespace phasor::short_labels_test
