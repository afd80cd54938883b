#include "phasor/ablation/head_sweep.h"

#include <algorithm>

#include "phasor/base/error.h"
#include "phasor/engine/download.h"

namespace phasor {
namespace {

bool draws_at_random(AblationMethod method) {
  return method == AblationMethod::resample || method == AblationMethod::position_shuffled;
}

bool contains(const std::vector<AblationMethod>& methods, AblationMethod method) {
  return std::find(methods.begin(), methods.end(), method) != methods.end();
}

SweepOptions checked(SweepOptions options, const Dataset& data) {
  if (options.methods.empty()) fail_usage("an ablation needs a method");
  if (options.batch < 1 || options.draws < 1) fail_usage("an ablation needs at least one sample and one draw at once");
  options.samples = std::min(options.samples, data.size());
  if (options.samples < 1) fail_usage("there are no samples to ablate on: the set is empty");
  return options;
}

Capacity capacity_of(const Dataset& data, const SweepOptions& options) {
  Capacity capacity{.sequences = std::min(options.batch, options.samples)};
  int64_t longest = 0;
  for (int64_t i = 0; i < options.samples; ++i) longest = std::max(longest, data.length(i));
  capacity.tokens = longest * capacity.sequences;
  return capacity;
}

}  // namespace

std::vector<Condition> sweep_conditions(const SweepOptions& options, int64_t layers, int64_t heads) {
  std::vector<Condition> conditions;
  for (int64_t l = layers - 1; l >= 0; --l) {
    for (const AblationMethod method : options.methods) {
      for (int64_t h = 0; h < heads; ++h) conditions.push_back({l, method, AblationExtent::alone, h});
      conditions.push_back({l, method, AblationExtent::whole, -1});
      if (!contains(options.only_methods, method)) continue;
      for (int64_t h = 0; h < heads; ++h) conditions.push_back({l, method, AblationExtent::only, h});
    }
  }
  return conditions;
}

void add_scores(Transformer& model, const Batch& batch, int64_t first, double weight, SampleScores& to) {
  const auto count = static_cast<int64_t>(batch.targets.size());
  const std::vector<float> loss = download(model.backend(), model.activations().loss.data(), count);
  const std::vector<int32_t> prediction = download(model.backend(), model.activations().prediction.data(), count);
  const bool every = model.config().readout == Readout::every;
  for (int64_t s = 0; s < batch.sequence_count(); ++s) {
    const auto begin = static_cast<size_t>(every ? batch.offsets[static_cast<size_t>(s)] : s);
    const auto end = static_cast<size_t>(every ? batch.offsets[static_cast<size_t>(s) + 1] : s + 1);
    double sum = 0.0, right = 0.0, scored = 0.0;
    for (size_t t = begin; t < end; ++t) {
      if (batch.targets[t] == kNotScored) continue;
      sum += static_cast<double>(loss[t]);
      right += prediction[t] == batch.targets[t] ? 1.0 : 0.0;
      scored += 1.0;
    }
    if (scored == 0.0) continue;
    const auto sample = static_cast<size_t>(first + s);
    to.loss[sample] += static_cast<float>(weight * sum / scored);
    to.correct[sample] += static_cast<float>(weight * right / scored);
  }
}

HeadSweep::HeadSweep(Transformer& model, const Dataset& data, const SweepOptions& options)
    : model_(model),
      data_(data),
      options_(checked(options, data)),
      table_(model.config().layers, model.config().heads, options_.samples,
             sweep_conditions(options_, model.config().layers, model.config().heads)),
      stand_ins_(model, capacity_of(data, options_), options_.methods, options_.seed) {
  const Matrix mixed = model.activations().layers[0].mixed;
  const int64_t tokens = capacity_of(data, options_).tokens;
  intact_memory_ = model.backend().allocate(static_cast<size_t>(tokens * mixed.columns() * byte_size(mixed.dtype())));
  intact_ = Matrix(intact_memory_.data(), mixed.dtype(), tokens, mixed.columns());
}

bool HeadSweep::go_on_with(const ScoreTable& earlier) {
  const bool fits = earlier.layers == table_.layers && earlier.heads == table_.heads &&
                    earlier.samples == table_.samples && earlier.conditions == table_.conditions &&
                    (earlier.done % options_.batch == 0 || earlier.done == earlier.samples);
  if (fits) table_ = earlier;
  return fits;
}

int64_t HeadSweep::draws_of(AblationMethod method) const { return draws_at_random(method) ? options_.draws : 1; }

Batch HeadSweep::batch_at(int64_t first) const {
  Batch batch;
  for (int64_t i = first; i < std::min(first + options_.batch, table_.samples); ++i) data_.append_to(batch, i);
  batch.finish();
  return batch;
}

bool HeadSweep::advance(const Progress& progress) {
  ++evaluations_;
  return !progress || progress(std::min(1.0, static_cast<double>(evaluations_) / static_cast<double>(planned_)));
}

bool HeadSweep::run(const Progress& progress, const Saver& save) {
  if (finished()) return true;
  if (!prepare(progress)) return false;
  while (!finished()) {
    if (!measure_next(progress)) return false;
    if (save) save(table_);
  }
  return true;
}

bool HeadSweep::prepare(const Progress& progress) {
  int64_t per_batch = 1;
  for (const Condition& condition : table_.conditions) per_batch += draws_of(condition.method);
  const int64_t batches = (table_.samples + options_.batch - 1) / options_.batch;
  planned_ = batches * (per_batch + (stand_ins_.gathers() ? 1 : 0));
  evaluations_ = table_.done / options_.batch * per_batch;
  if (!stand_ins_.gathers()) return true;
  for (int64_t first = 0; first < table_.samples; first += options_.batch) {
    const Batch batch = batch_at(first);
    model_.forward(batch);
    stand_ins_.gather(batch, first);
    if (!advance(progress)) return false;
  }
  stand_ins_.finish_gathering();
  return true;
}

bool HeadSweep::measure_next(const Progress& progress) {
  const Batch batch = batch_at(table_.done);
  if (!measure(batch, table_.done, progress)) return false;
  table_.done += batch.sequence_count();
  return true;
}

bool HeadSweep::measure(const Batch& batch, int64_t first, const Progress& progress) {
  const auto clear = [&](SampleScores& scores) {
    std::fill_n(scores.loss.begin() + first, batch.sequence_count(), 0.0f);
    std::fill_n(scores.correct.begin() + first, batch.sequence_count(), 0.0f);
  };
  clear(table_.intact);
  for (SampleScores& scores : table_.scores) clear(scores);
  model_.evaluate(batch);
  add_scores(model_, batch, first, 1.0, table_.intact);
  if (!advance(progress)) return false;
  for (int64_t l = table_.layers - 1; l >= 0; --l) {
    if (!measure_layer(l, batch, first, progress)) return false;
  }
  return true;
}

bool HeadSweep::measure_layer(int64_t layer, const Batch& batch, int64_t first, const Progress& progress) {
  const int64_t tokens = batch.token_count();
  const Matrix mixed = model_.activations().layers[static_cast<size_t>(layer)].mixed;
  const auto rows = [&](const Matrix& matrix) { return matrix.row_range(0, tokens); };
  if (options_.incremental) model_.backend().run(Cast{.to = rows(intact_), .from = rows(mixed)});
  for (const AblationMethod method : options_.methods) {
    const int64_t draws = draws_of(method);
    for (int64_t draw = 0; draw < draws; ++draw) {
      ConstMatrix stand_in;
      if (options_.incremental) stand_in = stand_ins_.make(method, layer, batch, first, draw);
      for (size_t c = 0; c < table_.conditions.size(); ++c) {
        const Condition& condition = table_.conditions[c];
        if (condition.layer != layer || condition.method != method) continue;
        if (options_.incremental) {
          replace(condition, stand_in, tokens);
          model_.evaluate_from(batch, layer, LayerPart::output);
          model_.backend().run(Cast{.to = rows(mixed), .from = rows(intact_)});
        } else {
          model_.evaluate(batch, [&](int64_t l) {
            if (l == layer) replace(condition, stand_ins_.make(method, layer, batch, first, draw), tokens);
          });
        }
        add_scores(model_, batch, first, 1.0 / static_cast<double>(draws), table_.scores[c]);
        if (!advance(progress)) return false;
      }
    }
  }
  return true;
}

// Puts the stand-in's columns in the place of the ablated heads' outputs.
void HeadSweep::replace(const Condition& condition, const ConstMatrix& from, int64_t tokens) {
  const Matrix mixed = model_.activations().layers[static_cast<size_t>(condition.layer)].mixed;
  const int64_t width = mixed.columns() / table_.heads;
  for (int64_t h = 0; h < table_.heads; ++h) {
    if (condition.extent == AblationExtent::alone && h != condition.head) continue;
    if (condition.extent == AblationExtent::only && h == condition.head) continue;
    model_.backend().run(Cast{.to = mixed.column_range(h * width, width).row_range(0, tokens),
                              .from = from.column_range(h * width, width)});
  }
}

}  // namespace phasor
