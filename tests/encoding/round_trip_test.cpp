#include <gtest/gtest.h>

#include <set>

#include "encoding/random_expression.h"
#include "phasor/encoding/encoding.h"
#include "phasor/encoding/parser.h"
#include "phasor/encoding/printer.h"

namespace phasor {
namespace {

using testing::RandomExpression;

constexpr uint32_t kSamples = 5000;

TEST(RoundTrip, EveryTreeOfTheGrammarReadsBackEqual) {
  std::set<std::string> distinct;
  for (uint32_t sample = 0; sample < kSamples; ++sample) {
    const Encoding tree = RandomExpression(sample).tree(3);
    const std::string text = print_expression(tree);
    if (text.size() > kLongestExpression) continue;
    distinct.insert(text);
    ASSERT_EQ(parse_expression(text), tree) << "sample " << sample << ": " << text;
  }
  EXPECT_GT(distinct.size(), kSamples * 9 / 10) << "the generator repeats itself";
}

TEST(RoundTrip, BlanksBetweenTokensChangeNothing) {
  for (uint32_t sample = 0; sample < kSamples; ++sample) {
    RandomExpression random(sample);
    const Encoding tree = random.tree(2);
    const std::string text = random.scattered(print_expression(tree));
    if (text.size() > kLongestExpression) continue;
    ASSERT_EQ(parse_expression(text), tree) << "sample " << sample << ": " << text;
  }
}

TEST(RoundTrip, EverySpellingOfACatalogueEncodingPrintsACanonicalText) {
  std::set<std::string> distinct;
  for (uint32_t sample = 0; sample < kSamples; ++sample) {
    const std::string spelling = RandomExpression(sample).spelling();
    const Encoding encoding = parse_encoding(spelling);
    const std::string text = print(encoding);
    distinct.insert(text);
    ASSERT_EQ(parse_encoding(text), encoding) << "sample " << sample << ": " << spelling << " -> " << text;
    ASSERT_EQ(print(parse_encoding(text)), text) << "sample " << sample << ": " << spelling;
    ASSERT_EQ(text.find_first_of(" \t"), std::string::npos) << text;
  }
  EXPECT_GT(distinct.size(), kSamples / 3) << "the generator repeats itself";
}

// Sums of two equal spellings apart from term order print alike.
TEST(RoundTrip, TermOrderDoesNotMatter) {
  for (uint32_t sample = 0; sample < 1000; ++sample) {
    const std::string a = RandomExpression(2 * sample).spelling();
    const std::string b = RandomExpression(2 * sample + 1).spelling();
    ASSERT_EQ(print(parse_encoding(a + "+" + b)), print(parse_encoding(b + "+" + a))) << a << " and " << b;
  }
}

}  // namespace
}  // namespace phasor
