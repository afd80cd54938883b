#pragma once
// What 'phasor compare --swap' takes beside a study's options.
#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "phasor/study/swap/swap_study.h"

namespace phasor::app {

struct SwapOptionWords {
  std::vector<std::string> swaps, recalibrated;
  std::optional<int64_t> steps, samples, damage_samples;
  std::string lengths;

  void add_to(CLI::App& command);
  // Encodings are asked for.
  bool wanted() const { return !swaps.empty() || !recalibrated.empty(); }
  // Throws UsageError where one of the others stands alone.
  void require_alone() const;
  // Throws UsageError.
  SwapPlan plan(int64_t trained_length) const;
};

}  // namespace phasor::app
