#include "phasor/study/summary/study_json.h"

#include "phasor/base/json_number.h"
#include "phasor/study/summary/cell_json.h"
#include "phasor/study/summary/comparison_text.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSummaryFormat = "phasor study summary 2";

Json rate_json(const RateChoice& choice) {
  Json trials = Json::array();
  for (const RateChoice::Trial& trial : choice.trials) {
    trials.push_back({{"id", trial.id},
                      {"rate", json_number(trial.rate)},
                      {"accuracy", json_number(trial.accuracy)},
                      {"loss", json_number(trial.loss)}});
  }
  return {{"cell", to_json(choice.cell)},
          {"rate", json_number(choice.rate)},
          {"edge", choice.edge()},
          {"trials", std::move(trials)}};
}

Json failure_json(const RunFailure& failure) {
  return {{"id", failure.id}, {"cell", to_json(failure.cell)}, {"seed", failure.seed}, {"what", failure.what}};
}

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

template <class Element, class Function>
Json list_json(const std::vector<Element>& elements, const Function& element_json) {
  Json list = Json::array();
  for (const Element& element : elements) list.push_back(element_json(element));
  return list;
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
          {"sentence", answer(comparison)}};
}

Json to_json(const StudySummary& summary) {
  const auto time_json = [](const RunTime& time) {
    return Json{{"id", time.id}, {"seconds", json_number(time.seconds)}, {"device", time.device}};
  };
  return {{"format", kSummaryFormat},
          {"study", {{"name", summary.name}, {"preset", summary.preset}}},
          {"cells", list_json(summary.cells, [](const CellSummary& cell) { return to_json(cell); })},
          {"rates", list_json(summary.rates, rate_json)},
          {"comparisons", list_json(summary.comparisons, [](const Comparison& found) { return to_json(found); })},
          {"failures", list_json(summary.failures, failure_json)},
          {"times", list_json(summary.times, time_json)}};
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
