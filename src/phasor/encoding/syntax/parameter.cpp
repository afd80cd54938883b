#include "phasor/encoding/syntax/parameter.h"

#include <utility>

namespace phasor {
namespace {

using Kind = EncodingParameter::Kind;

constexpr double kUnbounded = 1e300;
constexpr double kLargestStart = 1e38;  // trained numbers are floats

EncodingParameter required(EncodingParameter parameter) {
  parameter.required = true;
  return parameter;
}

}  // namespace

EncodingParameter number_parameter(std::string name, double default_value, double least, double most,
                                   std::string help) {
  return {.name = std::move(name),
          .kind = Kind::number,
          .default_value = {.content = default_value},
          .least = least,
          .most = most,
          .help = std::move(help)};
}

EncodingParameter integer_parameter(std::string name, int64_t default_value, int64_t least, int64_t most,
                                    std::string help) {
  EncodingParameter result = number_parameter(std::move(name), static_cast<double>(default_value),
                                              static_cast<double>(least), static_cast<double>(most), std::move(help));
  result.kind = Kind::integer;
  return result;
}

EncodingParameter word_parameter(std::string name, std::vector<std::string> choices, std::string help) {
  TermValue first = TermValue::of_word(choices.front());
  return {.name = std::move(name),
          .kind = Kind::word,
          .default_value = std::move(first),
          .choices = std::move(choices),
          .help = std::move(help)};
}

EncodingParameter learnable_parameter(std::string name, double default_value, double least, double most,
                                      std::string help) {
  EncodingParameter result = number_parameter(std::move(name), default_value, least, most, std::move(help));
  result.kind = Kind::learnable;
  return result;
}

EncodingParameter formula_parameter(std::string name, std::vector<std::string> words, std::string help) {
  EncodingParameter result = word_parameter(std::move(name), std::move(words), std::move(help));
  result.kind = Kind::formula;
  return result;
}

EncodingParameter required_formula_parameter(std::string name, std::string help) {
  return {.name = std::move(name),
          .kind = Kind::formula,
          .default_value = {.content = QuotedText{"0"}},
          .help = std::move(help),
          .required = true};
}

EncodingParameter numbers_parameter(std::string name, double least, double most, std::string help) {
  return {.name = std::move(name),
          .kind = Kind::numbers,
          .default_value = {.content = QuotedText{""}},
          .least = least,
          .most = most,
          .help = std::move(help)};
}

EncodingParameter required_words_parameter(std::string name, std::string help) {
  return {.name = std::move(name),
          .kind = Kind::words,
          .default_value = {.content = QuotedText{"0"}},
          .help = std::move(help),
          .required = true};
}

EncodingParameter encoding_parameter(std::string name, std::string help) {
  return {.name = std::move(name),
          .kind = Kind::encoding,
          .default_value = TermValue::of_word("nope"),
          .help = std::move(help),
          .required = true};
}

const std::vector<EncodingParameter>& learned_number_parameters() {
  static const std::vector<EncodingParameter> parameters = {
      required(number_parameter("start", 0, -kLargestStart, kLargestStart, "the value it starts from")),
      word_parameter("per", {"all", "head"}, "one number for all heads of a layer, or one for each"),
      number_parameter("min", -kUnbounded, -kUnbounded, kUnbounded, "kept at or above this"),
      number_parameter("max", kUnbounded, -kUnbounded, kUnbounded, "kept at or below this")};
  return parameters;
}

}  // namespace phasor
