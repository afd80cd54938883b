// Any text is either refused with a UsageError or read; what was read prints to a text that reads back equal and
// prints the same, and gives a small model finite tables of the right sizes or is refused with a UsageError again.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "phasor/base/error.h"
#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/encoding.h"
#include "phasor/encoding/resolve/encoding_sum.h"
#include "phasor/encoding/resolve/values.h"
#include "phasor/encoding/syntax/parser.h"
#include "phasor/encoding/syntax/printer.h"

namespace {

using phasor::Encoding;
using phasor::EncodingEntry;
using phasor::EncodingParameter;
using phasor::Term;

void require(bool holds, const char* what, std::string_view text) {
  if (holds) return;
  std::fprintf(stderr, "encoding_fuzz: %s: '%.*s'\n", what, static_cast<int>(text.size()), text.data());
  std::abort();
}

// By the grammar alone, so that names and nestings that no entry takes are covered too.
void check_syntax(std::string_view text) {
  std::optional<Encoding> tree;
  try {
    tree = phasor::parse_expression(text);
  } catch (const phasor::UsageError&) {
    return;
  }
  const std::string printed = phasor::print_expression(*tree);
  if (printed.size() > phasor::kLongestExpression) return;
  require(phasor::parse_expression(printed) == *tree, "the tree changed on its way through text", printed);
}

// --- Resolving ------------------------------------------------------------------------------------

// Whole numbers are sizes; a fuzzer's millions would measure memory and nothing else.
constexpr double kLargestSize = 40.0;

// The same encoding with small sizes. May be one that the catalogue refuses.
Encoding smaller(Encoding encoding) {
  for (Term& term : encoding.terms) {
    const EncodingEntry* entry = phasor::find_encoding(term.name);
    bool has_max = false;
    for (phasor::TermArgument& argument : term.arguments) {
      has_max = has_max || argument.key == "max";
      if (auto* nested = std::get_if<Encoding>(&argument.value.content)) *nested = smaller(std::move(*nested));
      double* number = std::get_if<double>(&argument.value.content);
      if (number == nullptr || entry == nullptr) continue;
      for (const EncodingParameter& parameter : entry->parameters) {
        const bool size = parameter.name == argument.key && parameter.kind == EncodingParameter::Kind::integer;
        if (size && *number > kLargestSize) *number = kLargestSize;
      }
    }
    if (term.name == "randomized" && !has_max) {
      term.arguments.push_back({.key = "max", .value = {.content = kLargestSize}});
    }
  }
  return encoding;
}

bool finite(const std::vector<double>& values) {
  for (const double value : values) {
    if (!std::isfinite(value)) return false;
  }
  return true;
}

void check_tables(const phasor::ResolvedEncoding& encoding, const std::string& text) {
  const phasor::EncodingShape& shape = encoding.shape;
  const auto extent = [&](int64_t axis) { return encoding.axes.at(static_cast<size_t>(axis)).extent; };
  const auto check = [&](const phasor::Table& table, int64_t rows, int64_t columns) {
    require(table.rows == rows && table.columns == columns, "a table has another size than it should", text);
    require(finite(table.values), "a table is not finite", text);
  };
  require(encoding.embedding_width >= 1 && encoding.embedding_width <= shape.width, "tokens have no channels", text);
  if (encoding.input) {
    const int64_t tables = encoding.input->per_length ? shape.positions : 1;
    check(encoding.input->fixed, tables * extent(encoding.input->axis), shape.width);
  }
  for (const phasor::LayerEncoding& layer : encoding.layers) {
    require(finite(layer.scale), "a scale is not finite", text);
    if (layer.bias != nullptr) {
      const phasor::BiasTerm& bias = *layer.bias;
      require(bias.reach == extent(bias.axis) - 1, "a bias does not reach all distances", text);
      check(bias.fixed, (bias.per_length ? shape.positions : 1) * shape.heads * bias.rows, 2 * bias.reach + 1);
    }
    for (const auto& rotation : layer.rotation) {
      if (rotation == nullptr) continue;
      const int64_t rows = rotation->classes * static_cast<int64_t>(rotation->axes.size());
      const size_t factors = static_cast<size_t>(rows * rotation->positions * rotation->pairs);
      require(rotation->query.size() == factors && rotation->key.size() == factors, "factors are missing", text);
      for (size_t f = 0; f < factors; ++f) {
        require(std::isfinite(std::norm(rotation->query[f])) && std::isfinite(std::norm(rotation->key[f])),
                "a factor is not finite", text);
      }
    }
  }
}

void check_tables_of(const Encoding& encoding, bool causal) {
  const phasor::EncodingShape shape{
      .layers = 2, .heads = 3, .head_width = 8, .width = 24, .positions = 6, .causal = causal, .grid = {2, 3}};
  try {
    const std::string text = phasor::print(encoding);
    const phasor::ResolvedEncoding resolved = phasor::resolve(encoding, shape);
    require(resolved.expression == text, "resolving changed the text", text);
    std::set<std::string> names;
    for (const phasor::LearnedParameter& parameter : resolved.parameters) {
      require(names.insert(parameter.name).second, "two tensors have one name", text);
    }
    const phasor::EncodingTraits traits = phasor::EncodingSum(phasor::parse_encoding(text), text).traits();
    require(traits.learnable || resolved.parameters.empty(), "what is said to be fixed has tensors", text);
    check_tables(phasor::with_values(resolved, phasor::initial_values(resolved, 1)), text);
  } catch (const phasor::UsageError&) {
  }
}

void check_catalogue(std::string_view text) {
  std::optional<Encoding> encoding;
  try {
    encoding = phasor::parse_encoding(text);
  } catch (const phasor::UsageError&) {
    return;
  }
  const std::string printed = phasor::print(*encoding);
  const Encoding again = phasor::parse_encoding(printed);
  require(again == *encoding, "the encoding changed on its way through text", printed);
  require(phasor::print(again) == printed, "the canonical text has another canonical text", printed);
  check_tables_of(smaller(again), text.back() % 2 != 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(data, data + size);
  check_syntax(text);
  check_catalogue(text);
  return 0;
}
