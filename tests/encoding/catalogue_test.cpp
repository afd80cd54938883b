#include "phasor/encoding/catalogue.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "encoding/rotation_probe.h"
#include "phasor/base/error.h"
#include "phasor/encoding/encoding.h"
#include "phasor/encoding/syntax/parser.h"
#include "phasor/encoding/syntax/printer.h"
#include "support/paths.h"

namespace phasor {
namespace catalogue_test {

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

// What cannot be left out, as an argument list.
std::string required_arguments(const EncodingEntry& entry) {
  std::string text;
  for (const EncodingParameter& parameter : entry.parameters) {
    if (!parameter.required) continue;
    text += text.empty() ? "(" : ",";
    text += parameter.kind == EncodingParameter::Kind::encoding ? "sinusoidal" : "\"0\"";
  }
  return text.empty() ? text : text + ")";
}

// Spelling every default out must be accepted and change nothing.
TEST(EncodingCatalogue, DefaultsLieWithinTheirBounds) {
  for (const EncodingEntry& entry : encoding_catalogue()) {
    const Encoding bare = parse_encoding(entry.name + required_arguments(entry));
    Encoding spelled = bare;
    for (const EncodingParameter& parameter : entry.parameters) {
      if (parameter.required) continue;
      spelled.terms[0].arguments.push_back({.key = parameter.name, .value = parameter.default_value});
    }
    EXPECT_EQ(print(spelled), print(bare));
  }
}

TEST(EncodingCatalogue, ExamplesAreOfTheirEntry) {
  for (const EncodingEntry& entry : encoding_catalogue()) {
    EXPECT_EQ(entry.example.empty(), required_arguments(entry).empty()) << entry.name;
    if (entry.example.empty()) continue;
    const Encoding example = parse_encoding(entry.example);
    ASSERT_EQ(example.terms.size(), 1u) << entry.name;
    EXPECT_EQ(example.terms[0].name, entry.name);
  }
}

TEST(EncodingCatalogue, TheManualDescribesEveryEntryAndParameter) {
  std::ifstream file(std::string(fixtures_folder()) + "/../../docs/encodings.md");
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

// R exactly relative, L learnable, X extrapolates, B tells positions apart without a mask, N by length, D by
// coordinates.
std::string letters(const EncodingTraits& traits) {
  std::string text;
  if (traits.exactly_relative) text += 'R';
  if (traits.learnable) text += 'L';
  if (traits.extrapolates) text += 'X';
  if (traits.bidirectional) text += 'B';
  if (traits.depends_on_length) text += 'N';
  if (traits.n_dimensional) text += 'D';
  return text;
}

struct Expected {
  std::string text;
  Coupling coupling;
  std::string traits;
};

TEST(EncodingCatalogue, TraitsAreThoseOfTheLiterature) {
  using enum Coupling;
  const std::vector<Expected> all = {
      {"nope", none, "RX"},
      {"integer", input, "B"},
      {"integer(normalised)", input, "BN"},
      {"binary", input, "B"},
      {"sinusoidal", input, "B"},
      {"sinusoidal(scale=learned(1))", input, "LB"},
      {"learned", input, "LB"},
      {"random", input, "B"},
      {"alibi", toeplitz_bias, "RXB"},
      {"alibi(slopes=learned)", toeplitz_bias, "RLXB"},
      {"t5", toeplitz_bias, "RLXB"},
      {"t5(direction=past)", toeplitz_bias, "RLX"},
      {"relative", toeplitz_bias, "RLB"},
      {"relative(max_distance=4)", toeplitz_bias, "RLXB"},
      {"kerple", toeplitz_bias, "RLXB"},
      {"sandwich", toeplitz_bias, "RXB"},
      {"fire", toeplitz_bias, "LX"},
      {"fox", content_bias, "RLXB"},
      {"fox(gate=bias)", toeplitz_bias, "RLXB"},
      {"fox(gate=fixed)", toeplitz_bias, "RXB"},
      {"cable", content_bias, "RLXB"},
      {"selective_rope", content_rotation, "RLB"},
      {"repo", content_rotation, "RL"},
      {"cope", content_bias, "RLX"},
      {"path", content_rotation, "RL"},
      {"self_extend", hadamard, "XB"},
      {"self_extend(group=1)", hadamard_toeplitz, "RXB"},
      {"rerope", hadamard_toeplitz, "RXB"},
      {"accumulated_random", hadamard, "B"},
      {"accumulated_random(spread=0)", hadamard_toeplitz, "RB"},
      {"shaw", distance_rows, "RLXB"},
      {"transformer_xl", distance_rows, "RLXB"},
      {"deberta", distance_rows, "RLXB"},
      {"shaw+rope", distance_rows, "RLB"},
      {"rope", hadamard_toeplitz, "RB"},
      {"rope(frequencies=learned)", hadamard_toeplitz, "RLB"},
      {"rope(scaling=yarn,factor=4,original=64)", hadamard_toeplitz, "RXB"},
      {"rope(scaling=dynamic,factor=4,original=64)", hadamard_toeplitz, "RXBN"},
      {"rope(axes=2)", hadamard_toeplitz, "RBD"},
      {"prope", hadamard_toeplitz, "RB"},
      {"xpos", hadamard_toeplitz, "RX"},
      {"pope", hadamard_toeplitz, "RLXB"},
      {"pope(phase=none)", hadamard_toeplitz, "RXB"},
      {"mla", hadamard_toeplitz, "RLB"},
      {"mla(rope=0)", none, "RLX"},
      {"mla(table=released)", hadamard_toeplitz, "LB"},
      {"sink", none, "RLX"},
      {"sink(logit=fixed)", none, "RX"},
      {"nope[window=4]", none, "RX"},
      {"rope[window=4]", hadamard_toeplitz, "RB"},
      {"rope[chunk=4]", hadamard_toeplitz, "B"},
      {"randomized(sinusoidal)", input, "XB"},
      {"scattered(rope)", hadamard_toeplitz, "RB"},
      {"segments(rope,by=\"0\")", hadamard_toeplitz, "RB"},
      {"segments(alibi,by=\"0\",axis=segment)", toeplitz_bias, "RX"},
      {"segments(learned,by=\"0\",max=8)", input, "LXB"},
      {"concat(sinusoidal)", input, "B"},
      {"bias(\"-abs(d)\")", toeplitz_bias, "RXB"},
      {"bias(\"-abs(d)/n\")", toeplitz_bias, "RXBN"},
      {"bias(\"a*i\",a=learned(1))", toeplitz_bias, "LXB"},
      {"input(\"i\")", input, "B"},
      {"ssmax", row_scale, "LXBN"},
      {"ssmax(s=fixed,start=0.5)", row_scale, "XBN"},
      {"ssmax(s=fixed,b=learned(0))", row_scale, "LXBN"},
      {"logn(original=64)", row_scale, "XBN"},
      {"llama4_scale", row_scale, "XB"},
      {"llama4_scale(beta=learned(0.1))", row_scale, "LXB"},
      {"scale(\"log(i+2)\")", row_scale, "XB"},
      {"scale(\"log(n+1)\")", none, "RXN"},
      {"scale(\"s\",s=learned(1,per=head))", none, "RLX"},
      {"scale(\"1+h\")", none, "RX"},
      {"ssmax+rope", hadamard_toeplitz, "LBN"},
  };
  for (const Expected& expected : all) {
    const EncodingTraits traits = testing_support::traits_of(expected.text);
    EXPECT_EQ(coupling_name(traits.coupling), coupling_name(expected.coupling)) << expected.text;
    EXPECT_EQ(letters(traits), expected.traits) << expected.text;
    EXPECT_EQ(traits.neutral, expected.text == "nope") << expected.text;
  }
}

TEST(EncodingCatalogue, ASumIsWhatItsTermsAre) {
  EXPECT_EQ(letters(testing_support::traits_of("alibi+rope")), "RB");
  EXPECT_EQ(testing_support::traits_of("alibi+rope").coupling, Coupling::hadamard_toeplitz);
  EXPECT_EQ(testing_support::traits_of("alibi+fox+rope").coupling, Coupling::content_bias);
  EXPECT_EQ(letters(testing_support::traits_of("alibi+learned")), "LB") << "one absolute term makes the sum absolute";
  EXPECT_EQ(letters(testing_support::traits_of("integer(normalised)+alibi")), "BN");
  EXPECT_EQ(letters(testing_support::traits_of("randomized(rope+t5)")), "RLXB");
}

TEST(EncodingCatalogue, CouplingsHaveNames) {
  EXPECT_EQ(coupling_name(Coupling::none), "none");
  EXPECT_EQ(coupling_name(Coupling::row_scale), "row_scale");
  EXPECT_EQ(coupling_name(Coupling::input), "input");
  EXPECT_EQ(coupling_name(Coupling::toeplitz_bias), "toeplitz_bias");
  EXPECT_EQ(coupling_name(Coupling::hadamard_toeplitz), "hadamard_toeplitz");
  EXPECT_EQ(coupling_name(Coupling::content_bias), "content_bias");
  EXPECT_EQ(coupling_name(Coupling::hadamard), "hadamard");
  EXPECT_EQ(coupling_name(Coupling::content_rotation), "content_rotation");
  EXPECT_EQ(coupling_name(Coupling::distance_rows), "distance_rows");
}

class ArgumentsTest : public ::testing::Test {
 protected:
  EncodingArguments arguments(const std::string& text, OtherArguments others = OtherArguments::refused) const {
    return EncodingArguments(parse_expression(text).terms.at(0), parameters_, text, others);
  }
  std::string error(const std::string& text) const {
    return testing_support::error_of([&] { arguments(text); });
  }

  const std::vector<EncodingParameter> parameters_ = {
      integer_parameter("buckets", 32, 1, 1024, "how many"),      word_parameter("kind", {"log", "power"}, "which"),
      number_parameter("slope", 0.5, -1, 1, "how steep"),         learnable_parameter("scale", 1, -10, 10, "how large"),
      formula_parameter("shape", {"flat", "round"}, "what form"), numbers_parameter("list", 0, 9, "how many each"),
  };
};

TEST_F(ArgumentsTest, FillsInDefaults) {
  const EncodingArguments given = arguments("t(8,slope=-0.25)");
  EXPECT_EQ(given.integer("buckets"), 8);
  EXPECT_EQ(given.word("kind"), "log");
  EXPECT_EQ(given.number("slope"), -0.25);
  EXPECT_EQ(given.learnable("scale").value, 1.0);
  EXPECT_FALSE(given.learnable("scale").learned);
  EXPECT_EQ(*given.word_if("shape"), "flat");
  EXPECT_EQ(given.numbers("list"), std::vector<double>{});
  const std::vector<TermArgument> canonical = given.canonical();
  ASSERT_EQ(canonical.size(), 2u);
  EXPECT_EQ(canonical[0].key, "buckets");
  EXPECT_EQ(canonical[1].key, "slope");
}

TEST_F(ArgumentsTest, KnowsWhatIsGiven) {
  const EncodingArguments given = arguments("t(8,kind=log,slope=-0.25)");
  EXPECT_TRUE(given.given("buckets"));
  EXPECT_FALSE(given.given("kind")) << "repeats the default";
  EXPECT_FALSE(given.given("scale"));
  EXPECT_EQ(given.column("slope").value, 20);
  EXPECT_EQ(given.text(), "t(8,kind=log,slope=-0.25)");
}

TEST_F(ArgumentsTest, IntegersAreWhole) {
  EXPECT_EQ(error("t(buckets=2.5)"),
            "encoding 't(buckets=2.5)': column 11: t: buckets must be a whole number, not 2.5");
  EXPECT_EQ(error("t(buckets=0)"), "encoding 't(buckets=0)': column 11: t: buckets must be from 1 to 1024, not 0");
  EXPECT_EQ(error("t(buckets=1024)"), "no error");
  EXPECT_EQ(error("t(1,log,1,1,flat,\"\",1)"),
            "encoding 't(1,log,1,1,flat,\"\",1)': column 21: t takes no more than 6 arguments");
}

TEST_F(ArgumentsTest, ALearnableIsANumberOrLearned) {
  const LearnableNumber number = arguments("t(scale=learned(-2,per=head,min=-3))").learnable("scale");
  EXPECT_TRUE(number.learned && number.per_head);
  EXPECT_EQ(number.value, -2.0);
  EXPECT_EQ(number.least, -3.0);
  EXPECT_EQ(arguments("t(scale=3)").learnable("scale").value, 3.0);
  EXPECT_EQ(error("t(scale=learned(11))"),
            "encoding 't(scale=learned(11))': column 9: t: scale must be from -10 to 10, not 11");
}

TEST_F(ArgumentsTest, AFormulaIsQuotedOrOneOfItsWords) {
  EXPECT_EQ(*arguments("t(shape=round)").word_if("shape"), "round");
  EXPECT_EQ(arguments("t(shape=\"1 + x\")").word_if("shape"), nullptr);
  EXPECT_EQ(arguments("t(shape=\"1 + x\")").formula("shape").print(), "1+x");
  EXPECT_EQ(error("t(shape=square)"),
            "encoding 't(shape=square)': column 9: t: unknown shape 'square'; known: flat, round");
  EXPECT_EQ(error("t(shape=3)"), "encoding 't(shape=3)': column 9: t: shape must be a formula in quotes, not 3");
}

TEST_F(ArgumentsTest, NumbersStandInQuotes) {
  EXPECT_EQ(arguments("t(list=\" 1, 2.50 ,3e0\")").numbers("list"), (std::vector<double>{1.0, 2.5, 3.0}));
  EXPECT_EQ(print_expression(arguments("t(list=\" 1, 2.50 ,3e0\")").canonical()[0].value), "\"1,2.5,3\"");
  EXPECT_EQ(error("t(list=\"1,12\")"), "encoding 't(list=\"1,12\")': column 8: t: list must be from 0 to 9, not 12");
  for (const std::string list : {"1,", ",1", "1 2", "x", "1,,2", "inf", "nan", "0x1", "1e999"}) {
    EXPECT_NE(error("t(list=\"" + list + "\")").find("list must be numbers in quotes, such as \"1,1.5,2\", not"),
              std::string::npos)
        << list;
  }
}

TEST_F(ArgumentsTest, OtherNamesBelongToAFormula) {
  const EncodingArguments given = arguments("t(shape=\"a*b\",b=learned(0.5),a=-2)", OtherArguments::formula_variables);
  ASSERT_EQ(given.variables().size(), 2u);
  EXPECT_EQ(given.variables()[0].name, "a");
  EXPECT_EQ(given.variables()[0].number.value, -2.0);
  EXPECT_EQ(given.variables()[1].name, "b");
  EXPECT_TRUE(given.variables()[1].number.learned);
  EXPECT_EQ(error("t(shape=\"a\",a=1)"),
            "encoding 't(shape=\"a\",a=1)': column 13: t has no argument 'a'; known: buckets, kind, slope, scale, "
            "shape, list");
}

}  // namespace catalogue_test
}  // namespace phasor
