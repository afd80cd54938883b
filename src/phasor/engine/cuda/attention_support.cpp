#include "phasor/engine/cuda/attention_support.h"

#include "phasor/base/error.h"

namespace phasor::cuda {

void require_known(const Attention& attention) {
  if (!attention.rotation.token.empty()) {
    fail_usage("the cuda backend does not have angles of tokens yet: use --device cpu");
  }
  if (!attention.prefix.empty()) fail_usage("the cuda backend does not have gates yet: use --device cpu");
  if (!attention.row_scale.table.empty()) {
    fail_usage("the cuda backend does not have scales by the query's position yet: use --device cpu");
  }
  if (!attention.window.empty()) fail_usage("the cuda backend does not have attention windows yet: use --device cpu");
  if (!attention.chunk.empty()) fail_usage("the cuda backend does not have attention chunks yet: use --device cpu");
  if (!attention.sink.empty()) fail_usage("the cuda backend does not have attention sinks yet: use --device cpu");
  if (attention.dense.any()) {
    fail_usage("the cuda backend does not have attention with all logits of a head at hand yet: use --device cpu");
  }
  if (attention.shape.feature != FeatureMap::none) {
    fail_usage("the cuda backend does not have features of queries and keys yet: use --device cpu");
  }
  if (!attention.query_rows.table.empty() || !attention.key_rows.table.empty() || !attention.query_shift.empty()) {
    fail_usage("the cuda backend does not have distance rows yet: use --device cpu");
  }
}

}  // namespace phasor::cuda
