#pragma once
// Claims, audit and published numbers as members of summary.json.
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "phasor/paper/audit.h"
#include "phasor/paper/claim.h"
#include "phasor/paper/published.h"

namespace phasor::paper {

// [{"id", "protocol", "verdict", "reason", "needs", "claim", "made", "holds", "fails", "evidence": [...]}, ...]
nlohmann::ordered_json claims_json(const std::vector<JudgedClaim>& judged);

nlohmann::ordered_json audit_json(const std::vector<AuditBlock>& blocks);

// As in published.json, points as {"at", "low", "high", "approximate"}.
nlohmann::ordered_json published_json(const std::vector<PublishedEntry>& entries);

}  // namespace phasor::paper
