// docs/encodings.md and docs/adding_an_encoding.md, held against the code.
#include "phasor/encoding/manual.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "encoding/worked_example.h"
#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/encoding/encoding.h"
#include "phasor/encoding/family.h"
#include "phasor/encoding/measure/usual_shape.h"
#include "phasor/encoding/resolve/values.h"
#include "phasor/encoding/syntax/parser.h"
#include "support/paths.h"

namespace phasor {
namespace manual_test {

std::string document(const std::string& name) {
  return read_file(std::string(fixtures_folder()) + "/../../docs/" + name);
}

// Indented lines of the section below a heading, without their indent.
std::vector<std::string> examples(const std::string& heading) {
  const std::string text = "\n" + document("encodings.md");
  const size_t begin = text.find("\n" + heading + "\n");
  EXPECT_NE(begin, std::string::npos) << heading;
  std::istringstream section(text.substr(begin + 1, text.find("\n#", begin + 1) - begin));
  std::vector<std::string> lines;
  for (std::string line; std::getline(section, line);) {
    if (line.starts_with("    ")) lines.push_back(line.substr(4));
  }
  EXPECT_FALSE(lines.empty()) << heading;
  return lines;
}

std::string before_gap(const std::string& line) { return line.substr(0, line.find("  ")); }
std::string after_gap(const std::string& line) { return line.substr(line.find_first_not_of(' ', line.find("  "))); }

TEST(Manual, HasTheCatalogueAsItIs) {
  const std::string manual = document("encodings.md");
  EXPECT_TRUE(with_catalogue(manual, manual_catalogue()) == manual)
      << "docs/encodings.md is behind the catalogue. Run:\n"
         "  build/release/phasor encodings --markdown --update docs/encodings.md";
}

TEST(Manual, NeedsItsMarkers) {
  EXPECT_THROW(with_catalogue("# Encodings\n", "x"), FormatError);
  EXPECT_THROW(with_catalogue("<!-- end of catalogue -->\n", "x"), FormatError);
}

TEST(Manual, ItsExpressionsCanBeResolved) {
  for (const char* heading : {"# Encodings", "## Formulas"}) {
    for (const std::string& line : examples(heading)) {
      const Encoding encoding = parse_encoding(before_gap(line));
      EXPECT_NO_THROW(resolve(encoding, usual_shape(encoding))) << line;
    }
  }
}

TEST(Manual, ItsCanonicalFormsAreThose) {
  for (const std::string& line : examples("### The canonical form")) {
    EXPECT_EQ(print(parse_encoding(before_gap(line))), after_gap(line));
  }
}

TEST(Manual, ItsErrorsAreThose) {
  for (const std::string& line : examples("### Errors")) {
    const size_t begin = line.find('\'') + 1;
    const std::string text = line.substr(begin, line.find("': column") - begin);
    try {
      resolve(parse_encoding(text),
              {.layers = 2, .heads = 4, .head_width = 16, .width = 64, .positions = 8, .grid = {2, 4}});
      ADD_FAILURE() << "no error: " << text;
    } catch (const UsageError& error) {
      EXPECT_EQ(error.what(), line);
    }
  }
}

TEST(Manual, SortsTheCatalogueByFamily) {
  const auto family = [](const std::string& name) { return family_name(family_of(*find_encoding(name))); };
  EXPECT_EQ(family("nope"), "input");
  EXPECT_EQ(family("learned"), "input");
  EXPECT_EQ(family("fire"), "bias");
  EXPECT_EQ(family("fox"), "gates");
  EXPECT_EQ(family("repo"), "gates");
  EXPECT_EQ(family("shaw"), "rows");
  EXPECT_EQ(family("rope"), "rotation");
  EXPECT_EQ(family("mla"), "decoupled");
  EXPECT_EQ(family("concat"), "wrapper");
  EXPECT_EQ(family("bias"), "formula");
}

// --- The worked example of docs/adding_an_encoding.md ---------------------------------------------

TEST(WorkedExample, StandsInTheDocumentAsItIsCompiledHere) {
  const std::string code = read_file(std::string(fixtures_folder()) + "/../encoding/worked_example.h");
  EXPECT_NE(document("adding_an_encoding.md").find("```cpp\n" + code + "```\n"), std::string::npos);
  EXPECT_LT(std::count(code.begin(), code.end(), '\n'), 40);
}

TEST(WorkedExample, FillsItsPlace) {
  const EncodingEntry entry = gaussian_entry();
  for (const std::string text : {"gaussian(width=3)[heads=1]", "gaussian(width=learned(3))[heads=1]"}) {
    const Term term = parse_expression(text).terms.front();
    const auto component = entry.make(EncodingArguments(term, entry.parameters, text));
    EncodingPlaces places({.layers = 1, .heads = 2, .head_width = 4, .width = 8, .positions = 9}, text);
    places.within(term, [&] { component->fill(places); });
    const ResolvedEncoding resolved = places.take();
    const ResolvedEncoding started = with_values(resolved, initial_values(resolved, 0));
    EXPECT_EQ(resolved.parameters.size(), component->traits().learnable ? 1u : 0u);
    for (int64_t d = -8; d <= 8; ++d) {
      EXPECT_EQ(started.layers[0].bias->fixed(0, 8 + d), 0.0);
      EXPECT_NEAR(started.layers[0].bias->fixed(1, 8 + d), -static_cast<double>(d * d) / 18.0, 1e-14);
    }
  }
}

}  // namespace manual_test
}  // namespace phasor
