#pragma once
// Accuracy and loss of a model on a data set, without dropout.
#include "phasor/model/transformer.h"
#include "phasor/task/dataset.h"

namespace phasor {

struct Scores {
  double loss = 0.0;      // mean over scored targets
  double accuracy = 0.0;  // share of scored targets
  int64_t scored = 0;
  double whole = 0.0;  // share of sequences with every scored target right
  int64_t answers = 0;
};

Scores scores_of(const BatchResult& sum);

// The first `samples` of the set (all of them where it has fewer), in batches of the model's capacity.
Scores evaluate(Transformer& model, const Dataset& data, int64_t samples, int64_t batch);

}  // namespace phasor
