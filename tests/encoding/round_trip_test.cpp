#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "encoding/random_expression.h"
#include "encoding/random_spelling.h"
#include "phasor/encoding/encoding.h"
#include "phasor/encoding/resolve/values.h"
#include "phasor/encoding/syntax/encoding_error.h"
#include "phasor/encoding/syntax/parser.h"
#include "phasor/encoding/syntax/printer.h"

namespace phasor {
namespace round_trip_test {

using testing_support::RandomExpression;
using testing_support::RandomSpelling;

constexpr uint32_t kSamples = 5000;
constexpr uint32_t kSpellings = 15000;  // there is more to draw: enough for the rarest argument

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

// Every entry, every kind of parameter and every way that arguments can be written must have had its turn.
class Coverage {
 public:
  void add(const Encoding& encoding) {
    for (const Term& term : encoding.terms) {
      ++entries_[term.name];
      for (const TermArgument& argument : term.arguments) {
        const Encoding* nested = std::get_if<Encoding>(&argument.value.content);
        const EncodingEntry& entry = *find_encoding(term.name);
        ++arguments_[term.name + "." + (argument.key.empty() ? entry.parameters[0].name : argument.key)];
        if (nested != nullptr && nested->terms.front().name == "learned") ++learned_;
        const std::string& name = argument.key.empty() ? entry.parameters[0].name : argument.key;
        if (nested != nullptr && name == "encoding") add(*nested);
      }
    }
  }

  void expect(int times) const {
    for (const EncodingEntry& entry : encoding_catalogue()) {
      EXPECT_GE(count(entries_, entry.name), times) << entry.name;
      for (const EncodingParameter& parameter : entry.parameters) {
        const std::string name = entry.name + "." + parameter.name;
        // Drawn in ways that leave these two at their defaults: they need each other and exclude `attention`.
        if (parameter.name.starts_with("mscale") || parameter.name == "beta_slow" || parameter.name == "low") continue;
        if (name == "mla.short" || name == "mla.long") continue;  // of longrope, which mla refuses
        EXPECT_GE(count(arguments_, name), times / 10) << name;
      }
    }
    EXPECT_GE(count(arguments_, "bias.a"), times / 10) << "variables of formulas";
    EXPECT_GE(learned_, times) << "learned numbers";
  }

 private:
  static int count(const std::map<std::string, int>& counts, const std::string& name) {
    const auto found = counts.find(name);
    return found == counts.end() ? 0 : found->second;
  }

  std::map<std::string, int> entries_, arguments_;
  int learned_ = 0;
};

TEST(RoundTrip, EverySpellingOfACatalogueEncodingPrintsACanonicalText) {
  std::set<std::string> distinct;
  Coverage coverage;
  for (uint32_t sample = 0; sample < kSpellings; ++sample) {
    const std::string spelling = RandomSpelling(sample).text();
    const Encoding encoding = parse_encoding(spelling);
    const std::string text = print(encoding);
    distinct.insert(text);
    coverage.add(encoding);
    ASSERT_EQ(parse_encoding(text), encoding) << "sample " << sample << ": " << spelling << " -> " << text;
    ASSERT_EQ(print(parse_encoding(text)), text) << "sample " << sample << ": " << spelling;
    ASSERT_EQ(text.find_first_of(" \t"), std::string::npos) << text;
  }
  EXPECT_GT(distinct.size(), kSpellings * 9 / 10) << "the generator repeats itself";
  coverage.expect(150);
}

// Sums of two equal spellings apart from term order print alike.
TEST(RoundTrip, TermOrderDoesNotMatter) {
  for (uint32_t sample = 0; sample < 1000; ++sample) {
    const std::string a = RandomSpelling(2 * sample).text();
    const std::string b = RandomSpelling(2 * sample + 1).text();
    ASSERT_EQ(print(parse_encoding(a + "+" + b)), print(parse_encoding(b + "+" + a))) << a << " and " << b;
  }
}

void expect_finite(const ResolvedEncoding& encoding) {
  const auto check = [&](const std::vector<double>& values) {
    for (const double value : values) ASSERT_TRUE(std::isfinite(value)) << encoding.expression;
  };
  if (encoding.input) check(encoding.input->fixed.values);
  for (const LayerEncoding& layer : encoding.layers) {
    if (layer.bias) check(layer.bias->fixed.values);
    check(layer.scale);
    for (const auto& rotation : layer.rotation) {
      if (rotation == nullptr) continue;
      for (const auto& factors : {rotation->query, rotation->key}) {
        ASSERT_EQ(
            static_cast<int64_t>(factors.size()),
            rotation->classes * static_cast<int64_t>(rotation->axes.size()) * rotation->positions * rotation->pairs);
        for (const std::complex<double>& factor : factors) ASSERT_TRUE(std::isfinite(std::norm(factor)));
      }
    }
  }
}

// A model either gets finite tables or an error of the kind that points at the text.
TEST(RoundTrip, WhateverIsSpelledResolvesOrSaysWhyNot) {
  EncodingShape shape{.layers = 2, .heads = 3, .head_width = 8, .width = 24, .positions = 6, .grid = {2, 3, 2, 2}};
  std::map<std::string, int> resolved;  // by entry
  for (uint32_t sample = 0; sample < kSpellings; ++sample) {
    const std::string spelling = RandomSpelling(sample, RandomSpelling::Sizes::small).text();
    const Encoding encoding = parse_encoding(spelling);
    shape.causal = sample % 2 == 0;
    try {
      const ResolvedEncoding tables = resolve(encoding, shape);
      ASSERT_EQ(tables.expression, print(encoding));
      expect_finite(with_values(tables, initial_values(tables, sample)));
      for (const Term& term : encoding.terms) ++resolved[term.name];
    } catch (const EncodingError& error) {
      ASSERT_GT(error.column(), 0) << error.what();
      ASSERT_LE(static_cast<size_t>(error.column()), print(encoding).size()) << error.what();
    } catch (const std::exception& error) {
      FAIL() << spelling << ": " << error.what();
    }
  }
  for (const EncodingEntry& entry : encoding_catalogue()) {
    EXPECT_GE(resolved[entry.name], 50) << entry.name << " hardly ever fits";
  }
}

}  // namespace round_trip_test
}  // namespace phasor
