#include "phasor/paper/claim_study.h"

#include <fmt/format.h>

#include <algorithm>

#include "phasor/base/special_numbers.h"
#include "phasor/statistics/proportion.h"
#include "phasor/study/summary/compared_number.h"

namespace phasor::paper {
namespace {

bool is_above(double share, int64_t count, int64_t runs) {
  return runs > 0 && statistics::clopper_pearson_lower(count, runs) > share;
}

std::optional<EncodingVerdict> verdict_of(const std::vector<const RunRecord*>& runs, Question question) {
  std::vector<SeedRun> asked;
  for (const RunRecord* run : runs) {
    if (run->ablation && run->ablation->record(question)) asked.push_back(run->ablation->record(question)->judged);
  }
  if (asked.empty()) return std::nullopt;
  return judge_encoding(asked);
}

}  // namespace

double largest_share_of(const RunRecord& run) {
  return value_of(run, {ComparedQuantity::position_max_share}).value_or(kNaN);
}

bool HeadReading::mostly_deposit(double majority) const { return is_above(majority, deposits(), runs()); }

bool HeadReading::mostly_without(double majority) const { return is_above(majority, without(), runs()); }

std::string HeadReading::counts_text() const {
  if (!verdict) return "no run was asked";
  return fmt::format("{} DEPOSIT, {} PARTIAL, {} SPREAD, {} NOT USED, {} UNDETERMINED of {} runs",
                     verdict->deposit.seeds, verdict->partial.seeds, verdict->spread.seeds, verdict->not_used.seeds,
                     verdict->undetermined.seeds, runs());
}

std::vector<std::string> ClaimStudy::protocols() const {
  const auto has = [&](const std::string& protocol) {
    return std::any_of(results_.cells.begin(), results_.cells.end(),
                       [&](const CellRuns& cell) { return cell.cell.protocol == protocol; });
  };
  std::vector<std::string> found;
  if (has(kClean)) found.emplace_back(kClean);
  if (has(kReleased) || has(kReleasedMla)) found.emplace_back(kReleased);
  return found;
}

ClaimSample ClaimStudy::accuracy(const std::string& encoding, const std::string& task, const std::string& protocol,
                                 const std::string& variant) const {
  return accuracy_sample(results_, cell_of(paper_encoding(encoding), task, protocol, variant), encoding);
}

ClaimSample ClaimStudy::largest_share(const std::string& encoding, const std::string& task,
                                      const std::string& protocol) const {
  return sample(encoding, task, protocol, "largest share of a head", largest_share_of);
}

ClaimSample ClaimStudy::sample(const std::string& encoding, const std::string& task, const std::string& protocol,
                               const std::string& what, const RunNumber& number) const {
  return claim_sample(results_, cell_of(paper_encoding(encoding), task, protocol), encoding, what, number);
}

HeadReading ClaimStudy::heads(const std::string& encoding, const std::string& task, const std::string& protocol,
                              Question question) {
  return heads(cell_of(paper_encoding(encoding), task, protocol), encoding, question);
}

HeadReading ClaimStudy::heads(const CellName& cell, const std::string& label, Question question) {
  const auto key = std::pair(text(cell), question);
  auto found = verdicts_.find(key);
  if (found == verdicts_.end()) {
    found = verdicts_.emplace(key, verdict_of(finished_runs(results_, cell), question)).first;
  }
  HeadReading reading{.label = label, .verdict = found->second};
  const CellRuns* runs = results_.find(cell);
  reading.lack =
      lack_of(runs, cell, label, fmt::format("ablation by {}", name(question)), static_cast<size_t>(reading.runs()));
  reading.notes = notes_on(runs, label);
  return reading;
}

const SeparationTable& ClaimStudy::separation() {
  if (!separation_) separation_ = make_separation_();
  return *separation_;
}

}  // namespace phasor::paper
