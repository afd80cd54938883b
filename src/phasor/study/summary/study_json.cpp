#include "phasor/study/summary/study_json.h"

#include "phasor/base/json_fields.h"
#include "phasor/base/json_number.h"
#include "phasor/study/summary/cell_json.h"
#include "phasor/study/summary/comparison_text.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSummaryFormat = "phasor study summary 2";

Json side_json(const ComparedCell& side) {
  return {{"cell", to_json(side.cell)},
          {"values", json_numbers(side.values)},
          {"mean", json_number(side.mean)},
          {"variance_floor", json_number(side.variance_floor)},
          {"unconverged", side.unconverged},
          {"never", side.never},
          {"failed", side.failed},
          {"unmeasured", side.unmeasured},
          {"mixed", side.mixed}};
}

Json difference_json(const std::optional<statistics::MeanDifference>& difference) {
  if (!difference) return nullptr;
  return {{"value", json_number(difference->difference)},
          {"low", json_number(difference->low)},
          {"high", json_number(difference->high)},
          {"freedom", json_number(difference->freedom)},
          {"p", json_number(difference->p)},
          {"degenerate", difference->degenerate}};
}

Json test_json(const std::optional<statistics::PermutationTest>& test) {
  if (!test) return nullptr;
  return {{"p", json_number(test->p)},
          {"smallest_p", json_number(test->smallest_p)},
          {"exact", test->exact},
          {"arrangements", test->arrangements},
          {"p_low", json_number(test->p_range.low)},
          {"p_high", json_number(test->p_range.high)}};
}

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string lines(const Json& list) {
  std::string text = "[";
  for (const Json& element : list) text += (text.size() == 1 ? "\n  " : ",\n  ") + dump(element);
  return text + "\n ]";
}

}  // namespace

Json to_json(const Comparison& comparison) {
  return {{"number", name(comparison.number)},
          {"title", title(comparison.number)},
          {"first", side_json(comparison.first)},
          {"second", side_json(comparison.second)},
          {"difference", difference_json(comparison.difference)},
          {"margin", json_number(comparison.margin)},
          {"reading", statistics::name(comparison.reading)},
          {"significant", comparison.significant()},
          {"p_holm", json_number(comparison.holm)},
          {"family", comparison.family},
          {"permutation", test_json(comparison.test)},
          {"disputed", comparison.disputed()},
          {"without_unconverged", json_number(comparison.turned)},
          {"extension", comparison.extension()},
          {"post_hoc", comparison.post_hoc},
          {"sentence", answer(comparison)}};
}

static const Fields<RateChoice::Trial>& json_fields(const RateChoice::Trial*) {
  using T = RateChoice::Trial;
  static const Fields<T> fields = {field("id", &T::id, "of the run"),
                                   field("rate", &T::rate, "that it was trained with"),
                                   field("accuracy", &T::accuracy, "on the validation set; null: the run failed"),
                                   field("loss", &T::loss, "likewise")};
  return fields;
}

static const Fields<RateChoice>& json_fields(const RateChoice*) {
  using R = RateChoice;
  static const Fields<R> fields = {
      field("cell", &R::cell, "that it was chosen for"), field("rate", &R::rate, "the best on the validation set"),
      derived_field<R>("edge", &R::edge, "`highest` or `lowest` of those tried, or empty: a better one may lie beyond"),
      field("trials", &R::trials, "one run for every rate")};
  return fields;
}

static const Fields<RunFailure>& json_fields(const RunFailure*) {
  using F = RunFailure;
  static const Fields<F> fields = {field("id", &F::id, "of the run"), field("cell", &F::cell, "that it is part of"),
                                   field("seed", &F::seed, "of the run"), field("what", &F::what, "went wrong")};
  return fields;
}

const Fields<RunTime>& json_fields(const RunTime*) {
  using T = RunTime;
  static const Fields<T> fields = {field("id", &T::id, "of the run"), field("seconds", &T::seconds, "of training"),
                                   field("device", &T::device, "in words")};
  return fields;
}

const Fields<StudySummary>& json_fields(const StudySummary*) {
  using S = StudySummary;
  const auto comparisons = [](const S& summary) {
    Json list = Json::array();
    for (const Comparison& comparison : summary.comparisons) list.push_back(to_json(comparison));
    return list;
  };
  static const Fields<S> fields = {
      group_field<S>("study",
                     {field("name", &S::name, "as the report shows it"), field("preset", &S::preset, "its name")},
                     "which one"),
      derived_field<S>("labels", &S::labels, "of encodings that are not called as they are written"),
      field("cells", &S::cells, "in the plan's order"),
      field("rates", &S::rates, "how learning rates were chosen"),
      json_field<S>("comparisons", "list of objects", comparisons, "the planned ones, see below"),
      field("failures", &S::failures, "runs that failed")};
  return fields;
}

Json to_json(const StudySummary& summary) {
  Json json = {{"format", kSummaryFormat}};
  json.update(write_json(summary));
  json["times"] = write_json(summary.times);
  return json;
}

std::string summary_text(const Json& json) {
  std::string text = "{";
  for (const auto& [key, value] : json.items()) {
    text += (text.size() == 1 ? "\n " : ",\n ") + dump(key) + ": ";
    text += value.is_array() && !value.empty() ? lines(value) : dump(value);
  }
  return text + "\n}\n";
}

std::string study_json_text(const StudySummary& summary) { return summary_text(to_json(summary)); }

}  // namespace phasor
