#pragma once
// What was fixed before the first run of a study: its plan, the rules that decide, the claims that are judged. It is
// part of study.json, the file that makes a folder a study, and never changes once there are runs. A verdict that rests
// on anything else is post hoc, and says so.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "phasor/base/json_fields.h"
#include "phasor/study/plan/extension.h"
#include "phasor/study/plan/study_plan.h"

namespace phasor {

struct Registration {
  std::string date;    // UTC
  std::string commit;  // of the program that started the study
  std::string plan;    // hash of cells, settings and seeds
  std::string rules;   // hash of the rules in words, study_rules()
  std::string claims;  // hash of the claims in words; empty: the study judges none
};

const Fields<Registration>& json_fields(const Registration*);

// What a plan is registered by.
std::string plan_hash(const StudyPlan& plan);

// As if the study began today; `claims` is their text, empty where none are judged.
Registration registration_of(const StudyPlan& plan, std::string_view claims);

// `earlier` grown into `later`, today; nothing where that is no extension.
std::optional<StudyExtension> extension_of(const StudyPlan& earlier, const StudyPlan& later);

// Why verdicts made by `now` are post hoc; none where all is as it was registered, or as extensions made of that.
std::vector<std::string> post_hoc_reasons(const std::optional<Registration>& registered, const Registration& now,
                                          const std::vector<StudyExtension>& extensions = {});

// "Registered on 2026-11-18, before the first run: plan 0123456789abcdef, ... Extended on ... by seeds 5 to 9 ..." or
// "Post hoc: ...".
std::string registration_text(const std::optional<Registration>& registered, const Registration& now,
                              const std::vector<StudyExtension>& extensions = {});

}  // namespace phasor
