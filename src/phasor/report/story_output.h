#pragma once
// A story for people and for programs: the same strings in all of them.
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/report/story.h"

namespace phasor {

inline constexpr size_t kScreenLines = 24;

// At most kScreenLines lines of at most kTerminalColumns characters, whatever the story holds; `closing` are the last
// of them, and alone may be wider: paths cannot be cut.
std::string story_screen(const Story& story, const std::vector<std::string>& closing = {});

// All of it, over as many lines as it takes; empty for a story without parts.
std::string story_text(const Story& story, TableFormat format);

const Fields<Story>& json_fields(const Story*);
nlohmann::ordered_json story_json(const Story& story);

}  // namespace phasor
