// The catalogue's list, cards of expressions, and the road to RoPE, for people and for programs.
#include "phasor/encoding/measure/encoding_card.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
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
    expect_fits_a_terminal(card_text(card));
    expect_fits_a_terminal(card_text(card, {.all = true}));
    // What content decides as well has nothing to measure, and far keys that see other angles no vectors of positions.
    const auto is_dense = [](const LayerEncoding& layer) { return layer.dense != nullptr; };
    const Coupling coupling = card.traits.coupling;
    const bool measured = coupling != Coupling::content_bias && coupling != Coupling::content_rotation &&
                          coupling != Coupling::distance_rows &&
                          std::none_of(card.resolved.layers.begin(), card.resolved.layers.end(), is_dense);
    EXPECT_EQ(card.left_out.empty(), measured) << entry.name;
    expect_words(card_text(card), {entry.name, measured ? "Desiderata" : "Not measured", "class ",
                                   "--all adds every parameter of " + entry.name});
    expect_words(card_text(card, {.all = true}), {"More on " + entry.name});
    const Json json = card_json(card);
    EXPECT_EQ(json.at("name"), print(parse_encoding(shown_expression(entry))));
    EXPECT_EQ(json.at("terms")[0].at("general_formula"), entry.formula);
    EXPECT_NE(json.at("terms")[0].at("formula"), "");
    EXPECT_EQ(json.at("desiderata").empty(), !measured);
  }
}

TEST(EncodingCard, ListsDistanceRows) {
  const auto first_layer = [](const char* text) { return card_json(card_of(text)).at("places").at("layers")[0]; };
  const Json rows = first_layer("transformer_xl(max_distance=5)+deberta(which=p2c,buckets=4,max_distance=8)");
  EXPECT_EQ(rows.at("query_rows").at("term"), "transformer_xl(max_distance=5)");
  EXPECT_EQ(rows.at("query_rows").at("vectors"), 11);
  EXPECT_EQ(rows.at("key_rows").at("vectors"), 8);
  EXPECT_EQ(rows.at("shifted"), true);
  const Json none = first_layer("rope");
  EXPECT_TRUE(none.at("query_rows").is_null());
  EXPECT_TRUE(none.at("key_rows").is_null());
  EXPECT_EQ(none.at("shifted"), false);
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
  const std::string card =
      card_text(card_of("learned+rope[heads=0-1]+alibi[heads=2-3]", [](EncodingShape& shape) { shape.layers = 1; }),
                {.ascii = true});
  expect_words(card, {"head          0   1   2   3", "layer 0       R   R   B   B", "B distance bias, R rotation",
                      "encoding.learned [128, 64]: starts as N(0, 0.02^2)", "Kernel of the rotation, layer 0", "|***",
                      "2: head 2, 3: head 3", "no values beyond: the trained table ends"});
  EXPECT_EQ(columns(card), card.size()) << "--ascii is ASCII";
  EXPECT_NE(card_text(card_of("rope")).find("\xe2\xa0"), std::string::npos) << "dots";
}

std::string formula_of(const std::string& expression) {
  return card_json(card_of(expression)).at("terms")[0].at("formula").get<std::string>();
}

// What an argument changes is in the formula that is shown.
TEST(EncodingCard, FormulaIsTheOneInForce) {
  EXPECT_EQ(formula_of("rope"), "(q[2c] + i q[2c+1]) e^(i p w), the same for k; w = base^(-2c/C); C = head width");
  EXPECT_EQ(formula_of("rope(frequencies=\"a/(1+c)\",a=2)"),
            "(q[2c] + i q[2c+1]) e^(i p w), the same for k; w = a/(1+c); C = head width");
  EXPECT_EQ(formula_of("rope(layout=half,fraction=0.5,scaling=linear,factor=4)"),
            "(q[c] + i q[C/2+c]) e^(i p w), the same for k; w = base^(-2c/C) / factor; C = fraction * head width");
  expect_words(formula_of("rope(scaling=yarn,factor=4,original=64)"),
               {"1 - r + r/factor", "beta_fast", "queries and keys times 0.1 log(factor) + 1"});
  expect_words(formula_of("rope(scaling=yarn,factor=4,original=64,attention=2)"), {"queries and keys times attention"});
  expect_words(formula_of("rope(scaling=llama3,factor=4,original=64)"), {"(s + (1 - s)/factor)", "high - low"});
  expect_words(formula_of("rope(scaling=dynamic,factor=4,original=64)"), {"f = factor n/original - (factor - 1)"});
  expect_words(formula_of("rope(frequencies=learned)"), {"trained in each layer, from base^(-2c/C) on"});
  expect_words(formula_of("rope(axes=2)"), {"p the coordinates", "2 blocks of pairs, one per coordinate"});
  expect_words(formula_of("rope(axes=2,map=sections)"), {"consecutive sections"});
  EXPECT_EQ(formula_of("bias(\"-a*abs(d)\",a=learned(1))"), "b = -a*abs(d)");
  EXPECT_EQ(formula_of("input(\"sin(i)\")"), "x[c] += sin(i)");
  EXPECT_EQ(formula_of("integer(normalised)"), "x[c] += p / (n - 1), n the sequence's own length");
  EXPECT_EQ(formula_of("binary(signed)"), "x[c] += 2 (bit c of p) - 1 (the lowest first)");
  expect_words(formula_of("sinusoidal(layout=halves)"), {"x[c] += sin(p w), x[width/2+c] += cos(p w)"});
  expect_words(formula_of("kerple(power)"), {"-r1*abs(d)^r2"});
  EXPECT_EQ(formula_of("alibi(released)"), "b_h(d) = -m_h |d|, m_h = e^(-h/H)");
  expect_words(formula_of("xpos(scale=0.9,layout=half)"), {"z = scale", "channels c and D/2+c"});
  EXPECT_EQ(formula_of("mla(rope=0)"), "L = <q, k> / sqrt(head width), q and k from latents");
  EXPECT_EQ(formula_of("nope"), find_encoding("nope")->formula);
}

// Names of the parameters that have a say.
std::set<std::string> saying(const std::string& expression) {
  std::set<std::string> names;
  const Json card = card_json(card_of(expression));
  for (const Json& parameter : card.at("terms")[0].at("parameters")) {
    if (parameter.at("has_say").get<bool>()) names.insert(parameter.at("name").get<std::string>());
  }
  return names;
}

TEST(EncodingCard, ShowsParametersThatHaveASay) {
  using Names = std::set<std::string>;
  EXPECT_EQ(saying("rope"), (Names{"base", "layout"}));
  EXPECT_EQ(saying("rope(frequencies=\"1/(1+c)\")"), (Names{"layout", "frequencies"}));
  EXPECT_EQ(saying("rope(frequencies=\"base^(-c)\")"), (Names{"base", "layout", "frequencies"}));
  EXPECT_EQ(saying("rope(scaling=yarn,factor=4,original=64)"),
            (Names{"base", "layout", "scaling", "factor", "original", "beta_fast", "beta_slow", "truncate"}));
  EXPECT_EQ(
      saying("rope(scaling=yarn,factor=4,original=64,attention=1)"),
      (Names{"base", "layout", "scaling", "factor", "original", "beta_fast", "beta_slow", "truncate", "attention"}));
  EXPECT_EQ(saying("rope(scaling=llama3,factor=4,original=64)"),
            (Names{"base", "layout", "scaling", "factor", "original", "low", "high"}));
  EXPECT_EQ(saying("rope(fraction=0.5)"), (Names{"base", "layout", "fraction"}));
  EXPECT_EQ(saying("rope(axes=2)"), (Names{"base", "layout", "axes", "map"}));
  EXPECT_EQ(saying("mla(rope=0)"), (Names{"kv", "q", "rope", "norm"}));
  EXPECT_EQ(saying("xpos"), (Names{"base", "layout", "decay_base"}));
  const EncodingCard card = card_of("rope(scaling=yarn,factor=4,original=64)");
  const std::string text = card_text(card);
  expect_words(text,
               {"\n  with        base=10000 (default): ", "\n              factor=4: ", "beta_fast=32 (default)"});
  for (const char* unused : {" low=1", "mscale=", "sections=", "map=", "fraction="}) {
    EXPECT_EQ(text.find(unused), std::string::npos) << unused;
    expect_words(card_text(card, {.all = true}), {unused});
  }
  const std::string invented = card_text(card_of("bias(\"-a*abs(d)\",a=learned(1))"));
  expect_words(invented, {"a=learned(1): a name in the formula"});
  EXPECT_EQ(invented.find("formula=\""), std::string::npos) << "it stands in the line above";
}

// No table by position, no comparison of all with all.
TEST(EncodingCard, LongAndWideOnesHaveAllThatNeedsNoTable) {
  const auto large = [](EncodingShape& shape) {
    shape.positions = 1048576;
    shape.head_width = 4096;
    shape.width = 4 * 4096;
  };
  const EncodingCard card = card_of("rope(scaling=dynamic,factor=2,original=4096)", large);
  const Json json = card_json(card);
  EXPECT_TRUE(json.at("kernels").empty());
  EXPECT_TRUE(json.at("desiderata").empty());
  EXPECT_EQ(json.at("left_out"), card.left_out);
  EXPECT_EQ(json.at("rotary_pairs")[0].at("pairs").size(), 2048u);
  EXPECT_EQ(json.at("places").at("layers")[0].at("rotation")[0].at("length_classes"), 1048576 - 4096 + 1);
  expect_words(card_text(card), {"Not measured\n", "compare every position with every other", "... 2042 more"});
  EXPECT_EQ(card_of("rope").left_out, "");
  const auto wide = [](EncodingShape& shape) { shape.width = 4 * (shape.head_width = 2048); };
  expect_words(card_of("rope", wide).left_out, {"1024 channels, not 2048"});
  expect_words(card_of("sinusoidal", wide).left_out, {"1024 channels, not 8192"});
  EXPECT_EQ(card_of("alibi", wide).left_out, "") << "a bias has no channels";
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
  EXPECT_EQ(road[1].at("bounded").at("pass"), false);
  EXPECT_EQ(road[2].at("unique").at("pass"), false);
  EXPECT_EQ(road[3].at("shift").at("pass"), false);
  EXPECT_EQ(road[4].at("shift").at("pass"), true);
  EXPECT_NEAR(road[5].at("norm_ratio").get<double>(), 1.0, 1e-14);
  EXPECT_EQ(road[6].at("n_dimensional").at("pass"), true);
}

}  // namespace encoding_card_test
}  // namespace phasor
