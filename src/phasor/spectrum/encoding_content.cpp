#include "phasor/spectrum/encoding_content.h"

#include <algorithm>
#include <string>

#include "phasor/base/error.h"
#include "phasor/base/suggest.h"
#include "phasor/model/transformer.h"
#include "phasor/random/distributions.h"
#include "phasor/spectrum/layer_logits.h"

namespace phasor {
namespace {

constexpr int64_t kWords = 512;

enum class Site : uint32_t { word = 1, query = 2, key = 3, shared_query = 4, shared_key = 5 };

ModelConfig model_config(const Encoding& encoding, const EncodingShape& shape) {
  ModelConfig config;
  config.layers = shape.layers;
  config.width = shape.width;
  config.hidden = shape.width;
  config.heads = shape.heads;
  config.head_width = shape.head_width;
  config.causal = shape.causal;
  config.encoding = print(encoding);
  config.vocabulary = kWords;
  config.classes = 2;
  config.max_length = shape.positions;
  config.grid = shape.grid;
  return complete(config);
}

Batch word_batch(const EncodingShape& shape, const EncodingContent& content) {
  Batch batch;
  for (int64_t draw = 0; draw < content.draws; ++draw) {
    Draws words({.seed = content.seed,
                 .purpose = Purpose::data,
                 .site = static_cast<uint32_t>(Site::word),
                 .step = static_cast<uint32_t>(draw)});
    std::vector<int32_t> tokens;
    for (int64_t i = 0; i < shape.positions; ++i) {
      const bool repeated = content.kind == ContentKind::shared && i > 0;
      tokens.push_back(repeated ? tokens.front() : static_cast<int32_t>(words.below(kWords)));
    }
    const int32_t target = 0;
    batch.append(tokens.data(), shape.positions, &target, 1, 0);
  }
  batch.finish();
  return batch;
}

// [n, heads * width] with the last `common` channels of each head the same for all heads: those of a decoupled path.
Dense random_rows(const EncodingShape& shape, int64_t width, int64_t common, const EncodingContent& content,
                  int64_t draw, Site site, Site shared_site) {
  RandomStream own{.seed = content.seed,
                   .purpose = Purpose::data,
                   .site = static_cast<uint32_t>(site),
                   .step = static_cast<uint32_t>(draw)};
  RandomStream shared = own;
  shared.site = static_cast<uint32_t>(shared_site);
  Dense x(shape.positions, shape.heads * width);
  for (int64_t i = 0; i < x.rows(); ++i) {
    const int64_t row = content.kind == ContentKind::shared ? 0 : i;
    for (int64_t h = 0; h < shape.heads; ++h) {
      for (int64_t c = 0; c < width; ++c) {
        const bool is_common = c >= width - common;
        const int64_t index = is_common ? row * width + c : (row * shape.heads + h) * width + c;
        x(i, h * width + c) = normal(is_common ? shared : own, static_cast<uint64_t>(index));
      }
    }
  }
  return x;
}

class EncodingAlone {
 public:
  EncodingAlone(Backend& backend, const Encoding& encoding, const EncodingShape& shape, const EncodingContent& content)
      : shape_(shape),
        content_(content),
        config_(model_config(encoding, shape)),
        batch_(word_batch(shape, content)),
        model_(backend, config_, resolve_encoding(config_),
               {.capacity = {.tokens = batch_.token_count(), .sequences = batch_.sequence_count()},
                .training = false,
                .dropout_seed = content.seed,
                .position_seed = content.seed}) {
    model_.load_parameters(model_.layout().initial_values(content.seed));
    model_.forward(batch_);
  }

  std::vector<std::vector<HeadLogits>> logits() {
    const LayerLogits layer(model_, batch_, content_.layer);
    std::vector<std::vector<HeadLogits>> result;
    for (int64_t draw = 0; draw < content_.draws; ++draw) result.push_back(draw_logits(layer, draw));
    return result;
  }

 private:
  std::vector<HeadLogits> draw_logits(const LayerLogits& layer, int64_t draw) const {
    const bool psd = content_.kind == ContentKind::psd;
    if (content_is_words(model_.encoding())) {
      if (!psd) return layer.sequence(draw);
      return layer.sequence_with(draw, layer.queries(draw), layer.queries(draw));
    }
    const auto& path = model_.encoding().layers[static_cast<size_t>(content_.layer)].decoupled;
    const int64_t common = path ? path->rotary : 0;
    const int64_t width = shape_.head_width + common;
    const Dense queries = random_rows(shape_, width, path && (path->shared_query || psd) ? common : 0, content_, draw,
                                      Site::query, Site::shared_query);
    const Dense turned = layer.features(queries);
    if (psd) return layer.sequence_with(draw, turned, turned);
    const Dense keys = random_rows(shape_, width, common, content_, draw, Site::key, Site::shared_key);
    return layer.sequence_with(draw, turned, layer.features(keys));
  }

  EncodingShape shape_;
  EncodingContent content_;
  ModelConfig config_;
  Batch batch_;
  Transformer model_;
};

}  // namespace

const char* name(ContentKind kind) {
  switch (kind) {
    case ContentKind::gaussian:
      return "gaussian";
    case ContentKind::shared:
      return "shared";
    case ContentKind::psd:
      return "psd";
  }
  return "";
}

ContentKind read_content_kind(std::string_view option, std::string_view text) {
  std::vector<std::string> known;
  for (const ContentKind kind : {ContentKind::gaussian, ContentKind::shared, ContentKind::psd}) {
    if (text == name(kind)) return kind;
    known.emplace_back(name(kind));
  }
  fail_usage("{}: there is no content '{}'{}", option, text, suggestion(text, known));
}

bool content_is_words(const ResolvedEncoding& encoding) {
  const auto gated = [](const LayerEncoding& layer) {
    return !layer.gates.empty() || layer.token_rotation || (layer.dense != nullptr && layer.dense->by_content());
  };
  return encoding.input.has_value() || std::any_of(encoding.layers.begin(), encoding.layers.end(), gated);
}

std::vector<std::vector<HeadLogits>> encoding_logits(Backend& backend, const Encoding& encoding,
                                                     const EncodingShape& shape, const EncodingContent& content) {
  if (content.draws < 1) fail("an encoding alone with {} draws of content", content.draws);
  if (content.layer < 0 || content.layer >= shape.layers) {
    fail("there is no layer {}: the model has {}", content.layer, shape.layers);
  }
  return EncodingAlone(backend, encoding, shape, content).logits();
}

}  // namespace phasor
