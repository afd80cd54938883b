#pragma once
// The catalogue as a list: for people by family, for programs as JSON.
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/syntax/parameter.h"

namespace phasor {

// At most 100 columns wide; a line per entry, and its parameters where asked for.
std::string encoding_list(bool parameters);
// An array of objects with `name`.
nlohmann::ordered_json encoding_list_json();
const Fields<EncodingEntry>& json_fields(const EncodingEntry*);
const Fields<EncodingParameter>& json_fields(const EncodingParameter*);

}  // namespace phasor
