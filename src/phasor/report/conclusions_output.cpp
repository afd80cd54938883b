#include "phasor/report/conclusions_output.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "phasor/base/json_number.h"
#include "phasor/base/wrapped_text.h"
#include "phasor/study/summary/cell_json.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

Json ranked_json(const RankedCell& cell) {
  return {{"cell", to_json(cell.cell)},
          {"name", cell.name},
          {"mean", json_number(cell.accuracy().mean)},
          {"low", json_number(cell.accuracy().low)},
          {"high", json_number(cell.accuracy().high)},
          {"runs", cell.runs_text().empty() ? Json(nullptr) : Json(cell.runs_text())},
          {"standing", name(cell.standing)}};
}

std::string titled_list(const char* title, const std::vector<std::string>& sentences, TableFormat format) {
  const bool markdown = format == TableFormat::markdown;
  std::string text = (markdown ? "## " : "") + std::string(title) + "\n" + (markdown ? "\n" : "");
  for (const std::string& sentence : sentences) {
    const std::string line = shown(sentence, format);
    text += "- " + (markdown ? line : wrapped(line, kTerminalColumns, 2)) + "\n";
  }
  return text;
}

}  // namespace

Json answers_json(const std::vector<Answer>& answers) {
  Json list = Json::array();
  for (const Answer& answer : answers) {
    Json cells = Json::array(), ranked = Json::array();
    for (const CellName& cell : answer.cells) cells.push_back(to_json(cell));
    for (const RankedCell& cell : answer.ranked) ranked.push_back(ranked_json(cell));
    list.push_back({{"task", answer.task},
                    {"protocol", answer.protocol},
                    {"title", answer.title},
                    {"headline", answer.headline},
                    {"sentence", answer.sentence},
                    {"cells", std::move(cells)},
                    {"ranked", std::move(ranked)}});
  }
  return list;
}

Json oddities_json(const std::vector<Oddity>& oddities) {
  Json list = Json::array();
  for (const Oddity& oddity : oddities) list.push_back({{"text", oddity.text}, {"details", oddity.details}});
  return list;
}

std::string conclusions_text(const std::vector<Answer>& answers, const std::vector<Oddity>& oddities,
                             TableFormat format) {
  if (answers.empty()) return "";
  std::vector<std::string> answered, odd;
  for (const Answer& answer : answers) {
    answered.push_back(fmt::format("{}: {}. {}", answer.title, answer.headline, answer.sentence));
  }
  for (const Oddity& oddity : oddities) odd.push_back(oddity.text);
  return titled_list("Answers", answered, format) + "\n" + titled_list("What is odd", odd, format);
}

}  // namespace phasor
