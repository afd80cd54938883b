#include "phasor/paper/paper_json.h"

#include <nlohmann/json.hpp>

#include "phasor/base/json_number.h"

namespace phasor::paper {
namespace {

using Json = nlohmann::ordered_json;

Json evidence_json(const Evidence& evidence) {
  return {{"what", evidence.what},
          {"value", json_number(evidence.value)},
          {"low", json_number(evidence.low)},
          {"high", json_number(evidence.high)},
          {"unit", evidence.unit},
          {"text", evidence.text}};
}

Json judged_json(const JudgedClaim& judged) {
  const Claim& about = claim(judged.id);
  Json evidence = Json::array();
  for (const Evidence& item : judged.evidence) evidence.push_back(evidence_json(item));
  return {{"id", judged.id},
          {"protocol", judged.protocol},
          {"verdict", name(judged.verdict)},
          {"post_hoc", judged.post_hoc},
          {"reason", judged.reason},
          {"needs", judged.needs},
          {"claim", about.claim},
          {"made", about.made},
          {"holds", about.holds},
          {"fails", about.fails},
          {"evidence", std::move(evidence)}};
}

Json counts_json(const AuditCounts& counts) {
  return {{"planned", counts.planned},   {"finished", counts.finished},        {"unconverged", counts.unconverged},
          {"failed", counts.failed},     {"deposit", counts.deposit},          {"spread", counts.spread},
          {"not_used", counts.not_used}, {"undetermined", counts.undetermined}};
}

Json change_json(const std::optional<AuditChange>& change) {
  if (!change) return nullptr;
  return {{"base", json_numbers(change->base)},
          {"switched", json_numbers(change->switched)},
          {"base_mean", json_number(change->base_mean)},
          {"mean", json_number(change->mean)},
          {"change", json_number(change->change.estimate)},
          {"low", json_number(change->change.low)},
          {"high", json_number(change->change.high)},
          {"p", json_number(change->test.p)},
          {"smallest_p", json_number(change->test.smallest_p)},
          {"holm", json_number(change->holm)},
          {"significant", change->is_significant()}};
}

Json row_json(const AuditRow& row) {
  return {{"switch", row.name},
          {"what", row.what},
          {"counts", counts_json(row.counts)},
          {"ceiling", json_number(row.ceiling)},
          {"accuracy", change_json(row.accuracy)},
          {"max_share", change_json(row.max_share)}};
}

Json entry_json(const PublishedEntry& entry) {
  Json points = Json::array();
  for (const PublishedPoint& point : entry.points) {
    points.push_back({{"at", json_number(point.at)},
                      {"low", json_number(point.low)},
                      {"high", json_number(point.high)},
                      {"approximate", point.approximate}});
  }
  return {{"id", entry.id},
          {"figure", entry.figure},
          {"task", entry.task},
          {"encoding", entry.encoding},
          {"subject", entry.subject},
          {"quantity", entry.quantity},
          {"axis", entry.axis},
          {"baseline", json_number(entry.baseline)},
          {"points", std::move(points)},
          {"provenance", name(entry.provenance)},
          {"error", json_number(entry.error)},
          {"note", entry.note}};
}

}  // namespace

Json claims_json(const std::vector<JudgedClaim>& judged) {
  Json list = Json::array();
  for (const JudgedClaim& claim : judged) list.push_back(judged_json(claim));
  return list;
}

Json audit_json(const std::vector<AuditBlock>& blocks) {
  Json list = Json::array();
  for (const AuditBlock& block : blocks) {
    Json rows = Json::array();
    for (const AuditRow& row : block.rows) rows.push_back(row_json(row));
    list.push_back({{"encoding", block.encoding},
                    {"base", block.base},
                    {"finding", block.finding},
                    {"base_accuracy", json_number(block.base_accuracy)},
                    {"base_ceiling", json_number(block.base_ceiling)},
                    {"base_max_share", json_number(block.base_max_share)},
                    {"base_counts", counts_json(block.base_counts)},
                    {"switches", std::move(rows)}});
  }
  return list;
}

Json published_json(const std::vector<PublishedEntry>& entries) {
  Json list = Json::array();
  for (const PublishedEntry& entry : entries) list.push_back(entry_json(entry));
  return list;
}

}  // namespace phasor::paper
