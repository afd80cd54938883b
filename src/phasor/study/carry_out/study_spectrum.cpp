#include "phasor/study/carry_out/study_spectrum.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "phasor/base/parallel.h"
#include "phasor/base/seal.h"
#include "phasor/engine/download.h"
#include "phasor/spectrum/additive_states.h"
#include "phasor/spectrum/layer_logits.h"
#include "phasor/spectrum/theory_checks.h"
#include "phasor/study/carry_out/measured_file.h"
#include "phasor/study/carry_out/position_measures.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSpectrumFormat = "phasor study spectrum 2";
constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

std::vector<double> contractions(const std::vector<HeadMeasures>& heads) {
  std::vector<double> all;
  all.reserve(heads.size());
  for (const HeadMeasures& head : heads) all.push_back(head.contraction);
  return all;
}

// Over the items that have the number.
template <class Item, class Has, class Number>
double mean_where(const std::vector<Item>& items, const Has& has, const Number& number_of) {
  double sum = 0.0;
  int64_t count = 0;
  for (const Item& item : items) {
    if (!has(item)) continue;
    sum += number_of(item);
    ++count;
  }
  return count > 0 ? sum / static_cast<double>(count) : kUndefined;
}

// measure_heads() leaves an adjusted R2 at 0 where it is not defined.
double mean_fit(const std::vector<HeadMeasures>& heads, double HeadMeasures::*fit) {
  return mean_where(
      heads, [&](const HeadMeasures& head) { return head.*fit != 0.0; },
      [&](const HeadMeasures& head) { return head.*fit; });
}

// By how much of a head's logits it is: where position x position is next to nothing, its shape means nothing.
double weighted_toeplitz(const std::vector<HeadMeasures>& heads) {
  double sum = 0.0, weights = 0.0;
  for (const HeadMeasures& head : heads) {
    const double weight = head.shares.position_position;
    if (head.position_toeplitz == 0.0 || !std::isfinite(head.position_toeplitz) || !(weight > 0.0)) continue;
    sum += weight * head.position_toeplitz;
    weights += weight;
  }
  return weights > 0.0 ? sum / weights : kUndefined;
}

double mean_composition(const std::vector<HeadPosition>& heads) {
  return mean_where(
      heads, [](const HeadPosition& head) { return std::isfinite(head.composition); },
      [](const HeadPosition& head) { return head.composition; });
}

void take_positions(const std::vector<HeadPosition>& heads, SpectrumRecord& record) {
  record.end_composition = mean_composition(heads);
  record.gram_share = mean_where(
      heads, [](const HeadPosition& head) { return std::isfinite(head.gram_share); },
      [](const HeadPosition& head) { return head.gram_share; });
  double sum = 0.0, weights = 0.0;
  for (const HeadPosition& head : heads) {
    if (!std::isfinite(head.gram_toeplitz) || !(head.gram_share > 0.0)) continue;
    sum += head.gram_share * head.gram_toeplitz;
    weights += head.gram_share;
  }
  record.gram_toeplitz = weights > 0.0 ? sum / weights : kUndefined;
}

BoundRecord& record_of(std::vector<BoundRecord>& records, const std::string& name) {
  const auto found =
      std::find_if(records.begin(), records.end(), [&](const BoundRecord& record) { return record.name == name; });
  if (found != records.end()) return *found;
  records.push_back({.name = name});
  return records.back();
}

// Sums of measured / bound, and how many there are.
struct Tightness {
  double sum = 0.0;
  int64_t count = 0;
};

std::vector<BoundRecord> check_bounds(Session& session) {
  constexpr int64_t kSequences = 4;  // dear: a dense spectrum or two for each head
  Transformer& model = session.model();
  const Batch batch = first_test_sequences(session, kSequences);
  model.forward(batch);
  std::vector<BoundRecord> records;
  std::map<std::string, Tightness> tightness;
  for (int64_t l = 0; l < model.config().layers; ++l) {
    const LayerLogits layer(model, batch, l);
    for (int64_t s = 0; s < layer.sequences(); ++s) {
      const std::vector<HeadLogits> heads = layer.sequence(s);
      std::vector<std::vector<BoundCheck>> checks(heads.size());
      parallel_for(layer.heads(), 1, [&](int64_t h, int64_t) {
        const HeadLogits& head = heads[static_cast<size_t>(h)];
        if (all_finite(head.query) && all_finite(head.key)) checks[static_cast<size_t>(h)] = theory_checks(head);
      });
      for (const std::vector<BoundCheck>& of_head : checks) {
        for (const BoundCheck& check : of_head) {
          BoundRecord& record = record_of(records, check.name);
          ++record.cases;
          if (check.applies) ++record.applied;
          if (check.applies && !check.holds) ++record.violated;
          if (check.holds) ++record.held;
          if (!(check.bound > 0.0)) continue;
          tightness[check.name].sum += check.measured / check.bound;
          ++tightness[check.name].count;
        }
      }
    }
  }
  for (BoundRecord& record : records) {
    const Tightness& own = tightness[record.name];
    record.tightness = own.count > 0 ? own.sum / static_cast<double>(own.count) : kUndefined;
  }
  return records;
}

// The stream that enters a layer, over many test sequences: only words that stand at one place twice say anything.
struct StreamRows {
  std::vector<double> values;
  std::vector<int32_t> tokens, places;
};

AdditiveStates inner_states(Session& session, int64_t layer) {
  constexpr int64_t kSequences = 1024;
  constexpr size_t kMostRows = 40000;
  Transformer& model = session.model();
  StreamRows rows;
  int64_t width = 0;
  for_each_test_batch(session, kSequences, [&](const Batch& batch, int64_t) {
    if (rows.tokens.size() >= kMostRows) return;
    model.forward(batch);
    const ConstMatrix stream = model.activations().stream[static_cast<size_t>(2 * layer)];
    width = stream.columns();
    const std::vector<float> own = download(model.backend(), stream, batch.token_count());
    rows.values.insert(rows.values.end(), own.begin(), own.end());
    rows.tokens.insert(rows.tokens.end(), batch.tokens.begin(), batch.tokens.end());
    rows.places.insert(rows.places.end(), batch.positions.begin(), batch.positions.end());
  });
  return additive_states(DenseView(rows.values.data(), std::ssize(rows.tokens), width), rows.tokens, rows.places);
}

// Shares that are defined add up to 1.
bool has_shares(const HeadMeasures& head) {
  const PartShares& shares = head.shares;
  return shares.content_content + shares.mixed() + shares.positional() != 0.0;
}

}  // namespace

void measure_start(Session& session, SpectrumRecord& record) {
  const Batch batch = first_test_sequences(session, kSpectralSequences);
  const std::vector<HeadMeasures> heads = measure_heads(
      session.model(), batch, {.shares = false, .interaction = false, .most_sequences = kSpectralSequences});
  record.start = spectral_facts(heads);
  record.start_contractions = contractions(heads);
  record.start_composition = mean_composition(measure_positions(session));
}

std::vector<HeadMeasures> measure_end(Session& session, SpectrumRecord& record) {
  const Batch batch = first_test_sequences(session, kSpectralSequences);
  std::vector<HeadMeasures> heads = measure_heads(session.model(), batch, {.most_sequences = kSpectralSequences});
  record.end = spectral_facts(heads);
  record.end_contractions = contractions(heads);
  record.relative_r2 = mean_fit(heads, &HeadMeasures::relative_r2);
  record.position_toeplitz = weighted_toeplitz(heads);
  record.logit_interaction = mean_where(
      heads, [](const HeadMeasures&) { return true; }, [](const HeadMeasures& head) { return head.interaction; });
  record.positional_share =
      mean_where(heads, has_shares, [](const HeadMeasures& head) { return head.shares.positional(); });
  record.content_share =
      mean_where(heads, has_shares, [](const HeadMeasures& head) { return head.shares.content_content; });
  take_positions(measure_positions(session), record);
  record.bounds = check_bounds(session);
  return heads;
}

void measure_streams(Session& session, SpectrumRecord& record) {
  const Batch batch = first_test_sequences(session, std::numeric_limits<int64_t>::max());
  session.model().forward(batch);
  std::vector<StreamStates> states = stream_states(session.model(), batch);
  states.pop_back();  // it leaves the last layer and enters none
  const auto mean = [&](double AdditiveStates::*share) {
    return mean_where(
        states, [](const StreamStates& entry) { return entry.stream.defined; },
        [&](const StreamStates& entry) { return entry.stream.*share; });
  };
  record.stream_position = mean(&AdditiveStates::position);
  record.stream_interaction = mean(&AdditiveStates::interaction);
  record.stream_interaction_deviation = mean(&AdditiveStates::interaction_deviation);
  std::vector<AdditiveStates> inner;
  for (int64_t l = 1; l < session.model().config().layers; ++l) inner.push_back(inner_states(session, l));
  const auto mean_inner = [&](double AdditiveStates::*share) {
    return mean_where(
        inner, [](const AdditiveStates& layer) { return layer.defined; },
        [&](const AdditiveStates& layer) { return layer.*share; });
  };
  record.inner_position = mean_inner(&AdditiveStates::position);
  record.inner_interaction = mean_inner(&AdditiveStates::interaction);
  record.inner_interaction_deviation = mean_inner(&AdditiveStates::interaction_deviation);
}

static const Fields<BoundRecord>& json_fields(const BoundRecord*) {
  static const Fields<BoundRecord> fields = {
      field("name", &BoundRecord::name, "of the theorem"),
      size_field("cases", &BoundRecord::cases, "heads times sequences"),
      size_field("applied", &BoundRecord::applied, "cases that meet its hypotheses"),
      size_field("violated", &BoundRecord::violated, "of those, beyond the bound"),
      size_field("held", &BoundRecord::held, "cases within the bound, whether or not it applies"),
      field("tightness", &BoundRecord::tightness, "mean of measured / bound")};
  return fields;
}

const Fields<SpectralFacts>& json_fields(const SpectralFacts*) {
  using F = SpectralFacts;
  static const Fields<F> fields = {
      field("contraction", &F::contraction, "sigma_1 over that with all angles at zero, mean over heads"),
      field("product_norm", &F::product_norm, "sigma_1 of the products"),
      field("spectral_norm", &F::spectral_norm, "sigma_1 of the logits"),
      field("stable_rank", &F::stable_rank, "of the logits")};
  return fields;
}

const Fields<SpectrumRecord>& json_fields(const SpectrumRecord*) {
  using R = SpectrumRecord;
  const auto facts = [](const char* name, SpectralFacts R::*numbers, std::vector<double> R::*heads, const char* help) {
    return group_field(name,
                       joined_fields<R>({part_fields(numbers, fields_of<SpectralFacts>()),
                                         {field("contractions", heads, "head by head")}}),
                       help);
  };
  static const Fields<SpectrumRecord> fields = {
      facts("start", &SpectrumRecord::start, &SpectrumRecord::start_contractions, "before training"),
      facts("end", &SpectrumRecord::end, &SpectrumRecord::end_contractions, "of the trained model"),
      field("relative_r2", &SpectrumRecord::relative_r2, "what distance explains of the logits, mean over heads"),
      field("position_toeplitz", &SpectrumRecord::position_toeplitz,
            "the same of the positional Gram, weighted by what it is of the logits"),
      field("logit_interaction", &SpectrumRecord::logit_interaction,
            "share that content and offset have only together"),
      field("positional_share", &SpectrumRecord::positional_share, "of the logits' variance"),
      field("content_share", &SpectrumRecord::content_share, "likewise, of content alone").since_later(),
      field("stream_position", &SpectrumRecord::stream_position, "share of the stream's variance by position"),
      field("stream_interaction", &SpectrumRecord::stream_interaction, "by token and position only together"),
      field("stream_interaction_deviation", &SpectrumRecord::stream_interaction_deviation, "standard error of that"),
      field("inner_position", &SpectrumRecord::inner_position, "stream_position without the first layer").since_later(),
      field("inner_interaction", &SpectrumRecord::inner_interaction, "stream_interaction without the first layer")
          .since_later(),
      field("inner_interaction_deviation", &SpectrumRecord::inner_interaction_deviation, "standard error of that")
          .since_later(),
      field("gram_toeplitz", &SpectrumRecord::gram_toeplitz,
            "share of the positional Gram that distance explains, heads weighted by gram_share")
          .since_later(),
      field("gram_share", &SpectrumRecord::gram_share, "of the positional Gram in the logits' variance").since_later(),
      field("start_composition", &SpectrumRecord::start_composition,
            "before training: sigma_1 of row-centred logits over that of content alone")
          .since_later(),
      field("end_composition", &SpectrumRecord::end_composition, "the same of the trained model").since_later(),
      field("bounds", &SpectrumRecord::bounds, "theorems on the spectra").since_later()};
  return fields;
}

void write_study_spectrum(const SpectrumRecord& record, const std::filesystem::path& path, const std::string& run) {
  write_measured_file(path, kSpectrumFormat, write_json(record), run, 2);
}

SpectrumRecord read_study_spectrum(const std::filesystem::path& path, const std::string& run) {
  return read_measured_file(path, kSpectrumFormat, read_members<SpectrumRecord>, run);
}

}  // namespace phasor
