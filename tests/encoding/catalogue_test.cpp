#include "phasor/encoding/catalogue.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "phasor/base/error.h"
#include "phasor/encoding/encoding.h"
#include "phasor/encoding/parser.h"

namespace phasor {
namespace {

TEST(EncodingCatalogue, EveryEntrySaysWhatItIs) {
  std::set<std::string> names;
  for (const EncodingEntry& entry : encoding_catalogue()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name << " twice";
    EXPECT_FALSE(entry.summary.empty()) << entry.name;
    EXPECT_FALSE(entry.formula.empty()) << entry.name;
    EXPECT_FALSE(entry.paper.empty()) << entry.name;
    EXPECT_GE(entry.year, 2017) << entry.name;
    EXPECT_NE(entry.make, nullptr) << entry.name;
    EXPECT_EQ(find_encoding(entry.name), &entry);
    std::set<std::string> parameters;
    for (const EncodingParameter& parameter : entry.parameters) {
      EXPECT_TRUE(parameters.insert(parameter.name).second) << entry.name << ": " << parameter.name << " twice";
      EXPECT_FALSE(parameter.help.empty()) << entry.name << ": " << parameter.name;
    }
  }
  EXPECT_EQ(find_encoding("unheard"), nullptr);
}

// Spelling every default out must be accepted and change nothing.
TEST(EncodingCatalogue, DefaultsLieWithinTheirBounds) {
  for (const EncodingEntry& entry : encoding_catalogue()) {
    Term term{.name = entry.name};
    for (const EncodingParameter& parameter : entry.parameters) {
      term.arguments.push_back({.key = parameter.name, .value = parameter.default_value});
    }
    EXPECT_EQ(print(Encoding{{term}}), entry.name);
  }
}

TEST(EncodingCatalogue, TheManualDescribesEveryEntryAndParameter) {
  std::ifstream file(PHASOR_FIXTURES "/../../docs/encodings.md");
  const std::string manual((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  for (const EncodingEntry& entry : encoding_catalogue()) {
    const size_t section = manual.find("\n### " + entry.name + "\n");
    ASSERT_NE(section, std::string::npos) << entry.name;
    const std::string text = manual.substr(section, manual.find("\n#", section + 1) - section);
    for (const EncodingParameter& parameter : entry.parameters) {
      EXPECT_NE(text.find("| `" + parameter.name + "` | "), std::string::npos) << entry.name << ": " << parameter.name;
      for (const std::string& choice : parameter.choices) {
        EXPECT_NE(text.find("`" + choice + "`"), std::string::npos) << entry.name << ": " << choice;
      }
    }
    EXPECT_NE(text.find(std::to_string(entry.year)), std::string::npos) << entry.name;
  }
}

TEST(EncodingCatalogue, TraitsAreThoseOfTheLiterature) {
  const auto traits = [](const std::string& text) {
    return make_component(parse_encoding(text).terms.at(0), text)->traits();
  };
  EXPECT_EQ(traits("nope").coupling, Coupling::none);
  EXPECT_FALSE(traits("nope").bidirectional);
  EXPECT_EQ(traits("sinusoidal").coupling, Coupling::input);
  EXPECT_FALSE(traits("sinusoidal").exactly_relative);
  EXPECT_FALSE(traits("sinusoidal").learnable);
  EXPECT_EQ(traits("learned").coupling, Coupling::input);
  EXPECT_TRUE(traits("learned").learnable);
  EXPECT_EQ(traits("alibi").coupling, Coupling::toeplitz_bias);
  EXPECT_TRUE(traits("alibi").exactly_relative);
  EXPECT_TRUE(traits("alibi").extrapolates);
  EXPECT_EQ(traits("rope").coupling, Coupling::hadamard_toeplitz);
  EXPECT_TRUE(traits("rope").exactly_relative);
  EXPECT_FALSE(traits("rope").extrapolates);
  EXPECT_EQ(coupling_name(Coupling::toeplitz_bias), "toeplitz_bias");
  EXPECT_EQ(coupling_name(Coupling::hadamard_toeplitz), "hadamard_toeplitz");
}

class ArgumentsTest : public ::testing::Test {
 protected:
  EncodingArguments arguments(const std::string& text) const {
    return EncodingArguments(parse_expression(text).terms.at(0), parameters_, text);
  }
  std::string error(const std::string& text) const {
    try {
      arguments(text);
    } catch (const UsageError& problem) {
      return problem.what();
    }
    return "no error";
  }

  const std::vector<EncodingParameter> parameters_ = {
      integer_parameter("buckets", 32, 1, 1024, "how many"),
      word_parameter("kind", {"log", "power"}, "which"),
      number_parameter("slope", 0.5, -1, 1, "how steep"),
  };
};

TEST_F(ArgumentsTest, FillsInDefaults) {
  const EncodingArguments given = arguments("t(8,slope=-0.25)");
  EXPECT_EQ(given.integer("buckets"), 8);
  EXPECT_EQ(given.word("kind"), "log");
  EXPECT_EQ(given.number("slope"), -0.25);
  const std::vector<TermArgument> canonical = given.canonical();
  ASSERT_EQ(canonical.size(), 2u);
  EXPECT_EQ(canonical[0].key, "buckets");
  EXPECT_EQ(canonical[1].key, "slope");
}

TEST_F(ArgumentsTest, IntegersAreWhole) {
  EXPECT_EQ(error("t(buckets=2.5)"),
            "encoding 't(buckets=2.5)': column 11: t: buckets must be a whole number, not 2.5");
  EXPECT_EQ(error("t(buckets=0)"), "encoding 't(buckets=0)': column 11: t: buckets must be from 1 to 1024, not 0");
  EXPECT_EQ(error("t(buckets=1024)"), "no error");
  EXPECT_EQ(error("t(1,log,1,1)"), "encoding 't(1,log,1,1)': column 11: t takes no more than 3 arguments");
}

}  // namespace
}  // namespace phasor
