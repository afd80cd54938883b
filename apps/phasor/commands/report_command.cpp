// phasor report: a study or a run as one HTML file, or as text.
#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "commands/commands.h"
#include "commands/study_session.h"
#include "options/run_options.h"
#include "options/typed_options.h"
#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/base/notice.h"
#include "phasor/engine/devices.h"
#include "phasor/report/figures/export_figures.h"
#include "phasor/report/latex_tables.h"
#include "phasor/report/page.h"
#include "phasor/report/study_report.h"
#include "phasor/report/text_plots.h"
#include "phasor/report/words.h"
#include "phasor/run/config_json.h"
#include "phasor/run/run_folder.h"
#include "phasor/study/carry_out/run_measures.h"
#include "phasor/study/records/dropped_runs.h"
#include "terminal/terminal.h"
#include "terminal/work_progress.h"

namespace phasor::app {
namespace {

namespace fs = std::filesystem;

struct ReportOptions {
  std::string folder;
  std::string out;
  std::string figures;
  std::vector<std::string> only;
  bool text = false;
  std::optional<std::string> latex;  // empty: to stdout
};

void write_latex(const StudyReport& report, const std::string& path) {
  const std::string tables = latex_tables(report);
  if (tables.find(kBeyondLatin) != std::string::npos) notice(kBeyondLatin);
  if (path.empty()) return print_out("{}", tables);
  write_file_atomically(path, tables);
  print_out("written: {}\n", path);
}

std::string plots(const StudySummary& summary) {
  std::string text;
  for (const std::string& plot :
       {accuracy_plots(summary.cells), learning_plots(summary.cells), head_plots(summary.cells)}) {
    if (!plot.empty()) text += plot + "\n";
  }
  return text;
}

bool writes_page(const ReportOptions& options) { return !options.text && !options.latex && options.figures.empty(); }

void refuse_without_page(const ReportOptions& options) {
  if (writes_page(options) && !has_page()) fail("{}", page_advice());
}

void report_figures(const ReportOptions& options, const ReportSource& source, const StudyReport& report,
                    const StudyResults& results) {
  const FigureStudy study = figure_study(source, report, results);
  const FigureExport exported = export_figures(study, options.figures, options.only, [](const ExportedFigure& figure) {
    print_out("{}  ({})\n", figure.name, figure.title);
  });
  for (const LackingFigure& figure : exported.lacking) print_out("not drawn: {}: {}\n", figure.id, figure.why);
  if (exported.figures.empty()) fail("'{}' has nothing to draw of what was asked for", options.folder);
  print_out("written: {} in {} as .svg, .pdf and .csv, listed in {}\n", plural(std::ssize(exported.figures), "figure"),
            options.figures, (fs::path(options.figures) / "figures.md").string());
}

void report_study_folder(const ReportOptions& options) {
  const StudyFolder folder(options.folder);
  const StudyPlan plan = folder.load_plan();
  const StudyResults results = load_results(folder, plan);
  for (const DroppedRun& run : unreadable_runs(results)) notice(left_out_text(run));
  if (writes_page(options) && options.out.empty()) {
    try {
      refuse_poorer_summary(folder, dropped_runs(folder, results));
    } catch (const FormatError& error) {
      fail("{}; its content cannot be checked, so it is not replaced (delete it to write a new one)", error.what());
    }
  }
  refuse_without_page(options);
  const StudyReport report = make_report(plan, results, folder.load_registration(), folder.load_extensions());
  if (options.latex) return write_latex(report, *options.latex);
  const int64_t missing = results.missing();
  const std::string unfinished = missing == 0 ? ""
                                              : fmt::format("The study is not finished: {} of its runs {} missing.\n",
                                                            missing, missing == 1 ? "is" : "are");
  if (options.text) {
    print_out("{}{}{}", unfinished, plots(report.summary), report.terminal);
    return;
  }
  if (!options.figures.empty()) {
    print_out("{}", unfinished);
    return report_figures(options, study_source(folder, report), report, results);
  }
  if (!options.out.empty()) {
    write_page(options.out, study_source(folder, report), report, results);
    print_out("{}look at: {}\n", unfinished, options.out);
    return;
  }
  print_out("{}{}\n", unfinished, write_report(folder, report, results));
}

// A study of one cell with one run.
StudyResults results_of_run(const RunFolder& folder, const PlannedRun& run) {
  StudyResults results{.name = text(run.cell), .preset = run.config.preset};
  results.cells.push_back({.cell = run.cell, .planned = 1, .runs = {read_record(run, folder.path())}});
  return results;
}

void report_run_folder(const ReportOptions& options) {
  const RunFolder folder(options.folder);
  refuse_without_page(options);
  if (!folder.complete()) {
    fail("'{}' is a run that has not finished: 'phasor train --resume --out {}' continues it", options.folder,
         options.folder);
  }
  const RunConfig config = folder.load_config();
  const PlannedRun run{.id = config_id(config),
                       .cell = {config.task, config.protocol, config.model.encoding, ""},
                       .config = config,
                       .measures = {.spectrum = true}};
  {
    WorkProgress line("report");
    const std::unique_ptr<Backend> backend = make_backend();
    measure_run(*backend, run, folder.path(), [&](std::string_view what, double share) {
      line.update(what, share);
      return true;
    });
  }
  const StudyResults results = results_of_run(folder, run);
  const StudyReport report = make_report(results);
  if (options.latex) return write_latex(report, *options.latex);
  if (options.text) {
    print_out("{}{}", plots(report.summary), report.terminal);
    return;
  }
  if (!options.figures.empty()) return report_figures(options, run_source(folder.path()), report, results);
  const fs::path path = options.out.empty() ? folder.file("report.html") : fs::path(options.out);
  write_page(path, run_source(folder.path()), report, results);
  print_out("look at: {}\n", path.string());
}

void run_report(ReportOptions options) {
  // A folder behind --latex is what to report, not a file to write.
  if (options.folder.empty() && options.latex && fs::is_directory(*options.latex)) {
    options.folder = std::exchange(*options.latex, {});
  }
  if (options.folder.empty())
    fail_usage("report of what? Give a folder made by 'study', 'compare', 'reproduce' or 'train'");
  if (!fs::is_directory(options.folder)) fail_usage("there is no folder '{}'", options.folder);
  if (options.text && !options.out.empty()) fail_usage("--out is for the page: --text prints");
  if (options.latex && !options.out.empty()) fail_usage("--out is for the page: --latex FILE says where tables go");
  const int kinds = (options.text ? 1 : 0) + (options.latex ? 1 : 0) + (options.figures.empty() ? 0 : 1);
  if (kinds > 1) fail_usage("--text, --latex and --figures do not go together: give each a call of its own");
  if (!options.figures.empty() && !options.out.empty())
    fail_usage("--out is for the page: --figures says where they go");
  if (!options.only.empty() && options.figures.empty()) fail_usage("--only chooses among --figures");
  check_figure_ids(options.only);
  if (StudyFolder(options.folder).exists()) return report_study_folder(options);
  if (RunFolder(options.folder).exists()) return report_run_folder(options);
  fail_usage("'{}' holds neither a study nor a run", options.folder);
}

}  // namespace

void add_report_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("report", "Show a study or a run as one HTML file, or as text");
  auto options = std::make_shared<ReportOptions>();
  add_text(*command, "folder", options->folder, "A folder made by 'study', 'compare', 'reproduce' or 'train'")
      ->type_name("DIR");
  add_text(*command, "--out", options->out, "Where the page goes (default: report.html in the folder)")
      ->type_name("FILE");
  command->add_flag("--text", options->text, "Print tables and small plots instead");
  // Without a value it prints; the folder, where that stands behind it, is no file.
  command->add_option("--latex", options->latex, "Tables for a paper (booktabs) instead: into a file, or printed")
      ->expected(0, 1)
      ->type_name("FILE");
  add_text(*command, "--figures", options->figures,
           "Write every figure as SVG and PDF, with its numbers as CSV, into this folder instead; needs no browser")
      ->type_name("FOLDER");
  command->add_option("--only", options->only, "Only these figures, by their names on the page: learning-curves ...")
      ->type_name("ID");
  command->footer(
      "Examples:\n"
      "  phasor report runs/reproduce-demo           writes runs/reproduce-demo/report.html\n"
      "  phasor report runs/reproduce-demo --text    the same story on the terminal\n"
      "  phasor report runs/rope --out rope.html\n"
      "  phasor report runs/reproduce-demo --latex tables.tex\n"
      "  phasor report runs/quick --figures paper/figures --only accuracy-by-encoding learning-curves\n"
      "The file needs no network and no other file. Unfinished studies are reported as they stand.");
  command->callback([options] { run_report(*options); });
}

}  // namespace phasor::app
