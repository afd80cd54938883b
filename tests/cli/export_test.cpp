// The exported inside of a model, computed again from its parts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "cli/tiny_run.h"
#include "phasor/checkpoint/safetensors.h"

namespace phasor {
namespace export_test {

namespace fs = std::filesystem;

constexpr int64_t kHeads = 2, kWidth = 16, kHeadWidth = 8, kLayers = 2, kClasses = 6, kSamples = 32;
constexpr double kEpsilon = std::numeric_limits<float>::epsilon() / 2;  // of one rounding

// One sequence of one layer: [heads, n, columns].
struct Block {
  std::span<const float> values;
  int64_t n = 0, columns = 0;
  double operator()(int64_t head, int64_t row, int64_t column) const {
    return static_cast<double>(values[static_cast<size_t>((head * n + row) * columns + column)]);
  }
};

class Exported {
 public:
  explicit Exported(const Arguments& more) {
    run_ = train_tiny(folder_ / "run", more);
    const fs::path out = folder_ / "inside.safetensors";
    const Outcome outcome = phasor_command({"export", run_.string(), "--samples", "32", "--tensors",
                                            "logits,weights,hidden,queries,keys,values", "--out", out.string()});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    file_.emplace(SafetensorsFile::open(out));
  }

  const fs::path& run() const { return run_; }
  const SafetensorsFile& file() const { return *file_; }
  std::span<const int32_t> offsets() const { return file_->data<int32_t>("offsets", {kSamples + 1}); }
  int64_t tokens() const { return offsets()[kSamples]; }
  int64_t length(int64_t s) const { return offsets()[static_cast<size_t>(s) + 1] - offsets()[static_cast<size_t>(s)]; }

  Block block(int64_t layer, const char* name, int64_t s, int64_t columns) const {
    const std::string full = fmt::format("layers.{}.{}.{}", layer, name, s);
    return {file_->data<float>(full, {kHeads, length(s), columns}), length(s), columns};
  }

 private:
  TemporaryFolder folder_;
  fs::path run_;
  std::optional<SafetensorsFile> file_;
};

// Calls body(logits, weights, query, key) for every sequence of every layer.
template <class Body>
void for_every_block(const Exported& exported, const Body& body) {
  for (int64_t layer = 0; layer < kLayers; ++layer) {
    for (int64_t s = 0; s < kSamples; ++s) {
      body(exported.block(layer, "logits", s, exported.length(s)),
           exported.block(layer, "weights", s, exported.length(s)),
           exported.block(layer, "queries_rotated", s, kHeadWidth),
           exported.block(layer, "keys_rotated", s, kHeadWidth));
    }
  }
}

// Calls body(head, i, j) for every pair of tokens.
template <class Body>
void for_every_pair(int64_t n, const Body& body) {
  for (int64_t head = 0; head < kHeads; ++head) {
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) body(head, i, j);
    }
  }
}

// L_ij = <q_i, k_j> / sqrt(D) + bias(head, j - i), from the exported vectors. A sum of D products rounds at most D + 1
// times, the scale, the bias and its addition once each.
template <class Bias>
void expect_logits(const Exported& exported, const Bias& bias) {
  const double scale = 1.0 / std::sqrt(static_cast<double>(kHeadWidth));
  double worst = 0.0;
  for_every_block(exported, [&](const Block& logits, const Block&, const Block& query, const Block& key) {
    for_every_pair(logits.n, [&](int64_t head, int64_t i, int64_t j) {
      double product = 0.0, size = 0.0;
      for (int64_t c = 0; c < kHeadWidth; ++c) {
        product += query(head, i, c) * key(head, j, c);
        size += std::abs(query(head, i, c) * key(head, j, c));
      }
      const double expected = scale * product + bias(head, j - i);
      const double bound = kEpsilon * ((kHeadWidth + 3) * scale * size + 2 * std::abs(bias(head, j - i)));
      worst = std::max(worst, std::abs(logits(head, i, j) - expected) / bound);
    });
  });
  EXPECT_LE(worst, 1.0) << "in units of the bound";
  EXPECT_GT(worst, 0.0) << "nothing was compared";
}

// Pair c of 2 c, 2 c + 1 turned by position * 10000^(-2 c / D). Sine, cosine, two products and a sum round.
void expect_turned(const Exported& exported, const char* before, const char* after) {
  double worst = 0.0;
  for (int64_t layer = 0; layer < kLayers; ++layer) {
    const auto flat = exported.file().data<float>(fmt::format("layers.{}.{}", layer, before),
                                                  {exported.tokens(), kHeads, kHeadWidth});
    for (int64_t s = 0; s < kSamples; ++s) {
      const Block turned = exported.block(layer, after, s, kHeadWidth);
      for (int64_t i = 0; i < exported.length(s); ++i) {
        for (int64_t head = 0; head < kHeads; ++head) {
          const int64_t row = (exported.offsets()[static_cast<size_t>(s)] + i) * kHeads + head;
          for (int64_t c = 0; c < kHeadWidth; c += 2) {
            const double a = static_cast<double>(flat[static_cast<size_t>(row * kHeadWidth + c)]);
            const double b = static_cast<double>(flat[static_cast<size_t>(row * kHeadWidth + c + 1)]);
            const double angle =
                static_cast<double>(i) * std::pow(10000.0, -static_cast<double>(c) / static_cast<double>(kHeadWidth));
            const double bound = 3 * kEpsilon * (std::abs(a) + std::abs(b));
            const double x = a * std::cos(angle) - b * std::sin(angle);
            const double y = a * std::sin(angle) + b * std::cos(angle);
            worst = std::max(
                {worst, std::abs(turned(head, i, c) - x) / bound, std::abs(turned(head, i, c + 1) - y) / bound});
          }
        }
      }
    }
  }
  EXPECT_LE(worst, 1.0) << "in units of the bound";
  EXPECT_GT(worst, 0.0) << "nothing was compared";
}

TEST(Export, RopeTurnsQueriesAndKeysAndAddsNothing) {
  const Exported exported({"--encoding", "rope"});
  expect_turned(exported, "queries", "queries_rotated");
  expect_turned(exported, "keys", "keys_rotated");
  expect_logits(exported, [](int64_t, int64_t) { return 0.0; });
}

TEST(Export, AlibiAddsOutsideTheScale) {
  const Exported exported({"--encoding", "alibi"});
  expect_logits(exported, [](int64_t head, int64_t distance) {
    return -std::exp2(-8.0 * static_cast<double>(head + 1) / kHeads) * static_cast<double>(std::abs(distance));
  });
}

// logits = r_i * <q_i, k_j> / sqrt(D): as without the factors, with queries times them.
TEST(Export, FactorsOfQueriesStandBesideThem) {
  const Exported exported({"--encoding", "scale(\"1+(i+h)/4\")"});
  const double scale = 1.0 / std::sqrt(static_cast<double>(kHeadWidth));
  for (int64_t layer = 0; layer < kLayers; ++layer) {
    const auto factors =
        exported.file().data<float>(fmt::format("layers.{}.query_factors", layer), {kHeads, exported.tokens()});
    for (int64_t s = 0; s < kSamples; ++s) {
      const Block logits = exported.block(layer, "logits", s, exported.length(s));
      const Block query = exported.block(layer, "queries_rotated", s, kHeadWidth);
      const Block key = exported.block(layer, "keys_rotated", s, kHeadWidth);
      for_every_pair(logits.n, [&](int64_t head, int64_t i, int64_t j) {
        const auto token = static_cast<size_t>(exported.offsets()[static_cast<size_t>(s)] + i);
        const double factor = double{factors[static_cast<size_t>(head * exported.tokens()) + token]};
        ASSERT_EQ(factor, 1.0 + static_cast<double>(i + head) / 4.0);
        double product = 0.0, size = 0.0;
        for (int64_t c = 0; c < kHeadWidth; ++c) {
          product += query(head, i, c) * key(head, j, c);
          size += std::abs(query(head, i, c) * key(head, j, c));
        }
        ASSERT_NEAR(logits(head, i, j), factor * scale * product, kEpsilon * (kHeadWidth + 3) * factor * scale * size);
      });
    }
  }
}

TEST(Export, WeightsAreTheSoftmaxOfLogits) {
  const Exported exported({"--encoding", "rope"});
  double worst = 0.0, largest = 0.0;
  for_every_block(exported, [&](const Block& logits, const Block& weights, const Block&, const Block&) {
    for_every_pair(logits.n, [&](int64_t head, int64_t i, int64_t j) {
      double sum = 0.0;
      for (int64_t k = 0; k < logits.n; ++k) sum += std::exp(logits(head, i, k) - logits(head, i, j));
      worst = std::max(worst, std::abs(weights(head, i, j) * sum - 1.0));
      largest = std::max(largest, std::abs(logits(head, i, j)));
    });
  });
  // An argument L - max rounds by its size, at most twice the largest logit; its exponential by a few units, and the
  // sum of at most 14 terms and the division by one each.
  EXPECT_LT(worst, kEpsilon * (2 * 2 * largest + 4 + 14 + 1));
  EXPECT_GT(largest, 0.0);
}

TEST(Export, ACausalModelSeesNoKeyBehindItsQuery) {
  const Exported exported({"--encoding", "rope", "--set", "model.causal=true"});
  for_every_block(exported, [&](const Block& logits, const Block& weights, const Block&, const Block&) {
    for_every_pair(logits.n, [&](int64_t head, int64_t i, int64_t j) {
      const bool hidden = j > i;
      EXPECT_EQ(std::isinf(logits(head, i, j)) && logits(head, i, j) < 0.0, hidden);
      EXPECT_EQ(weights(head, i, j) == 0.0, hidden);
    });
  });
}

TEST(Export, ShapesAreThoseOfTheDocument) {
  const Exported exported({});
  const SafetensorsFile& file = exported.file();
  EXPECT_EQ(file.data<int32_t>("tokens").size(), static_cast<size_t>(exported.tokens()));
  EXPECT_EQ(file.data<int32_t>("targets", {kSamples}).size(), static_cast<size_t>(kSamples));
  file.data<float>("class_logits", {kSamples, kClasses});
  for (int64_t i = 0; i <= 2 * kLayers; ++i) file.data<float>(fmt::format("hidden.{}", i), {exported.tokens(), kWidth});
  file.data<float>("layers.1.values", {exported.tokens(), kHeads, kHeadWidth});
  // Four tensors of the batch, the streams, and per layer three flat ones and four per sample.
  EXPECT_EQ(file.names().size(), static_cast<size_t>(5 + 2 * kLayers + 1 + kLayers * (3 + 4 * kSamples)));
  EXPECT_EQ(file.metadata().at("format"), "phasor activations 1");
}

TEST(Export, OnlyWhatIsAskedFor) {
  const TemporaryFolder folder;
  const fs::path run = train_tiny(folder / "run");
  const fs::path out = folder / "x.safetensors";
  ASSERT_EQ(
      phasor_command({"export", "--tensors", "logits", run.string(), "--samples", "1", "--out", out.string()}).code, 0);
  EXPECT_EQ(SafetensorsFile::open(out).names(),
            (std::vector<std::string>{"class_logits", "layers.0.logits.0", "layers.1.logits.0", "offsets", "positions",
                                      "targets", "tokens"}));
}

// The 32 samples are the whole test set, so the share of right answers must be evaluate's.
TEST(Export, TheLargestClassLogitIsTheAnswer) {
  const Exported exported({"--set", "train.steps=300"});
  const auto logits = exported.file().data<float>("class_logits", {kSamples, kClasses});
  const auto targets = exported.file().data<int32_t>("targets", {kSamples});
  int64_t right = 0;
  for (int64_t s = 0; s < kSamples; ++s) {
    const auto row = logits.subspan(static_cast<size_t>(s * kClasses), kClasses);
    if (std::max_element(row.begin(), row.end()) - row.begin() == targets[static_cast<size_t>(s)]) ++right;
  }
  const auto scores = nlohmann::json::parse(phasor_command({"evaluate", exported.run().string(), "--json"}).out);
  EXPECT_EQ(scores.at("test_samples"), kSamples);
  EXPECT_EQ(scores.at("test_accuracy").get<double>(), static_cast<double>(right) / kSamples);
  EXPECT_GT(right, kSamples / kClasses) << "it has learned nothing, so this shows little";
}

// A link stays a link: the file that it leads to is written.
TEST(Export, ThroughALink) {
  const TemporaryFolder folder;
  const fs::path run = train_tiny(folder / "run");
  write_file_atomically(folder / "target", "");
  fs::create_symlink("target", folder / "link");
  ASSERT_EQ(phasor_command({"export", run.string(), "--out", (folder / "link").string()}).code, 0);
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_TRUE(SafetensorsFile::open(folder / "target").contains("tokens"));
}

}  // namespace export_test
}  // namespace phasor
