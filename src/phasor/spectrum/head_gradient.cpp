#include "phasor/spectrum/head_gradient.h"

#include <fmt/format.h>

#include <cmath>

#include "phasor/engine/download.h"
#include "phasor/model/attention_layout.h"

namespace phasor {
namespace {

class Squares {
 public:
  explicit Squares(const std::vector<float>& values) : values_(values) {}

  double of(int64_t first, int64_t count) const {
    double sum = 0.0;
    for (int64_t i = first; i < first + count; ++i) {
      const double value = values_[static_cast<size_t>(i)];
      sum += value * value;
    }
    return sum;
  }
  double of_rows(const LinearSlot& slot, int64_t first, int64_t count) const {
    return of(slot.weight + first * slot.in, count * slot.in);
  }
  double of_columns(const LinearSlot& slot, int64_t first, int64_t count) const {
    double sum = 0.0;
    for (int64_t row = 0; row < slot.out; ++row) sum += of(slot.weight + row * slot.in + first, count);
    return sum;
  }

 private:
  const std::vector<float>& values_;
};

double head_squares(const Squares& squares, const ModelConfig& config, const LayerSlots& slots,
                    const AttentionLayout& columns, int64_t head) {
  const int64_t width = config.head_width;
  const int64_t query_width = columns.shape.key_width - columns.shape.shared_query_width;  // of a head alone
  const bool decoupled = columns.latents() > 0;
  const LinearSlot& queries = decoupled ? slots.decoupled.query_up : slots.query;
  const LinearSlot& keys_values = decoupled ? slots.decoupled.key_value_up : slots.key_value;
  double sum = squares.of_rows(queries, head * query_width, query_width);
  if (config.kv_heads == config.heads) {
    sum += squares.of_rows(keys_values, head * width, width);
    sum += squares.of_rows(keys_values, columns.keys + head * width, width);
  }
  return sum + squares.of_columns(slots.output, head * width, width);
}

}  // namespace

HeadGradients head_gradients(const Transformer& model) {
  const ParameterLayout& layout = model.layout();
  const ModelConfig& config = model.config();
  const std::vector<float> values = download(model.backend(), model.gradients().data(), layout.size());
  const Squares squares(values);
  HeadGradients norms;
  for (int64_t l = 0; l < config.layers; ++l) {
    const AttentionLayout columns(config, model.encoding().layers[static_cast<size_t>(l)]);
    std::vector<double> heads;
    for (int64_t h = 0; h < config.heads; ++h) {
      heads.push_back(std::sqrt(head_squares(squares, config, layout.layers[static_cast<size_t>(l)], columns, h)));
    }
    norms.heads.push_back(std::move(heads));
    const std::string prefix = fmt::format("layers.{}.", l);
    double sum = 0.0;
    for (const Parameter& entry : layout.entries()) {
      if (entry.name.compare(0, prefix.size(), prefix) == 0) sum += squares.of(entry.offset, entry.size);
    }
    norms.layers.push_back(std::sqrt(sum));
  }
  norms.model = std::sqrt(squares.of(0, layout.size()));
  return norms;
}

}  // namespace phasor
