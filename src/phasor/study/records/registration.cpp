#include "phasor/study/records/registration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "phasor/base/content_hash.h"
#include "phasor/base/date.h"
#include "phasor/base/version.h"
#include "phasor/study/plan/plan_json.h"
#include "phasor/study/summary/study_rules.h"

namespace phasor {

const Fields<Registration>& json_fields(const Registration*) {
  static const Fields<Registration> fields = {
      field("date", &Registration::date, "UTC date of the study's start"),
      field("commit", &Registration::commit, "of the program that started it"),
      field("plan", &Registration::plan, "hash of cells, settings and seeds"),
      field("rules", &Registration::rules, "hash of the rules of comparison"),
      field("claims", &Registration::claims, "hash of the claims; empty where none are judged")};
  return fields;
}

Registration registration_of(const StudyPlan& plan, std::string_view claims) {
  return {.date = utc_date(),
          .commit = commit(),
          .plan = content_hash(registered_json(plan).dump()),
          .rules = content_hash(study_rules()),
          .claims = claims.empty() ? "" : content_hash(claims)};
}

std::vector<std::string> post_hoc_reasons(const std::optional<Registration>& registered, const Registration& now) {
  if (!registered) return {"nothing was registered before the first run"};
  std::vector<std::string> reasons;
  if (registered->plan != now.plan) reasons.emplace_back("cells, settings or seeds were changed after the first run");
  if (registered->rules != now.rules) reasons.emplace_back("the rules of comparison are not those registered");
  if (registered->claims != now.claims) reasons.emplace_back("the claims are not those registered");
  return reasons;
}

std::string registration_text(const std::optional<Registration>& registered, const Registration& now) {
  const std::vector<std::string> reasons = post_hoc_reasons(registered, now);
  if (!reasons.empty()) {
    const std::string since = registered ? fmt::format(" (registered on {})", registered->date) : "";
    return fmt::format("Post hoc: {}{}.", fmt::join(reasons, "; "), since);
  }
  const std::string claims = registered->claims.empty() ? "" : fmt::format(", claims {}", registered->claims);
  return fmt::format("Registered on {}, before the first run: plan {}, rules {}{}.", registered->date, registered->plan,
                     registered->rules, claims);
}

}  // namespace phasor
