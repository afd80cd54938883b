#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "encoding/rows.h"
#include "phasor/encoding/entries/deberta_bucket.h"
#include "support/paths.h"

namespace phasor {
namespace deberta_test {

using namespace testing_support;

nlohmann::json fixture() {
  std::ifstream file(std::string(fixtures_folder()) + "/deberta_v2.json");
  return nlohmann::json::parse(file);
}

// The first distance of each bucket beyond the single ones, as the first whole number beyond the bound of the one
// before: log(d / half) / log((most - 1) / half) * (half - 1) > m, so d > half ((most - 1) / half)^(m / (half - 1)).
TEST(Deberta, BucketsAreThoseOfTheLogarithm) {
  for (const auto& [buckets, most] :
       std::vector<std::pair<int64_t, int64_t>>{{32, 128}, {256, 512}, {16, 64}, {10, 99}}) {
    const int64_t half = buckets / 2;
    for (int64_t d = 0; d < 2 * most; ++d) {
      int64_t expected = d;
      if (d > half) {
        const double ratio = static_cast<double>(most - 1) / static_cast<double>(half);
        double bound = static_cast<double>(half);
        int64_t ranges = 0;
        while (static_cast<double>(d) > bound * (1.0 + 1e-9) && ranges < 2 * buckets) {
          ++ranges;
          bound = static_cast<double>(half) *
                  std::exp(std::log(ratio) * static_cast<double>(ranges) / static_cast<double>(half - 1));
        }
        expected = half + ranges;
      }
      EXPECT_EQ(deberta_row(d, buckets, most), buckets + std::min(expected, buckets - 1)) << buckets << ": " << d;
      EXPECT_EQ(deberta_row(-d, buckets, most), buckets - std::min(expected, buckets)) << buckets << ": -" << d;
    }
  }
}

// PyTorch's float32 decides where a logarithm meets the edge of a bucket.
TEST(Deberta, BucketsAreThoseOfPyTorch) {
  const nlohmann::json file = fixture();
  size_t compared = 0;
  for (const auto& entry : file.at("buckets")) {
    const auto rows = entry.at("rows").get<std::vector<int32_t>>();
    for (size_t i = 0; i < rows.size(); ++i) {
      const int64_t behind = entry.at("first").get<int64_t>() + static_cast<int64_t>(i);
      ASSERT_EQ(deberta_row(behind, entry.at("buckets"), entry.at("most")), rows[i])
          << entry.at("buckets") << " buckets to " << entry.at("most") << ", i - j = " << behind;
      ++compared;
    }
  }
  EXPECT_GT(compared, 10000u);
}

TEST(Deberta, LogitsAreThoseOfPyTorch) {
  const nlohmann::json file = fixture();
  ASSERT_GE(file.at("scores").size(), 4u);
  for (const auto& entry : file.at("scores")) {
    const auto which = entry.at("which").get<std::string>();
    const int64_t length = entry.at("length"), heads = entry.at("heads"), width = entry.at("width");
    const std::string text = "deberta(" + which + ",buckets=" + std::to_string(entry.at("buckets").get<int64_t>()) +
                             ",max_distance=" + std::to_string(entry.at("most").get<int64_t>()) + ")";
    SCOPED_TRACE(text);
    const ResolvedEncoding resolved =
        resolve_text(text, {.heads = heads, .head_width = width, .width = 8, .positions = length});
    ParameterValues values = initial_values(resolved, 0);
    for (const char* table : {"keys", "queries"}) {
      if ((which == "p2c" && *table == 'k') || (which == "c2p" && *table == 'q')) continue;
      values_of(values, resolved, std::string("layers.0.encoding.deberta.") + table) =
          entry.at(std::string(table) + "_table").get<std::vector<double>>();
    }
    const ResolvedEncoding encoding = with_values(resolved, values);
    const auto logits = entry.at("logits").get<std::vector<double>>();
    const auto part = [&](const char* name, int64_t head) {
      const auto all = entry.at(name).get<std::vector<double>>();
      Table table(length, width);
      std::copy_n(all.begin() + head * length * width, length * width, table.values.begin());
      return table;
    };
    for (int64_t head = 0; head < heads; ++head) {
      const DenseLogits got = dense_logits(encoding, 0, head, part("queries", head), part("keys", head),
                                           counted_positions(encoding, length));
      for (int64_t e = 0; e < length * length; ++e) {
        // A dozen roundings of double on either side.
        ASSERT_NEAR(got.logits.values[static_cast<size_t>(e)], logits[static_cast<size_t>(head * length * length + e)],
                    1e-14 * got.sizes.values[static_cast<size_t>(e)])
            << "head " << head << " entry " << e;
      }
    }
  }
}

TEST(Deberta, ScalesByTheNumberOfTerms) {
  const EncodingShape shape = rows_shape();
  EXPECT_DOUBLE_EQ(resolve_text("deberta", shape).layers[0].scale[0], 1.0 / std::sqrt(3.0));
  EXPECT_DOUBLE_EQ(resolve_text("deberta(c2p)", shape).layers[0].scale[0], 1.0 / std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(resolve_text("deberta(p2c)[heads=1]", shape).layers[0].scale[1], 1.0 / std::sqrt(2.0));
  EXPECT_EQ(resolve_text("deberta(p2c)[heads=1]", shape).layers[0].scale[0], 1.0);
  EXPECT_EQ(resolve_text("deberta(c2p)", shape).layers[0].key_rows, nullptr);
  EXPECT_EQ(resolve_text("deberta(p2c)", shape).layers[0].query_rows, nullptr);
}

TEST(Deberta, FarDistancesShareTheLastRow) {
  const ResolvedEncoding encoding = resolve_text("deberta(buckets=8,max_distance=20)", rows_shape(2000));
  for (const RowTerm* rows : {&query_rows(encoding), &key_rows(encoding)}) {
    EXPECT_EQ(rows->fixed.rows, 16);
    for (const int64_t d : {21, 100, 1999}) {
      EXPECT_EQ(row_at(*rows, -d), 15);
      EXPECT_EQ(row_at(*rows, d), 0);
    }
  }
}

TEST(Deberta, RefusesBucketsThatLeaveNothingToTheLogarithm) {
  EXPECT_THROW(resolve_text("deberta(buckets=1)"), UsageError);
  EXPECT_THROW(resolve_text("deberta(buckets=8,max_distance=5)"), UsageError);
  EXPECT_NO_THROW(resolve_text("deberta(buckets=8,max_distance=6)"));
  EXPECT_NO_THROW(resolve_text("deberta(buckets=0,max_distance=1)"));
}

}  // namespace deberta_test
}  // namespace phasor
