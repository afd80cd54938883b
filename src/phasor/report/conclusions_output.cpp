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
  static const Fields<SeedInterval> interval = {
      field("mean", &SeedInterval::mean, "test accuracy of converged runs; of all finished ones where none has"),
      field("low", &SeedInterval::low, "lower end of its 95 % interval"),
      field("high", &SeedInterval::high, "upper end")};
  const auto runs = [](const C& cell) {
    return cell.converged < cell.planned ? std::optional(cell.runs_text()) : std::nullopt;
  };
  static const Fields<C> fields =
      joined_fields<C>({{field("cell", &C::cell, "which one"), field("name", &C::name, "in the sentences"),
                         field("claimable", &C::claimable, "some run converged")},
                        part_fields(&C::accuracy, interval),
                        {derived_field<C>("runs", runs, "how many converged, in words; null where all did"),
                         field("like_best", &C::like_best, "no reliable difference from the best")}});
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
