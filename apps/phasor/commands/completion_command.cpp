// phasor completion: a script for the shell that the Tab key is pressed in.
#include <fmt/format.h>

#include <memory>

#include "commands/commands.h"
#include "commands/completion_script.h"
#include "options/typed_options.h"
#include "terminal/terminal.h"

namespace phasor::app {

void add_completion_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("completion", "Print a script that lets bash, zsh or fish complete commands");
  auto shell = std::make_shared<std::string>();
  add_text(*command, "shell", *shell, "The shell that the script is for: bash, zsh or fish")
      ->type_name("SHELL")
      ->required();
  command->footer(
      "Examples:\n"
      "  phasor completion bash > ~/.local/share/bash-completion/completions/phasor\n"
      "  phasor completion zsh > ~/.zsh/completions/_phasor      with fpath+=~/.zsh/completions before compinit\n"
      "  phasor completion fish > ~/.config/fish/completions/phasor.fish\n"
      "These are the places where the shells look. For one session: source <(phasor completion bash). The same line\n"
      "in ~/.bashrc does where the package bash-completion is missing.");
  command->callback([&app, shell] { print_out("{}", completion_script(app, *shell)); });
}

}  // namespace phasor::app
