// phasor encodings: the list, the cards, the road, and what is said to nonsense.
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/command.h"
#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/encoding.h"
#include "phasor/encoding/family.h"
#include "phasor/encoding/manual.h"

namespace phasor {
namespace encodings_test {

using Json = nlohmann::json;

std::string output(const Arguments& words) {
  const Outcome outcome = phasor_command(Arguments{"encodings"} + words);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return outcome.out;
}

Json json_output(const Arguments& words) {
  const std::string text = output(words + Arguments{"--json"});
  const Json json = Json::parse(text, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << text;
  return json;
}

// Characters, not bytes: those of UTF-8 that begin one.
size_t columns(const std::string& line) {
  return static_cast<size_t>(std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

void expect_fits_a_terminal(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(columns(line), 100u) << line;
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
}

TEST(Encodings, ListNamesEveryEntry) {
  const std::string list = output({});
  const std::string with_parameters = output({"--parameters"});
  const Json json = json_output({});
  ASSERT_EQ(json.size(), encoding_catalogue().size());
  for (size_t i = 0; i < json.size(); ++i) {
    const EncodingEntry& entry = encoding_catalogue()[i];
    expect_words(list, {"\n  " + entry.name + " "});
    EXPECT_EQ(json[i].at("name").get<std::string>(), entry.name);
    EXPECT_EQ(json[i].at("paper"), entry.paper);
    ASSERT_EQ(json[i].at("parameters").size(), entry.parameters.size());
    for (size_t p = 0; p < entry.parameters.size(); ++p) {
      EXPECT_EQ(json[i].at("parameters")[p].at("name"), entry.parameters[p].name);
      expect_words(with_parameters, {"    " + entry.parameters[p].name + "="});
    }
  }
  expect_words(list, {"Rotations of queries and keys\n  rope "});
  expect_fits_a_terminal(list);
  expect_fits_a_terminal(with_parameters);
}

// Whatever a new entry brings, its card can be made, read and parsed.
TEST(Encodings, EveryEntryHasACard) {
  for (const EncodingEntry& entry : encoding_catalogue()) {
    const std::string expression = shown_expression(entry);
    const std::string card = output({expression});
    expect_fits_a_terminal(card);
    expect_words(card, {entry.name, "Desiderata", "class ", "More on " + entry.name});
    const Json json = json_output({expression});
    EXPECT_EQ(json.at("name"), print(parse_encoding(expression)));
    EXPECT_EQ(json.at("terms")[0].at("formula"), entry.formula);
    EXPECT_FALSE(json.at("desiderata").empty());
  }
}

TEST(Encodings, CardHasEveryNumber) {
  const Json json = json_output({"rope( 5e2 )[heads=0-1] + kerple[layers=1]", "--length", "20"});
  EXPECT_EQ(json.at("name"), "rope(base=500)[heads=0-1]+kerple[layers=1]");
  EXPECT_EQ(json.at("class"), "hadamard_toeplitz");
  EXPECT_EQ(json.at("traits").at("learnable"), true);
  EXPECT_EQ(json.at("shape").at("positions"), 20);
  const Json& base = json.at("terms")[0].at("parameters")[0];
  EXPECT_EQ(base.at("name"), "base");
  EXPECT_EQ(base.at("value"), 500.0);
  EXPECT_EQ(base.at("default"), 10000.0);
  EXPECT_EQ(base.at("given"), true);
  const Json& layers = json.at("places").at("layers");
  EXPECT_EQ(layers[0].at("rotation")[1].at("pairs"), 8);
  EXPECT_TRUE(layers[0].at("rotation")[2].is_null());
  EXPECT_TRUE(layers[0].at("bias").is_null());
  EXPECT_EQ(layers[1].at("bias").at("by_query"), false);
  EXPECT_EQ(json.at("tensors")[0].at("name"), "layers.1.encoding.kerple.r1");
  EXPECT_EQ(json.at("tensors")[0].at("shape"), Json({4}));
  EXPECT_EQ(json.at("tensors")[0].at("start").at("kind"), "uniform");
  ASSERT_EQ(json.at("kernels").size(), 5u) << "one rotation, and a bias of each head";
  EXPECT_EQ(json.at("kernels")[0].at("heads"), Json({0, 1}));
  EXPECT_EQ(json.at("kernels")[0].at("values").size(), 39u);
  EXPECT_NEAR(json.at("kernels")[0].at("values")[19].get<double>(), 1.0, 1e-14);
  EXPECT_EQ(json.at("kernels")[0].at("toeplitz"), true);
  EXPECT_EQ(json.at("desiderata")[0].at("shift").at("pass"), true);
  EXPECT_EQ(json.at("desiderata")[1].at("place"), "distance bias");
  EXPECT_EQ(json.at("desiderata")[1].at("layer"), 1);
}

TEST(Encodings, CardShowsPlacesAndKernel) {
  const std::string card = output({"learned+rope[heads=0-1]+alibi[heads=2-3]", "--ascii", "--layers", "1"});
  expect_words(card, {"head          0   1   2   3", "layer 0       R   R   B   B", "B distance bias, R rotation",
                      "encoding.learned [128, 64]: starts as N(0, 0.02^2)", "Kernel of the rotation, layer 0", "|***",
                      "2: head 2, 3: head 3", "no values beyond: the trained table ends"});
  EXPECT_EQ(columns(card), card.size()) << "--ascii is ASCII";
  EXPECT_NE(output({"rope"}).find("\xe2\xa0"), std::string::npos) << "dots";
}

TEST(Encodings, CardFollowsTheShape) {
  expect_words(output({"rope(axes=2)", "--grid", "4,6"}), {"24 positions (4 x 6)", "along coordinate 1", "-5"});
  expect_words(output({"alibi", "--heads", "2", "--width", "6", "--layers", "3", "--causal"}),
               {"3 layers, 2 heads of 3 channels, width 6, 128 positions, causal"});
  const Json one = json_output({"relative", "--seed", "1"}).at("kernels");
  EXPECT_EQ(one, json_output({"relative", "--seed", "1"}).at("kernels"));
  EXPECT_NE(one, json_output({"relative"}).at("kernels"));
}

TEST(Encodings, RoadCanBeReadOffTheNumbers) {
  const std::string text = output({"--road"});
  expect_fits_a_terminal(text);
  const Json road = json_output({"--road"});
  std::vector<std::string> names;
  for (const Json& step : road) {
    names.push_back(step.at("name"));
    expect_words(text, {"\n" + names.back() + " "});
  }
  EXPECT_EQ(names, (std::vector<std::string>{"nope", "integer", "integer(scale=normalised)", "binary", "sinusoidal",
                                             "rope", "rope(axes=2)"}));
  EXPECT_EQ(road[0].at("unique").at("pass"), false);
  EXPECT_EQ(road[1].at("longer").at("pass"), false);
  EXPECT_EQ(road[2].at("unique").at("pass"), false);
  EXPECT_EQ(road[3].at("shift").at("pass"), false);
  EXPECT_EQ(road[4].at("shift").at("pass"), true);
  EXPECT_NEAR(road[5].at("norm_ratio").get<double>(), 1.0, 1e-14);
  EXPECT_EQ(road[6].at("n_dimensional").at("pass"), true);
}

TEST(Encodings, MarkdownIsTheManuals) {
  EXPECT_TRUE(output({"--markdown"}) == manual_catalogue());
  const TemporaryFolder folder;
  const std::string manual = read_file(PHASOR_FIXTURES "/../../docs/encodings.md");
  write_file_atomically(folder / "manual.md", with_catalogue(manual, "old\n"));
  EXPECT_EQ(output({"--markdown", "--update", (folder / "manual.md").string()}), "");
  EXPECT_TRUE(read_file(folder / "manual.md") == with_catalogue(manual, manual_catalogue()));
}

TEST(Encodings, NonsenseIsExplained) {
  const auto expect_refused = [](const Arguments& words, std::initializer_list<std::string_view> message) {
    expect_error(phasor_command(Arguments{"encodings"} + words), 2, message);
  };
  expect_refused({"roep"}, {"column 1", "did you mean 'rope'"});
  expect_refused({"rope("}, {"column 6", "expected a value"});
  expect_refused({"rope", "alibi"}, {"'alibi'", "--help"});
  expect_refused({"rope+prope"}, {"both rotate head 0 of layer 0"});
  expect_refused({"bias(\"1/d\")"}, {"inf at d=0"});
  expect_refused({"rope[heads=9]", "--heads", "4"}, {"no head 9"});
  expect_refused({"rope[heads=60000]"}, {"up to number 63"});
  expect_refused({"rope", "--length", "1"}, {"--length", "2 to 2048"});
  expect_refused({"integer(normalised)", "--length", "2000"}, {"--length", "2 to 256"});
  expect_refused({"rope", "--width", "30"}, {"--width 30", "4 heads", "28"});
  expect_refused({"rope(axes=2)", "--grid", "4"}, {"2 coordinates"});
  expect_refused({"rope(axes=2)", "--grid", "4,x"}, {"--grid", "'x'"});
  expect_refused({"rope(axes=2)", "--length", "20"}, {"--grid", "8,16"});
  expect_refused({"rope", "--grid", "4,6", "--length", "20"}, {"24", "20"});
  expect_refused({"--length", "20"}, {"--length", "EXPRESSION"});
  expect_refused({"--road", "rope"}, {"--road", "leave the expression out"});
  expect_refused({"--json", "--markdown"}, {"--json", "--markdown"});
  expect_refused({"--update", "x"}, {"--update goes with --markdown"});
  expect_refused({"rope", "--lenght", "3"}, {"did you mean '--length'"});
  const TemporaryFolder folder;
  write_file_atomically(folder / "other.md", "# Other\n");
  expect_error(phasor_command({"encodings", "--markdown", "--update", (folder / "other.md").string()}), 1,
               {"no place for the catalogue"});
  EXPECT_EQ(read_file(folder / "other.md"), "# Other\n");
}

}  // namespace encodings_test
}  // namespace phasor
