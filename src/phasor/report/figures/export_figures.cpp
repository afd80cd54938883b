#include "phasor/report/figures/export_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/base/notice.h"
#include "phasor/base/text_table.h"
#include "phasor/figure/layout.h"
#include "phasor/figure/pdf.h"
#include "phasor/figure/svg.h"
#include "phasor/report/figures/report_figure.h"
#include "phasor/report/words.h"

namespace phasor {
namespace {

namespace fs = std::filesystem;

// Two places may have names that differ in signs alone.
std::string unused_name(const std::string& name, std::set<std::string>& used) {
  std::string free = name;
  for (int i = 2; !used.insert(free).second; ++i) free = fmt::format("{}-{}", name, i);
  return free;
}

// What PDF could not set, of all figures.
struct Unset {
  std::vector<std::string> texts;
  int64_t figures = 0;

  void add(const std::vector<std::string>& more) {
    if (!more.empty()) ++figures;
    for (const std::string& text : more) {
      if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
    }
  }
  void tell() const {
    if (texts.empty()) return;
    notice(fmt::format("PDF's Helvetica lacks characters of '{}'; '?' stands there in {} (the SVG has them)",
                       listing(texts, 3), plural(figures, "figure")));
  }
};

void write_figure(const fs::path& folder, const std::string& name, const FigureBuilder& builder,
                  const ReportFigure& figure, Unset& unset) {
  const figure::Drawing drawing = figure::laid_out(figure.chart);
  const figure::Pdf page = figure::pdf(drawing);
  unset.add(page.unset);
  write_file_atomically(folder / (name + ".csv"), csv_text(builder.columns, figure.rows));
  write_file_atomically(folder / (name + ".svg"), figure::svg(drawing));
  write_file_atomically(folder / (name + ".pdf"), page.bytes);
}

std::string index_text(const FigureExport& exported) {
  const auto shown_title = [](const std::string& text) { return shown(text, TableFormat::markdown); };
  std::string text = "# Figures\n";
  for (const ExportedFigure& figure : exported.figures) {
    text += fmt::format("\n## {}\n\n{}\n\n[SVG]({}.svg), [PDF]({}.pdf), [CSV]({}.csv)\n\n![{}]({}.svg)\n",
                        shown_title(figure.title), shown_title(figure.caption), figure.name, figure.name, figure.name,
                        shown_title(figure.title), figure.name);
  }
  if (exported.lacking.empty()) return text;
  text += "\n## Not drawn\n\n";
  for (const LackingFigure& figure : exported.lacking) text += fmt::format("- {}: {}\n", figure.id, figure.why);
  return text;
}

bool is_asked(const FigureBuilder& builder, const std::vector<std::string>& only) {
  return only.empty() || std::find(only.begin(), only.end(), builder.id) != only.end();
}

}  // namespace

void check_figure_ids(const std::vector<std::string>& only) {
  for (const std::string& id : only) {
    const std::vector<FigureBuilder>& known = figure_builders();
    if (std::any_of(known.begin(), known.end(), [&](const FigureBuilder& it) { return it.id == id; })) continue;
    std::vector<std::string> ids;
    ids.reserve(known.size());
    for (const FigureBuilder& builder : known) ids.emplace_back(builder.id);
    fail_usage("there is no figure '{}': there are {}", id, listing(ids, ids.size()));
  }
}

FigureExport export_figures(const FigureStudy& study, const fs::path& folder, const std::vector<std::string>& only,
                            const std::function<void(const ExportedFigure&)>& each) {
  check_figure_ids(only);
  prepare_directory(folder);
  FigureExport exported;
  Unset unset;
  std::set<std::string> used = {"figures"};
  for (const FigureBuilder& builder : figure_builders()) {
    if (!is_asked(builder, only)) continue;
    const std::vector<ReportFigure> figures = builder.build(study);
    if (figures.empty()) exported.lacking.push_back({std::string(builder.id), std::string(builder.lacking)});
    for (const ReportFigure& figure : figures) {
      const std::string name = unused_name(figure.name, used);
      write_figure(folder, name, builder, figure, unset);
      exported.figures.push_back({std::string(builder.id), name, figure.chart.title, figure.chart.caption});
      if (each) each(exported.figures.back());
    }
  }
  unset.tell();
  write_file_atomically(folder / "figures.md", index_text(exported));
  return exported;
}

}  // namespace phasor
