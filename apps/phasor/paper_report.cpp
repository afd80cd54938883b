#include "paper_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "phasor/paper/audit.h"
#include "phasor/paper/judge_claims.h"
#include "phasor/paper/paper_json.h"
#include "phasor/paper/paper_text.h"
#include "phasor/paper/published.h"
#include "phasor/study/study_json.h"
#include "phasor/study/study_text.h"
#include "study_report.h"

namespace phasor::app {
namespace {

// Verdicts first: what one came for.
std::string whole_text(const StudyResults& results, const StudySummary& summary,
                       const std::vector<paper::JudgedClaim>& claims, const std::vector<paper::AuditBlock>& audit,
                       TableFormat format) {
  return paper::claims_text(claims, format) + "\n" + paper::audit_text(audit, format) + "\n" +
         paper::published_text(results, format) + "\n" + study_text(summary, format);
}

}  // namespace

void report_paper(const StudyFolder& folder, const StudyResults& results, bool as_json) {
  const StudySummary summary = summarize(results);
  const std::vector<paper::JudgedClaim> claims = paper::judge_claims(results);
  const std::vector<paper::AuditBlock> audit = paper::audit(results);
  nlohmann::ordered_json extra = {{"claims", paper::claims_json(claims)},
                                  {"audit", paper::audit_json(audit)},
                                  {"published", paper::published_json(paper::published())}};
  const std::string json = summary_json(summary, extra);
  write_summary(folder, results, json,
                provenance_text() + whole_text(results, summary, claims, audit, TableFormat::markdown));
  if (as_json) {
    fmt::print("{}", json);
    return;
  }
  fmt::print("{}\nwritten: {}/summary.json, .csv, .md\n",
             whole_text(results, summary, claims, audit, TableFormat::terminal), folder.path().string());
}

}  // namespace phasor::app
