#include "results/block.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <sstream>

#include "phasor/base/error.h"
#include "phasor/base/text_table.h"
#include "phasor/paper/audit.h"
#include "phasor/paper/paper_comparisons.h"
#include "phasor/paper/paper_text.h"
#include "phasor/paper/trained_road.h"
#include "phasor/paper/trained_road_output.h"
#include "phasor/report/story.h"
#include "phasor/report/story_output.h"
#include "results/recorded_runs.h"

namespace phasor::results {
namespace {

struct BlockHead {
  std::vector<std::string> files;
  std::map<std::string, std::string> settings;  // name="..."

  const std::string& file(size_t index, const char* what) const {
    if (index >= files.size()) fail("the block needs {}", what);
    return files[index];
  }
};

BlockHead head_of(const std::string& text) {
  BlockHead head;
  for (const std::string& word : words_of(text)) {
    if (word.ends_with(".csv")) {
      head.files.push_back(word);
      continue;
    }
    const Condition setting = parse_condition(word);
    if (setting.op != "=" || setting.values.size() != 1) fail("'{}' is no setting of a block", word);
    head.settings[setting.column] = setting.values.front();
  }
  return head;
}

std::string setting(const BlockHead& head, const std::string& name, const std::string& otherwise) {
  const auto found = head.settings.find(name);
  return found == head.settings.end() ? otherwise : found->second;
}

StudyResults results_of(const BlockHead& head, DataFolder& data) {
  const CsvTable& table = data.table(head.file(0, "a CSV file of runs"));
  return recorded_runs(table, all_rows(table), setting(head, "name", ""));
}

// A code block by its indent.
std::string as_code(const std::string& text) {
  std::string code = "\n";
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) code += line.empty() ? "\n" : "    " + line + "\n";
  return code + "\n";
}

std::string story_block(const BlockHead& head, DataFolder& data) {
  const StudyResults results = results_of(head, data);
  const std::vector<paper::JudgedClaim> claims = recorded_claims(data.table(head.file(1, "a CSV file of claims")));
  std::vector<std::string> closing;
  if (const std::string folder = setting(head, "folder", ""); !folder.empty()) {
    closing = {fmt::format("Report: {0}/report.html    All tables: phasor report {0} --text", folder)};
  }
  const StudySummary summary = summarize(results, paper::paper_comparisons(results));
  return as_code(story_screen(study_story(summary, claims), closing));
}

std::string road_block(const BlockHead& head, DataFolder& data) {
  const paper::TrainedRoad road = paper::trained_road(results_of(head, data));
  std::string text = to_text(paper::trained_road_table(road), TableFormat::markdown) + "\n";
  for (const std::string& sentence : paper::trained_road_reading(road)) {
    text += "- " + shown(sentence, TableFormat::markdown) + "\n";
  }
  return text;
}

std::string claims_block(const BlockHead& head, DataFolder& data) {
  return paper::claims_text(recorded_claims(data.table(head.file(0, "a CSV file of claims"))), TableFormat::markdown);
}

std::string audit_block(const BlockHead& head, DataFolder& data) {
  return paper::audit_text(paper::audit(results_of(head, data)), TableFormat::markdown);
}

// Distinct values of a column, in the order of the file.
std::vector<std::string> values_in(const CsvTable& table, const std::vector<const CsvRow*>& rows,
                                   const std::string& column) {
  const size_t c = table.column(column);
  std::vector<std::string> values;
  for (const CsvRow* row : rows) {
    if (std::find(values.begin(), values.end(), (*row)[c]) == values.end()) values.push_back((*row)[c]);
  }
  return values;
}

std::string trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

// First line: rows=COLUMN or rows=COLUMN:value|value, a file, conditions. Then a line per column: TITLE: QUERY.
std::string table_block(const std::string& text, const Query& defaults, DataFolder& data) {
  std::istringstream lines(text);
  std::string first;
  std::getline(lines, first);
  Query common{.measures = {}, .file = "", .where = {}, .minus = {}};
  std::string key;
  std::vector<std::string> keys;
  for (const std::string& word : words_of(first)) {
    if (word.ends_with(".csv")) {
      common.file = word;
    } else if (word.starts_with("rows=")) {
      const std::string rows = word.substr(5);
      const size_t colon = rows.find(':');
      key = rows.substr(0, colon);
      if (colon != std::string::npos) keys = parse_condition(key + "=" + rows.substr(colon + 1)).values;
    } else {
      common.where.push_back(parse_condition(word));
    }
  }
  if (key.empty()) fail("a table needs rows=COLUMN");
  common = common.with_defaults(defaults);
  const CsvTable& csv = data.table(common.file);
  if (keys.empty()) keys = values_in(csv, matching(csv, common.where), key);
  TextTable table{.titles = {key}, .rows = {}};
  for (const std::string& value : keys) table.rows.push_back({value});
  for (std::string line; std::getline(lines, line);) {
    if (trimmed(line).empty()) continue;
    const size_t colon = line.find(": ");
    if (colon == std::string::npos) fail("'{}' is no column; write TITLE: FUNCTION CONDITIONS", trimmed(line));
    table.titles.push_back(trimmed(line.substr(0, colon)));
    const Query column = parse_query(line.substr(colon + 2)).with_defaults(common);
    for (size_t r = 0; r < keys.size(); ++r) {
      Query query = column;
      query.where.push_back({.column = key, .op = "=", .values = {keys[r]}});
      std::string cell;
      for (const Measure& measure : query.measures) {
        if (matching(data.table(query.file), query.where).empty()) continue;
        cell += (cell.empty() ? "" : ", ") + find(query, measure, data.table(query.file)).shown(measure);
      }
      table.rows[r].push_back(cell);
    }
  }
  return to_text(table, TableFormat::markdown);
}

using BlockMaker = std::string (*)(const BlockHead&, DataFolder&);
const std::map<std::string, BlockMaker>& makers() {
  static const std::map<std::string, BlockMaker> all = {
      {"story", story_block}, {"road", road_block}, {"claims", claims_block}, {"audit", audit_block}};
  return all;
}

}  // namespace

bool is_block(const std::string& kind) { return kind == "table" || makers().contains(kind); }

std::string block_text(const std::string& kind, const std::string& head, const Query& defaults, DataFolder& data) {
  if (kind == "table") return table_block(head, defaults, data);
  return makers().at(kind)(head_of(head), data);
}

}  // namespace phasor::results
