#include "phasor/run/evaluation.h"

#include <algorithm>

#include "phasor/base/cancellation.h"

namespace phasor {

Scores scores_of(const BatchResult& sum) {
  if (sum.scored == 0) return {};
  const auto scored = static_cast<double>(sum.scored);
  return {.loss = sum.loss / scored,
          .accuracy = static_cast<double>(sum.correct) / scored,
          .scored = sum.scored,
          .whole = static_cast<double>(sum.whole_correct) / static_cast<double>(sum.answers),
          .answers = sum.answers};
}

Scores evaluate(Transformer& model, const Dataset& data, int64_t samples, int64_t batch_size) {
  const int64_t count = std::min(samples, data.size());
  Batch batch;
  for (int64_t first = 0; first < count; first += batch_size) {
    stop_if_cancelled();
    batch.clear();
    for (int64_t i = first; i < std::min(count, first + batch_size); ++i) data.append_to(batch, i);
    batch.finish();
    model.add_evaluation(batch, first == 0);
  }
  return count > 0 ? scores_of(model.added_evaluations()) : Scores{};
}

}  // namespace phasor
