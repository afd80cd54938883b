#pragma once
// Parts of a page that are made as a whole from data: what stands between "<!-- results: KIND ... -->" and
// "<!-- results: end -->".
#include <string>

#include "results/page.h"
#include "results/query.h"

namespace phasor::results {

// Whether there is a block of this kind: table, story, road, claims, audit.
bool is_block(const std::string& kind);

// The lines of the block, each ended. `head` is what the marker says behind its kind, over one line or several.
// Throws Error.
std::string block_text(const std::string& kind, const std::string& head, const Query& defaults, DataFolder& data);

}  // namespace phasor::results
