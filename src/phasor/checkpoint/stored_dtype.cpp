#include "phasor/checkpoint/stored_dtype.h"

#include <array>

namespace phasor {
namespace {

struct Entry {
  std::string_view name;
  int64_t bytes;
};

// In the order of StoredDtype.
constexpr std::array<Entry, 13> kEntries = {{{"F64", 8},
                                             {"F32", 4},
                                             {"F16", 2},
                                             {"BF16", 2},
                                             {"I64", 8},
                                             {"I32", 4},
                                             {"I16", 2},
                                             {"I8", 1},
                                             {"U64", 8},
                                             {"U32", 4},
                                             {"U16", 2},
                                             {"U8", 1},
                                             {"BOOL", 1}}};
static_assert(static_cast<size_t>(StoredDtype::boolean) + 1 == kEntries.size());

}  // namespace

std::string_view name(StoredDtype dtype) { return kEntries.at(static_cast<size_t>(dtype)).name; }

int64_t byte_size(StoredDtype dtype) { return kEntries.at(static_cast<size_t>(dtype)).bytes; }

std::optional<StoredDtype> find_stored_dtype(std::string_view name) {
  for (size_t i = 0; i < kEntries.size(); ++i) {
    if (kEntries[i].name == name) return static_cast<StoredDtype>(i);
  }
  return std::nullopt;
}

}  // namespace phasor
