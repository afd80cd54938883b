#include "phasor/spectrum/interaction.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "phasor/base/error.h"
#include "phasor/base/parallel.h"
#include "phasor/random/distributions.h"

namespace phasor {
namespace {

// What a table is made of: grand mean, means of rows and of columns less it.
struct Effects {
  double grand = 0.0;
  std::vector<double> rows, columns;
};

Effects effects(DenseView table) {
  const int64_t rows = table.extent(0), columns = table.extent(1);
  Effects e{0.0, std::vector<double>(static_cast<size_t>(rows)), std::vector<double>(static_cast<size_t>(columns))};
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      e.rows[static_cast<size_t>(r)] += table.row(r)[c] / static_cast<double>(columns);
      e.columns[static_cast<size_t>(c)] += table.row(r)[c] / static_cast<double>(rows);
    }
    e.grand += e.rows[static_cast<size_t>(r)] / static_cast<double>(rows);
  }
  for (double& row : e.rows) row -= e.grand;
  for (double& column : e.columns) column -= e.grand;
  return e;
}

double inner(const std::vector<double>& a, const std::vector<double>& b) {
  double total = 0.0;
  for (size_t i = 0; i < a.size(); ++i) total += a[i] * b[i];
  return total;
}

// Contents of the drawn tokens, [draws, heads * width].
struct Contents {
  Dense queries, keys;
};

Contents draw_contents(const LayerLogits& layer, const PositionMeans& means, const InteractionSetting& setting) {
  const int64_t columns = layer.heads() * layer.width();
  Contents contents{Dense(setting.draws, columns), Dense(setting.draws, columns)};
  Draws draws(setting.stream);
  const auto tokens = static_cast<uint32_t>(layer.offsets().back());
  const auto copy_content = [&](double* to, const Dense& rows, bool query) {
    const auto token = static_cast<int32_t>(draws.below(tokens));
    int64_t s = 0;
    while (layer.offsets()[static_cast<size_t>(s) + 1] <= token) ++s;
    const int64_t estimate = means.estimate_for(s);
    const PositionPart& part = query ? means.query_part(estimate) : means.key_part(estimate);
    const double* position = part.means.row(token - layer.offsets()[static_cast<size_t>(s)]);
    for (int64_t c = 0; c < columns; ++c) to[c] = rows(token, c) - position[c];
  };
  for (int64_t m = 0; m < setting.draws; ++m) {
    copy_content(contents.queries.row(m), layer.all_queries(), true);
    copy_content(contents.keys.row(m), layer.all_keys(), false);
  }
  return contents;
}

Dense repeated(const double* row, int64_t columns, int64_t count) {
  Dense result(count, columns);
  for (int64_t r = 0; r < count; ++r) std::copy_n(row, columns, result.row(r));
  return result;
}

double sum_of_products(const double* q, const double* position_q, const double* k, const double* position_k,
                       int64_t count) {
  double total = 0.0;
  for (int64_t c = 0; c < count; ++c) total += (q[c] + position_q[c]) * (k[c] + position_k[c]);
  return total;
}

void check(const LayerLogits& layer, const InteractionSetting& setting) {
  const int64_t n = layer.length(setting.sequence);
  if (setting.draws < 2 || setting.offsets < 2) {
    fail("{} draws and {} offsets have no interaction: at least 2 of each", setting.draws, setting.offsets);
  }
  if (setting.offsets > n || setting.anchor >= n) {
    fail("{} offsets around place {} do not fit into a sequence of {}", setting.offsets, setting.anchor, n);
  }
  if (layer.causal() && setting.anchor + 1 < setting.offsets) {
    fail("a causal query at place {} does not see {} keys", setting.anchor, setting.offsets);
  }
}

}  // namespace

Interaction interaction(DenseView first, DenseView second) {
  require_same_shape(first, second, "an interaction");
  require_finite(first, "an interaction");
  require_finite(second, "an interaction");
  const Effects a = effects(first), b = effects(second);
  double both = 0.0, whole = 0.0;
  Interaction result;
  for (int64_t r = 0; r < first.extent(0); ++r) {
    const double row_a = a.grand + a.rows[static_cast<size_t>(r)];
    const double row_b = b.grand + b.rows[static_cast<size_t>(r)];
    for (int64_t c = 0; c < first.extent(1); ++c) {
      const double x = first.row(r)[c], y = second.row(r)[c];
      result.total += (x - a.grand) * (y - b.grand);
      both += (x - row_a - a.columns[static_cast<size_t>(c)]) * (y - row_b - b.columns[static_cast<size_t>(c)]);
      whole += std::abs(x * y);
    }
  }
  const double unit = static_cast<double>(first.extent(0) + first.extent(1)) * std::numeric_limits<double>::epsilon();
  result.defined = result.total > unit * unit * whole;
  if (!result.defined) return result;
  result.share = both / result.total;
  result.content = static_cast<double>(first.extent(1)) * inner(a.rows, b.rows) / result.total;
  result.offset = static_cast<double>(first.extent(0)) * inner(a.columns, b.columns) / result.total;
  return result;
}

Interaction interaction(DenseView table) { return interaction(table, table); }

InteractionSetting usual_interaction(const LayerLogits& layer, const PositionMeans& means) {
  InteractionSetting setting;
  for (int64_t s = 0; s < layer.sequences(); ++s) {
    if (layer.length(s) > layer.length(setting.sequence)) setting.sequence = s;
  }
  setting.offsets = means.well_known();
  setting.anchor = layer.causal() ? setting.offsets - 1 : setting.offsets / 2;
  return setting;
}

std::vector<Interaction> layer_interaction(const LayerLogits& layer, const PositionMeans& means,
                                           const InteractionSetting& setting) {
  check(layer, setting);
  const int64_t heads = layer.heads(), width = layer.width(), n = layer.length(setting.sequence);
  const Contents contents = draw_contents(layer, means, setting);
  const SequenceTables tables = layer.tables(setting.sequence);
  std::vector<Dense> plain_queries, plain_keys;        // positional parts, per estimate
  std::vector<Dense> position_queries, position_keys;  // turned
  for (int64_t e = 0; e < means.estimates(); ++e) {
    plain_queries.push_back(means.queries(e, n));
    plain_keys.push_back(means.keys(e, n));
    position_queries.push_back(tables.turned_queries(plain_queries.back()));
    position_keys.push_back(tables.turned_keys(plain_keys.back()));
  }
  const auto sum = [&](const double* content, const double* position) {
    std::vector<double> whole(content, content + width);
    for (size_t c = 0; c < whole.size(); ++c) whole[c] += position[c];
    return whole;
  };
  // [estimate * heads + head]: [draws, offsets]
  std::vector<Dense> logits(static_cast<size_t>(means.estimates() * heads), Dense(setting.draws, setting.offsets));
  parallel_for(setting.draws, 1, [&](int64_t m, int64_t) {
    const Dense query =
        tables.turned_queries(tables.shifted_queries(repeated(contents.queries.row(m), heads * width, n)));
    const Dense key = tables.turned_keys(repeated(contents.keys.row(m), heads * width, n));
    for (int64_t e = 0; e < means.estimates(); ++e) {
      const auto estimate = static_cast<size_t>(e);
      for (int64_t h = 0; h < heads; ++h) {
        const int64_t first = h * width;
        const Dense& bias = tables.bias(h);
        double* row = logits[static_cast<size_t>(e * heads + h)].row(m);
        for (int64_t j = 0; j < setting.offsets; ++j) {
          row[j] = layer.scale(h) * sum_of_products(query.row(setting.anchor) + first,
                                                    position_queries[estimate].row(setting.anchor) + first,
                                                    key.row(j) + first, position_keys[estimate].row(j) + first, width);
          if (bias.rows() > 0) row[j] += bias(setting.anchor, j);
          if (!tables.has_rows()) continue;
          const auto whole_query =
              sum(contents.queries.row(m) + first, plain_queries[estimate].row(setting.anchor) + first);
          const auto whole_key = sum(contents.keys.row(m) + first, plain_keys[estimate].row(j) + first);
          row[j] += tables.scale(h, setting.anchor) *
                    tables.row_product(h, setting.anchor, j, whole_query.data(), whole_key.data());
        }
      }
    }
  });
  std::vector<Interaction> result;
  for (int64_t h = 0; h < heads; ++h) {
    const Dense& one = logits[static_cast<size_t>(h)];
    const Dense& other = logits[static_cast<size_t>((means.estimates() - 1) * heads + h)];
    // What is added from a whole row of logits is not defined for contents drawn one by one.
    if (all_finite(one) && all_finite(other) && !layer.has_dense_term(h)) {
      result.push_back(interaction(one, other));
    } else {
      result.push_back({.share = std::numeric_limits<double>::quiet_NaN()});
    }
  }
  return result;
}

}  // namespace phasor
