#include "phasor/study/plan/short_labels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "phasor/base/error.h"
#include "phasor/encoding/encoding.h"
#include "phasor/encoding/syntax/printer.h"

namespace phasor {
namespace {

constexpr const char* kLeftOut = "..";

// A part of an expression: an argument, or what stands in the brackets, of a term.
using PartName = std::pair<size_t, std::string>;
using Parts = std::map<PartName, std::string>;

constexpr const char* kHeads = "[heads]";
constexpr const char* kLayers = "[layers]";
constexpr const char* kWindow = "[window]";
constexpr const char* kChunk = "[chunk]";

Parts parts_of(const Encoding& encoding) {
  Parts parts;
  for (size_t t = 0; t < encoding.terms.size(); ++t) {
    const Term& term = encoding.terms[t];
    for (const TermArgument& argument : term.arguments) {
      parts[{t, argument.key}] = print_expression(argument.value);
    }
    if (!term.heads.everything) parts[{t, kHeads}] = print(term.heads.indices);
    if (!term.layers.everything) parts[{t, kLayers}] = print(term.layers.indices);
    if (term.window.tokens > 0) parts[{t, kWindow}] = std::to_string(term.window.tokens);
    if (term.chunk.tokens > 0) parts[{t, kChunk}] = std::to_string(term.chunk.tokens);
  }
  return parts;
}

class LabelPrinter {
 public:
  LabelPrinter(std::set<PartName> wanted, bool marks) : wanted_(std::move(wanted)), marks_(marks) {}

  std::string print(const Encoding& encoding) const {
    std::string label;
    const bool alone = encoding.terms.size() == 1;
    for (size_t t = 0; t < encoding.terms.size(); ++t) label += (t == 0 ? "" : "+") + term(encoding.terms[t], t, alone);
    return label;
  }

 private:
  bool is_wanted(size_t t, const std::string& part) const { return wanted_.contains({t, part}); }

  // "yarn", "learned": what the value of an argument says without its key.
  static std::string word_of(const TermValue& value) {
    const Encoding* inner = std::get_if<Encoding>(&value.content);
    if (inner == nullptr) return "";
    std::string word;
    for (const Term& term : inner->terms) word += (word.empty() ? "" : "+") + term.name;
    return word;
  }

  static std::string whole(const TermArgument& argument) {
    const std::string value = print_expression(argument.value);
    return argument.key.empty() ? value : argument.key + "=" + value;
  }

  // The argument, a long formula by its beginning.
  static std::string begun(const TermArgument& argument) {
    constexpr size_t kMostOfFormula = 16;
    const auto* formula = std::get_if<QuotedText>(&argument.value.content);
    if (formula == nullptr || formula->text.size() <= kMostOfFormula) return whole(argument);
    return fmt::format("\"{}{}\"", formula->text.substr(0, kMostOfFormula), kLeftOut);
  }

  std::string term(const Term& term, size_t t, bool alone) const {
    std::vector<std::string> shown;
    bool all = true;
    const auto& arguments = term.arguments;
    const bool words =
        std::any_of(arguments.begin(), arguments.end(), [](const auto& it) { return !word_of(it.value).empty(); });
    for (const TermArgument& argument : arguments) {
      const std::string word = word_of(argument.value);
      if (is_wanted(t, argument.key)) {
        shown.push_back(word == print_expression(argument.value) ? word : whole(argument));
      } else if (!word.empty()) {
        shown.push_back(word);
      } else if (argument.key.empty() || (alone && !words && &argument == &arguments.front())) {
        shown.push_back(begun(argument));
      } else {
        all = false;
      }
    }
    if (marks_ && !all) shown.emplace_back(kLeftOut);
    std::string label = term.name;
    if (!shown.empty()) label += fmt::format("({})", fmt::join(shown, ","));
    return label + place(term.heads, t, kHeads, "heads") + place(term.layers, t, kLayers, "layers") +
           mask(term.window, t, kWindow, "window") + mask(term.chunk, t, kChunk, "chunk");
  }

  std::string mask(const TermMask& mask, size_t t, const char* part, const char* key) const {
    if (mask.tokens == 0) return "";
    if (is_wanted(t, part)) return fmt::format("[{}={}]", key, mask.tokens);
    return marks_ ? fmt::format("[{}]", kLeftOut) : "";
  }

  std::string place(const TermAssignment& assignment, size_t t, const char* part, const char* key) const {
    if (assignment.everything) return "";
    if (is_wanted(t, part)) return fmt::format("[{}={}]", key, phasor::print(assignment.indices));
    return marks_ ? fmt::format("[{}]", kLeftOut) : "";
  }

  std::set<PartName> wanted_;
  bool marks_ = false;
};

bool is_expression(const std::string& label) {
  try {
    parse_encoding(label);
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

std::string label_of(const std::string& expression, const std::set<PartName>& wanted) {
  const Encoding encoding = parse_encoding(expression);
  std::string label = LabelPrinter(wanted, false).print(encoding);
  if (label != expression && is_expression(label)) label = LabelPrinter(wanted, true).print(encoding);
  if (label.size() > kLongestLabel) label = label.substr(0, kLongestLabel - 2) + kLeftOut;
  return label.size() < expression.size() ? label : expression;
}

// Parts in which some of the expressions differ.
std::set<PartName> differing(const std::vector<std::string>& expressions) {
  std::vector<Parts> all;
  std::set<PartName> names, found;
  for (const std::string& expression : expressions) {
    all.push_back(parts_of(parse_encoding(expression)));
    for (const auto& [name, text] : all.back()) names.insert(name);
  }
  for (const PartName& name : names) {
    const auto text_in = [&](const Parts& parts) {
      const auto part = parts.find(name);
      return part == parts.end() ? std::string() : part->second;
    };
    const std::string first = text_in(all.front());
    if (std::any_of(all.begin(), all.end(), [&](const Parts& parts) { return text_in(parts) != first; })) {
      found.insert(name);
    }
  }
  return found;
}

}  // namespace

std::map<std::string, std::string> short_labels(const std::vector<std::string>& expressions,
                                                const std::set<std::string>& taken) {
  std::set<std::string> used = taken;
  std::vector<std::string> long_ones;
  for (const std::string& expression : expressions) {
    if (expression.size() > kShortExpression) long_ones.push_back(expression);
    used.insert(expression);
  }
  std::map<std::string, std::vector<std::string>> alike;
  for (const std::string& expression : long_ones) alike[label_of(expression, {})].push_back(expression);
  std::map<std::string, std::string> labels;
  for (const std::string& expression : long_ones) {
    const std::string plain = label_of(expression, {});
    const std::vector<std::string>& group = alike[plain];
    const std::string label = group.size() == 1 ? plain : label_of(expression, differing(group));
    std::string own = label;
    for (int n = 2; own != expression && used.contains(own); ++n) own = fmt::format("{} #{}", label, n);
    used.insert(own);
    labels[expression] = own;
  }
  return labels;
}

}  // namespace phasor
