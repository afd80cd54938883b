#include "phasor/encoding/parameter.h"

#include <utility>

namespace phasor {

EncodingParameter number_parameter(std::string name, double default_value, double least, double most,
                                   std::string help) {
  return {.name = std::move(name),
          .kind = EncodingParameter::Kind::number,
          .default_value = {.content = default_value},
          .least = least,
          .most = most,
          .choices = {},
          .help = std::move(help)};
}

EncodingParameter integer_parameter(std::string name, int64_t default_value, int64_t least, int64_t most,
                                    std::string help) {
  EncodingParameter result = number_parameter(std::move(name), static_cast<double>(default_value),
                                              static_cast<double>(least), static_cast<double>(most), std::move(help));
  result.kind = EncodingParameter::Kind::integer;
  return result;
}

EncodingParameter word_parameter(std::string name, std::vector<std::string> choices, std::string help) {
  TermValue first = TermValue::of_word(choices.front());
  return {.name = std::move(name),
          .kind = EncodingParameter::Kind::word,
          .default_value = std::move(first),
          .choices = std::move(choices),
          .help = std::move(help)};
}

}  // namespace phasor
