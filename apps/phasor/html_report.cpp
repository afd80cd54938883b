#include "html_report.h"

#include "command_line.h"
#include "phasor/base/file.h"
#include "phasor/report/page.h"
#include "study_session.h"

namespace phasor::app {
namespace {

namespace fs = std::filesystem;

// The name of a folder however it was written: "runs/quick/", "." and so on.
std::string folder_name(const fs::path& path) {
  const fs::path whole = fs::weakly_canonical(path);
  return whole.has_filename() ? whole.filename().string() : whole.parent_path().filename().string();
}

std::string first_line(const fs::path& path) {
  if (!fs::exists(path)) return "";
  const std::string text = read_file(path);
  return text.substr(0, text.find('\n'));
}

}  // namespace

std::string page_advice() {
  return "this phasor was built without the report's page: install nodejs and npm and build again "
         "(scripts/install_dependencies.sh web); --text, summary.md, .csv and .json need neither";
}

ReportSource study_source(const StudyFolder& folder, const StudyReport& report) {
  return {.kind = report.paper ? "paper" : "study",
          .folder = folder_name(folder.path()),
          .repeat = first_line(folder.file(kCommandFile)),
          .report = shell_text({"report", folder.path().string()}),
          .run_folder = [path = folder.path()](const RunRecord& run) { return path / "runs" / run.id; }};
}

void write_html(const fs::path& path, const ReportSource& source, const StudyReport& report,
                const StudyResults& results) {
  write_file_atomically(path, page_with(report_data(source, results, report.json)));
}

}  // namespace phasor::app
