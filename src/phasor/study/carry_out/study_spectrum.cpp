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

struct StoredFacts {
  SpectralFacts facts;
  std::vector<double> contractions;
};

const Fields<StoredFacts>& json_fields(const StoredFacts*) {
  const auto fact = [](const char* name, double SpectralFacts::*member, const char* help) {
    return Field<StoredFacts>{
        .name = name,
        .type = "number",
        .help = help,
        .write = [member](const StoredFacts& stored) { return write_json(stored.facts.*member); },
        .read = [member](StoredFacts& stored, const Json& json,
                         const JsonPath& path) { stored.facts.*member = read_json<double>(json, path); }};
  };
  static const Fields<StoredFacts> fields = {
      fact("contraction", &SpectralFacts::contraction, "sigma_1 over that with all angles at zero, mean over heads"),
      fact("product_norm", &SpectralFacts::product_norm, "sigma_1 of the products"),
      fact("spectral_norm", &SpectralFacts::spectral_norm, "sigma_1 of the logits"),
      fact("stable_rank", &SpectralFacts::stable_rank, "of the logits"),
      field("contractions", &StoredFacts::contractions, "head by head")};
  return fields;
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
  record.content_share =
      mean_where(heads, has_shares, [](const HeadMeasures& head) { return head.shares.content_content; });
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

static const Fields<SpectrumRecord>& json_fields(const SpectrumRecord*) {
  const auto facts = [](const char* name, SpectralFacts SpectrumRecord::*numbers,
                        std::vector<double> SpectrumRecord::*heads, const char* help) {
    return Field<SpectrumRecord>{.name = name,
                                 .type = "object",
                                 .help = help,
                                 .write =
                                     [=](const SpectrumRecord& record) {
                                       return write_json(StoredFacts{record.*numbers, record.*heads});
                                     },
                                 .read =
                                     [=](SpectrumRecord& record, const Json& json, const JsonPath& path) {
                                       StoredFacts stored = read_json<StoredFacts>(json, path);
                                       record.*numbers = stored.facts;
                                       record.*heads = std::move(stored.contractions);
                                     }};
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
      field("stream_interaction_deviation", &SpectrumRecord::stream_interaction_deviation, "standard error of that")};
  return fields;
}

void write_study_spectrum(const SpectrumRecord& record, const std::filesystem::path& path, const std::string& run) {
  write_measured_file(path, kSpectrumFormat, write_json(record), run, 2);
}

SpectrumRecord read_study_spectrum(const std::filesystem::path& path, const std::string& run) {
  return read_measured_file(path, kSpectrumFormat, read_members<SpectrumRecord>, run);
}

}  // namespace phasor
