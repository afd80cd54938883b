#include "phasor/study/carry_out/study_spectrum.h"

#include <cmath>
#include <limits>

#include "phasor/base/seal.h"
#include "phasor/spectrum/additive_states.h"
#include "phasor/study/carry_out/measured_file.h"

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

// Shares that are defined add up to 1.
bool has_shares(const HeadMeasures& head) {
  const PartShares& shares = head.shares;
  return shares.content_content + shares.mixed() + shares.positional() != 0.0;
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
double spectral_number_from(const Json& json) { return json.is_null() ? kUndefined : json.get<double>(); }

Json spectral_numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(number(value));
  return list;
}

std::vector<double> spectral_numbers_from(const Json& json) {
  std::vector<double> values;
  for (const Json& value : json) values.push_back(spectral_number_from(value));
  return values;
}

Json facts_json(const SpectralFacts& facts, const std::vector<double>& contractions) {
  return {{"contraction", number(facts.contraction)},
          {"product_norm", number(facts.product_norm)},
          {"spectral_norm", number(facts.spectral_norm)},
          {"stable_rank", number(facts.stable_rank)},
          {"contractions", spectral_numbers(contractions)}};
}

SpectralFacts facts_from(const Json& json) {
  return {.contraction = spectral_number_from(json.at("contraction")),
          .product_norm = spectral_number_from(json.at("product_norm")),
          .spectral_norm = spectral_number_from(json.at("spectral_norm")),
          .stable_rank = spectral_number_from(json.at("stable_rank"))};
}

}  // namespace

void measure_start(Session& session, SpectrumRecord& record) {
  const Batch batch = first_test_sequences(session, kSpectralSequences);
  const std::vector<HeadMeasures> heads = measure_heads(
      session.model(), batch, {.shares = false, .interaction = false, .most_sequences = kSpectralSequences});
  record.start = spectral_facts(heads);
  record.start_contractions = contractions(heads);
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
}

void write_study_spectrum(const SpectrumRecord& record, const std::filesystem::path& path, const std::string& run) {
  Json json = {{"format", kSpectrumFormat},
               {"start", facts_json(record.start, record.start_contractions)},
               {"end", facts_json(record.end, record.end_contractions)},
               {"relative_r2", number(record.relative_r2)},
               {"position_toeplitz", number(record.position_toeplitz)},
               {"logit_interaction", number(record.logit_interaction)},
               {"positional_share", number(record.positional_share)},
               {"stream_position", number(record.stream_position)},
               {"stream_interaction", number(record.stream_interaction)},
               {"stream_interaction_deviation", number(record.stream_interaction_deviation)}};
  if (!run.empty()) json["run"] = run;
  write_file_atomically(path, sealed(json.dump(2) + "\n"));
}

SpectrumRecord read_study_spectrum(const std::filesystem::path& path, const std::string& run) {
  return read_measured_file(
      path, kSpectrumFormat,
      [](const Json& json) {
        return SpectrumRecord{
            .start = facts_from(json.at("start")),
            .end = facts_from(json.at("end")),
            .start_contractions = spectral_numbers_from(json.at("start").at("contractions")),
            .end_contractions = spectral_numbers_from(json.at("end").at("contractions")),
            .relative_r2 = spectral_number_from(json.at("relative_r2")),
            .position_toeplitz = spectral_number_from(json.at("position_toeplitz")),
            .logit_interaction = spectral_number_from(json.at("logit_interaction")),
            .positional_share = spectral_number_from(json.at("positional_share")),
            .stream_position = spectral_number_from(json.at("stream_position")),
            .stream_interaction = spectral_number_from(json.at("stream_interaction")),
            .stream_interaction_deviation = spectral_number_from(json.at("stream_interaction_deviation"))};
      },
      run);
}

}  // namespace phasor
