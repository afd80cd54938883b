// phasor: results on stdout, progress and errors on stderr; exit 0 done, 1 failed, 2 bad usage.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

#include "command_line.h"
#include "commands.h"
#include "phasor/base/error.h"
#include "phasor/engine/engine_build.h"
#include "thread_waiting.h"
#include "usage.h"
#include "version.h"

namespace {

// One line, whatever a name or a file put into the message.
void print_error(std::string_view message) {
  std::string line;
  for (const char c : message) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      line += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      line += fmt::format("\\x{:02x}", byte);
    } else {
      line += c;
    }
  }
  line = "phasor: " + line + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

// A run's files must not be opened as descriptor 1 or 2, where messages would be written into them.
void fill_standard_descriptors() {
  int descriptor = open("/dev/null", O_RDWR);
  while (descriptor >= 0 && descriptor <= STDERR_FILENO) descriptor = open("/dev/null", O_RDWR);
  if (descriptor > STDERR_FILENO) close(descriptor);
}

std::string version_text() {
  const phasor::EngineBuild build = phasor::engine_build();
  return fmt::format("phasor {} (commit {}), for {}, products by {}", phasor::app::version(), phasor::app::commit(),
                     build.level, build.gemm);
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
  phasor::app::add_stability_command(app);
  phasor::app::add_encodings_command(app);
  phasor::app::add_tasks_command(app);
  phasor::app::add_completion_command(app);
  phasor::app::add_manual_command(app);
  if (argc <= 1) {
    fmt::print(stderr, "{}", app.help());
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

int run_and_report(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const phasor::UsageError& error) {
    print_error(error.what());
    return 2;
  } catch (const std::bad_alloc&) {
    print_error("out of memory; a smaller train.batch or model needs less");
    return 1;
  } catch (const std::exception& error) {
    if (std::ferror(stdout) == 0) print_error(error.what());  // of a broken output main() tells
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  phasor::app::shorten_waiting(argv);
  fill_standard_descriptors();
  phasor::app::remember_command(argc, argv);
  const int code = run_and_report(argc, argv);
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  print_error(fmt::format("cannot write the output: {}", std::strerror(errno)));
  return code == 0 ? 1 : code;
}
