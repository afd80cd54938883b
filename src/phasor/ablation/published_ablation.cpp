#include "phasor/ablation/published_ablation.h"

#include <algorithm>

#include "phasor/base/error.h"
#include "phasor/engine/download.h"

namespace phasor {
namespace {

// Weights of one layer's projections out of latents, some columns of which can be switched off.
class LatentColumns {
 public:
  LatentColumns(Transformer& model, int64_t layer) : model_(model) {
    const DecoupledSlots& slots = model.layout().layers[static_cast<size_t>(layer)].decoupled;
    const DecoupledPath& path = *model.encoding().layers[static_cast<size_t>(layer)].decoupled;
    // A query that all heads share has a matrix of its own in that code, which stays.
    const int64_t shared = path.shared_query ? path.rotary : 0;
    blocks_ = {slots.query_up.row_range(0, slots.query_up.out - shared), slots.key_value_up};
    for (const LinearSlot& block : blocks_) {
      intact_.push_back(download(model.backend(), model.parameters().data() + block.weight, block.out * block.in));
    }
  }

  bool exist(int64_t first) const {
    return std::any_of(blocks_.begin(), blocks_.end(), [&](const LinearSlot& block) { return first < block.in; });
  }

  // Columns first .. first + count - 1 off, the others as they were.
  void switch_off(int64_t first, int64_t count) {
    for (size_t b = 0; b < blocks_.size(); ++b) {
      std::vector<float> weight = intact_[b];
      const int64_t columns = blocks_[b].in;
      for (int64_t r = 0; r < blocks_[b].out; ++r) {
        const int64_t begin = std::min(first, columns), end = std::min(first + count, columns);
        std::fill(weight.begin() + r * columns + begin, weight.begin() + r * columns + end, 0.0f);
      }
      write(b, weight);
    }
    model_.parameters_changed();
  }

  void restore() {
    for (size_t b = 0; b < blocks_.size(); ++b) write(b, intact_[b]);
    model_.parameters_changed();
  }

 private:
  void write(size_t block, const std::vector<float>& weight) {
    model_.backend().copy_in(model_.parameters().data() + blocks_[block].weight, weight.data(),
                             weight.size() * sizeof(float));
  }

  Transformer& model_;
  std::vector<LinearSlot> blocks_;
  std::vector<std::vector<float>> intact_;
};

// Puts all weights back at the end, however it comes.
class Restored {
 public:
  explicit Restored(std::vector<LatentColumns>& layers) : layers_(layers) {}
  Restored(const Restored&) = delete;
  Restored& operator=(const Restored&) = delete;
  ~Restored() { restore(); }

  void restore() {
    for (LatentColumns& layer : layers_) layer.restore();
  }

 private:
  std::vector<LatentColumns>& layers_;
};

bool is_latent(const Transformer& model) {
  const std::vector<LayerEncoding>& layers = model.encoding().layers;
  return std::all_of(layers.begin(), layers.end(),
                     [](const LayerEncoding& layer) { return layer.decoupled.has_value(); });
}

// The scan of one batch. It leaves the activations of a layer as the turn of its last head did: deeper layers go on
// from there.
class Scan {
 public:
  Scan(Transformer& model, const Batch& batch) : model_(model), batch_(batch), tokens_(batch.token_count()) {
    const Matrix mixed = outputs(0);
    intact_ = model.backend().allocate(static_cast<size_t>(tokens_ * mixed.columns() * byte_size(mixed.dtype())));
    zeros_ = model.backend().allocate(static_cast<size_t>(tokens_ * mixed.columns()) * sizeof(float));
  }

  int64_t intact() { return model_.evaluate(batch_).correct; }

  // turn(head, correct) for every head of the layer; false stops.
  bool heads(int64_t layer, const std::function<bool(int64_t, int64_t)>& turn) {
    const Matrix mixed = outputs(layer);
    const Matrix kept(intact_.data(), mixed.dtype(), tokens_, mixed.columns());
    const int64_t heads = model_.config().heads, width = mixed.columns() / heads;
    const ConstMatrix zeros(zeros_.data(), Dtype::f32, tokens_, width);
    model_.backend().run(Cast{.to = kept, .from = mixed});
    for (int64_t h = 0; h < heads; ++h) {
      model_.backend().run(Cast{.to = mixed, .from = kept});
      model_.backend().run(Cast{.to = mixed.column_range(h * width, width), .from = zeros});
      if (!turn(h, model_.evaluate_from(batch_, layer, LayerPart::output).correct)) return false;
    }
    return true;
  }

  bool latents(int64_t layer, LatentColumns& columns, const std::function<bool(int64_t, int64_t)>& turn) {
    const int64_t width = model_.config().head_width;
    for (int64_t h = 0; h < model_.config().heads; ++h) {
      columns.switch_off(h * width, width);
      if (!turn(h, model_.evaluate_from(batch_, layer, LayerPart::projections).correct)) return false;
    }
    return true;
  }

 private:
  Matrix outputs(int64_t layer) const {
    return model_.activations().layers[static_cast<size_t>(layer)].mixed.row_range(0, tokens_);
  }

  Transformer& model_;
  const Batch& batch_;
  int64_t tokens_;
  Memory intact_, zeros_;
};

}  // namespace

statistics::Concentration PublishedAblation::concentration(int64_t layer) const {
  std::vector<double> drops;
  for (const double value : accuracy[static_cast<size_t>(layer)]) drops.push_back(baseline - value);
  return statistics::concentration(drops);
}

std::optional<PublishedAblation> ablate_as_published(Transformer& model, const std::vector<const Dataset*>& sets,
                                                     int64_t batch_size, std::optional<bool> latents,
                                                     const std::function<bool(double share)>& progress) {
  const int64_t layers = model.config().layers, heads = model.config().heads;
  PublishedAblation result;
  result.latent = latents.value_or(is_latent(model));
  if (result.latent && !is_latent(model))
    fail_usage("{} has no latents to ablate in every layer", model.config().encoding);
  for (const Dataset* set : sets) result.samples += set->size();
  if (result.samples == 0) fail_usage("there are no samples to ablate on: the sets are empty");
  std::vector<LatentColumns> columns;
  if (result.latent) {
    for (int64_t l = 0; l < layers; ++l) columns.emplace_back(model, l);
    for (int64_t h = 0; h < heads; ++h)
      result.without_effect += columns[0].exist(h * model.config().head_width) ? 0 : 1;
  }
  int64_t right = 0, scored = 0, seen = 0, turns = 0;
  std::vector<std::vector<int64_t>> correct(static_cast<size_t>(layers),
                                            std::vector<int64_t>(static_cast<size_t>(heads)));
  Restored restored(columns);
  for (const Dataset* set : sets) {
    for (int64_t first = 0; first < set->size(); first += batch_size) {
      Batch batch;
      for (int64_t i = first; i < std::min(first + batch_size, set->size()); ++i) set->append_to(batch, i);
      batch.finish();
      Scan scan(model, batch);
      right += scan.intact();
      for (const int32_t target : batch.targets) scored += target == kNotScored ? 0 : 1;
      for (int64_t l = 0; l < layers; ++l) {
        const auto turn = [&](int64_t head, int64_t found) {
          correct[static_cast<size_t>(l)][static_cast<size_t>(head)] += found;
          ++turns;
          const double batch_share =
              static_cast<double>(turns % (layers * heads)) / static_cast<double>(layers * heads);
          const double done = static_cast<double>(seen) + batch_share * static_cast<double>(batch.sequence_count());
          return !progress || progress(done / static_cast<double>(result.samples));
        };
        const bool go_on = result.latent ? scan.latents(l, columns[static_cast<size_t>(l)], turn) : scan.heads(l, turn);
        if (!go_on) return std::nullopt;
      }
      restored.restore();
      seen += batch.sequence_count();
    }
  }
  if (scored == 0) fail_usage("no sample has a target to score");
  const auto share = [&](int64_t count) { return static_cast<double>(count) / static_cast<double>(scored); };
  result.baseline = share(right);
  for (const std::vector<int64_t>& layer : correct) {
    result.accuracy.emplace_back();
    for (const int64_t count : layer) result.accuracy.back().push_back(share(count));
  }
  return result;
}

}  // namespace phasor
