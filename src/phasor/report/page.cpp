#include "phasor/report/page.h"

#include <nlohmann/json.hpp>

#include "phasor/base/error.h"
#include "phasor/report/base64.h"
#include "phasor/report/gzip.h"

namespace phasor {

// Made by the build from web/, or empty.
std::string_view embedded_page();

namespace {

constexpr std::string_view kPlace = "<!--phasor-data-->";

// Bytes that are no UTF-8, as an error message may have them, are replaced.
std::string json_text(const nlohmann::ordered_json& data) {
  return data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

// JSON means the same with "<" written as an escape, and then neither </script> nor <!-- can stand in it.
std::string without_marks(const std::string& json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

bool has_page() { return !embedded_page().empty(); }

std::string page_with(const nlohmann::ordered_json& data) {
  if (!has_page()) fail("this phasor was built without the report's page");
  return page_with(embedded_page(), data, has_gzip());
}

std::string page_with(std::string_view page, const nlohmann::ordered_json& data, bool compressed) {
  const size_t place = page.find(kPlace);
  if (place == std::string_view::npos || page.find(kPlace, place + 1) != std::string_view::npos) {
    fail("the report's page must have one place for data, written {}", kPlace);
  }
  std::string text(page.substr(0, place));
  if (compressed) {
    text += R"(<script type="text/plain" id="phasor-data-gz">)" + base64(gzip(json_text(data)));
  } else {
    text += R"(<script type="application/json" id="phasor-data">)" + without_marks(json_text(data));
  }
  text += "</script>";
  text += page.substr(place + kPlace.size());
  return text;
}

}  // namespace phasor
