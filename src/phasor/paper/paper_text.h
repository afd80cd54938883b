#pragma once
// Claims, audit and published numbers for people: at most 100 columns on a terminal, or as Markdown.
#include <string>
#include <vector>

#include "phasor/base/text_table.h"
#include "phasor/paper/audit.h"
#include "phasor/paper/claim.h"
#include "phasor/study/records/study_results.h"

namespace phasor::paper {

// Every claim with its verdict under both protocols, and why.
std::string claims_text(const std::vector<JudgedClaim>& judged, TableFormat format);

// One table for every block, with its finding; empty without blocks.
std::string audit_text(const std::vector<AuditBlock>& blocks, TableFormat format);

// Our numbers beside the published ones, as far as the study has them: accuracies (Figs. 2 and 3 and the table), k
// rotary heads (Fig. 6), heads switched off (Figs. 4, 5 and 7), removal of p (Fig. 8).
std::string published_text(const StudyResults& results, TableFormat format);

}  // namespace phasor::paper
