#pragma once
// The part of a cell's JSON that is about heads: verdicts, removal of p, snapshots.
#include <string_view>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/study/summary/cell_heads.h"

namespace phasor {

std::string_view json_name(const EncodingVerdict*);
const Fields<EncodingVerdict>& json_fields(const EncodingVerdict*);
std::string_view json_name(const QuestionSummary*);
const Fields<QuestionSummary>& json_fields(const QuestionSummary*);
const Fields<RemovalSummary>& json_fields(const RemovalSummary*);
const Fields<SnapshotSummary>& json_fields(const SnapshotSummary*);

}  // namespace phasor
