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

// What the heads of a cell's finished runs say to one question.
struct HeadReading {
  std::string label;
  Lack lack;
  std::string notes;                       // as in ClaimSample
  std::optional<EncodingVerdict> verdict;  // nothing where no run was asked

  bool decides() const { return lack.kind == Lack::Kind::none; }
  int64_t runs() const { return verdict ? std::ssize(verdict->seeds) : 0; }
  int64_t deposits() const { return verdict ? verdict->deposit.seeds : 0; }
  // Neither one head nor spread is an answer too, and no deposit.
  int64_t without() const {
    return verdict ? verdict->partial.seeds + verdict->spread.seeds + verdict->not_used.seeds : 0;
  }
  // More than the share `majority` of all runs would be DEPOSIT, or have none, by an exact one-sided bound of 95 %.
  bool mostly_deposit(double majority) const;
  bool mostly_without(double majority) const;

  // "3 DEPOSIT, 0 PARTIAL, 1 SPREAD, 0 NOT USED, 1 UNDETERMINED of 5 runs"
  std::string counts_text() const;
};

// Largest share of a head in its layer's positional drops; NaN at the floor and where the layer is not used.
double largest_share_of(const RunRecord& run);

class ClaimStudy {
 public:
  ClaimStudy(const StudyResults& results, std::function<SeparationTable()> separation)
      : results_(results), make_separation_(std::move(separation)) {}

  const StudyResults& results() const { return results_; }
  // kClean and kReleased, as far as it has cells of them.
  std::vector<std::string> protocols() const;

  // Test accuracy, %.
  ClaimSample accuracy(const std::string& encoding, const std::string& task, const std::string& protocol,
                       const std::string& variant = "") const;
  // largest_share_of() the runs.
  ClaimSample largest_share(const std::string& encoding, const std::string& task, const std::string& protocol) const;
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
