#pragma once
// The whole Transformer as on paper, templated on the scalar:
//   x   = embedding + P(p)
//   x  += dropout(W_O attention(norm(x), z))       L_ij = s <R q_i, R k_j> + b(p_j - p_i) - |c_i - c_j|, c sums of
//   gates
//                                                  of norm(x), q of norm(x), k and v of z,
//                                                  z = norm(x), or with KvSource::input the first x in every layer
//   x  += dropout(W_down act(W_up norm(x)))
//   logits = W readout(norm(x)) + bias,            loss = mean over scored targets of -log softmax(logits)[target]
// In double it is the truth, in complex double its own derivative, on a tape (tape.h) its gradient.
#include <algorithm>
#include <numeric>

#include "model/model_case.h"
#include "model/reference_encoding.h"
#include "model/tape.h"
#include "phasor/model/token_positions.h"
#include "reference/attention.h"
#include "reference/embedding.h"
#include "reference/gate_scan.h"
#include "reference/linear.h"
#include "reference/norm.h"
#include "reference/readout.h"

namespace phasor::testing_support {

// Where a model stores numbers in the precision of its products: nothing happens to scalars that know no storage.
template <class S>
S as_weight(const S& x) {
  return x;
}
template <class S>
S as_activation(const S& x) {
  return x;
}
template <class S>
S as_gradient(const S& x) {
  return x;
}
template <class S, class Function, class Slope>
S activated(const S& x, const Function& f, const Slope&) {
  return f(x);
}

template <class S>
struct ReferenceResult {
  reference::Grid<S> logits;  // [targets, classes]
  std::vector<S> losses;      // [targets]
  S loss = S(0.0);
};

template <class S>
class ReferenceModel {
 public:
  using Grid = reference::Grid<S>;

  // Dropout sites: weights of attention at 2^16 layer + head, the branch into stream[i] at 2^30 + i.
  static constexpr uint32_t kHeadSites = 1u << 16;
  static constexpr uint32_t kResidualSite = 1u << 30;

  // logit_factor is 1 but for tests of the tests.
  ReferenceModel(const ModelData& data, std::vector<S> parameters, double logit_factor = 1.0)
      : data_(data), config_(data.config), parameters_(std::move(parameters)), logit_factor_(logit_factor) {
    positions_ = reference::Grid<int32_t>(data.batch.token_count(), static_cast<int64_t>(data.encoding.axes.size()), 0);
    positions_.data = token_positions(data.batch, data.encoding, kPositionSeed, kDropoutStep);
  }

  ReferenceResult<S> run() const {
    Grid stream = input();
    const Grid embedded = narrowed(stream);
    Grid branch;
    for (int64_t l = 0; l < config_.layers; ++l) {
      const std::string name = "layers." + std::to_string(l) + ".";
      Grid normed = step(stream, branch, name + "attention_norm", 2 * l);
      branch = output(attention(normed, embedded, name + "attention.", l), name + "attention.output", l);
      normed = step(stream, branch, name + "ffn_norm", 2 * l + 1);
      branch = linear(hidden(normed, name + "ffn.up"), name + "ffn.down");
    }
    const Grid normed = step(stream, branch, config_.final_norm ? "final_norm" : "", 2 * config_.layers);
    return read(config_.final_norm ? normed : stream);
  }

 private:
  Grid parameter(const std::string& name) const {
    const Parameter& entry = data_.layout.find(name);
    Grid grid;
    grid.rows = entry.shape.size() > 1 ? entry.shape[0] : 1;
    grid.columns = entry.shape.back();
    const auto first = parameters_.begin() + entry.offset;
    grid.data.assign(first, first + entry.size);
    return grid;
  }

  static Grid stored(Grid grid) {
    for (S& value : grid.data) value = as_activation(value);
    return grid;
  }

  // For products alone: what is behind it stays wide, and so does its gradient.
  static Grid narrowed(Grid grid) {
    for (S& value : grid.data) value = as_weight(value);
    return grid;
  }

  Grid weight(const std::string& name) const { return narrowed(parameter(name + ".weight")); }

  Grid product(const Grid& x, const std::string& name) const {
    return reference::product(x, weight(name), parameter(name + ".bias"));
  }

  Grid linear(const Grid& x, const std::string& name) const { return stored(product(x, name)); }

  // Decoupled paths have no biases.
  Grid output(const Grid& x, const std::string& name, int64_t layer) const {
    const bool plain = data_.encoding.layers[static_cast<size_t>(layer)].decoupled.has_value();
    return plain ? stored(reference::product(x, weight(name))) : linear(x, name);
  }

  reference::DropoutRule dropout(uint32_t site) const {
    return {.rate = static_cast<float>(config_.dropout),
            .stream = {.seed = kDropoutSeed, .purpose = Purpose::dropout, .site = site},
            .step = kDropoutStep};
  }

  // The encoding's tensors, by place in ResolvedEncoding::parameters.
  Grid learned(int64_t place) const { return parameter(data_.encoding.parameters[static_cast<size_t>(place)].name); }

  Grid table(const Table& fixed, const std::vector<TableSource>& sources) const {
    return ReferenceTable<S>::of(fixed, sources, [this](int64_t place) { return learned(place); });
  }

  int32_t length(int64_t sequence) const {
    const auto s = static_cast<size_t>(sequence);
    return data_.batch.offsets[s + 1] - data_.batch.offsets[s];
  }

  Grid input() const {
    const ResolvedEncoding& encoding = data_.encoding;
    std::vector<int32_t> rows;
    Grid added;
    if (encoding.input) {
      const InputTerm& term = *encoding.input;
      added = table(term.fixed, term.learned);
      const int64_t extent = encoding.axes[static_cast<size_t>(term.axis)].extent;
      for (int64_t s = 0; s < data_.batch.sequence_count(); ++s) {
        const int64_t first = data_.batch.offsets[static_cast<size_t>(s)];
        for (int64_t t = first; t < first + length(s); ++t) {
          const int64_t shift = term.per_length ? (length(s) - 1) * extent : 0;
          rows.push_back(static_cast<int32_t>(shift + positions_(t, term.axis)));
        }
      }
    }
    return reference::embedding(config_.width, data_.batch.tokens, parameter("embedding.weight"), rows, added);
  }

  // Odd places of the stream follow attention, even ones the feed-forward part.
  bool dropout_at(int64_t place) const { return config_.dropout_sites == DropoutSites::all || place % 2 == 0; }

  // Adds the branch (none at first) to the stream and gives the norm of the sum; without a norm's name the sum alone.
  Grid step(Grid& stream, const Grid& branch, const std::string& norm, int64_t place) const {
    reference::NormInput<S> in{.kind = config_.norm, .residual = stream, .branch = branch};
    if (dropout_at(place)) in.dropout = dropout(kResidualSite + static_cast<uint32_t>(place));
    in.weight = norm.empty() ? Grid(1, config_.width) : parameter(norm + ".weight");
    in.bias = norm.empty() || config_.norm == NormKind::rms ? Grid(1, config_.width) : parameter(norm + ".bias");
    auto result = reference::residual_norm(in);
    stream = std::move(result.sum);
    return stored(std::move(result.y));
  }

  Grid hidden(const Grid& x, const std::string& name) const {
    Grid z = product(x, name);
    const auto activation = [&](const S& value) { return reference::activate(config_.ffn, value); };
    const auto slope = [&](double value) { return reference::activation_slope(config_.ffn, value); };
    for (S& value : z.data) value = activated(as_gradient(value), activation, slope);
    return stored(std::move(z));
  }

  Grid attention(const Grid& x, const Grid& embedded, const std::string& name, int64_t layer) const {
    const LayerEncoding& encoding = data_.encoding.layers[static_cast<size_t>(layer)];
    reference::AttentionTensors<S> tensors;
    if (encoding.decoupled) {
      project_latents(tensors, x, name, *encoding.decoupled);
    } else {
      const Grid& source = config_.kv_source == KvSource::input ? embedded : x;
      tensors.query = linear(x, name + "query");
      tensors.key = linear(source, name + "key");
      tensors.value = linear(source, name + "value");
    }
    if (encoding.bias) tensors.bias = table(encoding.bias->fixed, encoding.bias->learned);
    if (!encoding.gates.empty()) tensors.prefix = prefix(x, encoding.gates);
    if (encoding.row_scale) tensors.scale = table(encoding.row_scale->fixed, encoding.row_scale->learned);
    if (encoding.sink) tensors.sink = table(encoding.sink->fixed, encoding.sink->learned);
    const auto term_table = [this](const auto& term) { return term ? table(term->fixed, term->learned) : Grid(); };
    tensors.query_rows = term_table(encoding.query_rows);
    tensors.key_rows = term_table(encoding.key_rows);
    tensors.query_shift = term_table(encoding.query_shift);
    tensors.row_shift = term_table(encoding.row_shift);
    reference::AttentionSetup setup = this->setup(encoding, layer, tensors);
    if (encoding.token_rotation) turn_by_tokens(setup.rotation, tensors, x, *encoding.token_rotation);
    if (encoding.dense) add_dense(setup.dense, tensors, x, *encoding.dense);
    return stored(reference::attention(setup, tensors).out);
  }

  void add_dense(reference::DenseSetup& setup, reference::AttentionTensors<S>& tensors, const Grid& x,
                 const DensePlace& dense) const {
    setup.head_set.assign(static_cast<size_t>(config_.heads), -1);
    const ContextPositions* positions = dense.positions();
    for (size_t set = 0; set < dense.heads.size(); ++set) {
      const bool own = dense.reflections() != nullptr || (positions != nullptr && positions->per_head);
      setup.head_set[static_cast<size_t>(dense.heads[set])] = own ? static_cast<int32_t>(set) : 0;
    }
    if (positions != nullptr) {
      setup.most = positions->most;
      tensors.vectors = learned(positions->vectors);
      tensors.vectors.columns = config_.head_width;
      tensors.vectors.rows = static_cast<int64_t>(tensors.vectors.data.size()) / config_.head_width;
    }
    if (const TokenReflections* reflections = dense.reflections()) {
      Grid from = x;
      if (reflections->inner > 0) {
        from = stored(reference::product(x, narrowed(learned(reflections->inner_weight))));
      }
      tensors.directions = reference::product(from, narrowed(learned(reflections->weight)));
      tensors.strengths =
          reference::product(x, narrowed(learned(reflections->strength_weight)), learned(reflections->strength_bias));
      for (Grid* made : {&tensors.directions, &tensors.strengths}) {
        for (S& value : made->data) value = as_gradient(value);
      }
    }
    if (const FarAngles* far = dense.far()) {
      setup.window = far->window;
      setup.axis = far->axis;
      setup.pairs = far->pairs;
      setup.halves = far->halves;
      for (const auto& [to, factors] : {std::pair{&setup.query_back, &far->query_back},
                                        {&setup.query_ahead, &far->query_ahead},
                                        {&setup.key, &far->key}}) {
        for (const std::complex<double>& factor : *factors) to->insert(to->end(), {factor.real(), factor.imag()});
      }
    }
  }

  // Sums of gates of the normed stream; heads without a gate have 0. Only gradients are stored narrow.
  Grid prefix(const Grid& x, const std::vector<GateTerm>& terms) const {
    Grid all(x.rows, config_.heads);
    for (const GateTerm& gates : terms) {
      Grid z = reference::product(x, narrowed(learned(gates.weight)), learned(gates.bias));
      for (S& value : z.data) value = as_gradient(value);
      const std::vector<int32_t> heads(gates.heads.begin(), gates.heads.end());
      const GateMap map = gates.map == GateTerm::Map::log_sigmoid ? GateMap::log_sigmoid : GateMap::minus_softplus;
      const Grid sums = reference::gate_sums(map, z, data_.batch.offsets, heads, config_.heads);
      for (const int32_t h : heads) {
        for (int64_t t = 0; t < x.rows; ++t) all(t, h) = sums(t, h);
      }
    }
    return all;
  }

  // Angles of the normed stream; the factors that they are added to are 1.
  void turn_by_tokens(reference::RotationSetup& setup, reference::AttentionTensors<S>& tensors, const Grid& x,
                      const TokenRotation& rotation) const {
    using std::exp;
    Grid from = x;
    if (rotation.inner > 0) {
      from = stored(reference::product(x, narrowed(learned(rotation.inner_weight))));
      if (rotation.product) from = gated(from, rotation.inner);
    }
    const auto with_bias = [&](const Grid& in, int64_t weight, int64_t bias) {
      const Grid w = narrowed(learned(weight));
      Grid z = bias < 0 ? reference::product(in, w) : reference::product(in, w, learned(bias));
      for (S& value : z.data) value = as_gradient(value);
      return z;
    };
    Grid numbers = with_bias(from, rotation.weight, rotation.bias);
    const auto heads = static_cast<int64_t>(rotation.heads.size());
    const int64_t per_head = numbers.columns / heads;
    if (rotation.gate_weight >= 0) {
      const Grid gates = with_bias(x, rotation.gate_weight, rotation.gate_bias);
      for (int64_t t = 0; t < numbers.rows; ++t) {
        for (int64_t k = 0; k < numbers.columns; ++k) {
          numbers(t, k) = numbers(t, k) / (S(1.0) + exp(-gates(t, k / per_head)));
        }
      }
    }
    for (int64_t s = 0; rotation.summed && s < data_.batch.sequence_count(); ++s) {
      const int64_t first = data_.batch.offsets[static_cast<size_t>(s)];
      for (int64_t t = first + 1; t < first + length(s); ++t) {
        for (int64_t k = 0; k < numbers.columns; ++k) numbers(t, k) += numbers(t - 1, k);
      }
    }
    setup.pairs = rotation.pairs;
    setup.halves = rotation.halves;
    setup.token_sets = heads;
    setup.token_set.assign(static_cast<size_t>(config_.heads), -1);
    for (int64_t set = 0; set < heads; ++set) {
      setup.token_set[static_cast<size_t>(rotation.heads[static_cast<size_t>(set)])] = static_cast<int32_t>(set);
    }
    tensors.angle = Grid(x.rows, heads * rotation.pairs);
    for (int64_t t = 0; t < x.rows; ++t) {
      for (int64_t k = 0; k < tensors.angle.columns; ++k) {
        const S& number = numbers(t, per_head == 1 ? k / rotation.pairs : k);
        tensors.angle(t, k) = S(rotation.frequencies[static_cast<size_t>(k % rotation.pairs)]) * number;
      }
    }
    setup.token.assign(static_cast<size_t>(2 * tensors.angle.data.size()), 0.0);
    for (size_t i = 0; i < setup.token.size(); i += 2) setup.token[i] = 1.0;
  }

  static Grid gated(const Grid& halves, int64_t width) {
    Grid result(halves.rows, width);
    for (int64_t r = 0; r < halves.rows; ++r) {
      for (int64_t c = 0; c < width; ++c)
        result(r, c) = as_activation(reference::silu(halves(r, c)) * halves(r, width + c));
    }
    return result;
  }

  Grid latent_norm(const Grid& x, const std::string& name) const {
    reference::NormInput<S> in{.kind = NormKind::rms, .residual = x, .branch = Grid()};
    in.weight = parameter(name + ".weight");
    in.bias = Grid(1, x.columns);
    in.epsilon = 1e-6;
    return reference::residual_norm(in).y;
  }

  void project_latents(reference::AttentionTensors<S>& tensors, const Grid& x, const std::string& name,
                       const DecoupledPath& path) const {
    Grid query = reference::product(x, weight(name + "query_down"));
    Grid key = reference::product(x, weight(name + "key_value_down"));
    if (path.norm) query = latent_norm(query, name + "query_norm");
    if (path.norm) key = latent_norm(key, name + "key_value_norm");
    query = stored(query);
    key = stored(key);
    tensors.query = stored(reference::product(query, weight(name + "query_up")));
    tensors.key = stored(reference::product(key, weight(name + "key_up")));
    tensors.value = stored(reference::product(key, weight(name + "value_up")));
    if (path.rotary == 0) return;
    tensors.shared_key = reference::product(x, weight(name + "key_rotary"));
    if (path.shared_query) tensors.shared_query = stored(reference::product(query, weight(name + "query_rotary")));
  }

  reference::AttentionSetup setup(const LayerEncoding& encoding, int64_t layer,
                                  reference::AttentionTensors<S>& tensors) const {
    const int32_t rotary = encoding.decoupled ? static_cast<int32_t>(encoding.decoupled->rotary) : 0;
    reference::AttentionSetup setup;
    setup.shape = {.heads = static_cast<int32_t>(config_.heads),
                   .key_heads = static_cast<int32_t>(config_.kv_heads),
                   .key_width = static_cast<int32_t>(config_.head_width) + rotary,
                   .shared_key_width = rotary,
                   .shared_query_width = encoding.decoupled && encoding.decoupled->shared_query ? rotary : 0,
                   .value_width = static_cast<int32_t>(config_.head_width),
                   .feature = encoding.feature};
    setup.offsets = data_.batch.offsets;
    setup.positions = positions_;
    setup.scale = logit_factor_ * config_.logit_scale / std::sqrt(static_cast<double>(setup.shape.key_width));
    setup.head_scale = encoding.scale;
    setup.causal = config_.causal;
    for (const HeadMask& mask : encoding.masks) {
      setup.window.push_back(mask.window);
      setup.chunk.push_back(mask.chunk);
    }
    if (encoding.bias) {
      setup.bias = {.reach = encoding.bias->reach, .rows = encoding.bias->rows, .axis = encoding.bias->axis};
      for (int64_t s = 0; encoding.bias->per_length && s < data_.batch.sequence_count(); ++s) {
        setup.bias.sequence_table.push_back(length(s) - 1);
      }
    }
    if (encoding.row_scale) {
      setup.row_scale.axis = encoding.row_scale->axis;
      for (int64_t s = 0; encoding.row_scale->per_length && s < data_.batch.sequence_count(); ++s) {
        setup.row_scale.sequence_table.push_back(length(s) - 1);
      }
    }
    const auto rows_setup = [](const std::shared_ptr<const RowTerm>& rows) {
      if (rows == nullptr) return reference::RowsSetup{};
      return reference::RowsSetup{.reach = rows->reach, .axis = rows->axis, .index = rows->index};
    };
    setup.query_rows = rows_setup(encoding.query_rows);
    setup.key_rows = rows_setup(encoding.key_rows);
    if (config_.dropout_sites == DropoutSites::all) {
      setup.dropout = dropout(static_cast<uint32_t>(layer) * kHeadSites);
    }
    add_rotations(setup.rotation, encoding, tensors);
    return setup;
  }

  // Every sequence and head has a set of its own: which ones share is the engine's affair.
  void add_rotations(reference::RotationSetup& setup, const LayerEncoding& encoding,
                     reference::AttentionTensors<S>& tensors) const {
    const Rotation* any = nullptr;
    for (const auto& rotation : encoding.rotation) any = rotation != nullptr ? rotation.get() : any;
    if (any == nullptr) return;
    setup.sets = config_.heads;
    setup.axes = static_cast<int64_t>(data_.encoding.axes.size());
    setup.first = any->first;
    setup.halves = any->halves;
    bool learned = false, phased = false;
    for (const auto& rotation : encoding.rotation) {
      if (rotation == nullptr) continue;
      phased = phased || !rotation->learned_phases.empty();
      setup.pairs = std::max(setup.pairs, rotation->pairs);
      setup.positions = std::max(setup.positions, rotation->positions);
      learned = learned || !rotation->learned.empty();
    }
    for (const PositionAxis& axis : data_.encoding.axes) setup.positions = std::max(setup.positions, axis.extent);
    const int64_t sequences = data_.batch.sequence_count();
    const auto size = static_cast<size_t>(sequences * setup.sets * setup.axes * setup.positions * setup.pairs * 2);
    setup.query.assign(size, 0.0);
    for (size_t i = 0; i < size; i += 2) setup.query[i] = 1.0;
    setup.key = setup.query;
    if (learned) tensors.frequency = Grid(sequences * setup.sets * setup.axes, setup.pairs);
    if (phased) tensors.phase = Grid(sequences * setup.sets, setup.pairs);
    setup.sequence_table.resize(static_cast<size_t>(sequences));
    std::iota(setup.sequence_table.begin(), setup.sequence_table.end(), 0);
    for (int64_t h = 0; h < config_.heads; ++h) {
      const Rotation* rotation = encoding.rotation[static_cast<size_t>(h)].get();
      setup.head_set.push_back(rotation != nullptr ? static_cast<int32_t>(h) : -1);
      for (int64_t s = 0; rotation != nullptr && s < sequences; ++s) place_rotation(setup, tensors, *rotation, s, h);
    }
  }

  void place_rotation(reference::RotationSetup& setup, reference::AttentionTensors<S>& tensors,
                      const Rotation& rotation, int64_t s, int64_t h) const {
    const Grid frequencies = rotation.learned.empty() ? Grid() : table(rotation.frequencies, rotation.learned);
    if (!rotation.learned_phases.empty()) {
      const Grid phases = table(rotation.phases, rotation.learned_phases);
      for (int64_t c = 0; c < rotation.pairs; ++c) tensors.phase(s * setup.sets + h, c) = phases(0, c);
    }
    const int64_t axes = static_cast<int64_t>(rotation.axes.size());
    const int64_t own_class =
        rotation.class_of_length.empty() ? 0 : rotation.class_of_length[static_cast<size_t>(length(s))];
    for (int64_t a = 0; a < axes; ++a) {
      const int64_t row = (s * setup.sets + h) * setup.axes + rotation.axes[static_cast<size_t>(a)];
      for (int64_t c = 0; c < rotation.pairs; ++c) {
        if (!rotation.learned.empty()) tensors.frequency(row, c) = frequencies(a, c);
        for (int64_t p = 0; p < rotation.positions; ++p) {
          const auto to = static_cast<size_t>(((row * setup.positions + p) * setup.pairs + c) * 2);
          if (!rotation.learned.empty()) {
            setup.query[to] = setup.key[to] = rotation.magnitude;
            continue;
          }
          const auto from = static_cast<size_t>(((own_class * axes + a) * rotation.positions + p) * rotation.pairs + c);
          setup.query[to] = rotation.query[from].real();
          setup.query[to + 1] = rotation.query[from].imag();
          setup.key[to] = rotation.key[from].real();
          setup.key[to + 1] = rotation.key[from].imag();
        }
      }
    }
  }

  Grid features(const Grid& x) const {
    const std::vector<int32_t>& offsets = data_.batch.offsets;
    if (config_.readout == Readout::every) return x;
    if (config_.readout == Readout::mean) return reference::mean_pool(x, offsets);
    Grid picked(data_.batch.sequence_count(), x.columns);
    for (int64_t s = 0; s < picked.rows; ++s) {
      const int64_t token = reference::picked_token(offsets, data_.batch.places, s);
      for (int64_t c = 0; c < x.columns; ++c) picked(s, c) = x(token, c);
    }
    return picked;
  }

  ReferenceResult<S> read(const Grid& x) const {
    using reference::value_of;
    using std::exp;
    using std::log;
    // Features of single sequences and a stream without a norm are wide, and so are the weights they meet.
    const bool narrow = config_.readout == Readout::every && config_.final_norm;
    ReferenceResult<S> result;
    result.logits = reference::product(features(x), narrow ? weight("readout") : parameter("readout.weight"));
    const Grid bias = parameter("readout.bias");
    const std::vector<int32_t>& targets = data_.batch.targets;
    double scored = 0.0;
    for (const int32_t target : targets) scored += target == kNotScored ? 0.0 : 1.0;
    for (int64_t r = 0; r < result.logits.rows; ++r) {
      const int32_t target = targets[static_cast<size_t>(r)];
      double largest = -std::numeric_limits<double>::infinity();
      for (int64_t c = 0; c < config_.classes; ++c) {
        S& logit = result.logits(r, c);
        logit = (narrow ? as_gradient(logit) : logit) + bias(0, c);
        largest = std::max(largest, value_of(logit));
      }
      reference::Sum<S> sum;
      for (int64_t c = 0; c < config_.classes; ++c) sum.add(exp(result.logits(r, c) - S(largest)));
      const S loss = target == kNotScored ? S(0.0) : log(sum.total()) - (result.logits(r, target) - S(largest));
      result.losses.push_back(loss);
      if (target != kNotScored) result.loss += loss * S(1.0 / scored);
    }
    return result;
  }

  const ModelData& data_;
  const ModelConfig& config_;
  std::vector<S> parameters_;
  double logit_factor_;
  reference::Grid<int32_t> positions_;
};

// The reference's numbers with all gradients, by one sweep back over the tape.
template <class T, Dtype kStorage = Dtype::f32>
ModelNumbers differentiate(const ModelData& data, double logit_factor = 1.0) {
  using S = Taped<T, kStorage>;
  Tape<T>::clear();
  std::vector<S> parameters;
  for (const float value : data.parameters) parameters.push_back(S::variable(double{value}));
  const ReferenceResult<S> result = ReferenceModel<S>(data, parameters, logit_factor).run();
  const std::vector<T> adjoint = Tape<T>::sweep(result.loss.node());
  ModelNumbers numbers;
  for (const S& logit : result.logits.data) numbers.logits.push_back(value_of(logit));
  for (const S& loss : result.losses) numbers.losses.push_back(value_of(loss));
  numbers.loss = value_of(result.loss);
  for (const S& parameter : parameters) {
    numbers.gradients.push_back(static_cast<double>(adjoint[static_cast<size_t>(parameter.node())]));
  }
  Tape<T>::clear();
  return numbers;
}

}  // namespace phasor::testing_support
