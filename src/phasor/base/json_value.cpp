#include "phasor/base/json_value.h"

#include <algorithm>

#include "phasor/base/shown_text.h"

namespace phasor {

std::string JsonPath::text() const {
  if (parent_ == nullptr) return "it";
  const std::string before = parent_->parent_ == nullptr ? "" : parent_->text();
  if (member_.empty()) return fmt::format("{}[{}]", before, index_);
  return fmt::format("{}{}{}", before, before.empty() ? "" : ".", shown_text(std::string(member_)));
}

void fail_member(const JsonPath& path, std::string_view what) {
  throw FormatError(fmt::format("{} {}", path.text(), what));
}

std::string list_type(std::string_view element) {
  size_t noun = element.size();
  for (const char* behind : {" of ", " over ", " or "}) noun = std::min(noun, element.find(behind));
  return fmt::format("list of {}s{}", element.substr(0, noun), element.substr(noun));
}

std::vector<MemberRow> prefixed(std::string_view prefix, std::vector<MemberRow> rows) {
  for (MemberRow& row : rows) row.name = fmt::format("{}{}", prefix, row.name);
  return rows;
}

}  // namespace phasor
