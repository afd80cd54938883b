#include "phasor/ablation/layer_effect.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "phasor/base/error.h"
#include "phasor/base/special_numbers.h"
#include "phasor/statistics/bootstrap.h"
#include "phasor/statistics/multiplicity.h"
#include "phasor/statistics/permutation.h"
#include "phasor/statistics/resampling_stream.h"
#include "phasor/statistics/summary.h"

namespace phasor {
namespace {

std::vector<uint32_t> every_second_sample(size_t count, size_t first) {
  std::vector<uint32_t> samples;
  for (size_t i = first; i < count; i += 2) samples.push_back(static_cast<uint32_t>(i));
  return samples;
}

int64_t largest(std::span<const double> values) {
  return std::max_element(values.begin(), values.end()) - values.begin();
}

double largest_but(std::span<const double> values, size_t head) {
  double result = values.size() > 1 ? -kInfinity : kNaN;
  for (size_t h = 0; h < values.size(); ++h) {
    if (h != head) result = std::max(result, values[h]);
  }
  return result;
}

double clipped_sum(std::span<const double> values) {
  double sum = 0.0;
  for (const double value : values) sum += std::max(0.0, value);
  return sum;
}

// The numbers of one resample in a fixed order, and where their intervals go.
template <class Owner>
using Places = std::span<Estimate Owner::*const>;

template <class Owner>
void place(const std::vector<statistics::BootstrapInterval>& intervals, Places<Owner> places, Owner& owner) {
  for (size_t i = 0; i < places.size(); ++i) {
    owner.*places[i] = {intervals[i].estimate, intervals[i].low, intervals[i].high};
  }
}

// What the data do not bound, the range does.
void bound(std::initializer_list<Estimate*> estimates, double lowest, double highest) {
  for (Estimate* estimate : estimates) {
    estimate->low = std::clamp(estimate->low, lowest, highest);
    estimate->high = std::clamp(estimate->high, lowest, highest);
  }
}

// 1 / x of a quantity that is not negative: ends change places, and what has no bound keeps none.
Estimate inverse(const Estimate& x) {
  const auto end = [](double value, double unbounded) {
    if (!std::isfinite(value)) return unbounded;
    return value > 0.0 ? 1.0 / value : kInfinity;
  };
  return {end(x.value, kNaN), end(x.high, -kInfinity), end(x.low, kInfinity)};
}

statistics::BootstrapOptions percentiles(const EffectOptions& options) {
  return {.resamples = options.resamples, .seed = options.seed, .method = statistics::BootstrapMethod::percentile};
}

void measure_all(const LayerDrops& drops, const EffectOptions& options, LayerEffect& effect) {
  constexpr Estimate LayerEffect::*kPlaces[] = {
      &LayerEffect::layer,     &LayerEffect::max_share,   &LayerEffect::dominance,
      &LayerEffect::gini,      &LayerEffect::n1,          &LayerEffect::n2,
      &LayerEffect::necessity, &LayerEffect::sufficiency, &LayerEffect::redundancy};
  constexpr size_t kNumbers = std::size(kPlaces);
  const std::vector<uint32_t> samples = all_samples(drops);
  const std::vector<double> mean = mean_drops(drops, samples);
  effect.top = largest(mean);
  effect.shares = statistics::concentration(mean);
  DropTable table(drops, samples, effect.top);
  const auto evaluate = [&](std::span<const uint32_t> rows, std::span<double> values) {
    const DropTable::Means means = table.means(rows);
    const statistics::Concentration shares = statistics::concentration(means.alone);
    const double most = *std::max_element(means.alone.begin(), means.alone.end());
    const double numbers[kNumbers] = {
        means.whole,
        shares.max_share,
        shares.dominance,
        shares.gini,
        shares.n1,
        shares.n2,
        means.share(most),
        means.sufficiency(),
        means.share(clipped_sum(means.alone))};  // the inverse stays finite where no head costs anything
    std::copy(std::begin(numbers), std::end(numbers), values.begin());
    std::copy(means.alone.begin(), means.alone.end(), values.begin() + kNumbers);
  };
  const std::vector<int64_t> blocks = {table.rows()};
  const size_t heads = drops.alone.size();
  const auto intervals = statistics::bootstrap_rows(blocks, kNumbers + heads, evaluate, percentiles(options));
  place<LayerEffect>(intervals, kPlaces, effect);
  effect.redundancy = inverse(effect.redundancy);
  bound({&effect.max_share, &effect.dominance, &effect.gini}, 0.0, 1.0);
  bound({&effect.n1, &effect.n2}, 1.0, static_cast<double>(heads));
  for (size_t h = 0; h < heads; ++h) {
    const statistics::BootstrapInterval& drop = intervals[kNumbers + h];
    effect.heads.push_back({drop.estimate, drop.low, drop.high});
  }
}

LayerEffect::HeldOut measure_held_out(const LayerDrops& drops, const EffectOptions& options) {
  using HeldOut = LayerEffect::HeldOut;
  constexpr Estimate HeldOut::*kPlaces[] = {&HeldOut::layer,     &HeldOut::drop,        &HeldOut::lead, &HeldOut::share,
                                            &HeldOut::necessity, &HeldOut::sufficiency, &HeldOut::n1,   &HeldOut::n2};
  HeldOut result;
  result.head = largest(mean_drops(drops, every_second_sample(drops.whole.size(), 0)));
  const auto head = static_cast<size_t>(result.head);
  DropTable table(drops, every_second_sample(drops.whole.size(), 1), result.head);
  const auto evaluate = [&](std::span<const uint32_t> rows, std::span<double> values) {
    const DropTable::Means means = table.means(rows);
    const statistics::Concentration shares = statistics::concentration(means.alone);
    const double drop = means.alone[head];
    const double numbers[] = {means.whole,
                              drop,
                              drop - largest_but(means.alone, head),
                              shares.defined ? shares.shares[head] : kNaN,
                              means.share(drop),
                              means.sufficiency(),
                              shares.n1,
                              shares.n2};
    static_assert(std::size(numbers) == std::size(kPlaces));
    std::copy(std::begin(numbers), std::end(numbers), values.begin());
  };
  const std::vector<int64_t> blocks = {table.rows()};
  place<HeldOut>(statistics::bootstrap_rows(blocks, std::size(kPlaces), evaluate, percentiles(options)), kPlaces,
                 result);
  bound({&result.share}, 0.0, 1.0);
  bound({&result.n1, &result.n2}, 1.0, static_cast<double>(drops.alone.size()));
  if (!drops.only.empty()) {
    const double whole = statistics::mean(drops.whole);
    if (whole > 0.0) result.sufficiency_of_all = 1.0 - statistics::mean(drops.only[head]) / whole;
  }
  result.head_p = table.flip_signs(options.flips, options.seed);
  result.head_p_holm = result.head_p;
  result.p = result.p_holm = result.head_p[head];
  return result;
}

// The rows whose bit is set, one bit of the stream for each.
void draw_turned(const RandomStream& stream, size_t count, std::vector<uint32_t>& turned) {
  constexpr size_t kBits = 32;
  turned.clear();
  PhiloxBlock block = {};
  for (size_t first = 0; first < count; first += kBits) {
    const size_t word = first / kBits;
    if (word % 4 == 0) block = stream.block(word / 4);
    uint32_t bits = block[word % 4];
    if (count - first < kBits) bits &= (uint32_t{1} << (count - first)) - 1;
    for (; bits != 0; bits &= bits - 1) turned.push_back(static_cast<uint32_t>(first) + std::countr_zero(bits));
  }
}

void require_list(const std::vector<double>& values, size_t samples, const std::string& what) {
  if (values.size() != samples) fail("{} has {} samples, the whole layer has {}", what, values.size(), samples);
  for (size_t i = 0; i < samples; ++i) {
    if (!std::isfinite(values[i])) fail("{}: the drop of sample {} is {}", what, i, values[i]);
  }
}

}  // namespace

double DropTable::Means::share(double drop) const { return whole > 0.0 ? drop / whole : kNaN; }

double DropTable::Means::sufficiency() const { return whole > 0.0 ? 1.0 - only / whole : kNaN; }

DropTable::DropTable(const LayerDrops& drops, std::span<const uint32_t> samples, int64_t kept)
    : rows_(samples.size()),
      heads_(drops.alone.size()),
      has_only_(!drops.only.empty()),
      values_((heads_ + 2 + kLanes - 1) / kLanes * rows_),
      sums_(values_.size() / rows_ * kLanes) {
  const auto fill = [&](size_t column, const std::vector<double>& values) {
    for (size_t row = 0; row < rows_; ++row) at(row, column) = values[samples[row]];
  };
  for (size_t h = 0; h < heads_; ++h) fill(h, drops.alone[h]);
  fill(heads_, drops.whole);
  if (has_only_) fill(heads_ + 1, drops.only[static_cast<size_t>(kept)]);
}

double& DropTable::at(size_t row, size_t column) {
  return values_[column / kLanes * rows_ + row].values[column % kLanes];
}

void DropTable::add(std::span<const uint32_t> rows) {
  for (size_t group = 0; group * kLanes < sums_.size(); ++group) {
    const Lanes* const values = &values_[group * rows_];
    Lanes sums = {};  // in a register for all rows
    for (const uint32_t row : rows) {
      for (size_t lane = 0; lane < kLanes; ++lane) sums.values[lane] += values[row].values[lane];
    }
    std::copy(sums.values, sums.values + kLanes, &sums_[group * kLanes]);
  }
}

DropTable::Means DropTable::means(std::span<const uint32_t> rows) {
  add(rows);
  for (double& sum : sums_) sum /= static_cast<double>(rows.size());
  return {.alone = std::span<const double>(sums_).first(heads_),
          .whole = sums_[heads_],
          .only = has_only_ ? sums_[heads_ + 1] : kNaN};
}

std::vector<double> DropTable::flip_signs(int64_t flips, uint64_t seed) {
  const statistics::PermutationOptions options{
      .alternative = statistics::Alternative::greater, .draws = flips, .seed = seed};
  std::vector<double> p(heads_);
  std::vector<double> rounding(heads_);
  std::vector<double> column(rows_);
  const bool few =
      std::ldexp(1.0, static_cast<int>(std::min<size_t>(rows_, 100))) <= static_cast<double>(options.most_exact);
  for (size_t h = 0; h < heads_; ++h) {
    double size = 0.0;
    for (size_t row = 0; row < rows_; ++row) {
      column[row] = at(row, h);
      size = std::max(size, std::abs(column[row]));
    }
    rounding[h] = 4.0 * std::numeric_limits<double>::epsilon() * static_cast<double>(rows_) * size;
    if (few) p[h] = statistics::flip_signs(column, options).p;
  }
  if (few) return p;

  // Turning the signs of some rows takes twice their sum away: at least the observed sum is left where that is not
  // positive, up to rounding.
  std::vector<int64_t> extreme(heads_, 0);
  std::vector<uint32_t> turned;
  for (int64_t flip = 0; flip < flips; ++flip) {
    draw_turned(statistics::resampling_stream(seed, statistics::Drawn::signs, flip), rows_, turned);
    add(turned);
    for (size_t h = 0; h < heads_; ++h) extreme[h] += sums_[h] <= rounding[h];
  }
  for (size_t h = 0; h < heads_; ++h) p[h] = static_cast<double>(extreme[h] + 1) / static_cast<double>(flips + 1);
  return p;
}

std::vector<uint32_t> all_samples(const LayerDrops& drops) {
  std::vector<uint32_t> samples(drops.whole.size());
  std::iota(samples.begin(), samples.end(), 0u);
  return samples;
}

std::vector<double> mean_drops(const LayerDrops& drops, std::span<const uint32_t> samples) {
  std::vector<double> means;
  for (const std::vector<double>& head : drops.alone) {
    double sum = 0.0;
    for (const uint32_t sample : samples) sum += head[sample];
    means.push_back(sum / static_cast<double>(samples.size()));
  }
  return means;
}

void require_drops(const LayerDrops& drops, int64_t layer) {
  if (drops.alone.empty()) fail("layer {} has no heads", layer);
  constexpr size_t kFewest = 20;
  const size_t samples = drops.whole.size();
  if (samples < kFewest) {
    fail("layer {} was measured on {} samples; intervals of two halves need at least {}", layer, samples, kFewest);
  }
  if (!drops.only.empty() && drops.only.size() != drops.alone.size()) {
    fail("layer {} has {} heads, but {} were measured as the only one left", layer, drops.alone.size(),
         drops.only.size());
  }
  require_list(drops.whole, samples, fmt::format("layer {}, all heads ablated", layer));
  for (size_t h = 0; h < drops.alone.size(); ++h) {
    require_list(drops.alone[h], samples, fmt::format("layer {}, head {} ablated", layer, h));
  }
  for (size_t h = 0; h < drops.only.size(); ++h) {
    require_list(drops.only[h], samples, fmt::format("layer {}, all heads but {} ablated", layer, h));
  }
}

LayerEffect measure_effect(const LayerDrops& drops, const EffectOptions& options) {
  require_drops(drops, 0);
  LayerEffect effect;
  measure_all(drops, options, effect);
  effect.held_out = measure_held_out(drops, options);
  return effect;
}

void adjust_for_all_heads(std::vector<LayerEffect>& layers) {
  std::vector<double> p;
  for (const LayerEffect& effect : layers) {
    p.insert(p.end(), effect.held_out.head_p.begin(), effect.held_out.head_p.end());
  }
  if (p.empty()) return;
  const std::vector<double> adjusted = statistics::holm(p);
  size_t next = 0;
  for (LayerEffect& effect : layers) {
    LayerEffect::HeldOut& held_out = effect.held_out;
    for (double& value : held_out.head_p_holm) value = adjusted[next++];
    held_out.p_holm = held_out.head_p_holm[static_cast<size_t>(held_out.head)];
  }
}

}  // namespace phasor
