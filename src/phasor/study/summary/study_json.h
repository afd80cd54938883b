#pragma once
// summary.json: a study for programs. All that depends on the clock or on the machine stands under "times", the last
// member; two runs of one study on one kind of device are equal byte for byte in everything before it.
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/study/summary/study_summary.h"

namespace phasor {

nlohmann::ordered_json to_json(const Comparison& comparison);
nlohmann::ordered_json to_json(const StudySummary& summary);
// All but "times".
const Fields<StudySummary>& json_fields(const StudySummary*);
const Fields<RunTime>& json_fields(const RunTime*);

// A file's text: a line for every member, and for every element of members that are lists. Bytes that are no UTF-8, as
// an error message may have them, are replaced.
std::string summary_text(const nlohmann::ordered_json& json);
std::string study_json_text(const StudySummary& summary);

}  // namespace phasor
