#include "phasor/ablation/stream_removal.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "phasor/ablation/head_rows.h"
#include "phasor/ablation/head_sweep.h"
#include "phasor/base/error.h"
#include "phasor/engine/download.h"
#include "phasor/random/distributions.h"
#include "phasor/statistics/effect.h"

namespace phasor {
namespace {

using Progress = std::function<bool(double share)>;

RemovalOptions checked(RemovalOptions options, const Dataset& data) {
  if (options.batch < 1 || options.draws < 1) fail_usage("a removal needs at least one sample and one draw at once");
  options.samples = std::min(options.samples, data.size());
  if (options.samples < 1) fail_usage("there are no samples to remove positions from: the set is empty");
  return options;
}

double mean_score(const std::vector<float>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

RemovalScore score_of(const SampleScores& scores) { return {mean_score(scores.loss), mean_score(scores.correct)}; }

double squares(const double* row, int64_t columns) { return std::inner_product(row, row + columns, row, 0.0); }

// What was measured at one layer, of every sample.
struct LayerScores {
  SampleScores means, input_term;
  std::vector<SampleScores> random;
  double part_squares = 0.0, stream_squares = 0.0;  // sums of |p_i|^2 and |x - mean x|^2
};

class Removal {
 public:
  Removal(Transformer& model, const Dataset& data, const RemovalOptions& options, const Progress& progress)
      : model_(model), data_(data), options_(options), progress_(progress), intact_(options.samples) {
    const SampleScores none(options.samples);
    for (int64_t l = 0; l < layers(); ++l) {
      fits_.emplace_back(model.config().vocabulary, model.config().max_length, model.config().width);
      scores_.push_back({none, none, std::vector<SampleScores>(static_cast<size_t>(options.draws), none)});
    }
    const int64_t batches = (options.samples + options.batch - 1) / options.batch;
    const int64_t removals = options.draws + (has_input_term() ? 2 : 1);
    planned_ = batches * (2 + layers() * removals);
  }

  bool run() {
    for (int64_t first = 0; first < options_.samples; first += options_.batch) {
      if (!gather(batch_at(first), first)) return false;
    }
    for (PositionFit& fit : fits_) fit.solve();
    for (int64_t first = 0; first < options_.samples; first += options_.batch) {
      if (!measure(batch_at(first), first)) return false;
    }
    return true;
  }

  StreamRemoval result() const;

 private:
  int64_t layers() const { return model_.config().layers; }
  bool has_input_term() const { return model_.encoding().input.has_value(); }
  std::vector<float> stream_rows(int64_t layer, const Batch& batch) const {
    return download(model_.backend(), model_.activations().stream[static_cast<size_t>(2 * layer)], batch.token_count());
  }

  Batch batch_at(int64_t first) const;
  bool advance();
  bool gather(const Batch& batch, int64_t first);
  bool measure(const Batch& batch, int64_t first);
  bool measure_layer(int64_t layer, const Batch& batch, int64_t first, const std::vector<double>& input_parts);
  std::vector<double> input_parts(const Batch& batch) const;
  void add_squares(int64_t layer, const Batch& batch, int64_t first, const std::vector<float>& rows,
                   const std::vector<double>& parts);

  Transformer& model_;
  const Dataset& data_;
  RemovalOptions options_;
  const Progress& progress_;
  std::vector<PositionFit> fits_;  // [layers]
  SampleScores intact_;
  std::vector<LayerScores> scores_;  // [layers]
  int64_t evaluations_ = 0, planned_ = 0;
};

Batch Removal::batch_at(int64_t first) const {
  Batch batch;
  for (int64_t i = first; i < std::min(first + options_.batch, options_.samples); ++i) data_.append_to(batch, i);
  batch.finish();
  return batch;
}

bool Removal::advance() {
  ++evaluations_;
  return !progress_ || progress_(static_cast<double>(evaluations_) / static_cast<double>(planned_));
}

bool Removal::gather(const Batch& batch, int64_t first) {
  model_.forward(batch);
  for (int64_t l = 0; l < layers(); ++l) fits_[static_cast<size_t>(l)].add(batch, first, stream_rows(l, batch));
  return advance();
}

// From the last layer down: a pass from a layer leaves what enters the layers below as it was.
bool Removal::measure(const Batch& batch, int64_t first) {
  model_.evaluate(batch);
  add_scores(model_, batch, first, 1.0, intact_);
  if (!advance()) return false;
  const std::vector<double> input = has_input_term() ? input_parts(batch) : std::vector<double>();
  for (int64_t l = layers() - 1; l >= 0; --l) {
    if (!measure_layer(l, batch, first, input)) return false;
  }
  return true;
}

bool Removal::measure_layer(int64_t layer, const Batch& batch, int64_t first, const std::vector<double>& input_parts) {
  const Activations& activations = model_.activations();
  const View<float, 2> stream = activations.stream[static_cast<size_t>(2 * layer)];
  const std::vector<float> rows = stream_rows(layer, batch);
  const std::vector<double> parts = position_parts(fits_[static_cast<size_t>(layer)], batch, first);
  add_squares(layer, batch, first, rows, parts);
  const auto evaluate_without = [&](const std::vector<double>& removed, SampleScores& to) {
    std::vector<float> changed(rows.size());
    std::transform(rows.begin(), rows.end(), removed.begin(), changed.begin(),
                   [](float x, double part) { return static_cast<float>(static_cast<double>(x) - part); });
    model_.backend().copy_in(stream.data(), changed.data(), changed.size() * sizeof(float));
    if (layer == 0 && !activations.embedded.empty() && activations.embedded.dtype() != Dtype::f32) {
      model_.backend().run(Cast{.to = activations.embedded, .from = stream});
    }
    model_.evaluate_from(batch, layer, LayerPart::norm);
    add_scores(model_, batch, first, 1.0, to);
    return advance();
  };
  LayerScores& scores = scores_[static_cast<size_t>(layer)];
  if (!evaluate_without(parts, scores.means)) return false;
  if (has_input_term() && !evaluate_without(input_parts, scores.input_term)) return false;
  for (int64_t draw = 0; draw < options_.draws; ++draw) {
    const std::vector<double> random = random_parts(batch, parts, options_.seed, layer, draw);
    if (!evaluate_without(random, scores.random[static_cast<size_t>(draw)])) return false;
  }
  return true;
}

// P(i) of every token: the embeddings less the words' own vectors, which concat leaves narrower.
std::vector<double> Removal::input_parts(const Batch& batch) const {
  const std::vector<float> rows = stream_rows(0, batch);
  const int64_t width = model_.config().width, words = model_.encoding().embedding_width;
  const std::vector<float> table = download(model_.backend(), model_.parameters().data() + model_.layout().embedding,
                                            model_.config().vocabulary * words);
  std::vector<double> parts(rows.begin(), rows.end());
  for (int64_t t = 0; t < batch.token_count(); ++t) {
    const float* word = table.data() + batch.tokens[static_cast<size_t>(t)] * words;
    for (int64_t c = 0; c < words; ++c) parts[static_cast<size_t>(t * width + c)] -= static_cast<double>(word[c]);
  }
  return parts;
}

void Removal::add_squares(int64_t layer, const Batch& batch, int64_t first, const std::vector<float>& rows,
                          const std::vector<double>& parts) {
  const auto width = static_cast<size_t>(model_.config().width);
  LayerScores& scores = scores_[static_cast<size_t>(layer)];
  for (int64_t s = 0; s < batch.sequence_count(); ++s) {
    const double* mean = fits_[static_cast<size_t>(layer)].mean(first + s);
    const size_t end = static_cast<size_t>(batch.offsets[static_cast<size_t>(s) + 1]) * width;
    for (size_t k = static_cast<size_t>(batch.offsets[static_cast<size_t>(s)]) * width; k < end; ++k) {
      const double deviation = static_cast<double>(rows[k]) - mean[k % width];
      scores.stream_squares += deviation * deviation;
      scores.part_squares += parts[k] * parts[k];
    }
  }
}

// The mean of x_s - (mean of y_sd over draws d) over samples s, where both samples and draws are drawn.
RemovalExcess excess_of(const SampleScores& without, const std::vector<SampleScores>& random) {
  const auto draws = static_cast<double>(random.size());
  std::vector<double> differences(without.loss.begin(), without.loss.end());
  std::vector<double> draw_means;
  for (const SampleScores& draw : random) {
    draw_means.push_back(mean_score(draw.loss));
    for (size_t s = 0; s < differences.size(); ++s) differences[s] -= static_cast<double>(draw.loss[s]) / draws;
  }
  const statistics::MeanInterval samples = statistics::mean_interval(differences);
  if (random.size() < 2) return {samples.estimate, samples.low, samples.high};
  const statistics::MeanInterval between = statistics::mean_interval(draw_means);
  const double reach = std::hypot(samples.high - samples.estimate, between.high - between.estimate);
  return {samples.estimate, samples.estimate - reach, samples.estimate + reach};
}

StreamRemoval Removal::result() const {
  StreamRemoval removal{.intact = score_of(intact_)};
  for (int64_t l = 0; l < layers(); ++l) {
    const LayerScores& scores = scores_[static_cast<size_t>(l)];
    LayerRemoval layer{.layer = l, .means = score_of(scores.means)};
    if (has_input_term()) layer.input_term = score_of(scores.input_term);
    for (const SampleScores& draw : scores.random) layer.random.push_back(score_of(draw));
    layer.excess = excess_of(scores.means, scores.random);
    if (scores.stream_squares > 0.0) layer.norm_share = scores.part_squares / scores.stream_squares;
    removal.layers.push_back(std::move(layer));
  }
  return removal;
}

}  // namespace

std::optional<StreamRemoval> remove_positions(Transformer& model, const Dataset& data, const RemovalOptions& options,
                                              const Progress& progress) {
  Removal removal(model, data, checked(options, data), progress);
  if (!removal.run()) return std::nullopt;
  return removal.result();
}

std::vector<double> position_parts(const PositionFit& fit, const Batch& batch, int64_t first) {
  std::vector<double> parts;
  parts.reserve(batch.tokens.size() * static_cast<size_t>(fit.columns()));
  for (int64_t s = 0; s < batch.sequence_count(); ++s) {
    const int64_t length = batch.offsets[static_cast<size_t>(s) + 1] - batch.offsets[static_cast<size_t>(s)];
    for (int64_t i = 0; i < length; ++i) {
      const double* part = fit.part(first + s, i);
      parts.insert(parts.end(), part, part + fit.columns());
    }
  }
  return parts;
}

std::vector<double> random_parts(const Batch& batch, const std::vector<double>& parts, uint64_t seed, int64_t layer,
                                 int64_t draw) {
  // Stand-ins for heads draw at sites 16 k + 0 .. 6.
  const RandomStream stream{.seed = seed,
                            .purpose = Purpose::ablation,
                            .site = 15u + 16u * static_cast<uint32_t>(draw),
                            .step = static_cast<uint32_t>(layer)};
  const int64_t tokens = batch.token_count();
  const int64_t columns = static_cast<int64_t>(parts.size()) / std::max<int64_t>(1, tokens);
  std::vector<double> random(parts.size());
  std::vector<double> directions;  // [indices so far, columns]
  for (int64_t t = 0; t < tokens; ++t) {
    const int64_t first = batch.positions[static_cast<size_t>(t)] * columns;
    while (static_cast<int64_t>(directions.size()) < first + columns) {
      directions.push_back(normal(stream, directions.size()));
    }
    const double* direction = directions.data() + first;
    const double length = std::sqrt(squares(parts.data() + t * columns, columns) / squares(direction, columns));
    for (int64_t c = 0; c < columns; ++c) random[static_cast<size_t>(t * columns + c)] = length * direction[c];
  }
  return random;
}

}  // namespace phasor
