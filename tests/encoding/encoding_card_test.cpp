// The catalogue's list, cards of expressions, and the road to RoPE, for people and for programs.
#include "phasor/encoding/measure/encoding_card.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/encoding_list.h"
#include "phasor/encoding/family.h"
#include "phasor/encoding/measure/road.h"
#include "phasor/encoding/measure/usual_shape.h"
#include "support/temporary_folder.h"

namespace phasor {
namespace encoding_card_test {

using Json = nlohmann::ordered_json;

EncodingCard card_of(const std::string& expression, const std::function<void(EncodingShape&)>& change = {}) {
  const Encoding encoding = parse_encoding(expression);
  EncodingShape shape = usual_shape(encoding);
  if (change) change(shape);
  return make_card(encoding, shape, 0);
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

TEST(EncodingList, NamesEveryEntry) {
  const std::string list = encoding_list(false);
  const std::string with_parameters = encoding_list(true);
  const Json json = encoding_list_json();
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
TEST(EncodingCard, EveryEntryHasOne) {
  for (const EncodingEntry& entry : encoding_catalogue()) {
    const EncodingCard card = card_of(shown_expression(entry));
    expect_fits_a_terminal(card_text(card, false));
    expect_words(card_text(card, false), {entry.name, "Desiderata", "class ", "More on " + entry.name});
    const Json json = card_json(card);
    EXPECT_EQ(json.at("name"), print(parse_encoding(shown_expression(entry))));
    EXPECT_EQ(json.at("terms")[0].at("formula"), entry.formula);
    EXPECT_FALSE(json.at("desiderata").empty());
  }
}

TEST(EncodingCard, HasEveryNumber) {
  const Json json = card_json(
      card_of("rope( 5e2 )[heads=0-1] + kerple[layers=1]", [](EncodingShape& shape) { shape.positions = 20; }));
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

TEST(EncodingCard, ShowsPlacesAndKernel) {
  const std::string card = card_text(
      card_of("learned+rope[heads=0-1]+alibi[heads=2-3]", [](EncodingShape& shape) { shape.layers = 1; }), true);
  expect_words(card, {"head          0   1   2   3", "layer 0       R   R   B   B", "B distance bias, R rotation",
                      "encoding.learned [128, 64]: starts as N(0, 0.02^2)", "Kernel of the rotation, layer 0", "|***",
                      "2: head 2, 3: head 3", "no values beyond: the trained table ends"});
  EXPECT_EQ(columns(card), card.size()) << "--ascii is ASCII";
  EXPECT_NE(card_text(card_of("rope"), false).find("\xe2\xa0"), std::string::npos) << "dots";
}

TEST(EncodingRoad, CanBeReadOffTheNumbers) {
  const std::string text = road_text();
  expect_fits_a_terminal(text);
  const Json road = road_json();
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

}  // namespace encoding_card_test
}  // namespace phasor
