#include "results/page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "results/block.h"
#include "results/printed_number.h"
#include "results/query.h"

namespace phasor::results {
namespace {

constexpr std::string_view kOpen = "<!--", kClose = "-->", kMark = "<!-- results:", kEnd = "<!-- results: end -->";
constexpr std::string_view kIndent = "    ";

std::string trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\n"), last = text.find_last_not_of(" \t\n");
  return first == std::string_view::npos ? "" : std::string(text.substr(first, last - first + 1));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Code that shows what to type has settings in it; code that shows results belongs into a block.
bool is_command(std::string_view line) {
  const std::string text = trimmed(line);
  for (const char* word : {"phasor ", "build/", "scripts/", "bench/", "cmake ", "ctest ", "git ", "apt", "#", "$ "}) {
    if (text.starts_with(word)) return true;
  }
  return false;
}

bool is_exemption(const std::string& comment) {
  return comment == "timing" || comment == "setting" || comment == "history";
}

// The next comment that is one: not in `code`.
size_t next_comment(const std::string& line, size_t from) {
  size_t open = line.find(kOpen, from);
  while (open != std::string::npos) {
    const auto quotes =
        std::count(line.begin() + static_cast<ptrdiff_t>(from), line.begin() + static_cast<ptrdiff_t>(open), '`');
    if (quotes % 2 == 0) return open;
    const size_t close = line.find('`', open);
    if (close == std::string::npos) return open;
    open = line.find(kOpen, close);
  }
  return line.size();
}

class PageCheck {
 public:
  PageCheck(std::string name, const std::string& text, DataFolder& data)
      : name_(std::move(name)), lines_(lines_of(text)), data_(data) {}

  CheckedPage run() {
    while (at_ < lines_.size()) {
      const std::string& line = lines_[at_];
      if (line.starts_with(kMark)) {
        mark();
      } else if (is_code(line)) {
        code(line);
        emit(line);
        ++at_;
      } else {
        command_block_ = false;
        prose(line);
        ++at_;
      }
    }
    return std::move(result_);
  }

 private:
  void emit(const std::string& line) {
    result_.text += line + "\n";
    after_blank_ = line.empty();
  }
  void report(size_t line, std::string what, bool repaired = false) {
    result_.findings.push_back({name_, line + 1, std::move(what), repaired});
  }

  bool is_code(const std::string& line) {
    if (line.starts_with("```")) {
      fenced_ = !fenced_;
      code_ = fenced_;
      command_block_ = false;
      return true;
    }
    const bool indented = line.starts_with(kIndent) && (after_blank_ || code_);
    const bool inside = fenced_ || indented || (code_ && line.empty());
    if (inside && !code_) command_block_ = false;
    code_ = inside;
    return inside;
  }

  void code(const std::string& line) {
    if (!strict_ || line.starts_with("```")) return;
    command_block_ = command_block_ || is_command(line);
    if (command_block_) return;
    for (const PrintedNumber& number : printed_numbers(line, 0, line.size())) {
      if (!number.is_figure) continue;
      report(at_, fmt::format("'{}' stands in a code block that shows no command: make it a block of results",
                              line.substr(number.begin, number.end - number.begin)));
      return;
    }
  }

  // "<!-- results: KIND ... -->", over one line or several.
  void mark() {
    const size_t begin = at_;
    std::string text;
    bool closed = false;
    for (; at_ < lines_.size() && !closed; ++at_) {
      text += lines_[at_] + "\n";
      closed = lines_[at_].find(kClose) != std::string::npos;
      emit(lines_[at_]);
    }
    after_blank_ = true;
    code_ = false;
    if (!closed) return report(begin, "the comment is never closed");
    text = trimmed(std::string_view(text).substr(kMark.size(), text.find(kClose) - kMark.size()));
    const size_t blank = std::min(text.find_first_of(" \n"), text.size());
    const std::string kind = text.substr(0, blank), head = trimmed(std::string_view(text).substr(blank));
    if (kind == "strict" || kind == "loose") {
      strict_ = kind == "strict";
      if (strict_) result_.kind = PageKind::strict;
    } else if (kind == "history") {
      result_.kind = PageKind::history;
    } else if (kind == "exempt") {
      result_.kind = PageKind::exempt;
    } else if (kind == "data") {
      try {
        defaults_ = parse_query("rows " + head);
      } catch (const Error& error) {
        report(begin, error.what());
      }
    } else if (is_block(kind)) {
      block(begin, kind, head);
    } else {
      report(begin, fmt::format("there is no '{}'; there are strict, loose, history, exempt, data, table, story, road, "
                                "claims, audit and end",
                                kind));
    }
  }

  void block(size_t begin, const std::string& kind, const std::string& head) {
    const auto end = std::find(lines_.begin() + static_cast<ptrdiff_t>(at_), lines_.end(), kEnd);
    if (end == lines_.end()) return report(begin, fmt::format("the block has no '{}'", kEnd));
    const std::vector<std::string> printed(lines_.begin() + static_cast<ptrdiff_t>(at_), end);
    std::vector<std::string> right = printed;
    try {
      right = lines_of(block_text(kind, head, defaults_, data_));
    } catch (const Error& error) {
      report(begin, error.what());
    }
    const auto [shown, expected] = std::mismatch(printed.begin(), printed.end(), right.begin(), right.end());
    if (shown != printed.end() || expected != right.end()) {
      report(
          at_ + static_cast<size_t>(shown - printed.begin()),
          fmt::format("the block of results differs\n    has:       {}\n    should be: {}",
                      shown == printed.end() ? "(its end)" : *shown, expected == right.end() ? "(its end)" : *expected),
          true);
    }
    for (const std::string& line : right) emit(line);
    result_.numbers += right.size();
    at_ += printed.size();
    emit(std::string(kEnd));
    ++at_;
    after_blank_ = true;
  }

  struct Repair {
    size_t begin, end;
    std::string text;
  };

  void prose(const std::string& line) {
    std::vector<Repair> repairs;
    size_t from = 0;
    while (from <= line.size()) {
      const size_t open = next_comment(line, from);
      const size_t close = open < line.size() ? line.find(kClose, open) : line.size();
      std::vector<PrintedNumber> numbers = printed_numbers(line, from, open);
      if (open < line.size() && close == std::string::npos) {
        if (line.substr(open).starts_with("<!--=")) report(at_, "the comment does not end on its line");
        break;
      }
      const std::string comment =
          open < line.size() ? line.substr(open + kOpen.size(), close - open - kOpen.size()) : "";
      if (comment.starts_with("=")) {
        answer(trimmed(std::string_view(comment).substr(1)), line, line.substr(from, open - from), numbers, repairs);
      } else if (is_exemption(trimmed(comment))) {
        numbers.clear();
      }
      if (strict_) bare_numbers(line, numbers);
      if (open == line.size()) break;
      from = close + kClose.size();
    }
    std::string repaired = line;
    for (auto it = repairs.rbegin(); it != repairs.rend(); ++it) {
      repaired.replace(it->begin, it->end - it->begin, it->text);
    }
    emit(repaired);
  }

  void bare_numbers(const std::string& line, const std::vector<PrintedNumber>& numbers) {
    for (const PrintedNumber& number : numbers) {
      if (!number.is_figure) continue;
      report(at_, fmt::format("nothing says where {} comes from: put <!--= QUERY --> behind it, or <!-- timing -->, "
                              "<!-- setting --> or <!-- history -->",
                              line.substr(number.begin, number.end - number.begin)));
    }
  }

  // Takes the numbers that it answers out of `numbers`.
  void answer(const std::string& text, const std::string& line, const std::string& before,
              std::vector<PrintedNumber>& numbers, std::vector<Repair>& repairs) {
    try {
      const Query query = parse_query(text).with_defaults(defaults_);
      if (query.file.empty()) fail("'{}' names no CSV file, and no <!-- results: data FILE --> does", text);
      const CsvTable& table = data_.table(query.file);
      std::vector<double> right;
      size_t rows = 0;
      for (const Measure& measure : query.measures) {
        const Found found = find(query, measure, table);
        rows = found.rows;
        if (found.is_quote) quote(found.text, line, numbers);
        if (found.all_equal && before.find("all equal") == std::string::npos) {
          fail("all {} values are equal: write the mean and '(all equal)'", rows);
        }
        right.insert(right.end(), found.numbers.begin(), found.numbers.end());
      }
      if (numbers.size() < right.size()) {
        fail("{} numbers should stand before the comment, on its line: {:g}", right.size(), fmt::join(right, ", "));
      }
      const size_t first = numbers.size() - right.size();
      for (size_t i = 0; i < right.size(); ++i) {
        const PrintedNumber& number = numbers[first + i];
        if (number.agrees_with(right[i])) continue;
        const std::string with = number.with(right[i]);
        report(at_,
               fmt::format("{} should be {} ({:.6g} by {}, {} {} of {})",
                           line.substr(number.begin, number.end - number.begin), with, right[i], text, rows,
                           rows == 1 ? "line" : "lines", query.file),
               true);
        repairs.push_back({number.begin, number.end, with});
      }
      result_.numbers += right.size();
      numbers.resize(first);
    } catch (const Error& error) {
      report(at_, fmt::format("{} ({})", error.what(), text));
      numbers.clear();
    }
  }

  void quote(const std::string& source, const std::string& line, std::vector<PrintedNumber>& numbers) {
    const std::vector<PrintedNumber> known = printed_numbers(source, 0, source.size());
    for (const PrintedNumber& number : numbers) {
      const bool found = std::any_of(known.begin(), known.end(), [&](const PrintedNumber& it) {
        return it.digits == number.digits && std::abs(it.value) == std::abs(number.value);
      });
      if (found) continue;
      report(at_, fmt::format("{} is not in what is quoted: {}", line.substr(number.begin, number.end - number.begin),
                              source));
    }
    result_.numbers += numbers.size();
    numbers.clear();
  }

  std::string name_;
  std::vector<std::string> lines_;
  DataFolder& data_;
  size_t at_ = 0;
  bool strict_ = false, fenced_ = false, code_ = false, command_block_ = false, after_blank_ = true;
  Query defaults_;
  CheckedPage result_;
};

}  // namespace

const CsvTable& DataFolder::table(const std::string& name) {
  const auto found = tables_.find(name);
  if (found != tables_.end()) return found->second;
  const std::filesystem::path path = folder_ / name;
  if (!std::filesystem::exists(path)) fail("there is no {}", path.string());
  return tables_[name] = parse_csv(read_file(path), name);
}

void DataFolder::add(CsvTable table) {
  const std::string name = table.name;
  tables_[name] = std::move(table);
}

std::string Finding::text() const { return fmt::format("{}:{}: {}", page, line, what); }

CheckedPage check_page(const std::string& name, const std::string& text, DataFolder& data) {
  return PageCheck(name, text, data).run();
}

}  // namespace phasor::results
