#include "phasor/spectrum/attention_damage.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "phasor/base/error.h"
#include "phasor/base/parallel.h"
#include "phasor/engine/key_mask.h"
#include "phasor/spectrum/layer_logits.h"

namespace phasor {
namespace {

constexpr double kHidden = -std::numeric_limits<double>::infinity();

// log sum exp, with the largest taken out.
double log_sum(std::span<const double> logits) {
  const double most = *std::max_element(logits.begin(), logits.end());
  if (most == kHidden) fail("a query sees no key");
  double sum = 0.0;
  for (const double logit : logits) sum += std::exp(logit - most);
  return most + std::log(sum);
}

// What query i weighs against each other: the keys, those hidden by a mask too, and a sink.
std::vector<double> weighed(const HeadLogits& head, const Dense& logits, int64_t i) {
  const int64_t n = logits.rows();
  std::vector<double> row(static_cast<size_t>(n + 1), kHidden);
  const KeySpan seen = KeyMask{.causal = head.causal, .window = head.window, .chunk = head.chunk}.seen_by(i, n);
  std::copy(logits.row(i) + seen.first, logits.row(i) + seen.end, row.begin() + seen.first);
  row.back() = head.sink;
  return row;
}

void add_head(HeadDamage& damage, const HeadLogits& head, const HeadLogits& other) {
  const Dense logits = head.logits(), changed = other.logits();
  const int64_t n = logits.rows();
  for (int64_t i = 0; i < n; ++i) {
    const QueryDamage query = query_damage(weighed(head, logits, i), weighed(other, changed, i));
    damage.places[static_cast<size_t>(place_of_token(i, n))].add(query);
  }
}

}  // namespace

QueryDamage query_damage(std::span<const double> logits, std::span<const double> other) {
  const double total = log_sum(logits), other_total = log_sum(other);
  QueryDamage damage;
  for (size_t j = 0; j < logits.size(); ++j) {
    const double a = logits[j] - total, b = other[j] - other_total;  // logarithms of the weights
    const double weight = std::exp(a);
    if (weight > 0.0) damage.divergence += weight * (a - b);
    damage.moved += 0.5 * std::abs(weight - std::exp(b));
  }
  // Rounding may leave it a little below its least value.
  damage.divergence = std::max(damage.divergence, 0.0);
  return damage;
}

void DamageSum::add(const QueryDamage& damage) {
  sum.divergence += damage.divergence;
  sum.moved += damage.moved;
  ++queries;
}

void DamageSum::add(const DamageSum& other) {
  sum.divergence += other.sum.divergence;
  sum.moved += other.sum.moved;
  queries += other.queries;
}

DamageSum HeadDamage::all() const {
  DamageSum sum;
  for (const DamageSum& place : places) sum.add(place);
  return sum;
}

namespace {

// A sequence's queries and keys, as the first one's projections make them, under the tables of the other.
std::vector<HeadLogits> under(const LayerLogits& other, const LayerLogits& layer, int64_t sequence) {
  if (layer.width() == other.width()) {
    return other.sequence_with(sequence, layer.query_rows(sequence), layer.key_rows(sequence));
  }
  const Dense query = other.features(layer.without_features(layer.query_rows(sequence)));
  const Dense key = other.features(layer.without_features(layer.key_rows(sequence)));
  if (query.columns() != other.query_rows(sequence).extent(1)) {
    fail("queries of {} channels and of {}", layer.width(), other.width());
  }
  return other.sequence_with(sequence, query, key);
}

}  // namespace

void AttentionDamage::add(Transformer& model, Transformer& other, const Batch& batch) {
  const ModelConfig &config = model.config(), &changed = other.config();
  if (config.layers != changed.layers || config.heads != changed.heads || config.causal != changed.causal) {
    fail("attention of a model with {} layers of {} heads cannot be compared with one of {} of {}", config.layers,
         config.heads, changed.layers, changed.heads);
  }
  if (heads_.empty()) {
    for (int64_t l = 0; l < config.layers; ++l) {
      for (int64_t h = 0; h < config.heads; ++h) heads_.push_back({.layer = l, .head = h, .places = {}});
    }
  }
  model.forward(batch);
  other.forward(batch);
  for (int64_t l = 0; l < config.layers; ++l) {
    const LayerLogits layer(model, batch, l), swapped(other, batch, l);
    for (int64_t s = 0; s < layer.sequences(); ++s) {
      const std::vector<HeadLogits> heads = layer.sequence(s);
      const std::vector<HeadLogits> others = under(swapped, layer, s);
      parallel_for(config.heads, 1, [&](int64_t begin, int64_t end) {
        for (int64_t h = begin; h < end; ++h) {
          const auto at = static_cast<size_t>(h);
          add_head(heads_[static_cast<size_t>(l * config.heads + h)], heads[at], others[at]);
        }
      });
    }
  }
}

}  // namespace phasor
