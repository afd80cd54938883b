#include "phasor/spectrum/model_spectrum.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>

#include "phasor/base/error.h"
#include "phasor/base/parallel.h"
#include "phasor/spectrum/interaction.h"
#include "phasor/spectrum/relative_fit.h"
#include "phasor/spectrum/spectrum.h"

namespace phasor {
namespace {

constexpr int64_t kLeastLength = 3;     // shorter ones are Toeplitz whatever they hold
constexpr int64_t kSequenceGroup = 16;  // whose logits are in memory at one time
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr uint32_t kContentDraws = 0x636f6e74;
constexpr SpectrumOptions kSingularOnly{.symmetric = false, .eigenvalues = false};

// Of one head on one sequence.
struct Sample {
  bool finite = true;
  SingularSpectrum spectrum;
  std::optional<double> contraction, bias_expansion, relative_r2;
  std::optional<PartShares> shares;
};

// One head on one sequence, with its positional parts turned.
struct Work {
  const HeadLogits* head = nullptr;
  DenseView position_query, position_key;
  const RelativeFitter* fitter = nullptr;
};

std::optional<double> ratio(double above, double below) {
  return below > 0.0 ? std::optional(above / below) : std::nullopt;
}

// Of scale * queries keys^T.
SingularSpectrum product_spectrum(DenseView queries, DenseView keys, const HeadLogits& head) {
  if (head.causal) return spectrum_of_masked(scaled_products(queries, keys, head.scale)).singular;
  return spectrum_of_factors(queries, keys, kSingularOnly, head.scale).singular;
}

Sample measured(const Work& work) {
  const HeadLogits& head = *work.head;
  const bool biased = head.adds(), turned = !head.rotary_pairs.empty();
  const Dense logits = head.logits();
  Sample sample;
  sample.finite = all_finite(head.query) && all_finite(head.key) && all_finite(logits);
  if (!sample.finite) return sample;
  SingularSpectrum products = product_spectrum(head.query, head.key, head);
  if (turned) {
    const double plain = product_spectrum(head.plain_query, head.plain_key, head).largest;
    sample.contraction = ratio(products.largest, plain);
  }
  if (biased) {
    sample.spectrum = (head.causal ? spectrum_of_masked(logits) : spectrum(logits, kSingularOnly)).singular;
    sample.bias_expansion = ratio(sample.spectrum.largest, products.largest);
  } else {
    sample.spectrum = std::move(products);
  }
  const RelativeFit fit = work.fitter->fit(logits);
  if (fit.defined) sample.relative_r2 = fit.adjusted;
  if (!work.position_query.empty()) sample.shares = part_shares(head, work.position_query, work.position_key);
  return sample;
}

class Mean {
 public:
  void add(double value) {
    sum_ += value;
    ++count_;
  }
  void add(const std::optional<double>& value) {
    if (value) add(*value);
  }
  void store(double& to) const {
    if (count_ > 0) to = sum_ / static_cast<double>(count_);
  }

 private:
  double sum_ = 0.0;
  int64_t count_ = 0;
};

// Sums over sequences, in their order.
class HeadMeans {
 public:
  void add(const Sample& sample) {
    finite_ = finite_ && sample.finite;
    if (!finite_) return;
    spectral_norm_.add(sample.spectrum.largest);
    stable_rank_.add(sample.spectrum.stable_rank);
    effective_rank_.add(sample.spectrum.effective_rank);
    participation_.add(sample.spectrum.participation_ratio);
    contraction_.add(sample.contraction);
    expansion_.add(sample.bias_expansion);
    relative_.add(sample.relative_r2);
    if (!sample.shares) return;
    for (size_t k = 0; k < kShares.size(); ++k) shares_[k].add((*sample.shares).*kShares[k]);
  }
  void store(HeadMeasures& to) const {
    if (!finite_) {
      for (double HeadMeasures::*number : kNumbers) to.*number = kNotANumber;
      for (double PartShares::*share : kShares) to.shares.*share = kNotANumber;
      return;
    }
    spectral_norm_.store(to.spectral_norm);
    stable_rank_.store(to.stable_rank);
    effective_rank_.store(to.effective_rank);
    participation_.store(to.participation_ratio);
    contraction_.store(to.contraction);
    expansion_.store(to.bias_expansion);
    relative_.store(to.relative_r2);
    for (size_t k = 0; k < kShares.size(); ++k) shares_[k].store(to.shares.*kShares[k]);
  }

 private:
  static constexpr std::array kShares = {&PartShares::content_content,
                                         &PartShares::content_position,
                                         &PartShares::position_content,
                                         &PartShares::position_position,
                                         &PartShares::bias,
                                         &PartShares::rows,
                                         &PartShares::decoupled};

  static constexpr std::array kNumbers = {
      &HeadMeasures::spectral_norm,       &HeadMeasures::stable_rank,       &HeadMeasures::effective_rank,
      &HeadMeasures::participation_ratio, &HeadMeasures::contraction,       &HeadMeasures::bias_expansion,
      &HeadMeasures::relative_r2,         &HeadMeasures::position_toeplitz, &HeadMeasures::interaction};

  bool finite_ = true;
  Mean spectral_norm_, stable_rank_, effective_rank_, participation_, contraction_, expansion_, relative_;
  std::array<Mean, kShares.size()> shares_;
};

// The logits of a sequence's heads, and their positional parts turned.
struct SequenceWork {
  std::vector<HeadLogits> heads;
  Dense position_queries, position_keys;  // [n, heads * width]; empty where not asked for
};

class Measurement {
 public:
  Measurement(Transformer& model, const Batch& batch, const ModelSpectrumOptions& options)
      : model_(model), batch_(batch), options_(options) {
    for (int64_t s = 0; s < batch.sequence_count(); ++s) {
      const int64_t n = batch.offsets[static_cast<size_t>(s) + 1] - batch.offsets[static_cast<size_t>(s)];
      if (n < kLeastLength) continue;
      sequences_.push_back(s);
      if (!fitters_.contains(n)) fitters_.emplace(n, RelativeFitter(n, model.config().causal));
    }
  }

  void layer(int64_t l, HeadMeasures* measures) const {
    const LayerLogits logits(model_, batch_, l);
    const std::optional<PositionMeans> means =
        options_.shares || options_.interaction
            ? std::optional<PositionMeans>(std::in_place, logits, options_.estimator)
            : std::nullopt;
    std::vector<HeadMeans> sums(static_cast<size_t>(logits.heads()));
    const auto count = static_cast<int64_t>(sequences_.size());
    for (int64_t first = 0; first < count; first += kSequenceGroup) {
      add_group(logits, means ? &*means : nullptr, first, std::min(count, first + kSequenceGroup), sums);
    }
    for (int64_t h = 0; h < logits.heads(); ++h) {
      measures[h].layer = l;
      measures[h].head = h;
      sums[static_cast<size_t>(h)].store(measures[h]);
    }
    if (!means) return;
    // What is made for one sequence, with the places of the longest.
    InteractionSetting setting = usual_interaction(logits, *means);
    if (setting.offsets < kLeastLength) return;
    if (options_.shares) fit_positions(logits, *means, setting, measures);
    if (!options_.interaction) return;
    setting.draws = options_.interaction_draws;
    setting.stream = {.purpose = Purpose::encoding, .site = kContentDraws, .step = static_cast<uint32_t>(l)};
    const std::vector<Interaction> interactions = layer_interaction(logits, *means, setting);
    for (int64_t h = 0; h < logits.heads(); ++h) measures[h].interaction = interactions[static_cast<size_t>(h)].share;
  }

 private:
  SequenceWork prepared(const LayerLogits& logits, const PositionMeans* means, int64_t s,
                        const SequenceTables& tables) const {
    SequenceWork work{logits.sequence_with(s, tables, logits.query_rows(s), logits.key_rows(s)), {}, {}};
    if (options_.shares) {
      work.position_queries = tables.turned_queries(means->queries(s));
      work.position_keys = tables.turned_keys(means->keys(s));
    }
    return work;
  }

  void add_group(const LayerLogits& logits, const PositionMeans* means, int64_t first, int64_t end,
                 std::vector<HeadMeans>& sums) const {
    const int64_t heads = logits.heads(), width = logits.width();
    const auto sequence_at = [&](int64_t g) { return sequences_[static_cast<size_t>(first + g)]; };
    std::vector<SequenceTables> tables;  // reads device memory, so by one thread
    for (int64_t g = 0; g < end - first; ++g) tables.push_back(logits.tables(sequence_at(g)));
    std::vector<SequenceWork> group(tables.size());
    parallel_for(end - first, 1, [&](int64_t g, int64_t) {
      group[static_cast<size_t>(g)] = prepared(logits, means, sequence_at(g), tables[static_cast<size_t>(g)]);
    });
    std::vector<Sample> samples(group.size() * static_cast<size_t>(heads));
    parallel_for(static_cast<int64_t>(samples.size()), 1, [&](int64_t item, int64_t) {
      const SequenceWork& sequence = group[static_cast<size_t>(item / heads)];
      Work work{.head = &sequence.heads[static_cast<size_t>(item % heads)]};
      work.fitter = &fitters_.at(work.head->size());
      if (options_.shares) {
        work.position_query = head_columns(sequence.position_queries, item % heads, width);
        work.position_key = head_columns(sequence.position_keys, item % heads, width);
      }
      samples[static_cast<size_t>(item)] = measured(work);
    });
    for (size_t item = 0; item < samples.size(); ++item) {
      sums[item % static_cast<size_t>(heads)].add(samples[item]);
    }
  }

  // How Toeplitz the positional Gram is, by products of one estimate's queries with the other's keys.
  void fit_positions(const LayerLogits& logits, const PositionMeans& means, const InteractionSetting& setting,
                     HeadMeasures* measures) const {
    const SequenceTables tables = logits.tables(setting.sequence);
    const int64_t n = logits.length(setting.sequence), last = means.estimates() - 1;
    const Dense queries[] = {tables.turned_queries(means.queries(int64_t{0}, n)),
                             tables.turned_queries(means.queries(last, n))};
    const Dense keys[] = {tables.turned_keys(means.keys(last, n)), tables.turned_keys(means.keys(int64_t{0}, n))};
    const RelativeFitter fitter(setting.offsets, logits.causal());
    parallel_for(logits.heads(), 1, [&](int64_t h, int64_t) {
      const auto part = [&](const Dense& rows) {
        return head_columns(DenseView(rows.data(), setting.offsets, rows.columns()), h, logits.width());
      };
      const Dense gram =
          sum(product_transposed(part(queries[0]), part(keys[0])), product_transposed(part(queries[1]), part(keys[1])));
      if (!all_finite(gram)) {
        measures[h].position_toeplitz = kNotANumber;
        return;
      }
      const RelativeFit fit = fitter.fit(gram);
      if (fit.defined) measures[h].position_toeplitz = fit.adjusted;
    });
  }

  Transformer& model_;
  const Batch& batch_;
  ModelSpectrumOptions options_;
  std::vector<int64_t> sequences_;             // long enough
  std::map<int64_t, RelativeFitter> fitters_;  // by length
};

Batch first_sequences(const Batch& batch, int64_t count, Readout readout) {
  Batch result;
  for (int64_t s = 0; s < std::min(count, batch.sequence_count()); ++s) {
    const int64_t begin = batch.offsets[static_cast<size_t>(s)];
    const int64_t length = batch.offsets[static_cast<size_t>(s) + 1] - begin;
    const bool every = readout == Readout::every;
    result.append(batch.tokens.data() + begin, length, batch.targets.data() + (every ? begin : s), every ? length : 1,
                  batch.places[static_cast<size_t>(s)]);
  }
  result.finish();
  return result;
}

}  // namespace

std::vector<HeadMeasures> measure_heads(Transformer& model, const Batch& batch, const ModelSpectrumOptions& options) {
  const Batch used = first_sequences(batch, options.most_sequences, model.config().readout);
  if (used.sequence_count() == 0) fail("no sequences to measure heads on");
  model.forward(used);
  const int64_t layers = model.config().layers, heads = model.config().heads;
  std::vector<HeadMeasures> measures(static_cast<size_t>(layers * heads));
  const Measurement measurement(model, used, options);
  for (int64_t l = 0; l < layers; ++l) measurement.layer(l, measures.data() + l * heads);
  return measures;
}

}  // namespace phasor
