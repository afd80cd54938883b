#pragma once
// A study's plan as study.json.
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/study/plan/study_plan.h"

namespace phasor {

// Of study.json beside the plan: records/registration.h.
inline constexpr const char* kRegisteredMember = "registered";
inline constexpr const char* kExtensionsMember = "extensions";  // plan/extension.h; absent where there are none
// What is not registered: nobody knows less of what a study decides because it calls things by another name.
inline constexpr const char* kPlanTitle = "title";
inline constexpr const char* kPlanNames = "names";

const Fields<StudyPlan>& json_fields(const StudyPlan*);
nlohmann::ordered_json to_json(const RunMeasures& measures);
nlohmann::ordered_json to_json(const StudyPlan& plan);
nlohmann::ordered_json registered_json(const StudyPlan& plan);  // what a registration is the hash of

// Throws FormatError that starts with `file`.
StudyPlan plan_from_json(std::string_view text, std::string_view file);

}  // namespace phasor
