#include "phasor/study/carry_out/position_measures.h"

#include <algorithm>
#include <optional>

#include "phasor/ablation/position_fit.h"
#include "phasor/base/parallel.h"
#include "phasor/spectrum/decomposition.h"
#include "phasor/spectrum/layer_logits.h"
#include "phasor/spectrum/spectrum.h"
#include "phasor/spectrum/toeplitz_agreement.h"

namespace phasor {
namespace {

constexpr int64_t kComposedSequences = 16;  // whose spectra are measured
constexpr int64_t kLeastPlaces = 4;         // shorter Grams are Toeplitz whatever they hold

// Queries and keys of all heads side by side, as a fit takes them.
std::vector<float> rows_of(const LayerLogits& layer) {
  const Dense &queries = layer.all_queries(), &keys = layer.all_keys();
  std::vector<float> rows;
  rows.reserve(static_cast<size_t>(queries.rows() * (queries.columns() + keys.columns())));
  for (int64_t r = 0; r < queries.rows(); ++r) {
    for (int64_t c = 0; c < queries.columns(); ++c) rows.push_back(static_cast<float>(queries(r, c)));
    for (int64_t c = 0; c < keys.columns(); ++c) rows.push_back(static_cast<float>(keys(r, c)));
  }
  return rows;
}

// The positional parts of one layer's queries and keys.
class LayerParts {
 public:
  LayerParts(const ModelConfig& config, int64_t columns)
      : fit_(config.vocabulary, config.max_length, 2 * columns), columns_(columns) {}

  void add(const Batch& batch, int64_t first, const LayerLogits& layer) { fit_.add(batch, first, rows_of(layer)); }
  void solve() { fit_.solve(); }

  // As sample number `sample` reads them: from the half that it has no part in.
  Dense queries(int64_t sample, int64_t length) const { return rows(sample, length, 0); }
  Dense keys(int64_t sample, int64_t length) const { return rows(sample, length, columns_); }

 private:
  Dense rows(int64_t sample, int64_t length, int64_t first) const {
    Dense result(length, columns_);
    for (int64_t i = 0; i < length; ++i) std::copy_n(fit_.part(sample, i) + first, columns_, result.row(i));
    return result;
  }

  PositionFit fit_;
  int64_t columns_;
};

Dense difference(const Dense& a, const Dense& b) {
  Dense result = a;
  for (size_t i = 0; i < result.values().size(); ++i) result.values()[i] -= b.values()[i];
  return result;
}

double largest_singular(const Dense& centred) {
  return spectrum(centred, {.symmetric = false, .eigenvalues = false}).singular.largest;
}

// sigma_1 of row-centred logits over that of content alone; none where content alone says nothing.
std::optional<double> composition_of(const HeadLogits& head, const Dense& content_query, const Dense& content_key) {
  const Dense logits = head.logits();
  if (!all_finite(logits)) return std::nullopt;
  const double plain =
      largest_singular(row_centred(scaled_products(content_query, content_key, head.scale), head.causal));
  if (!(plain > 0.0)) return std::nullopt;
  return largest_singular(row_centred(logits, head.causal)) / plain;
}

struct Mean {
  double sum = 0.0;
  int64_t count = 0;

  void add(const std::optional<double>& value) {
    if (!value) return;
    sum += *value;
    ++count;
  }
  double value() const { return count > 0 ? sum / static_cast<double>(count) : kNaN; }
};

// Places that at least half of the sequences have: beyond, p is mostly noise.
int64_t well_known_places(const std::vector<int64_t>& lengths) {
  std::vector<int64_t> sorted = lengths;
  std::sort(sorted.begin(), sorted.end());
  return sorted.empty() ? 0 : sorted[sorted.size() / 2];
}

class LayerMeasurement {
 public:
  LayerMeasurement(const LayerLogits& layer, const LayerParts& parts, int64_t places)
      : layer_(layer), parts_(parts), places_(places) {}

  void measure(HeadPosition* heads) const {
    fit_grams(heads);
    std::vector<Mean> shares(static_cast<size_t>(layer_.heads())), compositions(shares.size());
    for (int64_t s = 0; s < std::min(kComposedSequences, layer_.sequences()); ++s) add(s, shares, compositions);
    for (size_t h = 0; h < shares.size(); ++h) {
      heads[h].gram_share = shares[h].value();
      heads[h].composition = compositions[h].value();
    }
  }

 private:
  // Queries of one half with keys of the other, both ways: two estimates whose noise is independent.
  void fit_grams(HeadPosition* heads) const {
    int64_t longest = 0;
    for (int64_t s = 1; s < layer_.sequences(); ++s) {
      if (layer_.length(s) > layer_.length(longest)) longest = s;
    }
    const int64_t n = std::min(places_, layer_.length(longest)), length = layer_.length(longest);
    if (n < kLeastPlaces) return;
    const SequenceTables tables = layer_.tables(longest);
    const Dense first_queries = tables.turned_queries(parts_.queries(0, length));
    const Dense second_queries = tables.turned_queries(parts_.queries(1, length));
    const Dense first_keys = tables.turned_keys(parts_.keys(0, length));
    const Dense second_keys = tables.turned_keys(parts_.keys(1, length));
    const ToeplitzAgreementFitter fitter(n, layer_.causal());
    parallel_for(layer_.heads(), 1, [&](int64_t h, int64_t) {
      const auto part = [&](const Dense& rows) {
        return head_columns(DenseView(rows.data(), n, rows.columns()), h, layer_.width());
      };
      const Dense first = product_transposed(part(first_queries), part(second_keys));
      const Dense second = product_transposed(part(second_queries), part(first_keys));
      if (!all_finite(first) || !all_finite(second)) return;
      const std::optional<ToeplitzAgreement> found = fitter.fit(first, second);
      if (found) heads[h].gram_toeplitz = found->share;
    });
  }

  void add(int64_t s, std::vector<Mean>& shares, std::vector<Mean>& compositions) const {
    const int64_t length = layer_.length(s);
    if (length < kLeastPlaces) return;
    const SequenceTables tables = layer_.tables(s);
    const Dense queries = layer_.queries(s), keys = layer_.keys(s);
    const Dense position_queries = parts_.queries(s, length), position_keys = parts_.keys(s, length);
    const Dense turned_queries = tables.turned_queries(position_queries),
                turned_keys = tables.turned_keys(position_keys);
    const Dense content_queries = difference(queries, position_queries), content_keys = difference(keys, position_keys);
    const std::vector<HeadLogits> heads = layer_.sequence_with(s, tables, queries, keys);
    std::vector<std::optional<double>> share(heads.size()), composition(heads.size());
    parallel_for(layer_.heads(), 1, [&](int64_t h, int64_t) {
      const HeadLogits& head = heads[static_cast<size_t>(h)];
      const auto own = [&](const Dense& rows) { return head_columns(rows, h, layer_.width()); };
      composition[static_cast<size_t>(h)] =
          composition_of(head, copy_of(own(content_queries)), copy_of(own(content_keys)));
      if (!composition[static_cast<size_t>(h)]) return;
      const std::optional<PartShares> found = part_shares(head, own(turned_queries), own(turned_keys));
      if (found) share[static_cast<size_t>(h)] = found->position_position;
    });
    for (size_t h = 0; h < heads.size(); ++h) {
      shares[h].add(share[h]);
      compositions[h].add(composition[h]);
    }
  }

  const LayerLogits& layer_;
  const LayerParts& parts_;
  int64_t places_;
};

}  // namespace

void for_each_test_batch(const Session& session, int64_t samples,
                         const std::function<void(const Batch& batch, int64_t first)>& use) {
  const Dataset& test = session.data().test;
  const int64_t count = std::min(samples, test.size()), size = session.config().train.batch;
  for (int64_t first = 0; first < count; first += size) {
    Batch batch;
    for (int64_t i = first; i < std::min(count, first + size); ++i) test.append_to(batch, i);
    batch.finish();
    use(batch, first);
  }
}

std::vector<HeadPosition> measure_positions(Session& session) {
  Transformer& model = session.model();
  const ModelConfig& config = model.config();
  std::vector<LayerParts> parts;
  std::vector<int64_t> lengths;
  for_each_test_batch(session, kPositionSequences, [&](const Batch& batch, int64_t first) {
    model.forward(batch);
    for (size_t s = 0; s + 1 < batch.offsets.size(); ++s) lengths.push_back(batch.offsets[s + 1] - batch.offsets[s]);
    for (int64_t l = 0; l < config.layers; ++l) {
      const LayerLogits layer(model, batch, l);
      if (std::ssize(parts) == l) parts.emplace_back(config, layer.heads() * layer.width());
      parts[static_cast<size_t>(l)].add(batch, first, layer);
    }
  });
  std::vector<HeadPosition> result(static_cast<size_t>(config.layers * config.heads));
  if (parts.empty()) return result;
  const int64_t places = well_known_places(lengths);
  for_each_test_batch(
      session, std::min(kComposedSequences, session.config().train.batch), [&](const Batch& batch, int64_t) {
        model.forward(batch);
        for (int64_t l = 0; l < config.layers; ++l) {
          LayerParts& own = parts[static_cast<size_t>(l)];
          own.solve();
          LayerMeasurement(LayerLogits(model, batch, l), own, places).measure(result.data() + l * config.heads);
        }
      });
  return result;
}

}  // namespace phasor
