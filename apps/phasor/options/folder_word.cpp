#include "options/folder_word.h"

#include <filesystem>

#include "phasor/base/error.h"
#include "phasor/encoding/encoding.h"

namespace phasor::app {
namespace {

bool is_expression(const std::string& text) {
  try {
    parse_encoding(text);
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

}  // namespace

bool names_folder(const std::string& text) {
  if (text.find_first_of("(\"+[") != std::string::npos) return false;
  if (text.find('/') != std::string::npos) return true;
  return std::filesystem::is_directory(text) && !is_expression(text);
}

}  // namespace phasor::app
