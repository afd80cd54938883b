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

namespace {

// Each extension made of the plan before it.
bool led_to(std::string plan, const std::vector<StudyExtension>& extensions, const std::string& now) {
  for (const StudyExtension& extension : extensions) {
    if (extension.before != plan) return false;
    plan = extension.after;
  }
  return plan == now;
}

std::string extensions_text(const std::vector<StudyExtension>& extensions) {
  std::vector<std::string> parts;
  parts.reserve(extensions.size());
  for (const StudyExtension& extension : extensions) {
    parts.push_back(fmt::format("on {} by {} (commit {})", extension.date, extension.what, extension.commit));
  }
  return fmt::format("Extended {}", fmt::join(parts, ", "));
}

}  // namespace

std::string plan_hash(const StudyPlan& plan) { return content_hash(registered_json(plan).dump()); }

Registration registration_of(const StudyPlan& plan, std::string_view claims) {
  return {.date = utc_date(),
          .commit = commit(),
          .plan = plan_hash(plan),
          .rules = content_hash(study_rules()),
          .claims = claims.empty() ? "" : content_hash(claims)};
}

std::optional<StudyExtension> extension_of(const StudyPlan& earlier, const StudyPlan& later) {
  std::vector<ExtendedCell> added = added_cells(earlier, later);
  if (added.empty()) return std::nullopt;
  StudyExtension extension{.date = utc_date(),
                           .commit = commit(),
                           .before = plan_hash(earlier),
                           .after = plan_hash(later),
                           .what = extension_words(earlier, added)};
  extension.added = std::move(added);
  return extension;
}

std::vector<std::string> post_hoc_reasons(const std::optional<Registration>& registered, const Registration& now,
                                          const std::vector<StudyExtension>& extensions) {
  if (!registered) return {"nothing was registered before the first run"};
  std::vector<std::string> reasons;
  if (!led_to(registered->plan, extensions, now.plan)) {
    reasons.emplace_back("cells, settings or seeds were changed after the first run");
  }
  if (registered->rules != now.rules) reasons.emplace_back("the rules of comparison are not those registered");
  if (registered->claims != now.claims) reasons.emplace_back("the claims are not those registered");
  return reasons;
}

std::string registration_text(const std::optional<Registration>& registered, const Registration& now,
                              const std::vector<StudyExtension>& extensions) {
  const std::vector<std::string> reasons = post_hoc_reasons(registered, now, extensions);
  if (!reasons.empty()) {
    const std::string since = registered ? fmt::format(" (registered on {})", registered->date) : "";
    const std::string extended = extensions.empty() ? "" : " " + extensions_text(extensions) + ".";
    return fmt::format("Post hoc: {}{}.{}", fmt::join(reasons, "; "), since, extended);
  }
  const std::string claims = registered->claims.empty() ? "" : fmt::format(", claims {}", registered->claims);
  std::string text = fmt::format("Registered on {}, before the first run: plan {}, rules {}{}.", registered->date,
                                 registered->plan, registered->rules, claims);
  if (extensions.empty()) return text;
  return fmt::format("{} {}: plan {}. What rests on runs that were added is marked as extension.", text,
                     extensions_text(extensions), now.plan);
}

}  // namespace phasor
