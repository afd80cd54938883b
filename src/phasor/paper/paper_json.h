#pragma once
// Claims, audit and published numbers as members of summary.json, and claims as claims.csv.
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/paper/audit.h"
#include "phasor/paper/claim.h"
#include "phasor/paper/published.h"

namespace phasor::paper {

const Fields<JudgedClaim>& json_fields(const JudgedClaim*);
const Fields<AuditBlock>& json_fields(const AuditBlock*);
const Fields<PublishedEntry>& json_fields(const PublishedEntry*);

// A line of claims.csv.
const Fields<JudgedClaim>& claim_columns();
std::string claims_csv(const std::vector<JudgedClaim>& judged);

nlohmann::ordered_json claims_json(const std::vector<JudgedClaim>& judged);
nlohmann::ordered_json audit_json(const std::vector<AuditBlock>& blocks);
nlohmann::ordered_json published_json(const std::vector<PublishedEntry>& entries);

}  // namespace phasor::paper
