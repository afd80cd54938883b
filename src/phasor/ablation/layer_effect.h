#pragma once
// Effect sizes of one layer's heads. With mean drops Delta_h of single heads and Delta_layer of the whole layer:
//   redundancy   Delta_layer / sum of max(0, Delta_h); above 1 where heads stand in for each other
//   necessity    Delta_(1) / Delta_layer, of the head with the largest drop
//   sufficiency  1 - (drop with that head alone left) / Delta_layer
// All three are undefined where Delta_layer is not positive. Intervals are percentiles of a bootstrap over samples, all
// from the same resamples; the head with the largest drop is sought again in each, except for sufficiency, which stays
// with the head named `top`.
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "phasor/ablation/layer_drops.h"
#include "phasor/statistics/concentration.h"

namespace phasor {

// With a 95 % interval. Undefined: a value that is NaN, and everything between the ends.
struct Estimate {
  double value = std::numeric_limits<double>::quiet_NaN();
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  bool operator==(const Estimate&) const = default;
};

struct LayerEffect {
  Estimate layer;                    // Delta_layer
  std::vector<Estimate> heads;       // Delta_h
  int64_t top = 0;                   // the head with the largest Delta_h, the first of equals
  statistics::Concentration shares;  // of the Delta_h
  Estimate max_share, dominance, gini, n1, n2;
  Estimate redundancy, necessity, sufficiency;

  // One head, chosen on the samples of even number and measured on those of odd number: a head that is named for its
  // luck with some samples has none with the others.
  struct HeldOut {
    int64_t head = 0;
    Estimate layer;  // Delta_layer
    Estimate drop;
    Estimate lead;  // Delta_head - the largest other Delta_h; undefined for one head
    Estimate share, necessity, sufficiency, n1, n2;
    double sufficiency_of_all = std::numeric_limits<double>::quiet_NaN();  // the same head's, on all samples
    double p = 1.0;                           // of a drop above 0, by turning signs; one-sided
    double p_holm = 1.0;                      // adjusted for all heads of all layers
    std::vector<double> head_p, head_p_holm;  // of every head
  } held_out;
};

struct EffectOptions {
  int64_t resamples = 2000;
  int64_t flips = 9999;
  uint64_t seed = 0;
};

// p_holm is left at p: the family is the run's. Throws Error for fewer than 20 samples and for what require_drops
// finds.
LayerEffect measure_effect(const LayerDrops& drops, const EffectOptions& options = {});

// Fills p_holm over all heads of all layers.
void adjust_for_all_heads(std::vector<LayerEffect>& layers);

// Throws Error, naming the layer and the head, unless every list has the same samples and finite values.
void require_drops(const LayerDrops& drops, int64_t layer);

std::vector<uint32_t> all_samples(const LayerDrops& drops);  // their numbers

std::vector<double> mean_drops(const LayerDrops& drops, std::span<const uint32_t> samples);  // [heads]

// The drops of some samples with those of one sample side by side: a resample is one pass of vector adds for each
// group of eight columns.
class DropTable {
 public:
  // Of `only`, the column of the head `kept`.
  DropTable(const LayerDrops& drops, std::span<const uint32_t> samples, int64_t kept);

  struct Means {
    std::span<const double> alone;  // [heads]; until the next call
    double whole = 0.0;
    double only = 0.0;  // NaN where it was not measured

    // Undefined where the whole layer costs nothing.
    double share(double drop) const;  // of what the whole layer costs
    double sufficiency() const;
  };
  Means means(std::span<const uint32_t> rows);

  // One-sided p of every head, as statistics::flip_signs gives it for the head's column.
  std::vector<double> flip_signs(int64_t flips, uint64_t seed);

  int64_t rows() const { return static_cast<int64_t>(rows_); }

 private:
  static constexpr size_t kLanes = 8;
  struct alignas(kLanes * sizeof(double)) Lanes {
    double values[kLanes];
  };

  double& at(size_t row, size_t column);
  void add(std::span<const uint32_t> rows);  // overwrites sums_

  size_t rows_;
  size_t heads_;
  bool has_only_;
  std::vector<Lanes> values_;  // [groups of columns, rows], the last group filled up with zeros
  std::vector<double> sums_;
};

}  // namespace phasor
