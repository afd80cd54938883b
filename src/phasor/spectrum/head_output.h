#pragma once
// Heads' spectra for people, for programs and as arrays.
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/checkpoint/safetensors.h"
#include "phasor/spectrum/head_summary.h"

namespace phasor {

// One line per head with means over the sequences, at most 100 columns.
std::string head_table(const std::vector<HeadSummary>& heads);
// What its columns are.
const char* head_legend();
// Whether they are of masked or of whole logits.
const char* mask_legend(const std::vector<HeadSummary>& heads);

// The theorems: a line for each and for every verdict that heads came to, with the numbers of the first such head; of
// causal heads it says which are of the masked logits.
std::string check_table(const std::vector<HeadSummary>& heads);

// Everything but the arrays.
nlohmann::ordered_json head_json(const HeadSummary& head);
// The theorems over all heads, as check_table() has them.
nlohmann::ordered_json checks_json(const std::vector<HeadSummary>& heads);
// Both as members of spectrum.json.
const Fields<std::vector<HeadSummary>>& head_list_fields();

std::string_view json_name(const Spread*);
const Fields<Spread>& json_fields(const Spread*);

// Arrays of the first sequence of every head, in the order [layers, heads, ...]; all heads have one length.
void add_head_arrays(SafetensorsWriter& writer, const std::vector<HeadSummary>& heads, int64_t layers);

}  // namespace phasor
