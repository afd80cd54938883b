#pragma once
// The files of data/, as the build has put them into the program (cmake/Embed.cmake).
#include <string_view>

namespace phasor::paper {

std::string_view embedded_claims();     // data/claims.json
std::string_view embedded_published();  // data/published.json

}  // namespace phasor::paper
