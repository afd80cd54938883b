#include "phasor/paper/claim.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "phasor/base/error.h"
#include "phasor/paper/paper_cells.h"
#include "phasor/paper/paper_data.h"
#include "phasor/paper/strict_json.h"

namespace phasor::paper {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> protocols_from(StrictObject& claim) {
  std::vector<std::string> protocols;
  for (const Json& json : claim.list("protocols")) {
    const std::string protocol = json.is_string() ? json.get<std::string>() : json.dump();
    const bool is_known = protocol == kClean || protocol == kReleased || protocol == kAnyProtocol;
    if (!is_known) claim.refuse(fmt::format("there is no protocol {}", json.dump()));
    protocols.push_back(protocol);
  }
  return protocols;
}

std::map<std::string, double> thresholds_from(StrictObject& claim) {
  const Json& json = claim.member("thresholds");
  StrictObject object(json, claim.where() + ", thresholds");
  std::map<std::string, double> numbers;
  for (const auto& [name, value] : json.items()) numbers[name] = object.number(name);
  return numbers;
}

Claim claim_from(const Json& json, const std::string& where) {
  StrictObject object(json, where);
  Claim claim{.id = object.text("id"),
              .claim = object.text("claim"),
              .made = object.text("made"),
              .protocols = protocols_from(object),
              .holds = object.text("holds"),
              .fails = object.text("fails"),
              .evidence = object.text("evidence"),
              .numbers = thresholds_from(object)};
  object.done();
  return claim;
}

}  // namespace

double Claim::threshold(const std::string& name) const {
  const auto found = numbers.find(name);
  if (found == numbers.end()) fail("claim '{}' has no threshold '{}'", id, name);
  return found->second;
}

bool Claim::is_judged_under(const std::string& protocol) const {
  return std::find(protocols.begin(), protocols.end(), protocol) != protocols.end();
}

std::vector<Claim> parse_claims(std::string_view text, const std::string& source) {
  const Json json = parse_strict(text, source);
  StrictObject file(json, source);
  file.text("paper");
  std::vector<Claim> claims;
  std::set<std::string> ids;
  for (const Json& claim : file.list("claims")) {
    claims.push_back(claim_from(claim, fmt::format("{}, claim {}", source, claims.size() + 1)));
    const std::string& id = claims.back().id;
    if (!ids.insert(id).second) file.refuse(fmt::format("two claims are called '{}'", id));
  }
  file.done();
  return claims;
}

const std::vector<Claim>& claims() {
  static const std::vector<Claim> all = parse_claims(embedded_claims(), "claims.json");
  return all;
}

const Claim& claim(std::string_view id) {
  for (const Claim& claim : claims()) {
    if (claim.id == id) return claim;
  }
  fail("there is no claim '{}'", id);
}

std::string_view name(ClaimVerdict verdict) {
  switch (verdict) {
    case ClaimVerdict::holds:
      return "holds";
    case ClaimVerdict::fails:
      return "fails";
    case ClaimVerdict::undetermined:
      break;
  }
  return "undetermined";
}

}  // namespace phasor::paper
