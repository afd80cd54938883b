#include <gtest/gtest.h>

#include <cmath>

#include "encoding/rotation_probe.h"
#include "phasor/encoding/entries/frequencies.h"

namespace phasor {
namespace rope_axes_test {

using namespace phasor::testing_support;

EncodingShape grid_shape(int64_t head_width, std::vector<int64_t> grid) {
  return rotation_shape(head_width, 30, std::move(grid));
}

std::shared_ptr<const Rotation> grid_rotation(const std::string& text, int64_t head_width, std::vector<int64_t> grid) {
  return rotation(text, grid_shape(head_width, std::move(grid)));
}

// The axis that turns each pair, -1 where there is not exactly one.
std::vector<int64_t> axis_of_pair(const Rotation& r) {
  std::vector<int64_t> result;
  for (int64_t c = 0; c < r.pairs; ++c) {
    int64_t axis = -1;
    int64_t axes = 0;
    for (int64_t a = 0; a < r.frequencies.rows; ++a) {
      if (r.frequencies(a, c) == 0.0) continue;
      axis = a;
      ++axes;
    }
    result.push_back(axes == 1 ? axis : -1);
  }
  return result;
}

TEST(RopeAxes, ReadsTheCoordinatesOfTheTokens) {
  const ResolvedEncoding encoding = resolve(parse_encoding("rope(axes=2)"), grid_shape(16, {5, 9, 3}));
  const auto r = encoding.layers[0].rotation[0];
  ASSERT_EQ(r->axes.size(), 2u);
  for (int64_t a = 0; a < 2; ++a) {
    const PositionAxis& axis = encoding.axes[static_cast<size_t>(r->axes[static_cast<size_t>(a)])];
    EXPECT_EQ(axis.kind, PositionAxis::Kind::coordinate);
    EXPECT_EQ(axis.coordinate, a);
  }
  EXPECT_EQ(r->positions, 9);
  EXPECT_EQ(r->frequencies.rows, 2);
  EXPECT_EQ(r->query.size(), 2u * 9u * 8u);
  EXPECT_TRUE(traits_of("rope(axes=2)").n_dimensional);
  EXPECT_FALSE(traits_of("rope").n_dimensional);
}

TEST(RopeAxes, AxialGivesEachAxisABlockWithAllFrequencies) {
  const auto r = grid_rotation("rope(axes=2,base=100)", 16, {6, 6});
  EXPECT_EQ(axis_of_pair(*r), (std::vector<int64_t>{0, 0, 0, 0, 1, 1, 1, 1}));
  const Vector grid = geometric_frequencies(100.0, 8);
  for (int64_t c = 0; c < 4; ++c) {
    EXPECT_EQ(r->frequencies(0, c), grid[static_cast<size_t>(c)]);
    EXPECT_EQ(r->frequencies(1, 4 + c), grid[static_cast<size_t>(c)]);
  }
}

// As one axis after the other on its own channels.
TEST(RopeAxes, AxialIsRopeOnEachBlock) {
  const auto r = grid_rotation("rope(axes=2)", 16, {7, 7});
  const auto one = rotation("rope", 8, 7);
  const Vector x = random_vector(16, 1);
  const Vector y = turned(*r, r->query, {3, 5}, x);
  const Vector first = turned(*one, one->query, {3}, Vector(x.begin(), x.begin() + 8));
  const Vector second = turned(*one, one->query, {5}, Vector(x.begin() + 8, x.end()));
  EXPECT_EQ(Vector(y.begin(), y.begin() + 8), first);
  EXPECT_EQ(Vector(y.begin() + 8, y.end()), second);
}

// Qwen2-VL's temporal, height and width sections.
TEST(RopeAxes, SectionsShareOneGrid) {
  const auto r = grid_rotation("rope(axes=3,map=sections,sections=\"2,3,3\")", 16, {4, 4, 4});
  EXPECT_EQ(axis_of_pair(*r), (std::vector<int64_t>{0, 0, 1, 1, 1, 2, 2, 2}));
  const Vector grid = geometric_frequencies(10000.0, 16);
  for (int64_t c = 0; c < 8; ++c) {
    EXPECT_EQ(r->frequencies(axis_of_pair(*r)[static_cast<size_t>(c)], c), grid[static_cast<size_t>(c)]);
  }
  EXPECT_EQ(axis_of_pair(*grid_rotation("rope(axes=2,map=sections)", 16, {4, 4})),
            (std::vector<int64_t>{0, 0, 0, 0, 1, 1, 1, 1}));
}

// With [24, 20, 20] of 64: height has 1, 4, ..., 58, width 2, 5, ..., 59, time the rest.
TEST(RopeAxes, InterleavedIsThatOfQwen3Vl) {
  const auto r = grid_rotation("rope(axes=3,map=interleaved,sections=\"24,20,20\")", 128, {4, 4, 4});
  const std::vector<int64_t> axis = axis_of_pair(*r);
  const Vector grid = geometric_frequencies(10000.0, 128);
  for (int64_t c = 0; c < 64; ++c) {
    EXPECT_EQ(axis[static_cast<size_t>(c)], c < 60 ? c % 3 : 0) << c;
    EXPECT_EQ(r->frequencies(axis[static_cast<size_t>(c)], c), grid[static_cast<size_t>(c)]) << c;
  }
  EXPECT_EQ(axis_of_pair(*grid_rotation("rope(axes=4,map=interleaved)", 16, {2, 2, 2, 2})),
            (std::vector<int64_t>{0, 1, 2, 3, 0, 1, 2, 3}));
}

TEST(RopeAxes, LogitsDependOnDifferencesOfCoordinatesAlone) {
  const Vector q = random_vector(24, 2);
  const Vector k = random_vector(24, 3);
  const double size = std::sqrt(dot(q, q) * dot(k, k));
  const std::vector<std::vector<std::string>> texts = {
      {"rope(axes=2)", "rope(axes=2,layout=half)", "rope(axes=2,map=mixed)",
       "rope(axes=2,map=sections,sections=\"7,5\")", "rope(axes=2,map=interleaved,sections=\"8,4\")",
       "rope(axes=2,scaling=yarn,factor=4,original=16)"},
      {"rope(axes=3)", "rope(axes=3,map=mixed)", "rope(axes=3,map=sections,sections=\"2,5,5\")"},
      {"rope(axes=4)", "rope(axes=4,map=mixed)", "rope(axes=4,map=interleaved)"}};
  const Position i = {3, 1, 8, 2};
  const Position j = {0, 9, 4, 7};
  for (const std::string& text : texts[0]) {
    const auto r = grid_rotation(text, 24, {1010, 1010});
    const double expected = logit(*r, q, k, i, j);
    for (const int64_t dx : {0, 1, 17, 1000}) {
      for (const int64_t dy : {0, 1, 17, 1000}) {
        EXPECT_NEAR(logit(*r, q, k, {i[0] + dx, i[1] + dy}, {j[0] + dx, j[1] + dy}), expected, 1e-12 * size)
            << text << ": " << dx << ", " << dy;
      }
    }
    EXPECT_GT(std::abs(logit(*r, q, k, {i[0] + 1, i[1]}, j) - expected), 1e-3) << text;
    EXPECT_GT(std::abs(logit(*r, q, k, {i[0], i[1] + 1}, j) - expected), 1e-3) << text;
  }
  for (size_t axes = 3; axes <= 4; ++axes) {
    for (const std::string& text : texts[axes - 2]) {
      const auto r = grid_rotation(text, 24, std::vector<int64_t>(axes, 40));
      const double expected = logit(*r, q, k, i, j);
      for (size_t a = 0; a < axes; ++a) {
        Position moved_i = i;
        Position moved_j = j;
        moved_i[a] += 30;
        EXPECT_GT(std::abs(logit(*r, q, k, moved_i, j) - expected), 1e-3) << text << ", axis " << a;
        moved_j[a] += 30;
        EXPECT_NEAR(logit(*r, q, k, moved_i, moved_j), expected, 1e-12 * size) << text << ", axis " << a;
      }
    }
  }
}

TEST(RopeAxes, KeepsNorms) {
  const Vector q = random_vector(24, 4);
  for (const char* text : {"rope(axes=3)", "rope(axes=3,map=mixed)", "rope(axes=3,map=sections,sections=\"2,5,5\")",
                           "rope(axes=3,map=interleaved)"}) {
    const auto r = grid_rotation(text, 24, {5, 5, 5});
    const Vector y = turned(*r, r->query, {4, 1, 3}, q);
    EXPECT_NEAR(dot(y, y), dot(q, q), 2e-14 * dot(q, q)) << text;
  }
}

// Several axes multiply their factors, and the attention factor is there once.
TEST(RopeAxes, TheAttentionFactorIsOnTheProduct) {
  for (const char* map : {"axial", "mixed"}) {
    const std::string text = std::string("rope(axes=3,scaling=yarn,factor=4,original=16,map=") + map;
    const auto fixed = grid_rotation(text + ")", 24, {5, 5, 5});
    const auto learned = started(text + ",frequencies=learned)", grid_shape(24, {5, 5, 5}));
    for (int64_t c = 0; c < 12; ++c) {
      EXPECT_NEAR(std::abs(factor(*fixed, fixed->query, {1, 4, 2}, c)), 1.1386294361119891, 1e-14) << map;
    }
    EXPECT_EQ(learned->query, fixed->query) << map;
  }
}

// --- RoPE-Mixed ----------------------------------------------------------------------------------

TEST(RopeAxes, MixedTurnsAlongOrthogonalDirections) {
  const Vector grid = geometric_frequencies(10.0, 8);
  for (int64_t axes = 2; axes <= 4; ++axes) {
    const std::string text = "rope(axes=" + std::to_string(axes) + ",map=mixed,base=10)";
    const auto r = grid_rotation(text, 8 * axes, std::vector<int64_t>(static_cast<size_t>(axes), 3));
    for (int64_t u = 0; u < axes; ++u) {
      for (int64_t v = 0; v < axes; ++v) {
        for (int64_t k = 0; k < 4; ++k) {
          double product = 0.0;
          for (int64_t a = 0; a < axes; ++a) product += r->frequencies(a, 4 * u + k) * r->frequencies(a, 4 * v + k);
          const double square = grid[static_cast<size_t>(k)] * grid[static_cast<size_t>(k)];
          EXPECT_NEAR(product, u == v ? square : 0.0, 1e-15) << text;
        }
      }
    }
  }
}

// One direction in a plane, with the grid restarting on the direction a quarter turn away.
TEST(RopeAxes, MixedInThePlaneIsThePublishedStart) {
  const auto r = grid_rotation("rope(axes=2,map=mixed,base=10)", 16, {3, 3});
  const double angle = std::atan2(r->frequencies(1, 0), r->frequencies(0, 0));
  const double side = r->frequencies(1, 4) * std::cos(angle) > 0 ? 1.0 : -1.0;
  for (int64_t k = 0; k < 4; ++k) {
    const double magnitude = std::pow(10.0, -4.0 * static_cast<double>(k) / 16.0);
    EXPECT_NEAR(r->frequencies(0, k), magnitude * std::cos(angle), 1e-15);
    EXPECT_NEAR(r->frequencies(1, k), magnitude * std::sin(angle), 1e-15);
    EXPECT_NEAR(r->frequencies(0, 4 + k), -side * magnitude * std::sin(angle), 1e-15);
    EXPECT_NEAR(r->frequencies(1, 4 + k), side * magnitude * std::cos(angle), 1e-15);
  }
}

TEST(RopeAxes, MixedDirectionsBelongToALayerAndAHead) {
  const ResolvedEncoding all = resolve(parse_encoding("rope(axes=2,map=mixed)"), grid_shape(8, {3, 3}));
  const ResolvedEncoding some =
      resolve(parse_encoding("rope(axes=2,map=mixed)[heads=2][layers=1]"), grid_shape(8, {9, 9}));
  std::vector<Table> seen;
  for (const LayerEncoding& layer : all.layers) {
    for (const auto& head : layer.rotation) {
      for (const Table& other : seen) EXPECT_NE(head->frequencies, other);
      seen.push_back(head->frequencies);
    }
  }
  EXPECT_EQ(some.layers[1].rotation[2]->frequencies, all.layers[1].rotation[2]->frequencies);
  EXPECT_EQ(some.layers[1].rotation[1], nullptr);
}

TEST(RopeAxes, MixedIsTrainedPerHead) {
  const EncodingShape shape = grid_shape(8, {3, 3});
  const ResolvedEncoding encoding = resolve(parse_encoding("rope(axes=2,map=mixed,frequencies=learned)"), shape);
  const ResolvedEncoding fixed = resolve(parse_encoding("rope(axes=2,map=mixed)"), shape);
  ASSERT_EQ(encoding.parameters.size(), 2u);
  EXPECT_EQ(encoding.parameters[1].name, "layers.1.encoding.rope.frequencies");
  EXPECT_EQ(encoding.parameters[1].shape, (std::vector<int64_t>{3, 8}));
  const ResolvedEncoding start = with_values(encoding, initial_values(encoding, 1));
  for (size_t l = 0; l < 2; ++l) {
    for (size_t h = 0; h < 3; ++h) {
      EXPECT_EQ(start.layers[l].rotation[h]->frequencies, fixed.layers[l].rotation[h]->frequencies);
      EXPECT_EQ(start.layers[l].rotation[h]->query, fixed.layers[l].rotation[h]->query);
    }
  }
}

// A number per pair: training moves a pair's frequency, never the axis that turns it.
TEST(RopeAxes, LearnedFrequenciesKeepTheirAxis) {
  const EncodingShape shape = grid_shape(16, {3, 3, 3});
  const std::string text = "rope(axes=3,map=sections,sections=\"2,3,3\",frequencies=learned)";
  const ResolvedEncoding encoding = resolve(parse_encoding(text), shape);
  ASSERT_EQ(encoding.parameters.size(), 2u);
  EXPECT_EQ(encoding.parameters[0].name, "layers.0.encoding.rope.frequencies");
  EXPECT_EQ(encoding.parameters[0].shape, std::vector<int64_t>{8});
  EXPECT_EQ(started(text, shape)->query,
            grid_rotation("rope(axes=3,map=sections,sections=\"2,3,3\")", 16, {3, 3, 3})->query);
  const Vector trained = random_vector(8, 7);
  const auto r = with_values(encoding, {trained, trained}).layers[0].rotation[0];
  EXPECT_EQ(axis_of_pair(*r), (std::vector<int64_t>{0, 0, 1, 1, 1, 2, 2, 2}));
  double sum = 0.0;
  double expected = 0.0;
  for (const double w : r->frequencies.values) sum += w * w;
  for (const double w : trained) expected += w * w;
  EXPECT_NEAR(sum, expected, 1e-14 * expected);
}

// --- Errors --------------------------------------------------------------------------------------

TEST(RopeAxes, SaysWhatIsWrong) {
  const auto error = [](const std::string& text, int64_t head_width, std::vector<int64_t> grid) {
    return error_of([&] { grid_rotation(text, head_width, grid); });
  };
  EXPECT_EQ(
      error("rope(axes=2)", 16, {}),
      "encoding 'rope(axes=2)': column 1: rope(axes=2) needs tokens with 2 coordinates; these have only their index");
  EXPECT_EQ(error("rope(axes=3)", 24, {4, 4}),
            "encoding 'rope(axes=3)': column 1: rope(axes=3) needs tokens with 3 coordinates; these have 2");
  EXPECT_EQ(error("rope(axes=3)", 16, {4, 4, 4}),
            "encoding 'rope(axes=3)': column 1: 3 axes cannot share 8 turning pairs evenly");
  EXPECT_EQ(
      error("rope(axes=3,map=sections,sections=\"2,3,4\")", 16, {4, 4, 4}),
      "encoding 'rope(axes=3,map=sections,sections=\"2,3,4\")': column 1: sections must add up to the turning pairs, "
      "8, not to 9");
  EXPECT_EQ(
      error("rope(axes=3,map=interleaved,sections=\"1,4,3\")", 16, {4, 4, 4}),
      "encoding 'rope(axes=3,map=interleaved,sections=\"1,4,3\")': column 1: sections give axis 1 4 pairs, but in "
      "turns it has only 3 of 8");
  EXPECT_EQ(parse_error("rope(map=mixed)"),
            "encoding 'rope(map=mixed)': column 10: rope: map=mixed needs axes=2 or more");
  EXPECT_EQ(
      parse_error("rope(axes=2,sections=\"4,4\")"),
      "encoding 'rope(axes=2,sections=\"4,4\")': column 22: rope: sections belongs to map=sections|interleaved, not "
      "to map=axial");
  EXPECT_EQ(
      parse_error("rope(axes=3,map=sections,sections=\"4,4\")"),
      "encoding 'rope(axes=3,map=sections,sections=\"4,4\")': column 35: rope: sections must be 3 whole numbers, one "
      "per axis");
  EXPECT_EQ(
      parse_error("rope(axes=2,map=sections,sections=\"4.5,3.5\")"),
      "encoding 'rope(axes=2,map=sections,sections=\"4.5,3.5\")': column 35: rope: sections must be 2 whole numbers, "
      "one per axis");
  EXPECT_EQ(parse_error("rope(axes=5)"), "encoding 'rope(axes=5)': column 11: rope: axes must be from 1 to 4, not 5");
  EXPECT_EQ(error("randomized(rope(axes=2),max=64)", 16, {4, 4}),
            "encoding 'randomized(rope(axes=2),max=64)': column 12: coordinates cannot be randomized");
}

}  // namespace rope_axes_test
}  // namespace phasor
