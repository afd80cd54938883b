// phasor: results on stdout, progress and errors on stderr; exit 0 done, 1 failed, 2 bad usage.
#include <fmt/format.h>

#include <exception>

#include "commands.h"
#include "phasor/base/error.h"
#include "phasor/base/suggest.h"

namespace {

// A mistyped command or option, with the nearest right one.
std::string explain(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const CLI::App* command = &app;
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands({})) {
    if (argc > 1 && sub->get_name() == argv[1]) command = sub;
    names.push_back(sub->get_name());
  }
  if (command == &app) {
    if (argc > 1 && argv[1][0] != '-') {
      return fmt::format("'{}' is not a command{}", argv[1], phasor::suggestion(argv[1], names));
    }
    return error.what();
  }
  std::vector<std::string> options;
  for (const CLI::Option* option : command->get_options()) {
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
  }
  for (int i = 2; i < argc; ++i) {
    const std::string word = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
    const bool known = std::find(options.begin(), options.end(), word) != options.end();
    if (word.size() > 2 && word.starts_with("--") && !known) {
      return fmt::format("{} has no option {}{}", command->get_name(), word, phasor::suggestion(word, options));
    }
  }
  return error.what();
}

int run(int argc, char** argv) {
  CLI::App app("Phasor: a laboratory for positional encodings in Transformers.\n"
               "Train small Transformers with an encoding on a task, and look inside them.", "phasor");
  app.footer("Start with:\n"
             "  phasor encodings                                        what can be named after --encoding\n"
             "  phasor train --task distance --encoding rope --out runs/rope\n"
             "  phasor evaluate runs/rope\n"
             "'phasor COMMAND --help' explains a command.");
  app.set_version_flag("--version", "phasor 0.1.0");
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  phasor::app::add_train_command(app);
  phasor::app::add_evaluate_command(app);
  phasor::app::add_export_command(app);
  phasor::app::add_bench_command(app);
  phasor::app::add_encodings_command(app);
  phasor::app::add_tasks_command(app);
  if (argc == 1) {
    fmt::print("{}", app.help());
    return 2;
  }
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::RuntimeError& end) {
    return end.get_exit_code();
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "phasor: {}\n", explain(app, error, argc, argv));
    return 2;
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const phasor::UsageError& error) {
    fmt::print(stderr, "phasor: {}\n", error.what());
    return 2;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "phasor: out of memory; a smaller train.batch needs less\n");
    return 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "phasor: {}\n", error.what());
    return 1;
  }
}
