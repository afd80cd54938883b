#include "phasor/ablation/stand_ins.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "phasor/ablation/head_rows.h"
#include "phasor/engine/download.h"
#include "phasor/model/query_factors.h"
#include "phasor/random/distributions.h"

namespace phasor {
namespace {

int64_t output_columns(const Attention& attention) {
  return static_cast<int64_t>(attention.shape.heads) * attention.shape.value_width;
}

bool needs_means(AblationMethod method) { return method != AblationMethod::zero && method != AblationMethod::resample; }

struct Span {
  int64_t first = 0, length = 0;
};

Span span_of(const Batch& batch, int64_t sequence) {
  const int64_t first = batch.offsets[static_cast<size_t>(sequence)];
  return {first, batch.offsets[static_cast<size_t>(sequence) + 1] - first};
}

// Draws of one sample; `use` keeps the methods apart.
Draws draws_of(uint64_t seed, AblationMethod use, int64_t sample, int64_t draw) {
  return Draws({.seed = seed,
                .purpose = Purpose::ablation,
                .site = static_cast<uint32_t>(use) + 16u * static_cast<uint32_t>(draw),
                .step = static_cast<uint32_t>(sample)});
}

// Where each token of a sequence takes its rows from: the same index of another sequence of the batch, of a second one
// from where the first has ended, and so on. An index that no other sequence has takes the last row of the longest.
std::vector<int64_t> donors(const Batch& batch, int64_t sequence, Draws& draws) {
  const Span own = span_of(batch, sequence);
  std::vector<int64_t> from(static_cast<size_t>(own.length));
  std::vector<int64_t> others;
  for (int64_t s = 0; s < batch.sequence_count(); ++s) {
    if (s != sequence) others.push_back(s);
  }
  int64_t filled = 0;
  while (filled < own.length && !others.empty()) {
    const Span donor = span_of(batch, others[draws.below(static_cast<uint32_t>(others.size()))]);
    for (; filled < std::min(donor.length, own.length); ++filled)
      from[static_cast<size_t>(filled)] = donor.first + filled;
    std::erase_if(others, [&](int64_t s) { return span_of(batch, s).length <= filled; });
  }
  const int64_t last = filled > 0 ? from[static_cast<size_t>(filled) - 1] : own.first;
  std::fill(from.begin() + filled, from.end(), last);
  return from;
}

}  // namespace

StandIns::Scratch::Scratch(Backend& backend, Dtype dtype, int64_t rows, int64_t columns)
    : memory(backend.allocate(static_cast<size_t>(rows * columns * byte_size(dtype)))),
      matrix(memory.data(), dtype, rows, columns) {}

StandIns::StandIns(Transformer& model, const Capacity& capacity, const std::vector<AblationMethod>& methods,
                   uint64_t seed)
    : model_(model),
      capacity_(capacity),
      seed_(seed),
      gathers_(std::any_of(methods.begin(), methods.end(), needs_means)) {
  Backend& backend = model.backend();
  const ModelConfig& config = model.config();
  const Attention attention = model.attention(0);
  const int64_t columns = output_columns(attention);
  zeros_ = std::make_unique<Scratch>(backend, Dtype::f32, capacity.tokens, columns);
  rows_ = std::make_unique<Scratch>(backend, Dtype::f32, capacity.tokens, columns);
  out_ = std::make_unique<Scratch>(backend, model.activations().layers[0].mixed.dtype(), capacity.tokens, columns);
  log_sum_ = backend.allocate(static_cast<size_t>(capacity.tokens * config.heads) * sizeof(float));
  const int64_t axes = attention.sequences.positions.extent(1);
  positions_ = backend.allocate(static_cast<size_t>(capacity.tokens * axes) * sizeof(int32_t));
  prefix_ = backend.allocate(static_cast<size_t>(capacity.tokens * config.heads) * sizeof(double));
  if (!gathers_) return;
  for (int64_t l = 0; l < config.layers; ++l) {
    means_.push_back({IndexSums(config.max_length, columns),
                      PositionFit(config.vocabulary, config.max_length, QueryKeyColumns(model.attention(l)).total()),
                      GateSteps(config.heads),
                      TurnSteps(),
                      {},
                      {}});
  }
}

void StandIns::gather(const Batch& batch, int64_t first_sample) {
  if (!gathers_) return;
  Backend& backend = model_.backend();
  const int64_t tokens = batch.token_count();
  for (int64_t l = 0; l < model_.config().layers; ++l) {
    Means& means = means_[static_cast<size_t>(l)];
    means.outputs.add(batch, download(backend, model_.activations().layers[static_cast<size_t>(l)].mixed, tokens));
    means.queries_keys.add(batch, first_sample, query_key_rows(backend, model_.attention(l), tokens));
    means.gates.add(batch, prefix_rows(backend, model_.attention(l), tokens));
    means.turns.add(batch, turn_rows_of(backend, model_.attention(l), tokens));
    const Reflections reflections = model_.attention(l).dense.reflections;
    means.directions.add(batch, download(backend, reflections.directions, tokens));
    means.strengths.add(batch, download(backend, reflections.strengths, tokens));
  }
}

void StandIns::finish_gathering() {
  for (Means& means : means_) means.queries_keys.solve();
}

ConstMatrix StandIns::make(AblationMethod method, int64_t layer, const Batch& batch, int64_t first_sample,
                           int64_t draw) {
  switch (method) {
    case AblationMethod::zero:
      return zeros_->matrix.row_range(0, batch.token_count());
    case AblationMethod::mean:
    case AblationMethod::position_mean:
      return from_means(method, layer, batch);
    case AblationMethod::resample:
      return resampled(layer, batch, first_sample, draw);
    default:
      return attend_again(method, layer, batch, first_sample, draw);
  }
}

ConstMatrix StandIns::upload(const std::vector<float>& rows, int64_t columns) {
  model_.backend().copy_in(rows_->memory.data(), rows.data(), rows.size() * sizeof(float));
  return rows_->matrix.row_range(0, static_cast<int64_t>(rows.size()) / columns);
}

ConstMatrix StandIns::from_means(AblationMethod method, int64_t layer, const Batch& batch) {
  const auto l = static_cast<size_t>(layer);
  std::vector<float> rows = download(model_.backend(), model_.activations().layers[l].mixed, batch.token_count());
  const IndexSums& sums = means_[l].outputs;
  const int64_t columns = sums.columns();
  for (int64_t s = 0; s < batch.sequence_count(); ++s) {
    const Span own = span_of(batch, s);
    float* first = rows.data() + own.first * columns;
    const std::vector<float> intact(first, first + own.length * columns);
    const IndexSums::Others others(sums, intact.data(), own.length);
    for (int64_t i = 0; i < own.length; ++i) {
      for (int64_t c = 0; c < columns; ++c) {
        const double value = method == AblationMethod::mean ? others.mean(c) : others.mean_at(i, c);
        first[i * columns + c] = static_cast<float>(value);
      }
    }
  }
  return upload(rows, columns);
}

ConstMatrix StandIns::resampled(int64_t layer, const Batch& batch, int64_t first_sample, int64_t draw) {
  const std::vector<float> intact =
      download(model_.backend(), model_.activations().layers[static_cast<size_t>(layer)].mixed, batch.token_count());
  const int64_t columns = static_cast<int64_t>(intact.size()) / batch.token_count();
  std::vector<float> rows(intact.size());
  for (int64_t s = 0; s < batch.sequence_count(); ++s) {
    Draws draws = draws_of(seed_, AblationMethod::resample, first_sample + s, draw);
    const std::vector<int64_t> from = donors(batch, s, draws);
    const int64_t first = batch.offsets[static_cast<size_t>(s)];
    for (size_t i = 0; i < from.size(); ++i) {
      std::copy_n(intact.begin() + from[i] * columns, columns,
                  rows.begin() + (first + static_cast<int64_t>(i)) * columns);
    }
  }
  return upload(rows, columns);
}

// For every token the index, in its sequence, of the place that it is given.
std::vector<int32_t> StandIns::shuffled_places(const Batch& batch, int64_t first_sample, int64_t draw) const {
  std::vector<int32_t> places = batch.positions;
  for (int64_t s = 0; s < batch.sequence_count(); ++s) {
    Draws draws = draws_of(seed_, AblationMethod::position_shuffled, first_sample + s, draw);
    const Span own = span_of(batch, s);
    int32_t* first = places.data() + own.first;
    for (int64_t i = own.length - 1; i > 0; --i) std::swap(first[i], first[draws.below(static_cast<uint32_t>(i + 1))]);
  }
  return places;
}

// Queries and keys with their positional part taken out, moved to other places, or left alone without content.
std::vector<float> StandIns::changed_rows(AblationMethod method, int64_t layer, const Batch& batch,
                                          int64_t first_sample, const Attention& attention,
                                          const std::vector<int32_t>& places) const {
  std::vector<float> rows = query_key_rows(model_.backend(), attention, batch.token_count());
  const PositionFit& fit = means_[static_cast<size_t>(layer)].queries_keys;
  const int64_t columns = fit.columns();
  for (int64_t s = 0; s < batch.sequence_count(); ++s) {
    const Span own = span_of(batch, s);
    const double* mean = fit.mean(first_sample + s);
    for (int64_t i = 0; i < own.length; ++i) {
      float* row = rows.data() + (own.first + i) * columns;
      const double* part = fit.part(first_sample + s, i);
      const double* moved = fit.part(first_sample + s, places[static_cast<size_t>(own.first + i)]);
      for (int64_t c = 0; c < columns; ++c) {
        const double content = method == AblationMethod::content_off ? mean[c] : static_cast<double>(row[c]) - part[c];
        const double position = method == AblationMethod::content_off         ? part[c]
                                : method == AblationMethod::position_shuffled ? moved[c]
                                                                              : 0.0;
        row[c] = static_cast<float>(content + position);
      }
    }
  }
  return rows;
}

// A factor by the query's position becomes its mean over the places of the sequence's tokens: that of the first place,
// or none, would make all logits hotter or colder, which is not what removes position. Factors by length alone stay.
Memory StandIns::level_row_scale(Attention& attention, const Batch& batch) const {
  RowScale& scale = attention.row_scale;
  if (scale.table.empty() || scale.table.extent(1) == 1) return {};
  Backend& backend = model_.backend();
  const int64_t heads = attention.shape.heads, sequences = batch.sequence_count(), tokens = batch.token_count();
  const std::vector<float> factors = query_factors(backend, attention, batch.offsets);
  std::vector<float> means;
  std::vector<int32_t> own_table(static_cast<size_t>(sequences));
  std::iota(own_table.begin(), own_table.end(), 0);
  for (int64_t s = 0; s < sequences; ++s) {
    const Span own = span_of(batch, s);
    for (int64_t h = 0; h < heads; ++h) {
      const auto first = factors.begin() + h * tokens + own.first;
      const double sum = std::accumulate(first, first + own.length, 0.0);
      means.push_back(static_cast<float>(sum / static_cast<double>(std::max<int64_t>(1, own.length))));
    }
  }
  const size_t bytes = means.size() * sizeof(float);
  Memory memory = backend.allocate(bytes + own_table.size() * sizeof(int32_t));
  auto* of_sequence = static_cast<std::byte*>(memory.data()) + bytes;
  backend.copy_in(memory.data(), means.data(), bytes);
  backend.copy_in(of_sequence, own_table.data(), own_table.size() * sizeof(int32_t));
  scale.table = View<const float, 2>(static_cast<const float*>(memory.data()), sequences * heads, 1);
  scale.sequence_table = View<const int32_t, 1>(reinterpret_cast<const int32_t*>(of_sequence), sequences);
  return memory;
}

// Without position all tokens stand at the first place: angles are 0 and a bias over distance is the same everywhere,
// which a softmax does not see. Features of queries and keys stay; the phases of their keys are those of position and
// go with it.
void StandIns::set_positions(AblationMethod method, Attention& attention, const Batch& batch,
                             const std::vector<int32_t>& places) {
  if (method == AblationMethod::content_off) return;
  Backend& backend = model_.backend();
  const auto axes = static_cast<size_t>(attention.sequences.positions.extent(1));
  std::vector<int32_t> positions(batch.tokens.size() * axes);
  if (method == AblationMethod::position_shuffled) {
    const std::vector<int32_t> intact =
        download(backend, attention.sequences.positions.data(), static_cast<int64_t>(positions.size()));
    for (int64_t s = 0; s < batch.sequence_count(); ++s) {
      const Span own = span_of(batch, s);
      for (int64_t t = own.first; t < own.first + own.length; ++t) {
        const auto from = static_cast<size_t>(own.first + places[static_cast<size_t>(t)]) * axes;
        std::copy_n(intact.begin() + static_cast<int64_t>(from), axes,
                    positions.begin() + t * static_cast<int64_t>(axes));
      }
    }
  }
  if (method == AblationMethod::position_off && attention.shape.feature != FeatureMap::none) {
    attention.rotation.key = attention.rotation.query;
  }
  backend.copy_in(positions_.data(), positions.data(), positions.size() * sizeof(int32_t));
  attention.sequences.positions =
      View<const int32_t, 2>(static_cast<const int32_t*>(positions_.data()), capacity_.tokens, axes);
}

// Gates sum up what stands between two tokens, so they carry position and content in one. Without position nothing is
// summed. Shuffled, a token has the sum of the place that it is given. Without content every token is a step of the
// mean width, which leaves a bias of distance.
void StandIns::set_gates(AblationMethod method, int64_t layer, Attention& attention, const Batch& batch,
                         const std::vector<int32_t>& places) {
  if (attention.prefix.empty()) return;
  if (method == AblationMethod::position_off) {
    attention.prefix = {};
    return;
  }
  Backend& backend = model_.backend();
  const int64_t heads = attention.shape.heads;
  const std::vector<double> intact = prefix_rows(backend, attention, batch.token_count());
  std::vector<double> changed(intact.size());
  for (int64_t s = 0; s < batch.sequence_count(); ++s) {
    const Span own = span_of(batch, s);
    const double* first = intact.data() + own.first * heads;
    const std::vector<double> steps = means_[static_cast<size_t>(layer)].gates.others(first, own.length);
    for (int64_t i = 0; i < own.length; ++i) {
      double* to = changed.data() + (own.first + i) * heads;
      const double* from = first + int64_t{places[static_cast<size_t>(own.first + i)]} * heads;
      for (int64_t h = 0; h < heads; ++h) {
        to[h] =
            method == AblationMethod::content_off ? static_cast<double>(i) * steps[static_cast<size_t>(h)] : from[h];
      }
    }
  }
  backend.copy_in(prefix_.data(), changed.data(), changed.size() * sizeof(double));
  attention.prefix = View<const double, 2>(static_cast<const double*>(prefix_.data()), capacity_.tokens, heads);
}

// The same of what tokens turn by: without position nothing turns, and without content every token turns by the mean
// step.
void StandIns::set_turns(AblationMethod method, int64_t layer, Attention& attention, const Batch& batch,
                         const std::vector<int32_t>& places) {
  const View<const float, 4> turns = attention.rotation.token;
  if (turns.empty()) return;
  if (method == AblationMethod::position_off) {
    attention.rotation.token = {};
    return;
  }
  Backend& backend = model_.backend();
  const int64_t numbers = turns.extent(1) * turns.extent(2);  // of one token
  const std::vector<std::complex<float>> intact = turn_rows_of(backend, attention, batch.token_count());
  std::vector<std::complex<float>> changed(intact.size());
  for (int64_t s = 0; s < batch.sequence_count(); ++s) {
    const Span own = span_of(batch, s);
    const std::complex<float>* first = intact.data() + own.first * numbers;
    const std::vector<double> steps = means_[static_cast<size_t>(layer)].turns.others(first, own.length, numbers);
    for (int64_t i = 0; i < own.length; ++i) {
      const std::complex<float>* from = first + int64_t{places[static_cast<size_t>(own.first + i)]} * numbers;
      for (int64_t k = 0; k < numbers; ++k) {
        const double angle = static_cast<double>(i) * steps[static_cast<size_t>(k)];
        changed[static_cast<size_t>((own.first + i) * numbers + k)] =
            method == AblationMethod::content_off ? std::complex<float>(std::polar(1.0, angle)) : from[k];
      }
    }
  }
  const size_t bytes = changed.size() * sizeof(std::complex<float>);
  if (turns_.bytes() < bytes) turns_ = backend.allocate(bytes);
  backend.copy_in(turns_.data(), changed.data(), bytes);
  attention.rotation.token = View<const float, 4>(static_cast<const float*>(turns_.data()), batch.token_count(),
                                                  turns.extent(1), turns.extent(2), 2);
}

View<const float, 2> StandIns::mean_rows(const TokenMeans& means, const View<const float, 2>& rows, const Batch& batch,
                                         Memory& memory) const {
  Backend& backend = model_.backend();
  const auto columns = static_cast<size_t>(rows.extent(1));
  std::vector<float> values = download(backend, ConstMatrix(rows), batch.token_count());
  for (int64_t s = 0; s < batch.sequence_count(); ++s) {
    const Span own = span_of(batch, s);
    float* first = values.data() + static_cast<size_t>(own.first) * columns;
    const std::vector<double> mean = means.others(first, own.length);
    for (size_t i = 0; i < static_cast<size_t>(own.length) * columns; ++i)
      first[i] = static_cast<float>(mean[i % columns]);
  }
  const size_t bytes = values.size() * sizeof(float);
  if (memory.bytes() < bytes) memory = backend.allocate(bytes);
  backend.copy_in(memory.data(), values.data(), bytes);
  return View<const float, 2>(static_cast<const float*>(memory.data()), batch.token_count(), columns);
}

// Positions by gates and reflections are made of the tokens from the key to the query, in their order: without position
// there are none, and shuffled, the order stays as that of a causal mask does. Without content gates are those of
// queries and keys that have none, and every token reflects as the mean one. Where all tokens stand at one place none
// is far; elsewhere what far keys see goes by the positions that are set.
void StandIns::set_dense(AblationMethod method, int64_t layer, Attention& attention, const Batch& batch) {
  DenseTerm& dense = attention.dense;
  if (!dense.any()) return;
  if (method == AblationMethod::position_off) {
    dense = {};
    return;
  }
  if (method != AblationMethod::content_off || dense.reflections.directions.empty()) return;
  const Means& means = means_[static_cast<size_t>(layer)];
  dense.reflections.directions = mean_rows(means.directions, dense.reflections.directions, batch, directions_);
  dense.reflections.strengths = mean_rows(means.strengths, dense.reflections.strengths, batch, strengths_);
}

ConstMatrix StandIns::attend_again(AblationMethod method, int64_t layer, const Batch& batch, int64_t first_sample,
                                   int64_t draw) {
  Backend& backend = model_.backend();
  Attention attention = model_.attention(layer);
  const int64_t tokens = batch.token_count();
  const std::vector<int32_t> places = shuffled_places(batch, first_sample, draw);
  const std::vector<float> changed = changed_rows(method, layer, batch, first_sample, attention, places);
  const Memory levelled = method == AblationMethod::position_off ? level_row_scale(attention, batch) : Memory();
  set_positions(method, attention, batch, places);
  set_gates(method, layer, attention, batch, places);
  // A window and a chunk tell near from far, as a bias does. The causal mask stays, and so does a sink, which knows no
  // position.
  if (method == AblationMethod::position_off) attention.window = attention.chunk = {};
  set_turns(method, layer, attention, batch, places);
  if (method == AblationMethod::position_off) {
    // All would read the row of distance 0: nothing by queries, whose products are the same for all keys, but a
    // preference of keys by their content.
    attention.query_rows = {};
    attention.key_rows = {};
    attention.row_shift = {};
  }
  set_dense(method, layer, attention, batch);

  const int64_t columns = QueryKeyColumns(attention).total();
  const Memory packed_memory = backend.allocate(changed.size() * sizeof(float));
  backend.copy_in(packed_memory.data(), changed.data(), changed.size() * sizeof(float));
  const ConstMatrix packed(packed_memory.data(), Dtype::f32, tokens, columns);
  const std::array<ConstMatrix*, 4> views = {&attention.query, &attention.shared_query, &attention.key,
                                             &attention.shared_key};
  int64_t first = 0;
  for (int part = 0; part < 4; ++part) {
    ConstMatrix& view = *views[static_cast<size_t>(part)];
    if (view.empty()) continue;
    const int64_t width = view.columns();
    const auto [scratch, added] = parts_.try_emplace({part, width}, backend, view.dtype(), capacity_.tokens, width);
    const Matrix& to = scratch->second.matrix;
    backend.run(Cast{.to = to.row_range(0, tokens), .from = packed.column_range(first, width)});
    view = to;
    first += width;
  }
  backend.run(AttentionForward{
      .out = out_->matrix,
      .log_sum = View<float, 2>(static_cast<float*>(log_sum_.data()), capacity_.tokens, model_.config().heads),
      .attention = attention});
  return out_->matrix.row_range(0, tokens);
}

}  // namespace phasor
