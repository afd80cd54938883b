#pragma once
// The report's page: one HTML file that web/ is built into, with a place for the data.
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace phasor {

// False where Phasor was built without npm: how to get the page is for the caller to say.
bool has_page();

// The page with data in it, which no name or message inside can leave: compressed where zlib is there, else as text
// without a "<". Throws Error where there is no page.
std::string page_with(const nlohmann::ordered_json& data);

// The same for a page given by its text. Throws Error where it has no place, or more than one, for the data.
std::string page_with(std::string_view page, const nlohmann::ordered_json& data, bool compressed);

}  // namespace phasor
