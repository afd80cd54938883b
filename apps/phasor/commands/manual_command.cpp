// phasor manual: everything that --help tells, as one page for man.
#include <fmt/format.h>

#include "commands/commands.h"
#include "commands/manual_page.h"
#include "phasor/base/version.h"
#include "terminal/terminal.h"

namespace phasor::app {

void add_manual_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("manual", "Print the manual page phasor(1), with every command and option");
  command->footer(
      "Examples:\n"
      "  phasor manual > phasor.1 && man ./phasor.1\n"
      "  phasor manual > ~/.local/share/man/man1/phasor.1        from then on: man phasor");
  command->callback([&app] { print_out("{}", manual_page(app, version())); });
}

}  // namespace phasor::app
