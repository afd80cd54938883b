#pragma once
// A study as the judges of claims read it. What is dear to compute is kept: several claims ask the same.
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "phasor/ablation/encoding_verdict.h"
#include "phasor/ablation/question.h"
#include "phasor/paper/claim.h"
#include "phasor/paper/claim_sample.h"
#include "phasor/paper/paper_cells.h"
#include "phasor/spectrum/separation_table.h"
#include "phasor/study/records/study_results.h"

namespace phasor::paper {

// What the heads of a cell's converged runs say to one question.
struct HeadReading {
  std::string label;
  Lack lack;
  std::string left_out;                    // as in ClaimSample
  std::optional<EncodingVerdict> verdict;  // nothing where no converged run was asked

  bool decides() const { return lack.kind == Lack::Kind::none; }
  int64_t runs() const { return verdict ? std::ssize(verdict->seeds) : 0; }
  int64_t deposits() const { return verdict ? verdict->deposit.seeds : 0; }
  int64_t without() const { return verdict ? verdict->spread.seeds + verdict->not_used.seeds : 0; }
  // Surely (one-sided 95 %) more than the share `majority` of all runs would be DEPOSIT, or SPREAD or NOT USED.
  bool surely_deposit(double majority) const;
  bool surely_without(double majority) const;

  // "3 DEPOSIT, 1 SPREAD, 0 NOT USED, 1 UNDETERMINED of 5 runs"
  std::string counts_text() const;
};

class ClaimStudy {
 public:
  ClaimStudy(const StudyResults& results, std::function<SeparationTable()> separation)
      : results_(results), make_separation_(std::move(separation)) {}

  const StudyResults& results() const { return results_; }
  // kClean and kReleased, as far as it has cells of them.
  std::vector<std::string> protocols() const;

  ClaimSample sample(const std::string& encoding, const std::string& task, const std::string& protocol,
                     const std::string& what, const RunNumber& number) const;
  HeadReading heads(const std::string& encoding, const std::string& task, const std::string& protocol,
                    Question question);
  HeadReading heads(const CellName& cell, const std::string& label, Question question);
  const SeparationTable& separation();

 private:
  const StudyResults& results_;
  std::function<SeparationTable()> make_separation_;
  std::map<std::pair<std::string, Question>, std::optional<EncodingVerdict>> verdicts_;  // by the cell's text
  std::optional<SeparationTable> separation_;
};

}  // namespace phasor::paper
