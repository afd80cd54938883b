#include "phasor/report/conclusions_output.h"

#include <fmt/format.h>

#include "phasor/base/json_fields.h"
#include "phasor/base/wrapped_text.h"
#include "phasor/study/summary/cell_json.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

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

static const Fields<RankedCell>& json_fields(const RankedCell*) {
  using C = RankedCell;
  static const Fields<C> fields = {
      field("cell", &C::cell, "which one"),
      field("name", &C::name, "in the sentences"),
      derived_field<C>(
          "mean", [](const C& cell) { return cell.accuracy().mean; }, "test accuracy of all finished runs"),
      derived_field<C>(
          "low", [](const C& cell) { return cell.accuracy().low; }, "lower end of its 95 % interval"),
      derived_field<C>(
          "high", [](const C& cell) { return cell.accuracy().high; }, "upper end"),
      derived_field<C>(
          "runs",
          [](const C& cell) { return cell.runs_text().empty() ? std::nullopt : std::optional(cell.runs_text()); },
          "how many finished and how many were still improving, in words; null where there is nothing to say"),
      derived_field<C>(
          "standing", [](const C& cell) { return name(cell.standing); },
          "`best`, `level` (no difference of interest from it), `open` or `worse`")};
  return fields;
}

const Fields<Answer>& json_fields(const Answer*) {
  using A = Answer;
  static const Fields<A> fields = {
      field("task", &A::task, "its name"),
      field("protocol", &A::protocol, "its name; `released_mla` is part of `released`"),
      field("title", &A::title, "as the page, summary.md and the terminal show it, like the next two"),
      field("headline", &A::headline, "who leads"),
      field("sentence", &A::sentence, "by how much, and how sure"),
      field("extension", &A::extension, "runs of it that were added to the study later, in a sentence; often empty"),
      field("cells", &A::cells, "that it is about"),
      field("ranked", &A::ranked, "best first")};
  return fields;
}

const Fields<Oddity>& json_fields(const Oddity*) {
  static const Fields<Oddity> fields = {field("text", &Oddity::text, "a sentence"),
                                        field("details", &Oddity::details, "which cells")};
  return fields;
}

Json answers_json(const std::vector<Answer>& answers) { return write_json(answers); }

Json oddities_json(const std::vector<Oddity>& oddities) { return write_json(oddities); }

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
