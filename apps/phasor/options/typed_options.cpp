#include "options/typed_options.h"

#include <fmt/format.h>

namespace phasor::app {
namespace {

template <class Read>
CLI::Option* add_read(CLI::App& command, const std::string& name, const std::string& help, const Read& read) {
  const std::function<void(const std::string&)> take = read;
  return command.add_option_function<std::string>(name, take, help)->type_name("N");
}

}  // namespace

CLI::Option* add_text(CLI::App& command, const std::string& name, std::string& value, const std::string& help) {
  const CLI::Validator not_empty(
      [](const std::string& text) {
        return text.empty() ? std::string("the value is empty; leave the option out for its default") : "";
      },
      "");
  return command.add_option(name, value, help)->check(not_empty);
}

CLI::Option* add_whole(CLI::App& command, const std::string& name, int64_t& value, const WholeRange& range,
                       const std::string& help) {
  return add_read(command, name, help,
                  [&value, name, range](const std::string& text) { value = read_whole(name, text, range); })
      ->default_str(fmt::format("{}", value));
}

CLI::Option* add_whole(CLI::App& command, const std::string& name, std::optional<int64_t>& value,
                       const WholeRange& range, const std::string& help) {
  return add_read(command, name, help,
                  [&value, name, range](const std::string& text) { value = read_whole(name, text, range); });
}

CLI::Option* add_real(CLI::App& command, const std::string& name, std::optional<double>& value, const RealRange& range,
                      const std::string& help) {
  return add_read(command, name, help,
                  [&value, name, range](const std::string& text) { value = read_real(name, text, range); });
}

CLI::Option* add_seed(CLI::App& command, const std::string& name, uint64_t& value, const std::string& help) {
  return add_read(command, name, help, [&value, name](const std::string& text) { value = read_seed(name, text); })
      ->default_str(fmt::format("{}", value));
}

}  // namespace phasor::app
