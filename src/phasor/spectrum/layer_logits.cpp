#include "phasor/spectrum/layer_logits.h"

#include <cmath>

#include "phasor/base/error.h"
#include "phasor/engine/download.h"

namespace phasor {
namespace {

// Nothing where the table is not there.
std::vector<int32_t> copied(Backend& backend, const View<const int32_t, 1>& from, int64_t count) {
  return from.empty() ? std::vector<int32_t>() : download(backend, from.data(), count);
}

// Every head's own channels, then the shared ones: [rows, heads * (own + shared)].
Dense by_head(const std::vector<float>& own, const std::vector<float>& shared, int64_t rows,
              const AttentionShape& shape, int64_t own_heads, int64_t shared_width) {
  const int64_t own_width = shape.key_width - shared_width;
  Dense result(rows, static_cast<int64_t>(shape.heads) * shape.key_width);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t h = 0; h < shape.heads; ++h) {
      const int64_t from = (r * own_heads + h * own_heads / shape.heads) * own_width;
      double* to = result.row(r) + h * shape.key_width;
      for (int64_t c = 0; c < own_width; ++c) to[c] = static_cast<double>(own[static_cast<size_t>(from + c)]);
      for (int64_t c = 0; c < shared_width; ++c) {
        to[own_width + c] = static_cast<double>(shared[static_cast<size_t>(r * shared_width + c)]);
      }
    }
  }
  return result;
}

int64_t table_of(const std::vector<int32_t>& tables, int64_t sequence) {
  return tables.empty() ? 0 : tables[static_cast<size_t>(sequence)];
}

}  // namespace

LayerLogits::LayerLogits(Transformer& model, const Batch& batch, int64_t layer)
    : backend_(model.backend()), offsets_(batch.offsets) {
  if (layer < 0 || layer >= model.config().layers) {
    fail("layer {} does not exist: the model has {}", layer, model.config().layers);
  }
  attention_ = model.attention(layer);
  const int64_t tokens = batch.token_count();
  if (download(backend_, attention_.sequences.tokens, 1).front() != tokens) {
    fail("the model's last pass was over another batch than this one of {} tokens", tokens);
  }
  const View<const int32_t, 2>& positions = attention_.sequences.positions;
  axes_ = positions.extent(1);
  positions_ = download(backend_, positions.data(), tokens * axes_);
  rotation_table_ = copied(backend_, attention_.rotation.sequence_table, sequences());
  bias_table_ = copied(backend_, attention_.bias.sequence_table, sequences());
  scale_table_ = copied(backend_, attention_.row_scale.sequence_table, sequences());
  head_set_ = copied(backend_, attention_.rotation.head_set, heads());
  window_ = copied(backend_, attention_.window, heads());
  chunk_ = copied(backend_, attention_.chunk, heads());
  if (!attention_.sink.empty()) sink_ = download(backend_, attention_.sink.data(), heads());
  if (!attention_.head_scale.empty()) head_scale_ = download(backend_, attention_.head_scale.data(), heads());
  if (const View<const float, 4>& turns = attention_.rotation.token; !turns.empty()) {
    token_set_ = copied(backend_, attention_.rotation.token_set, heads());
    const int64_t count = tokens * turns.extent(1) * turns.extent(2);
    const std::vector<float> values = download(backend_, turns.data(), 2 * count);
    for (int64_t i = 0; i < count; ++i) {
      token_factors_.emplace_back(values[static_cast<size_t>(2 * i)], values[static_cast<size_t>(2 * i + 1)]);
    }
  }
  if (!attention_.prefix.empty()) prefix_ = download(backend_, attention_.prefix.data(), tokens * heads());

  dense_ = std::make_shared<const DenseTerms>(backend_, attention_, tokens, positions_, axes_);

  const AttentionShape& shape = attention_.shape;
  queries_ = features(by_head(download(backend_, attention_.query, tokens),
                              download(backend_, attention_.shared_query, tokens), tokens, shape, shape.heads,
                              shape.shared_query_width));
  keys_ =
      features(by_head(download(backend_, attention_.key, tokens), download(backend_, attention_.shared_key, tokens),
                       tokens, shape, shape.key_heads, shape.shared_key_width));
}

Dense LayerLogits::features(DenseView rows) const {
  if (attention_.shape.feature == FeatureMap::none) return copy_of(rows);
  Dense result(rows.extent(0), 2 * rows.extent(1));
  for (int64_t r = 0; r < result.rows(); ++r) {
    for (int64_t c = 0; c < rows.extent(1); ++c) result(r, 2 * c) = softplus(rows.row(r)[c]);
  }
  return result;
}

Dense LayerLogits::without_features(DenseView rows) const {
  if (attention_.shape.feature == FeatureMap::none) return copy_of(rows);
  Dense result(rows.extent(0), rows.extent(1) / 2);
  for (int64_t r = 0; r < result.rows(); ++r) {
    for (int64_t c = 0; c < result.columns(); ++c) {
      const double feature = rows.row(r)[2 * c];
      result(r, c) = feature + std::log(-std::expm1(-feature));
    }
  }
  return result;
}

double LayerLogits::scale(int64_t head) const {
  const double scale = static_cast<double>(attention_.scale);
  return head_scale_.empty() ? scale : scale * static_cast<double>(head_scale_[static_cast<size_t>(head)]);
}

SequenceTables LayerLogits::tables(int64_t sequence) const {
  SequencePlace place{.length = length(sequence), .axes = axes_};
  place.positions.assign(positions_.begin() + first_row(sequence) * axes_,
                         positions_.begin() + first_row(sequence + 1) * axes_);
  place.rotation_table = table_of(rotation_table_, sequence);
  place.bias_table = table_of(bias_table_, sequence);
  place.scale_table = table_of(scale_table_, sequence);
  if (!prefix_.empty()) {
    place.prefix.assign(prefix_.begin() + first_row(sequence) * heads(),
                        prefix_.begin() + first_row(sequence + 1) * heads());
  }
  if (!token_factors_.empty()) {
    const auto per_token = static_cast<int64_t>(token_factors_.size()) / first_row(sequences());
    place.token_factors.assign(token_factors_.begin() + first_row(sequence) * per_token,
                               token_factors_.begin() + first_row(sequence + 1) * per_token);
  }
  return {backend_, attention_, head_set_, token_set_, place};
}

std::vector<HeadLogits> LayerLogits::sequence(int64_t sequence) const {
  return sequence_with(sequence, query_rows(sequence), key_rows(sequence));
}

std::vector<HeadLogits> LayerLogits::sequence_with(int64_t sequence, DenseView queries, DenseView keys) const {
  return sequence_with(sequence, tables(sequence), queries, keys);
}

std::vector<HeadLogits> LayerLogits::sequence_with(int64_t sequence, const SequenceTables& tables, DenseView queries,
                                                   DenseView keys) const {
  const Dense shifted = tables.shifted_queries(queries);
  const Dense turned_queries = tables.turned_queries(shifted);
  const Dense turned_keys = tables.turned_keys(keys);
  const Dense plain_queries = tables.plain_queries(shifted);
  std::vector<HeadLogits> result(static_cast<size_t>(heads()));
  for (int64_t h = 0; h < heads(); ++h) {
    HeadLogits& head = result[static_cast<size_t>(h)];
    head.query = copy_of(head_columns(turned_queries, h, width()));
    head.key = copy_of(head_columns(turned_keys, h, width()));
    head.plain_query = copy_of(head_columns(plain_queries, h, width()));
    head.plain_key = copy_of(head_columns(keys, h, width()));
    head.row_scale = tables.row_scale(h);
    head.bias = tables.bias(h);
    head.gated = tables.is_gated(h);
    head.rows = tables.row_products(h, head_columns(queries, h, width()), head_columns(keys, h, width()));
    head.scale = scale(h);
    head.causal = causal();
    head.window = table_of(window_, h);
    head.chunk = table_of(chunk_, h);
    if (!sink_.empty()) head.sink = static_cast<double>(sink_[static_cast<size_t>(h)]);
    head.rotary_pairs = tables.pairs(h);
    if (dense_->has(h)) {
      const Dense beyond = dense_->beyond_products(h, first_row(sequence),
                                                   {.query = head_columns(queries, h, width()),
                                                    .scaled_query = head.plain_query,
                                                    .key = head.plain_key,
                                                    .turned_query = head.query,
                                                    .turned_key = head.key,
                                                    .scale = head.scale,
                                                    .causal = head.causal});
      head.bias = head.bias.rows() == 0 ? beyond : sum(head.bias, beyond);
      head.gated = true;
    }
    const int64_t shared = attention_.shape.shared_key_width;
    if (shared > 0) head.decoupled_from = width() - shared;
  }
  return result;
}

}  // namespace phasor
