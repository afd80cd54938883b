// phasor: results on stdout, progress and errors on stderr; exit 0 done, 1 failed, 2 bad usage.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <system_error>

#include "commands/commands.h"
#include "options/usage.h"
#include "phasor/base/error.h"
#include "phasor/base/notice.h"
#include "phasor/base/version.h"
#include "phasor/engine/engine_build.h"
#include "start/thread_waiting.h"
#include "terminal/command_line.h"
#include "terminal/terminal.h"

namespace {

// One line, whatever a name or a file put into the message.
void print_error(std::string_view message) {
  std::string line;
  for (const char c : message) {
    if (c == '\n' || c == '\t') {
      line += c == '\n' ? "\\n" : "\\t";
    } else {
      line += c;
    }
  }
  phasor::app::say("phasor: " + line + "\n");
}

// A run's files must not be opened as descriptor 0, 1 or 2, where messages would be written into them. What stands in
// for a closed stdout cannot be written either, so that its loss is noticed.
void fill_standard_descriptors() {
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(standard, F_GETFD) >= 0) continue;
    const int filled = open("/dev/null", standard == STDERR_FILENO ? O_WRONLY : O_RDONLY);
    if (filled >= 0 && filled != standard) close(filled);
  }
}

std::string version_text() {
  const phasor::EngineBuild build = phasor::engine_build();
  return fmt::format("phasor {} (commit {}), for {}, products by {}", phasor::version(), phasor::commit(), build.level,
                     build.gemm);
}

int run(int argc, char** argv) {
  CLI::App app(
      "Phasor: a laboratory for positional encodings in Transformers.\n"
      "Train small Transformers with an encoding on a task, and look inside them.",
      "phasor");
  app.footer(
      "Start with:\n"
      "  phasor encodings                                        what can be named after --encoding\n"
      "  phasor train --task distance --encoding rope --out runs/rope\n"
      "  phasor evaluate runs/rope\n"
      "'phasor COMMAND --help' explains a command.");
  app.set_version_flag("--version", version_text, "Version, commit, level of instructions and matrix library");
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  phasor::app::add_train_command(app);
  phasor::app::add_evaluate_command(app);
  phasor::app::add_export_command(app);
  phasor::app::add_spectrum_command(app);
  phasor::app::add_bench_command(app);
  phasor::app::add_ablate_command(app);
  phasor::app::add_compare_command(app);
  phasor::app::add_study_command(app);
  phasor::app::add_reproduce_command(app);
  phasor::app::add_report_command(app);
  phasor::app::add_pack_command(app);
  phasor::app::add_cite_command(app);
  phasor::app::add_stability_command(app);
  phasor::app::add_encodings_command(app);
  phasor::app::add_tasks_command(app);
  phasor::app::add_completion_command(app);
  phasor::app::add_manual_command(app);
  if (argc <= 1) {
    phasor::app::draw(app.help());
    return 2;
  }
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::Success& help) {
    // 'phasor trian --help' must not look as if there were such a command.
    const std::string& after = phasor::app::named_command(app, words).after;
    if (after.empty() || after[0] == '-' || app.get_subcommands().size() > 0) return app.exit(help);
    print_error(phasor::app::explain(app, help, words));
    return 2;
  } catch (const CLI::ParseError& error) {
    print_error(phasor::app::explain(app, error, words));
    return 2;
  }
}

// The errno of what broke the output; 0 while it is whole.
int broken_output = 0;

// Whoever reads only the first lines ('| head') has had enough, which is no failure; a full disk or a closed output is
// one.
int finish_output(int code) {
  if (std::fflush(stdout) != 0 && broken_output == 0) broken_output = errno;
  if (std::ferror(stdout) != 0 && broken_output == 0) broken_output = EIO;
  if (broken_output == 0 || broken_output == EPIPE) return code;
  print_error(fmt::format("cannot write the output: {}", std::strerror(broken_output)));
  return code == 0 ? 1 : code;
}

int run_and_report(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const phasor::UsageError& error) {
    print_error(error.what());
    return 2;
  } catch (const std::bad_alloc&) {
    print_error("out of memory; a smaller train.batch or model needs less");
    return 1;
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) != 0) {
      broken_output = error.code().value();
      return 0;
    }
    print_error(error.what());
    return 1;
  } catch (const std::exception& error) {
    print_error(error.what());
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  phasor::app::shorten_waiting(argv);
  fill_standard_descriptors();
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away must not end a run that is still to be saved
  phasor::set_notice([](std::string_view line) { phasor::app::say(fmt::format("note: {}\n", line)); });
  phasor::app::remember_command(argc, argv);
  return finish_output(run_and_report(argc, argv));
}
