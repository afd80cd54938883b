#include "phasor/report/report_data.h"

#include "phasor/base/json_fields.h"
#include "phasor/report/report_cell.h"

namespace phasor {

using Json = nlohmann::ordered_json;

const Fields<ReportSource>& json_fields(const ReportSource*) {
  using S = ReportSource;
  static const Fields<S> fields = {
      field("kind", &S::kind, "`paper`, `study` or `run`"), field("folder", &S::folder, "its name"),
      group_field<S>(
          "commands",
          {derived_field<S>(
               "repeat",
               [](const S& source) { return source.repeat.empty() ? std::nullopt : std::optional(source.repeat); },
               "that made the study; null: not known"),
           field("report", &S::report, "that makes the report")},
          "for a terminal")};
  return fields;
}

Json report_data(const ReportSource& source, const StudyResults& results, const Json& summary) {
  std::vector<ReportCell> cells;
  for (const CellRuns& cell : results.cells) cells.push_back(report_cell(source, cell));
  Json json = {{"format", "phasor report 2"}};
  json.update(write_json(source));
  json["summary"] = summary;
  json["cells"] = write_json(cells);
  return json;
}

}  // namespace phasor
