// Recomputes the numbers of README.md, docs/*.md and docs/results/*.md from the CSV files in docs/results:
//   build/release/check_results [--fix] ROOT
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "phasor/base/file.h"
#include "results/page.h"

namespace phasor::results {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> pages_of(const fs::path& root) {
  std::vector<fs::path> pages;
  for (const fs::path& folder : {root, root / "docs", root / "docs/results"}) {
    if (!fs::is_directory(folder)) continue;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".md") pages.push_back(entry.path());
    }
  }
  std::sort(pages.begin(), pages.end());
  return pages;
}

int run(const fs::path& root, bool fix) {
  DataFolder data(root / "docs/results");
  size_t numbers = 0, pages = 0, left = 0;
  for (const fs::path& path : pages_of(root)) {
    const std::string name = fs::relative(path, root).string(), text = read_file(path);
    CheckedPage page = check_page(name, text, data);
    if (page.kind == PageKind::silent && name.starts_with("docs/results/")) {
      page.findings.push_back({name, 1,
                               "a page of results says how it stands to its data: <!-- results: strict -->, "
                               "<!-- results: history --> or <!-- results: exempt -->",
                               false});
    }
    for (const Finding& finding : page.findings) {
      const bool done = fix && finding.repaired;
      if (!done) ++left;
      fmt::print(stderr, "{}{}\n", done ? "repaired: " : "", finding.text());
    }
    if (fix && page.text != text) write_file_atomically(path, page.text);
    numbers += page.numbers;
    if (page.numbers > 0) ++pages;
  }
  if (left == 0) fmt::print("{} numbers and lines of {} pages agree with their data\n", numbers, pages);
  return left == 0 ? 0 : 1;
}

}  // namespace
}  // namespace phasor::results

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool fix = std::erase(arguments, "--fix") > 0;
  if (arguments.size() != 1 || arguments[0].starts_with("-")) {
    fmt::print(stderr, "usage: check_results [--fix] ROOT\n");
    return 2;
  }
  try {
    return phasor::results::run(arguments[0], fix);
  } catch (const std::exception& error) {
    fmt::print(stderr, "check_results: {}\n", error.what());
    return 1;
  }
}
