#pragma once
// Answers and oddities for people and for programs: the same strings in both.
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/base/text_table.h"
#include "phasor/report/answers.h"
#include "phasor/report/oddities.h"

namespace phasor {

const Fields<Answer>& json_fields(const Answer*);
const Fields<Oddity>& json_fields(const Oddity*);
nlohmann::ordered_json answers_json(const std::vector<Answer>& answers);
nlohmann::ordered_json oddities_json(const std::vector<Oddity>& oddities);

// "Answers" and "What is odd", one line each; empty without answers.
std::string conclusions_text(const std::vector<Answer>& answers, const std::vector<Oddity>& oddities,
                             TableFormat format);

}  // namespace phasor
