#pragma once
// The whole Transformer as on paper, templated on the scalar:
//   x   = embedding + P(p)
//   x  += dropout(W_O attention(norm(x)))          L_ij = s <R q_i, R k_j> + b(p_j - p_i)
//   x  += dropout(W_down act(W_up norm(x)))
//   logits = W readout(norm(x)) + bias,            loss = mean over scored targets of -log softmax(logits)[target]
// In double it is the truth, in complex double its own derivative, on a tape (tape.h) its gradient.
#include "model/model_case.h"
#include "model/tape.h"
#include "reference/attention.h"
#include "reference/embedding.h"
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
      : data_(data), config_(data.config), parameters_(std::move(parameters)), logit_factor_(logit_factor) {}

  ReferenceResult<S> run() const {
    Grid stream = input();
    Grid branch;
    for (int64_t l = 0; l < config_.layers; ++l) {
      const std::string name = "layers." + std::to_string(l) + ".";
      Grid normed = step(stream, branch, name + "attention_norm", 2 * l);
      branch = linear(attention(normed, name + "attention.", l), name + "attention.output");
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

  Grid weight(const std::string& name) const {
    Grid grid = parameter(name + ".weight");
    for (S& value : grid.data) value = as_weight(value);
    return grid;
  }

  Grid product(const Grid& x, const std::string& name) const {
    return reference::product(x, weight(name), parameter(name + ".bias"));
  }

  Grid linear(const Grid& x, const std::string& name) const { return stored(product(x, name)); }

  reference::DropoutRule dropout(uint32_t site) const {
    return {.rate = static_cast<float>(config_.dropout),
            .stream = {.seed = kDropoutSeed, .purpose = Purpose::dropout, .site = site},
            .step = kDropoutStep};
  }

  static Grid table(const Table& values) {
    Grid grid;
    grid.rows = values.rows;
    grid.columns = values.columns;
    grid.data.assign(values.values.begin(), values.values.end());
    return grid;
  }

  Grid input() const {
    const ResolvedEncoding& encoding = data_.encoding;
    return reference::embedding(data_.batch.tokens, data_.batch.positions, parameter("embedding.weight"),
                                encoding.fixed_input ? table(*encoding.fixed_input) : Grid(),
                                encoding.learned_input ? parameter(encoding.learned_input->parameter) : Grid());
  }

  // Adds the branch (none at first) to the stream and gives the norm of the sum; without a norm's name the sum alone.
  Grid step(Grid& stream, const Grid& branch, const std::string& norm, int64_t place) const {
    reference::NormInput<S> in{.kind = config_.norm, .residual = stream, .branch = branch};
    in.dropout = dropout(kResidualSite + static_cast<uint32_t>(place));
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

  Grid attention(const Grid& x, const std::string& name, int64_t layer) const {
    reference::AttentionTensors<S> tensors;
    tensors.query = linear(x, name + "query");
    tensors.key = linear(x, name + "key");
    tensors.value = linear(x, name + "value");
    const LayerEncoding& encoding = data_.encoding.layers[static_cast<size_t>(layer)];
    if (encoding.bias) tensors.bias = table(*encoding.bias);
    return stored(reference::attention(setup(encoding, layer), tensors).out);
  }

  reference::AttentionSetup setup(const LayerEncoding& encoding, int64_t layer) const {
    reference::AttentionSetup setup;
    setup.shape = {.heads = static_cast<int32_t>(config_.heads),
                   .key_heads = static_cast<int32_t>(config_.kv_heads),
                   .key_width = static_cast<int32_t>(config_.head_width),
                   .value_width = static_cast<int32_t>(config_.head_width)};
    setup.offsets = data_.batch.offsets;
    setup.positions = reference::Grid<int32_t>(data_.batch.token_count(), 1, 0);
    setup.positions.data = data_.batch.positions;
    setup.scale = logit_factor_ / std::sqrt(static_cast<double>(config_.head_width));
    setup.head_scale = encoding.scale;
    setup.causal = config_.causal;
    setup.reach = encoding.bias ? encoding.bias->columns / 2 : 0;
    setup.dropout = dropout(static_cast<uint32_t>(layer) * kHeadSites);
    add_rotations(setup.rotation, encoding);
    return setup;
  }

  // Every head has a set of its own: which heads share one is the engine's affair.
  void add_rotations(reference::RotationSetup& setup, const LayerEncoding& encoding) const {
    setup.sets = config_.heads;
    setup.positions = data_.encoding.shape.positions;
    const Rotation* any = nullptr;
    for (const auto& rotation : encoding.rotation) any = rotation != nullptr ? rotation.get() : any;
    if (any == nullptr) return;
    setup.pairs = any->pairs;
    setup.first = any->first;
    setup.halves = any->halves;
    for (int64_t h = 0; h < config_.heads; ++h) {
      const Rotation* rotation = encoding.rotation[static_cast<size_t>(h)].get();
      setup.head_set.push_back(rotation != nullptr ? static_cast<int32_t>(h) : -1);
      const Rotation& turned = rotation != nullptr ? *rotation : *any;
      for (size_t i = 0; i < turned.query.size(); ++i) {
        setup.query.insert(setup.query.end(), {turned.query[i].real(), turned.query[i].imag()});
        setup.key.insert(setup.key.end(), {turned.key[i].real(), turned.key[i].imag()});
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
