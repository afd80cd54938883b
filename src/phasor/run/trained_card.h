#pragma once
// The card of an encoding after training: what a run has made of every number that it learned, and of its kernels.
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/encoding/measure/kernel_curves.h"
#include "phasor/encoding/measure/rotary_pairs.h"
#include "phasor/run/learned_tensors.h"

namespace phasor {

// Of a place that learns, along one axis, in layers where it came out alike.
struct TrainedKernel {
  std::vector<int64_t> layers;  // empty for an input term, which has none
  KernelCurves start, end;
};

struct TrainedCard {
  std::string folder;
  std::string expression, task;
  uint64_t seed = 0;
  int64_t step = 0;
  ResolvedEncoding encoding;  // trained, where all of it is known
  std::vector<LearnedTensor> learned;
  std::string left_out;                   // why there are no kernels; empty: there are
  std::vector<TrainedKernel> kernels;     // of places that learn
  std::vector<RotaryPairs> rotary_pairs;  // trained; of rotations that learn
};
const Fields<TrainedCard>& json_fields(const TrainedCard*);

// Throws UsageError where the folder has no such model, FormatError where its files are damaged.
TrainedCard trained_card(const RunFolder& folder, std::optional<int64_t> step = {});

struct TrainedCardText {
  bool ascii = false;  // kernels without Braille dots
  bool all = false;    // every number of large tables, and every layer's kernel
};

// At most 100 columns wide.
std::string trained_card_text(const TrainedCard& card, const TrainedCardText& form = {});
nlohmann::ordered_json trained_card_json(const TrainedCard& card);

}  // namespace phasor
