#include "phasor/engine/cpu/attention_term.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "phasor/base/error.h"
#include "phasor/base/parallel.h"
#include "phasor/engine/cpu/attention_rotation.h"
#include "phasor/engine/cpu/attention_table_sums.h"
#include "phasor/engine/cpu/elements.h"

namespace phasor {
namespace {

// Runs of sequences whose gradients by the term's vectors are summed by themselves.
constexpr int64_t kTermChunks = 16;

// Throws where it cannot be applied.
const DenseTerm& applicable_term(const Attention& a, int64_t length) {
  require_dense_length(length);
  if (a.shape.feature != FeatureMap::none || a.shape.shared_key_width + a.shape.shared_query_width > 0) {
    fail("attention with a dense term has channels of its own for each head, and no features");
  }
  const bool causal_only = !a.dense.positions.vectors.empty() || !a.dense.reflections.directions.empty();
  if (causal_only && !a.causal) fail("this dense term is defined for causal attention");
  return a.dense;
}

void append(std::vector<double>& to, const std::vector<double>& row) { to.insert(to.end(), row.begin(), row.end()); }

double plain_factor(const Attention& a, int64_t head) {
  return static_cast<double>(a.scale) * (a.head_scale.empty() ? 1.0 : double{a.head_scale(head)});
}

void write_doubles(void* to, Dtype dtype, const double* from, int64_t count) {
  std::vector<float> row(from, from + count);
  write_row(to, dtype, row.data(), count);
}

}  // namespace

TermAttention::TermAttention(const Attention& attention, const HeadPlace& place)
    : attention_(attention),
      place_(place),
      width_(attention.shape.key_width),
      value_width_(static_cast<size_t>(attention.shape.value_width)),
      mask_(key_mask(attention, place.head)),
      term_(applicable_term(attention, place.length), place.head, place.first, place.length, width_,
            attention.sequences.positions) {
  const RowScales row_scales(attention, place);
  const double scale = plain_factor(attention, place.head);
  for (int64_t t = 0; t < place.length; ++t) {
    append(query_, element_row(attention.query, place.first + t, place.head * width_, width_));
    append(key_, element_row(attention.key, place.first + t, place.key_head * width_, width_));
    append(turned_query_, phasor::turned_query(attention, place, t));
    append(turned_key_, phasor::turned_key(attention, place, t));
    append(value_, element_row(attention.value, place.first + t, place.key_head * attention.shape.value_width,
                               attention.shape.value_width));
    factors_.push_back(row_scales.any() ? scale * double{row_scales(t)} : scale);
  }
  attend();
}

void TermAttention::attend() {
  const int64_t n = place_.length;
  const auto size = static_cast<size_t>(n * n);
  products_.assign(size, 0.0);
  scaled_.assign(size, 0.0);
  term_.products(rows(), mask_, products_.data());
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j)
      scaled_[static_cast<size_t>(i * n + j)] = row_factor(i) * products_[static_cast<size_t>(i * n + j)];
  }
  std::vector<double> added = scaled_;
  term_.add_positions(rows(), mask_, scaled_.data(), added.data());

  head_.logits.assign(size, -std::numeric_limits<double>::infinity());
  head_.weights.assign(size, 0.0);
  const double sink = sink_logit(attention_, place_.head);
  for (int64_t i = 0; i < n; ++i) {
    double* logits = &head_.logits[static_cast<size_t>(i * n)];
    double* weights = &head_.weights[static_cast<size_t>(i * n)];
    const KeySpan seen = mask_.seen_by(i, n);
    double peak = sink;
    for (int64_t j = seen.first; j < seen.end; ++j) {
      logits[j] = added[static_cast<size_t>(i * n + j)] + bias_of(attention_, place_, i, j) +
                  prefix_of(attention_, place_, i, j);
      peak = std::max(peak, logits[j]);
    }
    const double of_sink = std::exp(sink - peak);
    double sum = of_sink;
    for (int64_t j = seen.first; j < seen.end; ++j) sum += weights[j] = std::exp(logits[j] - peak);
    for (int64_t j = seen.first; j < seen.end; ++j) weights[j] /= sum;
    log_sums_.push_back(peak + std::log(sum));
    sink_weights_.push_back(of_sink / sum);
  }
}

void attend_with_term(const AttentionForward& op) {
  const Attention& a = op.attention;
  const int64_t heads = a.shape.heads, width = a.shape.value_width;
  parallel_for(*a.sequences.count * heads, 1, [&](int64_t item, int64_t) {
    const HeadPlace place = head_place(a, item / heads, item % heads);
    if (place.length == 0) return;
    const TermAttention head(a, place);
    const DropoutMask mask(a.dropout, static_cast<uint32_t>(place.head));
    std::vector<double> sum(static_cast<size_t>(width));
    for (int64_t i = 0; i < place.length; ++i) {
      std::fill(sum.begin(), sum.end(), 0.0);
      for (int64_t j = 0; j < place.length; ++j) {
        const double weight = head.weights()[static_cast<size_t>(i * place.length + j)];
        if (weight == 0.0) continue;
        const double kept = weight * dropout_factor(mask, place, i, j);
        for (size_t c = 0; c < sum.size(); ++c) sum[c] += kept * head.value(j)[c];
      }
      write_doubles(op.out.at(place.first + i, place.head * width), op.out.dtype(), sum.data(), width);
      op.log_sum(place.first + i, place.head) = static_cast<float>(head.log_sum(i));
    }
  });
}

namespace {

// The gradients of one head of one sequence.
class TermBackward {
 public:
  TermBackward(const AttentionBackward& op, const HeadPlace& place)
      : op_(op),
        a_(op.attention),
        place_(place),
        n_(place.length),
        head_(a_, place),
        term_(head_.term().no_gradients()) {}

  // dvalue is added to, [n, value_width].
  void run(const HeadTableSums& tables, double* dvalue) {
    dlogits_.assign(static_cast<size_t>(n_ * n_), 0.0);
    double dsink = 0.0;
    for (int64_t i = 0; i < n_; ++i) dsink -= softmax_back(i, dvalue);
    if (tables.sink != nullptr) *tables.sink = static_cast<float>(dsink);
    if (tables.distances != nullptr) add_distances(tables.distances);
    if (!op_.dprefix.empty()) add_prefix();
    std::vector<double> dscaled = dlogits_;
    head_.term().positions_back(head_.rows(), head_.mask(), head_.scaled().data(), dlogits_.data(), dscaled.data(),
                                term_);
    if (tables.scales != nullptr) add_scales(tables.scales, dscaled);
    for (int64_t i = 0; i < n_; ++i) {
      for (int64_t j = 0; j < n_; ++j) dscaled[static_cast<size_t>(i * n_ + j)] *= head_.row_factor(i);
    }
    head_.term().products_back(head_.rows(), head_.mask(), dscaled.data(), term_);
    turn_back(tables);
    if (!op_.ddense.directions.empty()) write_reflections();
  }

  const TermGradients& gradients() const { return term_; }

 private:
  // Row i of the gradient by logits, and its share of dvalue; gives what the sink's logit takes.
  double softmax_back(int64_t i, double* dvalue) {
    const int64_t width = a_.shape.value_width;
    const DropoutMask mask(a_.dropout, static_cast<uint32_t>(place_.head));
    const std::vector<double> dout = element_row(op_.dout, place_.first + i, place_.head * width, width);
    const double* weights = &head_.weights()[static_cast<size_t>(i * n_)];
    double* row = &dlogits_[static_cast<size_t>(i * n_)];
    double back = 0.0;
    const KeySpan seen = head_.mask().seen_by(i, n_);
    for (int64_t j = seen.first; j < seen.end; ++j) {
      const double factor = dropout_factor(mask, place_, i, j);
      double dot = 0.0;
      for (int64_t c = 0; c < width; ++c) {
        dot += dout[static_cast<size_t>(c)] * head_.value(j)[c];
        dvalue[j * width + c] += weights[j] * factor * dout[static_cast<size_t>(c)];
      }
      row[j] = factor * dot;
      back += weights[j] * row[j];
    }
    for (int64_t j = seen.first; j < seen.end; ++j) row[j] = weights[j] * (row[j] - back);
    return head_.sink_weight(i) * back;
  }

  void add_distances(float* sums) const {
    const BiasRows bias(a_, place_);
    std::vector<float> row(static_cast<size_t>(n_));
    for (int64_t i = 0; i < n_; ++i) {
      const auto first = dlogits_.begin() + i * n_;
      std::transform(first, first + n_, row.begin(), [](double d) { return static_cast<float>(d); });
      bias.add_by_distance(sums, i, row.data(), head_.mask().seen_by(i, n_));
    }
  }

  void add_prefix() const {
    std::vector<double> sums(static_cast<size_t>(n_));
    for (int64_t i = 0; i < n_; ++i) {
      for (int64_t j = 0; j < n_; ++j) {
        const double d = dlogits_[static_cast<size_t>(i * n_ + j)];
        if (i == j) continue;
        sums[static_cast<size_t>(std::max(i, j))] += d;
        sums[static_cast<size_t>(std::min(i, j))] -= d;
      }
    }
    for (int64_t i = 0; i < n_; ++i) op_.dprefix(place_.first + i, place_.head) = sums[static_cast<size_t>(i)];
  }

  void add_scales(float* scales, const std::vector<double>& dscaled) const {
    const double scale = plain_factor(a_, place_.head);
    for (int64_t i = 0; i < n_; ++i) {
      double sum = 0.0;
      for (int64_t j = 0; j < n_; ++j) {
        sum += dscaled[static_cast<size_t>(i * n_ + j)] * head_.products()[static_cast<size_t>(i * n_ + j)];
      }
      scales[i] = static_cast<float>(scale * sum);
    }
  }

  // What rotations learn, and gradients by turned rows added to those by the rows.
  void turn_back(const HeadTableSums& tables) {
    const HeadWidths widths(a_.shape, n_);
    const auto size = static_cast<size_t>(n_ * widths.key_padded);
    const auto padded = [&](const double* from) {
      std::vector<float> to(size);
      for (int64_t t = 0; t < n_; ++t) {
        for (int64_t c = 0; c < widths.key; ++c) {
          to[static_cast<size_t>(t * widths.key_padded + c)] = static_cast<float>(from[t * widths.key + c]);
        }
      }
      return to;
    };
    std::vector<double> by_frequency, by_phase;
    if (tables.frequencies != nullptr) {
      by_frequency.resize(static_cast<size_t>(op_.dfrequency.extent(1) * a_.rotation.axes));
    }
    if (tables.phases != nullptr) by_phase.resize(static_cast<size_t>(op_.dphase.extent(1)));
    const bool by_angle = !op_.dangle.empty() && token_set(a_.rotation, place_.head) >= 0;
    for (const Turned what : {Turned::query, Turned::key}) {
      const bool query = what == Turned::query;
      const TurnedRows rows{what, widths.key_padded, 0, n_};
      const std::vector<float> gradient = padded((query ? term_.turned_query : term_.turned_key).data());
      const std::vector<float> turned = padded(query ? head_.turned_query() : head_.turned_key());
      if (!by_frequency.empty()) {
        add_by_frequency(by_frequency.data(), gradient.data(), turned.data(), rows, a_, place_);
      }
      if (!query && !by_phase.empty()) {
        add_by_phase(by_phase.data(), gradient.data(), turned.data(), rows, a_, place_);
      }
      if (by_angle) add_by_angle(op_.dangle, query, gradient.data(), turned.data(), rows, a_, place_);
      std::vector<double>& to = query ? term_.query : term_.key;
      const std::vector<double>& from = query ? term_.turned_query : term_.turned_key;
      for (int64_t t = 0; t < n_; ++t) {
        std::vector<double> row(from.begin() + t * widths.key, from.begin() + (t + 1) * widths.key);
        turned_back(row, query, a_, place_, t);
        for (size_t c = 0; c < row.size(); ++c) to[static_cast<size_t>(t * widths.key) + c] += row[c];
      }
    }
    std::copy(by_frequency.begin(), by_frequency.end(), tables.frequencies);
    std::copy(by_phase.begin(), by_phase.end(), tables.phases);
  }

  void write_reflections() const {
    const int64_t set = a_.dense.head_set(place_.head), width = head_.width();
    if (set < 0) return;
    const Matrix &directions = op_.ddense.directions, &strengths = op_.ddense.strengths;
    for (int64_t t = 0; t < n_; ++t) {
      write_doubles(directions.at(place_.first + t, set * width), directions.dtype(),
                    &term_.directions[static_cast<size_t>(t * width)], width);
      write_doubles(strengths.at(place_.first + t, set), strengths.dtype(), &term_.strengths[static_cast<size_t>(t)],
                    1);
    }
  }

  const AttentionBackward& op_;
  const Attention& a_;
  HeadPlace place_;
  int64_t n_;
  TermAttention head_;
  TermGradients term_;
  std::vector<double> dlogits_;  // [n, n]
};

// Heads of one group add to the gradients of one key head. `dvectors` is added to, as GatedPositions::vectors.
void backward_group(const AttentionBackward& op, int64_t sequence, int64_t group, const AttentionTableSums& tables,
                    double* dvectors) {
  const Attention& a = op.attention;
  const int64_t group_heads = a.shape.heads / a.shape.key_heads;
  const HeadPlace whole = head_place(a, sequence, group * group_heads);
  const int64_t n = whole.length, width = a.shape.key_width, value_width = a.shape.value_width;
  std::vector<double> dkey(static_cast<size_t>(n * width)), dvalue(static_cast<size_t>(n * value_width));
  for (int64_t h = group * group_heads; h < (group + 1) * group_heads; ++h) {
    const HeadPlace place = head_place(a, sequence, h);
    TermBackward head(op, place);
    head.run(tables.of(place), dvalue.data());
    const TermGradients& gradients = head.gradients();
    for (int64_t t = 0; t < n; ++t) {
      write_doubles(op.dquery.at(place.first + t, h * width), op.dquery.dtype(),
                    &gradients.query[static_cast<size_t>(t * width)], width);
    }
    for (size_t e = 0; e < dkey.size(); ++e) dkey[e] += gradients.key[e];
    if (dvectors == nullptr || a.dense.head_set(h) < 0) continue;
    double* to = dvectors + int64_t{a.dense.head_set(h)} * std::ssize(gradients.vectors);
    for (size_t e = 0; e < gradients.vectors.size(); ++e) to[e] += gradients.vectors[e];
  }
  for (int64_t t = 0; t < n; ++t) {
    write_doubles(op.dkey.at(whole.first + t, group * width), op.dkey.dtype(), &dkey[static_cast<size_t>(t * width)],
                  width);
    write_doubles(op.dvalue.at(whole.first + t, group * value_width), op.dvalue.dtype(),
                  &dvalue[static_cast<size_t>(t * value_width)], value_width);
  }
}

}  // namespace

void attend_back_with_term(const AttentionBackward& op, std::vector<float>& memory) {
  const Attention& a = op.attention;
  const int64_t sequences = *a.sequences.count, groups = a.shape.key_heads, group_heads = a.shape.heads / groups;
  const AttentionTableSums tables(op, groups, memory);
  const int64_t chunk = op.dbias.empty() ? std::max<int64_t>(1, chunk_count(sequences, kTermChunks)) : tables.chunk();
  const int64_t items = chunk_count(sequences, chunk) * groups;
  const View<float, 2>& dvectors = op.ddense.vectors;
  const auto size = static_cast<size_t>(dvectors.size());
  std::vector<double> partial(static_cast<size_t>(items) * size);
  parallel_for(items, 1, [&](int64_t item, int64_t) {
    const int64_t first = item / groups * chunk, group = item % groups;
    tables.clear(item / groups, group * group_heads, group_heads);
    double* own = size == 0 ? nullptr : &partial[static_cast<size_t>(item) * size];
    for (int64_t s = first; s < std::min(sequences, first + chunk); ++s) {
      if (a.sequences.offsets(s + 1) == a.sequences.offsets(s)) continue;
      backward_group(op, s, group, tables, own);
    }
  });
  tables.finish();
  for (size_t e = 0; e < size; ++e) {
    double sum = 0.0;
    for (int64_t item = 0; item < items; ++item) sum += partial[static_cast<size_t>(item) * size + e];
    float& to = dvectors.data()[e];
    to = static_cast<float>(double{to} + sum);
  }
}

}  // namespace phasor
