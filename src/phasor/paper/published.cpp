#include "phasor/paper/published.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "phasor/base/error.h"
#include "phasor/paper/paper_cells.h"
#include "phasor/paper/paper_data.h"
#include "phasor/paper/strict_json.h"

namespace phasor::paper {
namespace {

using Json = nlohmann::ordered_json;

// Accuracies are shares.
bool is_share(double value) { return value >= 0.0 && value <= 1.0; }

PublishedPoint point_from(const Json& json, const StrictObject& entry) {
  const bool is_numbers = json.is_array() && (json.size() == 2 || json.size() == 3) &&
                          std::all_of(json.begin(), json.end(), [](const Json& number) { return number.is_number(); });
  if (!is_numbers) entry.refuse("a point is neither [at, value] nor [at, low, high]");
  PublishedPoint point{.at = json[0], .low = json[1], .high = json.back()};
  if (!is_share(point.low) || !is_share(point.high)) {
    entry.refuse(fmt::format("{} to {} at {} is no range of shares", point.low, point.high, point.at));
  }
  if (json.size() == 3 && !(point.low < point.high)) {
    entry.refuse(fmt::format("the range at {} is from {} to {}", point.at, point.low, point.high));
  }
  return point;
}

// The entry may list places on its axis whose points are so.
void mark(std::vector<PublishedPoint>& points, StrictObject& entry, const char* name, bool PublishedPoint::*flag) {
  if (!entry.has(name)) return;
  for (const Json& at : entry.list(name)) {
    const auto found =
        std::find_if(points.begin(), points.end(), [&](const PublishedPoint& point) { return Json(point.at) == at; });
    if (found == points.end()) entry.refuse(fmt::format("there is no point at {} to be {}", at.dump(), name));
    (*found).*flag = true;
  }
}

std::vector<PublishedPoint> points_from(StrictObject& entry) {
  std::vector<PublishedPoint> points;
  for (const Json& json : entry.list("points")) {
    points.push_back(point_from(json, entry));
    if (points.size() > 1 && !(points[points.size() - 2].at < points.back().at)) {
      entry.refuse(fmt::format("the point at {} does not come after the one before it", points.back().at));
    }
  }
  mark(points, entry, "approximate", &PublishedPoint::approximate);
  mark(points, entry, "printed", &PublishedPoint::printed);
  return points;
}

Provenance provenance_from(StrictObject& entry) {
  const std::string text = entry.text("provenance");
  for (const Provenance provenance : {Provenance::printed, Provenance::digitised}) {
    if (text == name(provenance)) return provenance;
  }
  entry.refuse(fmt::format("provenance '{}' is neither printed nor digitised", text));
}

void check_names(const PublishedEntry& entry, const StrictObject& source) {
  if (entry.task != kDistance && entry.task != kCounting) source.refuse(fmt::format("no task '{}'", entry.task));
  const std::vector<PaperEncoding>& known = paper_encodings();
  const bool is_known = std::any_of(known.begin(), known.end(),
                                    [&](const PaperEncoding& encoding) { return encoding.name == entry.subject; });
  if (!entry.subject.empty() && !is_known) {
    source.refuse(fmt::format("'{}' is no encoding of the paper", entry.subject));
  }
  if (entry.axis.empty() && (entry.points.size() != 1 || entry.points[0].at != 0.0)) {
    source.refuse("without axis there is one point, at 0");
  }
}

PublishedEntry entry_from(const Json& json, const std::string& where) {
  StrictObject object(json, where);
  PublishedEntry entry{.id = object.text("id"),
                       .figure = object.text("figure"),
                       .task = object.text("task"),
                       .encoding = object.text("encoding"),
                       .subject = object.optional_text("subject"),
                       .quantity = object.text("quantity"),
                       .axis = object.optional_text("axis"),
                       .points = points_from(object),
                       .provenance = provenance_from(object),
                       .error = object.number("error"),
                       .note = object.optional_text("note")};
  if (object.has("baseline")) {
    entry.baseline = object.number("baseline");
    if (!is_share(*entry.baseline)) object.refuse(fmt::format("a baseline of {}", *entry.baseline));
  }
  if (!(entry.error > 0.0)) object.refuse(fmt::format("an error of {}", entry.error));
  object.done();
  check_names(entry, object);
  return entry;
}

}  // namespace

std::string_view name(Provenance provenance) { return provenance == Provenance::printed ? "printed" : "digitised"; }

const PublishedPoint* PublishedEntry::find(double at) const {
  const auto found = std::find_if(points.begin(), points.end(), [&](const PublishedPoint& p) { return p.at == at; });
  return found == points.end() ? nullptr : &*found;
}

std::vector<PublishedEntry> parse_published(std::string_view text, const std::string& source) {
  const Json json = parse_strict(text, source);
  StrictObject file(json, source);
  file.text("paper");
  std::vector<PublishedEntry> entries;
  std::set<std::string> ids;
  for (const Json& entry : file.list("entries")) {
    entries.push_back(entry_from(entry, fmt::format("{}, entry {}", source, entries.size() + 1)));
    const std::string& id = entries.back().id;
    if (!ids.insert(id).second) file.refuse(fmt::format("two entries are called '{}'", id));
  }
  file.done();
  return entries;
}

const std::vector<PublishedEntry>& published() {
  static const std::vector<PublishedEntry> all = parse_published(embedded_published(), "published.json");
  return all;
}

const PublishedEntry& published_entry(std::string_view id) {
  for (const PublishedEntry& entry : published()) {
    if (entry.id == id) return entry;
  }
  fail("there is no published number '{}'", id);
}

}  // namespace phasor::paper
