#pragma once
// Every choice that shapes the Transformer. Each field is one configuration key `model.<field>`.
#include <cstdint>
#include <string>
#include <vector>

#include "phasor/base/named_words.h"
#include "phasor/encoding/resolve/resolved.h"
#include "phasor/engine/ops.h"
#include "phasor/task/task.h"

namespace phasor {

enum class Initialization : uint8_t { torch, normal };  // torch: embeddings N(0,1), linear U(+-1/sqrt(in))

// What keys and values are made from: the normed stream of their layer, or in every layer the embeddings as they are,
// input term included.
enum class KvSource : uint8_t { hidden, input };

// What dropout acts on: attention weights and the outputs of both parts of a block, or the feed-forward output alone.
enum class DropoutSites : uint8_t { all, ffn };

struct ModelConfig {
  int64_t layers = 3;
  int64_t width = 64;
  int64_t hidden = 128;
  int64_t heads = 4;
  int64_t kv_heads = 0;    // 0: as many as heads
  int64_t head_width = 0;  // 0: width / heads
  Activation ffn = Activation::relu;
  NormKind norm = NormKind::layer;
  bool final_norm = true;
  bool causal = false;
  double dropout = 0.0;
  DropoutSites dropout_sites = DropoutSites::all;
  double logit_scale = 1.0;  // times 1 / sqrt(key width) and what the encoding says: an intervention, see theory.md
  KvSource kv_source = KvSource::hidden;
  Initialization initialization = Initialization::torch;
  double initialization_deviation = 0.02;  // of Initialization::normal
  std::string encoding = "rope";
  // Set by the task.
  Readout readout = Readout::mean;
  AnswerKind answer = AnswerKind::choice;
  int64_t vocabulary = 0;
  int64_t classes = 0;
  int64_t max_length = 0;
  int64_t trained_length = 0;      // the longest sequence of training, where max_length is another one; 0: it is not
  std::vector<int64_t> grid = {};  // extents of a grid whose cells, row by row, are the tokens; often none
  std::vector<NamedWords> words = {};
};

// Numbers that the readout gives: one per class, or the answer itself.
inline int64_t outputs(const ModelConfig& config) { return config.answer == AnswerKind::number ? 1 : config.classes; }

// Fills in the derived zeros. Throws UsageError where the numbers do not fit together.
ModelConfig complete(ModelConfig config);

// The encoding of a complete configuration's model. Without `factors`, rotations have their frequencies alone.
ResolvedEncoding resolve_encoding(const ModelConfig& config, bool factors = true);

}  // namespace phasor
