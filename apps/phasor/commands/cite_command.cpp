// phasor cite: what to cite for the program, for encodings, for a run or for a study.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "commands/commands.h"
#include "options/folder_word.h"
#include "phasor/base/error.h"
#include "phasor/base/json_fields.h"
#include "phasor/encoding/bibtex.h"
#include "phasor/paper/paper_study.h"
#include "phasor/run/run_folder.h"
#include "phasor/study/records/study_folder.h"
#include "terminal/terminal.h"

namespace phasor::app {
namespace {

using Json = nlohmann::ordered_json;

struct CiteOptions {
  std::string what;
  bool json = false;
};

// Keys in the order in which they came up, with what each is cited for.
struct Cited {
  std::vector<std::pair<std::string, std::vector<std::string>>> keys;
  std::vector<std::string> without_paper;

  void add(const std::string& key, const std::string& why) {
    auto found = std::find_if(keys.begin(), keys.end(), [&](const auto& known) { return known.first == key; });
    if (found == keys.end()) found = keys.insert(keys.end(), {key, {}});
    if (std::find(found->second.begin(), found->second.end(), why) == found->second.end()) found->second.push_back(why);
  }
  void add_paper(const char* why) { add(kReproducedPaper, why); }
  void add_encoding(const std::string& expression) {
    const EncodingReferences found = references_of(parse_encoding(expression));
    for (const std::string& key : found.keys) add(key, expression);
    for (const std::string& term : found.without_paper) {
      if (std::find(without_paper.begin(), without_paper.end(), term) == without_paper.end()) {
        without_paper.push_back(term);
      }
    }
  }
  // What the released code computes is the paper's too.
  void add_protocol(const std::string& protocol) {
    if (protocol.rfind("released", 0) == 0) add_paper("the protocol released");
  }
};

Cited cited(const std::string& what) {
  Cited found;
  if (what.empty()) {
    found.add_paper("the paper that Phasor is based on");
  } else if (const StudyFolder study(what); study.exists()) {
    const StudyPlan plan = study.load_plan();
    if (paper::is_paper_study(plan)) found.add_paper("the paper that this study reproduces");
    for (const PlannedCell& cell : plan.cells) {
      found.add_protocol(cell.cell.protocol);
      found.add_encoding(cell.cell.encoding);
    }
  } else if (const RunFolder run(what); run.exists()) {
    const RunConfig config = run.load_config();
    found.add_protocol(config.protocol);
    found.add_encoding(config.model.encoding);
  } else if (std::filesystem::is_directory(what) || names_folder(what)) {
    fail_usage("'{}' holds neither a study nor a run", what);
  } else {
    found.add_encoding(print(parse_encoding(what)));
  }
  return found;
}

void run_cite(const CiteOptions& options) {
  const Cited found = cited(options.what);
  if (options.json) {
    Json list = Json::array();
    for (const auto& [key, uses] : found.keys) {
      Json reference = write_json(find_reference(key));
      reference["cited_for"] = uses;
      list.push_back(std::move(reference));
    }
    print_out(
        "{}\n",
        Json({{"program", program_citation()}, {"references", list}, {"without_paper", found.without_paper}}).dump(2));
    return;
  }
  print_out("{}", program_bibtex());
  for (const auto& [key, uses] : found.keys) {
    print_out("\n% {}\n{}", fmt::join(uses, "; "), bibtex(find_reference(key)));
  }
  if (!found.without_paper.empty()) {
    print_out("\n% Without a paper of their own: {}.\n", fmt::join(found.without_paper, ", "));
  }
}

}  // namespace

void add_cite_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("cite", "BibTeX for Phasor, and for the encodings of an expression, a run or a study");
  auto options = std::make_shared<CiteOptions>();
  command->add_option("what", options->what, "An encoding, a run folder or a study folder")
      ->type_name("EXPR|RUN|STUDY");
  command->add_flag("--json", options->json, "Print an object instead");
  command->footer(
      "Examples:\n"
      "  phasor cite >> references.bib\n"
      "  phasor cite 'alibi+rope(scaling=yarn,factor=4,original=64)'\n"
      "  phasor cite runs/quick\n"
      "Lines that begin with % say what an entry is cited for; BibTeX passes over them.");
  command->callback([options] { run_cite(*options); });
}

}  // namespace phasor::app
