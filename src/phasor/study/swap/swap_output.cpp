// The swap of an encoding for people and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "phasor/base/json_fields.h"
#include "phasor/base/text_table.h"
#include "phasor/base/wrapped_text.h"
#include "phasor/study/summary/learned.h"
#include "phasor/study/swap/swap_evaluation.h"
#include "phasor/task/task_output.h"

namespace phasor {
namespace {

constexpr size_t kShownHeads = 6;  // at each length; --json has all

std::string length_name(const SwappedLength& length) { return fmt::format("{:g}x, {}", length.factor, length.longest); }

std::string percent(double share) { return fmt::format("{:.2f} %", 100.0 * share); }

std::string divergence_text(double divergence) {
  return std::isfinite(divergence) ? fmt::format("{:.4f}", divergence) : "infinite";
}

std::string lengths_table(const SwapEvaluation& evaluation) {
  TextTable table{
      .titles = {"length", "own", "swapped", "change", "own loss", "swapped loss", "damage", "moved", "blind"}};
  if (evaluation.whole_answers) table.titles.insert(table.titles.begin() + 4, "whole");
  for (const SwappedLength& length : evaluation.lengths) {
    const Scores& swapped = length.swapped.scores;
    const DamageSum damage = damage_of(length.damage);
    const bool measured = damage.queries > 0;
    std::vector<std::string> row = {length_name(length),
                                    "-",
                                    percent(swapped.accuracy),
                                    "-",
                                    "-",
                                    fmt::format("{:.4f}", swapped.loss),
                                    measured ? divergence_text(damage.divergence()) : "-",
                                    measured ? percent(damage.moved()) : "-",
                                    percent(blind_accuracy(length.floors))};
    if (length.own) {
      row[1] = percent(length.own->scores.accuracy);
      row[3] = fmt::format("{:+.2f}", 100.0 * (swapped.accuracy - length.own->scores.accuracy));
      row[4] = fmt::format("{:.4f}", length.own->scores.loss);
    }
    if (evaluation.whole_answers) {
      row.insert(row.begin() + 4,
                 length.own ? fmt::format("{} -> {}", percent(length.own->scores.whole), percent(swapped.whole))
                            : percent(swapped.whole));
    }
    table.rows.push_back(std::move(row));
  }
  return to_text(table, TableFormat::terminal);
}

// The heads that the swap moves most.
std::string heads_text(const SwapEvaluation& evaluation) {
  std::string text;
  for (const SwappedLength& length : evaluation.lengths) {
    if (length.damage.empty()) continue;
    std::vector<const HeadDamage*> heads;
    for (const HeadDamage& head : length.damage) heads.push_back(&head);
    std::stable_sort(heads.begin(), heads.end(), [](const HeadDamage* a, const HeadDamage* b) {
      return a->all().divergence() > b->all().divergence();
    });
    text += fmt::format("  {:<10}", length_name(length));
    for (size_t i = 0; i < std::min(kShownHeads, heads.size()); ++i) {
      text += fmt::format("  {}.{} {}", heads[i]->layer, heads[i]->head, divergence_text(heads[i]->all().divergence()));
    }
    text += "\n";
  }
  return text.empty() ? text : "\ndamage by head, the largest first (layer.head)\n" + text;
}

std::string places_table(const SwapEvaluation& evaluation) {
  TextTable damage{.titles = {"tenth"}}, accuracy{.titles = {"tenth"}};
  for (int64_t p = 1; p <= kPlaces; ++p) {
    damage.rows.push_back({fmt::format("{}", p)});
    accuracy.rows.push_back({fmt::format("{}", p)});
  }
  for (const SwappedLength& length : evaluation.lengths) {
    if (!length.damage.empty()) damage.titles.push_back(length_name(length));
    if (!length.swapped.places.empty()) accuracy.titles.push_back(length_name(length));
    for (size_t p = 0; p < static_cast<size_t>(kPlaces); ++p) {
      if (!length.damage.empty()) {
        DamageSum sum;
        for (const HeadDamage& head : length.damage) sum.add(head.places[p]);
        damage.rows[p].push_back(sum.queries > 0 ? divergence_text(sum.divergence()) : "-");
      }
      if (length.swapped.places.empty()) continue;
      const PlaceScores& swapped = length.swapped.places[p];
      const std::string own = length.own ? percent(length.own->places[p].accuracy) + " -> " : "";
      accuracy.rows[p].push_back(swapped.scored > 0 ? own + percent(swapped.accuracy) : "-");
    }
  }
  // Tenths in which nothing is read.
  std::erase_if(accuracy.rows, [](const std::vector<std::string>& row) {
    return std::all_of(row.begin() + 1, row.end(), [](const std::string& cell) { return cell == "-"; });
  });
  std::string text;
  if (damage.titles.size() > 1) {
    text += "\ndamage by the query's place in its sequence\n" + to_text(damage, TableFormat::terminal);
  }
  if (accuracy.titles.size() > 1 && accuracy.rows.size() > 1) {
    text += "\naccuracy by the place where the answer is read\n" + to_text(accuracy, TableFormat::terminal);
  }
  return text;
}

}  // namespace

std::string to_text(const SwapEvaluation& evaluation) {
  std::string text = fmt::format("trained with {} on {}, up to {} tokens; now under {}\n", evaluation.from,
                                 evaluation.task, evaluation.trained_length, evaluation.to);
  for (const std::string& note : evaluation.notes) text += wrapped(note, kTerminalColumns, 2) + "\n";
  text +=
      wrapped(fmt::format("beyond {} tokens: {}", evaluation.trained_length, evaluation.beyond), kTerminalColumns, 2) +
      "\n\n" + lengths_table(evaluation);
  for (const SwappedLength& length : evaluation.lengths) {
    if (length.own) continue;
    text += wrapped(fmt::format("own at {}: {}", length_name(length), length.own_refused), kTerminalColumns, 2) + "\n";
  }
  const bool measured = std::any_of(evaluation.lengths.begin(), evaluation.lengths.end(),
                                    [](const SwappedLength& length) { return !length.damage.empty(); });
  if (measured) {
    text += wrapped(
                "damage: KL of the trained attention from the swapped one, in nats, by the same queries and keys, "
                "over all queries and heads; moved: the share of attention that goes to other keys",
                kTerminalColumns, 2) +
            "\n";
  }
  for (const SwappedLength& length : evaluation.lengths) {
    if (length.encoding != evaluation.to && goes_by_length(evaluation.to)) {
      text += fmt::format("at {:g}x: {}\n", length.factor, length.encoding);
    }
  }
  return text + heads_text(evaluation) + places_table(evaluation);
}

static const Fields<PlaceScores>& json_fields(const PlaceScores*) {
  static const Fields<PlaceScores> fields = {field("targets", &PlaceScores::scored, "scored in that tenth"),
                                             field("accuracy", &PlaceScores::accuracy, "0 without targets"),
                                             field("loss", &PlaceScores::loss, "likewise")};
  return fields;
}

static const Fields<PlacedScores>& json_fields(const PlacedScores*) {
  using P = PlacedScores;
  static const Fields<P> fields = {
      derived_field<P>(
          "accuracy", [](const P& p) { return p.scores.accuracy; }, "share of targets"),
      derived_field<P>(
          "loss", [](const P& p) { return p.scores.loss; }, "mean over targets"),
      derived_field<P>(
          "targets", [](const P& p) { return p.scores.scored; }, "scored"),
      derived_field<P>(
          "whole", [](const P& p) { return p.scores.whole; },
          "share of sequences with every target right, where every token is read; else as `accuracy`"),
      field(
          "places", &P::places,
          "by the tenth of the sequence in which the answer is read; empty where it is read from all tokens together")};
  return fields;
}

static const Fields<HeadDamage>& json_fields(const HeadDamage*) {
  using H = HeadDamage;
  static const Fields<H> fields = {
      field("layer", &H::layer, "from 0"), field("head", &H::head, "from 0"),
      derived_field<H>(
          "divergence", [](const H& head) { return head.all().divergence(); },
          "KL(A || B) in nats, a mean over queries: A the attention under the run's own encoding, B under the new one, "
          "of the same queries and keys; null: infinite, B hides what A looks at"),
      derived_field<H>(
          "moved", [](const H& head) { return head.all().moved(); },
          "the share of attention that goes to other keys, sum of abs(A - B) / 2"),
      derived_field<H>(
          "divergence_by_tenth",
          [](const H& head) {
            std::vector<double> values;
            for (const DamageSum& place : head.places) values.push_back(place.divergence());
            return values;
          },
          "of queries in each tenth of their sequence")};
  return fields;
}

static const Fields<SwappedLength>& json_fields(const SwappedLength*) {
  using L = SwappedLength;
  static const Fields<L> fields = {
      field("factor", &L::factor, "times the training length"),
      field("longest", &L::longest, "tokens"),
      field("encoding", &L::encoding, "the new one, as it is at this length"),
      field("floors", &L::floors, "[baselines](glossary.md#baseline) at this length"),
      field("own", &L::own, "under the run's own encoding; null where that has no answer"),
      field("own_refused", &L::own_refused, "why not; empty: it has"),
      field("swapped", &L::swapped, "under the new one"),
      field("damage_samples", &L::damage_samples, "sequences that the damage was measured on"),
      field("damage", &L::damage, "to the attention of each head; empty: not measured")};
  return fields;
}

const Fields<SwapEvaluation>& json_fields(const SwapEvaluation*) {
  using S = SwapEvaluation;
  static const Fields<S> fields = {
      field("task", &S::task, "of the run"),
      field("encoding", &S::from, "that the run was trained with"),
      field("swapped_to", &S::to, "the new one, as it was asked for"),
      field("trained_length", &S::trained_length, "the longest sequence of training, in tokens"),
      field("beyond", &S::beyond, "what the new one does at positions beyond those"),
      field("notes", &S::notes, "what becomes of trained numbers, in sentences"),
      field("lengths", &S::lengths, "one after the other")};
  return fields;
}

nlohmann::ordered_json to_json(const SwapEvaluation& evaluation) { return write_json(evaluation); }

}  // namespace phasor
