#include "phasor/base/json_fields.h"

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

}  // namespace phasor
