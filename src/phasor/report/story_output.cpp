#include "phasor/report/story_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "phasor/base/display_width.h"
#include "phasor/base/json_fields.h"
#include "phasor/base/wrapped_text.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;
using Lines = std::vector<std::string>;

constexpr std::string_view kMargin = "  ";
constexpr size_t kRoom = kTerminalColumns - kMargin.size();
constexpr size_t kGap = 2;             // between columns of a table
constexpr size_t kNarrowestName = 10;  // of the first column

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Columns that have no room beside the names are left out, from the last on; then names are cut.
TextTable fitted(TextTable table) {
  const auto widest = [&](size_t column) {
    size_t most = display_width(table.titles[column]);
    for (const std::vector<std::string>& row : table.rows) most = std::max(most, display_width(row[column]));
    return most;
  };
  size_t others = 0, columns = 1;
  for (; columns < table.titles.size(); ++columns) {
    if (others + kGap + widest(columns) + kNarrowestName > kRoom) break;
    others += kGap + widest(columns);
  }
  table.titles.resize(columns);
  table.titles[0] = cut_to(table.titles[0], kRoom - others);
  for (std::vector<std::string>& row : table.rows) {
    row.resize(columns);
    row[0] = cut_to(row[0], kRoom - others);
  }
  return table;
}

std::string heading(const StoryPart& part) {
  return cut_to(part.key.empty() ? part.question : fmt::format("{} ({})", part.question, part.key), kTerminalColumns);
}

// A sentence behind its label, over as many lines as it takes, or over one.
Lines said(const std::string& label, const std::string& text, size_t indent, bool whole) {
  const std::string first = label + std::string(indent - std::min(indent, label.size()), ' ');
  if (!whole) return {cut_to(first + text, kRoom)};
  Lines lines = lines_of(wrapped(text, kRoom, indent));
  if (!lines.empty()) lines.front().insert(0, first);
  for (std::string& line : lines) line = cut_to(line, kRoom);
  return lines;
}

Lines part_lines(const StoryPart& part, bool whole) {
  Lines lines;
  const auto add = [&](const Lines& more) { lines.insert(lines.end(), more.begin(), more.end()); };
  if (part.id == "claims") {
    constexpr size_t kVerdict = 7;
    for (const std::vector<std::string>& row : part.table.rows) add(said(row[0], row[1], kVerdict, whole));
  } else if (!part.table.rows.empty()) {
    add(lines_of(to_text(fitted(part.table), TableFormat::terminal)));
  }
  for (const std::string& sentence : part.sentences) {
    add(said("", shown(sentence, TableFormat::terminal), 0, whole));
  }
  for (std::string& line : lines) line.insert(0, kMargin);
  lines.insert(lines.begin(), heading(part));
  return lines;
}

std::vector<Lines> blocks_of(const Story& story, bool whole) {
  std::vector<Lines> blocks = {{cut_to(shown(story.title, TableFormat::terminal), kTerminalColumns)}};
  for (const StoryPart& part : story.parts) blocks.push_back(part_lines(part, whole));
  return blocks;
}

size_t count_of(const std::vector<Lines>& blocks) {
  size_t lines = 0;
  for (const Lines& block : blocks) lines += block.size();
  return lines;
}

// The story with fewer rows in its tables: half a sentence is worse than a row less. The last row stays: where
// encodings were chosen, it is the baseline.
Story shortened(Story story, size_t room) {
  constexpr size_t kFewest = 3;
  while (count_of(blocks_of(story, true)) > room) {
    const auto longest = std::max_element(
        story.parts.begin(), story.parts.end(),
        [](const StoryPart& a, const StoryPart& b) { return a.table.rows.size() < b.table.rows.size(); });
    if (longest == story.parts.end() || longest->table.rows.size() <= kFewest) break;
    longest->table.rows.erase(longest->table.rows.end() - 2);
  }
  return story;
}

}  // namespace

std::string story_screen(const Story& whole_story, const std::vector<std::string>& closing) {
  const size_t room = kScreenLines - std::min(kScreenLines, closing.size());
  const Story story = shortened(whole_story, room);
  std::vector<Lines> blocks = blocks_of(story, true);
  if (count_of(blocks) > room) blocks = blocks_of(story, false);
  while (count_of(blocks) > room) {
    const auto longest = std::max_element(blocks.begin(), blocks.end(),
                                          [](const Lines& a, const Lines& b) { return a.size() < b.size(); });
    longest->pop_back();
  }
  // Empty lines between the parts, if there is room for all of them; then below the title and above the end.
  size_t spare = room - count_of(blocks);
  const size_t gaps = std::max<size_t>(2, blocks.size()) - 2;
  const bool apart = spare >= gaps;
  if (apart) spare -= gaps;
  std::string text;
  for (size_t b = 0; b < blocks.size(); ++b) {
    const bool below_title = b == 1 && spare > 0;
    if (below_title) --spare;
    if (below_title || (b > 1 && apart)) text += '\n';
    for (const std::string& line : blocks[b]) text += line + "\n";
  }
  if (!closing.empty() && spare > 0) text += '\n';
  for (const std::string& line : closing) text += line + "\n";
  return text;
}

std::string story_text(const Story& story, TableFormat format) {
  if (story.parts.empty()) return "";
  const bool markdown = format == TableFormat::markdown;
  const auto paragraph = [&](const std::string& text) {
    return markdown ? shown(text, format) + "\n" : wrapped(shown(text, format), kTerminalColumns) + "\n";
  };
  std::string text = (markdown ? "## " : "") + paragraph(story.title);
  for (const StoryPart& part : story.parts) {
    text += (markdown ? "\n### " : "\n") + paragraph(part.question);
    if (!part.key.empty()) text += (markdown ? "\n" : "") + paragraph(part.key);
    if (!part.table.rows.empty()) text += "\n" + to_text(part.table, format);
    if (!part.sentences.empty()) text += "\n";
    for (const std::string& sentence : part.sentences) text += (markdown ? "- " : "") + paragraph(sentence);
  }
  return text;
}

static const Fields<StoryPart>& json_fields(const StoryPart*) {
  using P = StoryPart;
  static const Fields<TextTable> table = {field("titles", &TextTable::titles, "of the table's columns"),
                                          field("rows", &TextTable::rows, "of the table; may be empty")};
  static const Fields<P> fields =
      joined_fields<P>({{field("id", &P::id, "its name here"), field("question", &P::question, "that it answers"),
                         field("key", &P::key, "how to read the table; empty without one")},
                        part_fields(&P::table, table),
                        {field("sentences", &P::sentences, "the answer")}});
  return fields;
}

const Fields<Story>& json_fields(const Story*) {
  static const Fields<Story> fields = {field("title", &Story::title, "of the study"),
                                       field("parts", &Story::parts, "questions with their answers")};
  return fields;
}

Json story_json(const Story& story) { return write_json(story); }

}  // namespace phasor
