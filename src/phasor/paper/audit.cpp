#include "phasor/paper/audit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "phasor/base/special_numbers.h"
#include "phasor/paper/claim_difference.h"
#include "phasor/paper/paper_cells.h"
#include "phasor/statistics/multiplicity.h"
#include "phasor/statistics/summary.h"
#include "phasor/study/summary/compared_number.h"
#include "phasor/study/summary/comparison_text.h"

namespace phasor::paper {
namespace {

constexpr size_t kFewestValues = 2;

using AuditedNumber = double (*)(const RunRecord&);

double accuracy_of(const RunRecord& run) { return 100.0 * run.test_accuracy; }

double max_share_of(const RunRecord& run) {
  return value_of(run, {ComparedQuantity::position_max_share}).value_or(kNaN);
}

std::vector<double> values_of(const CellRuns& cell, AuditedNumber number) {
  std::vector<double> values;
  for (const RunRecord& run : cell.runs) {
    const double value = number(run);
    if (std::isfinite(value)) values.push_back(value);
  }
  return values;
}

std::optional<double> mean_of(const std::vector<double>& values) {
  return values.empty() ? std::nullopt : std::optional(statistics::mean(values));
}

void count_verdict(Deposit verdict, AuditCounts& counts) {
  switch (verdict) {
    case Deposit::deposit:
      ++counts.deposit;
      return;
    case Deposit::partial:
      ++counts.partial;
      return;
    case Deposit::spread:
      ++counts.spread;
      return;
    case Deposit::not_used:
      ++counts.not_used;
      return;
    case Deposit::undetermined:
      ++counts.undetermined;
      return;
  }
}

AuditCounts counts_of(const CellRuns& cell) {
  AuditCounts counts{.planned = cell.planned, .finished = std::ssize(cell.runs), .failed = std::ssize(cell.failures)};
  for (const RunRecord& run : cell.runs) {
    if (!run.converged) ++counts.unconverged;
    if (run.ablation && run.ablation->position) count_verdict(run.ablation->position->judged.run.verdict, counts);
  }
  return counts;
}

std::optional<AuditChange> change_of(const CellRuns& base, const CellRuns& switched, AuditedNumber number) {
  AuditChange change{.base = values_of(base, number), .switched = values_of(switched, number)};
  if (std::min(change.base.size(), change.switched.size()) < kFewestValues) return std::nullopt;
  change.base_mean = statistics::mean(change.base);
  change.mean = statistics::mean(change.switched);
  change.change = statistics::mean_difference(change.switched, change.base);
  change.test = statistics::permute_two_samples(change.switched, change.base);
  return change;
}

using RowChange = std::optional<AuditChange> AuditRow::*;

// A switch whose number is missing counts with p = 1, so that the correction does not depend on how runs came out.
void adjust_rows(std::vector<AuditRow>& rows, RowChange number) {
  std::vector<double> p;
  p.reserve(rows.size());
  for (const AuditRow& row : rows) p.push_back(row.*number ? (row.*number)->test.p : 1.0);
  const std::vector<double> adjusted = statistics::holm(p);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].*number) (rows[i].*number)->holm = adjusted[i];
  }
}

std::string change_sentence(const AuditRow& row, const AuditChange& change, const char* unit) {
  return fmt::format("{} by {} (95 % {} to {})", row.name, signed_figure(change.change.estimate, unit),
                     bare_figure(change.change.low, unit), bare_figure(change.change.high, unit));
}

// "accuracy is changed by keys_values by +21.3 points (95 % +15.0 to +27.6), ...", or that of the largest estimate and
// that it is not significant.
std::string moved(const std::vector<AuditRow>& rows, RowChange number, const char* what, const char* unit) {
  std::vector<const AuditRow*> measured;
  for (const AuditRow& row : rows) {
    if (row.*number) measured.push_back(&row);
  }
  if (measured.empty()) return "";
  const auto size = [&](const AuditRow* row) { return std::abs((row->*number)->change.estimate); };
  std::stable_sort(measured.begin(), measured.end(),
                   [&](const AuditRow* a, const AuditRow* b) { return size(a) > size(b); });
  std::vector<std::string> sure;
  for (const AuditRow* row : measured) {
    if ((row->*number)->is_significant()) sure.push_back(change_sentence(*row, *(row->*number), unit));
  }
  if (!sure.empty()) return fmt::format("{} is changed by {}", what, fmt::join(sure, ", "));
  if (size(measured.front()) == 0.0) return fmt::format("{} is changed by no switch", what);
  const AuditChange& change = *(measured.front()->*number);
  const double best = std::min(1.0, change.test.smallest_p * static_cast<double>(rows.size()));
  return fmt::format("{} is changed by no switch significantly, most by {}, p = {} after Holm (at best {})", what,
                     change_sentence(*measured.front(), change, unit), p_text(change.holm), p_text(best));
}

std::optional<double> ceiling_of(const CellRuns& cell) {
  if (cell.runs.empty() || !(cell.runs.front().floors.ceiling > 0.0)) return std::nullopt;
  return 100.0 * cell.runs.front().floors.ceiling;
}

AuditBlock block_of(const StudyResults& results, const std::string& encoding, const std::string& base) {
  AuditBlock block{.encoding = encoding, .base = base};
  const CellRuns* base_cell = results.find(audit_base_cell(encoding, base));
  if (base_cell == nullptr) return block;
  block.base_counts = counts_of(*base_cell);
  block.base_accuracy = mean_of(values_of(*base_cell, accuracy_of));
  block.base_max_share = mean_of(values_of(*base_cell, max_share_of));
  block.base_ceiling = ceiling_of(*base_cell);
  for (const Confound& confound : confounds()) {
    const CellRuns* cell = results.find(audit_cell(encoding, base, confound));
    if (cell == nullptr) continue;
    block.rows.push_back({.name = confound.name,
                          .what = confound.what,
                          .counts = counts_of(*cell),
                          .ceiling = ceiling_of(*cell),
                          .accuracy = change_of(*base_cell, *cell, accuracy_of),
                          .max_share = change_of(*base_cell, *cell, max_share_of)});
  }
  if (block.rows.empty()) return block;
  adjust_rows(block.rows, &AuditRow::accuracy);
  adjust_rows(block.rows, &AuditRow::max_share);
  const std::string accuracy = moved(block.rows, &AuditRow::accuracy, "accuracy", "points");
  const std::string share = moved(block.rows, &AuditRow::max_share, "the largest share of a head", "");
  if (accuracy.empty()) {
    block.finding = fmt::format("{}, {} but for one choice: not measured yet.", encoding, base);
  } else {
    block.finding = fmt::format("{}, {} but for one choice: {}; {}.", encoding, base, accuracy,
                                share.empty() ? "no runs with shares of heads on both sides" : share);
  }
  return block;
}

}  // namespace

bool AuditChange::is_significant() const { return holm <= kClaimLevel && (change.low > 0.0 || change.high < 0.0); }

std::vector<AuditBlock> audit(const StudyResults& results) {
  std::vector<AuditBlock> blocks;
  for (const std::string& encoding : audited_encodings()) {
    for (const char* base : {kReleased, kClean}) {
      AuditBlock block = block_of(results, encoding, base);
      if (!block.rows.empty()) blocks.push_back(std::move(block));
    }
  }
  return blocks;
}

}  // namespace phasor::paper
