#pragma once
// Head ablation as the released code at commit ffe3159 does it, so that its pictures can be compared like with like:
//
// - it works through the layers in order and puts a head's weights back when the next head's turn comes, never after
// the
//   last one: the last head of every earlier layer is still off while deeper layers are measured;
// - for MLA it sets columns head * width .. of W_UQ, W_UK and W_UV to zero, which are latents that all heads read;
// where
//   these columns end before the heads do, a head's turn changes nothing;
// - it scores accuracy, on training and test samples together.
#include <functional>
#include <optional>
#include <vector>

#include "phasor/model/transformer.h"
#include "phasor/statistics/concentration.h"
#include "phasor/task/dataset.h"

namespace phasor {

struct PublishedAblation {
  double baseline = 0.0;                      // accuracy of the intact model
  std::vector<std::vector<double>> accuracy;  // [layers][heads]
  bool latent = false;                        // columns of latents in place of heads
  int64_t without_effect = 0;                 // turns of each layer that change nothing: no such column
  int64_t samples = 0;

  // Of the drops from the baseline.
  statistics::Concentration concentration(int64_t layer) const;
};

// Heads, unless every layer has latents; `latents` asks for the one or the other by name, and is a UsageError where the
// model has none. False from `progress`, which is told the share of the work done, stops and returns nothing.
// Parameters are as before afterwards, also when stopped.
std::optional<PublishedAblation> ablate_as_published(Transformer& model, const std::vector<const Dataset*>& sets,
                                                     int64_t batch, std::optional<bool> latents = {},
                                                     const std::function<bool(double share)>& progress = {});

}  // namespace phasor
