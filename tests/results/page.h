#pragma once
// A page in Markdown, checked against the CSV files that its numbers come from (docs/results/README.md).
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "results/csv_table.h"

namespace phasor::results {

// CSV files of one folder, each read once.
class DataFolder {
 public:
  explicit DataFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}
  // Throws Error where there is none.
  const CsvTable& table(const std::string& name);
  void add(CsvTable table);  // for tests

 private:
  std::filesystem::path folder_;
  std::map<std::string, CsvTable> tables_;
};

struct Finding {
  std::string page;
  size_t line = 0;  // from 1
  std::string what;
  bool repaired = false;  // in CheckedPage::text

  std::string text() const;  // "README.md:12: 99.5 should be 99.4 ..."
};

// How a page stands to its data, as it says itself.
enum class PageKind : uint8_t { silent, strict, history, exempt };

struct CheckedPage {
  PageKind kind = PageKind::silent;
  size_t numbers = 0;  // that were recomputed; a block counts with its lines
  std::vector<Finding> findings;
  std::string text;  // with what can be repaired repaired
};

CheckedPage check_page(const std::string& name, const std::string& text, DataFolder& data);

}  // namespace phasor::results
