#include "phasor/study/swap/swap_evaluation.h"

#include <fmt/format.h>

#include <cmath>
#include <deque>

#include "phasor/base/cancellation.h"
#include "phasor/base/error.h"
#include "phasor/encoding/beyond.h"

namespace phasor {
namespace {

constexpr int64_t kFloorSamples = 20000;
constexpr int64_t kDamageBatch = 4;  // sequences whose logits are held at once

// Sums over targets, tenth by tenth.
class PlaceSums {
 public:
  explicit PlaceSums(Readout readout) : readout_(readout) {}

  void add(Transformer& model, const Batch& batch) {
    if (readout_ == Readout::mean) return;
    const int64_t rows = readout_ == Readout::every ? batch.token_count() : batch.sequence_count();
    const std::vector<float> logits = model.class_logits(rows);
    const auto classes = static_cast<int64_t>(logits.size()) / rows;
    for (int64_t s = 0; s < batch.sequence_count(); ++s) {
      const int64_t first = batch.offsets[static_cast<size_t>(s)];
      const int64_t length = batch.offsets[static_cast<size_t>(s) + 1] - first;
      if (readout_ == Readout::token) {
        const int64_t place = batch.places[static_cast<size_t>(s)];
        const int64_t token = place < 0 ? length + place : place;
        add_target(&logits[static_cast<size_t>(s * classes)], classes, batch.targets[static_cast<size_t>(s)],
                   place_of_token(token, length));
        continue;
      }
      for (int64_t t = 0; t < length; ++t) {
        add_target(&logits[static_cast<size_t>((first + t) * classes)], classes,
                   batch.targets[static_cast<size_t>(first + t)], place_of_token(t, length));
      }
    }
  }

  std::vector<PlaceScores> means() const {
    if (readout_ == Readout::mean) return {};
    std::vector<PlaceScores> result(sums_.begin(), sums_.end());
    for (PlaceScores& place : result) {
      if (place.scored == 0) continue;
      place.loss /= static_cast<double>(place.scored);
      place.accuracy /= static_cast<double>(place.scored);
    }
    return result;
  }

 private:
  void add_target(const float* logits, int64_t classes, int32_t target, int64_t place) {
    if (target == kNotScored) return;
    int64_t best = 0;
    for (int64_t c = 1; c < classes; ++c) {
      if (logits[c] > logits[best]) best = c;
    }
    const double most = static_cast<double>(logits[best]);
    double sum = 0.0;
    for (int64_t c = 0; c < classes; ++c) sum += std::exp(static_cast<double>(logits[c]) - most);
    PlaceScores& sums = sums_[static_cast<size_t>(place)];
    ++sums.scored;
    sums.loss += most + std::log(sum) - static_cast<double>(logits[target]);
    if (best == target) sums.accuracy += 1.0;
  }

  Readout readout_;
  std::array<PlaceScores, kPlaces> sums_{};
};

void fill_batch(Batch& batch, const Dataset& data, int64_t first, int64_t count) {
  batch.clear();
  for (int64_t i = first; i < std::min(data.size(), first + count); ++i) data.append_to(batch, i);
  batch.finish();
}

void require_finite(const PlacedScores& scores, const std::string& encoding) {
  if (std::isfinite(scores.scores.loss)) return;
  fail("the loss under {} is not finite: the weights are damaged, or the encoding leaves no numbers to work with",
       encoding);
}

std::vector<HeadDamage> measure_damage(Transformer& own, Transformer& swapped, const Dataset& data) {
  AttentionDamage damage;
  Batch batch;
  for (int64_t first = 0; first < data.size(); first += kDamageBatch) {
    stop_if_cancelled();
    fill_batch(batch, data, first, kDamageBatch);
    damage.add(own, swapped, batch);
  }
  return damage.heads();
}

// The run's own encoding at a length; nothing where it has no answer.
class OwnEncoding {
 public:
  OwnEncoding(Session& session, double factor) {
    try {
      evaluation_.emplace(session, factor);
    } catch (const UsageError& error) {
      refused_ = error.what();
    }
  }

  const LengthEvaluation* get() const { return evaluation_ ? &*evaluation_ : nullptr; }
  const std::string& refused() const { return refused_; }

 private:
  std::optional<LengthEvaluation> evaluation_;
  std::string refused_;
};

SwappedLength evaluate_length(const LengthEvaluation& swapped, const OwnEncoding& own, const SwapOptions& options) {
  const RunConfig& config = swapped.config();
  SwappedLength result{.factor = swapped.factor(),
                       .longest = swapped.longest(),
                       .encoding = config.model.encoding,
                       .own_refused = own.refused()};
  if (options.floors) result.floors = measure_floors(swapped.task(), kFloorSamples);
  const Dataset data = swapped.make_samples(options.samples);
  const std::unique_ptr<Transformer> model = swapped.make_model();
  result.swapped = placed_scores(*model, data, config.train.batch);
  require_finite(result.swapped, config.model.encoding);
  if (own.get() == nullptr) return result;
  if (!options.own && options.damage_samples == 0) return result;
  const std::unique_ptr<Transformer> trained = own.get()->make_model();
  if (options.own) {
    result.own = placed_scores(*trained, data, config.train.batch);
    require_finite(*result.own, own.get()->config().model.encoding);
  }
  if (options.damage_samples == 0) return result;
  const Dataset few = swapped.make_samples(std::min(options.damage_samples, data.size()));
  result.damage = measure_damage(*trained, *model, few);
  result.damage_samples = few.size();
  return result;
}

}  // namespace

PlacedScores placed_scores(Transformer& model, const Dataset& data, int64_t batch_size) {
  const bool chooses = model.config().answer == AnswerKind::choice;
  PlaceSums places(chooses ? model.config().readout : Readout::mean);
  BatchResult sum;
  Batch batch;
  for (int64_t first = 0; first < data.size(); first += batch_size) {
    stop_if_cancelled();
    fill_batch(batch, data, first, batch_size);
    const BatchResult found = model.evaluate(batch);
    sum.loss += found.loss;
    sum.correct += found.correct;
    sum.scored += found.scored;
    sum.whole_correct += found.whole_correct;
    sum.answers += found.answers;
    places.add(model, batch);
  }
  return {.scores = scores_of(sum), .places = places.means()};
}

SwapEvaluation evaluate_swap(Session& session, const std::string& expression, const SwapOptions& options) {
  const RunConfig& config = session.config();
  std::deque<LengthEvaluation> swapped;
  std::deque<OwnEncoding> own;
  for (const double factor : options.factors) {
    swapped.emplace_back(session, factor, expression, options.run);
    own.emplace_back(session, factor);
  }
  SwapEvaluation result{.task = config.task,
                        .from = config.model.encoding,
                        .to = expression,
                        .whole_answers = config.model.readout == Readout::every,
                        .trained_length = config.model.max_length};
  if (swapped.empty()) return result;
  result.beyond = beyond_words(swapped.back().config().model.encoding);
  result.notes = swap_notes(swapped.back().swap());
  if (own.front().get() != nullptr && !swapped.front().adds_alike(*own.front().get())) {
    result.notes.emplace_back(
        "what is added to the embeddings changes; attention damage does not see it, since it takes "
        "queries and keys as they were");
  }
  for (size_t i = 0; i < swapped.size(); ++i) result.lengths.push_back(evaluate_length(swapped[i], own[i], options));
  return result;
}

DamageSum damage_of(const std::vector<HeadDamage>& heads) {
  DamageSum sum;
  for (const HeadDamage& head : heads) sum.add(head.all());
  return sum;
}

}  // namespace phasor
