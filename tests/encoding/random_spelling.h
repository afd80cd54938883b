#pragma once
// Random spellings of catalogue encodings, all of which the catalogue accepts: blanks, any argument order, defaults
// spelled out or not, formulas with variables, learned numbers, lists, encodings within others.
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "encoding/random_formula.h"
#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/syntax/printer.h"
#include "phasor/formula/formula.h"

namespace phasor::testing_support {

class RandomSpelling {
 public:
  // What makes tables large stays small, so that a small model can resolve it quickly.
  enum class Sizes { any, small };

  explicit RandomSpelling(uint32_t sample, Sizes sizes = Sizes::any)
      : draws_(RandomStream{.seed = 7, .purpose = Purpose::test, .site = 2, .step = sample}), sizes_(sizes) {}

  std::string text() { return sum(4, {}).text; }

 private:
  struct Spelled {
    std::string text;
    bool neutral = true;  // fills no place, and so takes no heads or layers
  };

  // An argument that an entry needs, or may have, with a value of its own.
  struct Given {
    std::string name;
    std::string value;
    bool required = false;
  };

  Spelled sum(uint32_t most_terms, const std::vector<std::string>& around) {
    Spelled result{.text = blanks()};
    const uint32_t terms = 1 + draws_.below(most_terms);
    for (uint32_t i = 0; i < terms; ++i) {
      if (i > 0) result.text.append("+").append(blanks());
      const Spelled next = term(around);
      result.text += next.text;
      result.neutral = result.neutral && next.neutral;
    }
    return result;
  }

  Spelled term(const std::vector<std::string>& around) {
    const auto& entries = encoding_catalogue();
    const EncodingEntry* entry = nullptr;
    do {
      entry = &entries[draws_.below(static_cast<uint32_t>(entries.size()))];
    } while (std::find(around.begin(), around.end(), entry->name) != around.end());
    Spelled result{.text = entry->name + blanks(), .neutral = entry->name == "nope"};
    std::vector<Given> given = entry->name == "rope" ? rope_arguments(*entry) : plain_arguments(*entry);
    for (const EncodingParameter& parameter : entry->parameters) {
      if (parameter.kind != EncodingParameter::Kind::encoding) continue;
      std::vector<std::string> inner = around;
      inner.push_back(entry->name);
      Spelled nested = sum(2, inner);
      result.neutral = nested.neutral && entry->name != "concat";
      given.push_back({parameter.name, std::move(nested.text), true});
    }
    if (entry->name == "bias") add_formula(given, "formula", {"d", "i", "n", "h", "l", "H", "L"}, true);
    if (entry->name == "scale") add_formula(given, "formula", {"i", "n", "h", "l", "H", "L"}, true);
    if (entry->name == "input") add_formula(given, "formula", {"i", "n", "c", "C"}, false);
    result.neutral = result.neutral || (entry->name == "prope" && is_given(given, "p", "0"));
    result.text += arguments(*entry, given);
    const std::string masks = mask(around);
    result.neutral = result.neutral && masks.empty();
    if (!result.neutral) result.text += assignment() + masks;
    return result;
  }

  // --- Arguments ------------------------------------------------------------------------------------

  std::vector<Given> plain_arguments(const EncodingEntry& entry) {
    std::vector<Given> result;
    for (const EncodingParameter& parameter : entry.parameters) {
      const bool large = sizes_ == Sizes::small && parameter.name == "max";  // if left out
      const bool words = parameter.kind == EncodingParameter::Kind::words;
      if (words) result.push_back({parameter.name, word_list(), true});
      if (!parameter.required && (large || coin())) result.push_back({parameter.name, value(parameter)});
    }
    if (entry.name == "mla") fit_mla(entry, result);
    return result;
  }

  // Rotary channels come in pairs, and some arguments are about them.
  void fit_mla(const EncodingEntry& entry, std::vector<Given>& given) {
    constexpr std::array kScaling = {"scaling", "factor",    "original",    "beta_fast", "beta_slow", "truncate",
                                     "low",     "high",      "short",       "long",      "mscale",    "mscale_all_dim",
                                     "rope",    "attention", "attention_on"};
    std::erase_if(given, [&](const Given& one) {
      return std::find(kScaling.begin(), kScaling.end(), one.name) != kScaling.end();
    });
    if (given.empty() && coin()) given.push_back({"rope", "0"});
    if (coin()) return;
    given.push_back({"rope", std::to_string(4 * (1 + draws_.below(4)))});
    std::erase_if(given, [](const Given& one) { return one.name == "rope" && one.value == "0"; });
    std::erase_if(given, [](const Given& one) { return one.name == "table"; });  // the released one is not stretched
    given.push_back({"factor", std::to_string(1 + draws_.below(8))});
    const std::string rule = pick({"linear", "ntk", "yarn", "yarn", "llama3", "llama3"});
    given.push_back({"scaling", rule});
    if (rule == "linear" || rule == "ntk") return;
    given.push_back({"original", std::to_string(1 + draws_.below(9000))});
    if (rule == "llama3") return given.push_back({"high", print_number(2.0 + draws_.below(20))});
    std::erase_if(given, [](const Given& one) { return one.name == "base"; });
    given.push_back({"base", print_number(2.0 + draws_.below(20000))});
    given.push_back({"beta_fast", print_number(1.0 + draws_.below(100))});
    for (const char* name : {"truncate", "attention", "attention_on"}) {
      given.push_back({name, value(*find_parameter(entry, name))});
    }
  }

  // Each way to use rope has arguments that belong to it.
  std::vector<Given> rope_arguments(const EncodingEntry& entry) {
    std::vector<std::string> allowed = {"layout", "fraction"};
    std::vector<Given> result;
    const auto need = [&](const std::string& name, const std::string& text) { result.push_back({name, text, true}); };
    const auto need_any = [&](const std::string& name) { need(name, value(*find_parameter(entry, name))); };
    if (coin()) need("base", print_number(2.0 + draws_.below(20000)));
    switch (draws_.below(9)) {
      case 0:
        need("frequencies", pick({"fixed", "learned"}));
        break;
      case 1:
        need("scaling", pick({"linear", "ntk"}));
        allowed.push_back("factor");
        break;
      case 2:
        need("scaling", "dynamic");
        need("original", std::to_string(1 + draws_.below(9)));
        allowed.push_back("factor");
        break;
      case 3:
        need("scaling", "yarn");
        need("original", std::to_string(1 + draws_.below(9000)));
        need("beta_fast", print_number(1.0 + draws_.below(100)));
        allowed.insert(allowed.end(), {"factor", "truncate", "attention", "attention_on"});
        break;
      case 4:
        need("scaling", "llama3");
        need("original", std::to_string(1 + draws_.below(9000)));
        need("high", print_number(2.0 + draws_.below(20)));
        allowed.push_back("factor");
        break;
      case 5:
        need("scaling", "longrope");
        need("original", std::to_string(2 + draws_.below(9)));
        need_any("short");
        need_any("long");
        allowed.push_back("factor");
        break;
      case 6: {
        const uint32_t axes = 2 + draws_.below(3);
        need("axes", std::to_string(axes));
        if (coin()) need("map", pick({"axial", "mixed", "sections", "interleaved"}));
        if (result.back().value == "sections") need("sections", list(axes, {"0", "1", "2", "3"}));
        break;
      }
      case 7:
        std::erase_if(result, [](const Given& one) { return one.name == "base"; });
        add_formula(result, "frequencies", {"c", "C", "h", "l", "H", "L", "base"}, true);
        break;
      default:
        break;
    }
    for (const std::string& name : allowed) {
      if (coin()) result.push_back({name, value(*find_parameter(entry, name))});
    }
    return result;
  }

  // With a value for every name that the formula uses and that means nothing yet.
  void add_formula(std::vector<Given>& given, const std::string& parameter, const std::vector<std::string>& known,
                   bool heads) {
    std::vector<std::string> names = known;
    names.insert(names.end(), {"a", "b", "slope_1", "pi"});
    const std::string text = RandomFormula(draws_, names).text();
    given.push_back({parameter, "\"" + text + "\"", true});
    for (const std::string& name : Formula::parse(text).names()) {
      if (name == "base") {
        given.push_back({name, coin() ? "50" : "learned(" + blanks() + "50)", true});
      } else if (std::find(known.begin(), known.end(), name) == known.end()) {
        given.push_back({name, coin() ? signed_number() : learned(-1.0, 1.0, heads), true});
      }
    }
  }

  std::string value(const EncodingParameter& parameter) {
    using Kind = EncodingParameter::Kind;
    switch (parameter.kind) {
      case Kind::word:
      case Kind::formula:
        return pick(parameter.choices);
      case Kind::integer:
        return std::to_string(integer(parameter));
      case Kind::learnable:
        if (coin()) return learned(parameter.least, parameter.most, false);
        [[fallthrough]];
      case Kind::number:
        return print_number(number(parameter.least, parameter.most));
      case Kind::numbers:
        return list(4, {"1", "2.50", "1e1", "0.125"});
      case Kind::words:
      case Kind::encoding:
        break;
    }
    return "";
  }

  // Words of a task, in quotes where there is more than one.
  std::string word_list() {
    const std::vector<std::string> items = {"0", "7", "3-5", "separator", "16777215", " 2 - 9 ", "_x1"};
    if (coin()) return pick({"0", "12", "separator", "_x1"});
    return list(1 + draws_.below(4), items);
  }

  int64_t integer(const EncodingParameter& parameter) {
    const int64_t least = static_cast<int64_t>(parameter.least);
    const int64_t most = static_cast<int64_t>(parameter.most);
    const int64_t span = std::min(most - least, sizes_ == Sizes::any && coin() ? most : int64_t{40});
    return least + static_cast<int64_t>(draws_.below(static_cast<uint32_t>(span) + 1));
  }

  double number(double least, double most) {
    if (draws_.below(8) == 0) return least;
    const double share = static_cast<double>(1 + draws_.below(1000)) / 1000.0;
    return least + share * (std::min(most, 1e6) - least);
  }

  std::string signed_number() { return (coin() ? "-" : "") + pick({"0", "1.50", "2e-1", "3", "1e3", "0.001"}); }

  // learned(...) within the bounds, with its arguments by place or by name.
  std::string learned(double least, double most, bool heads) {
    const double start = number(std::max(least, -1e6), most);
    std::string text = "learned" + blanks() + "(" + blanks() + (coin() ? "start=" : "") + print_number(start);
    if (coin()) text += "," + blanks() + "per=" + (heads && coin() ? "head" : "all");
    if (coin()) text += ",max = " + print_number(start + (coin() ? 0.0 : 2.5));
    if (coin()) text += ",min=" + print_number(start - (coin() ? 0.0 : 2.5));
    return text + ")";
  }

  std::string list(uint32_t count, const std::vector<std::string>& numbers) {
    std::string text = "\"";
    for (uint32_t i = 0; i < count; ++i) text.append(i == 0 ? "" : ",").append(coin() ? "" : " ").append(pick(numbers));
    return text + "\"";
  }

  // Some of what may be left out is; the first ones may do without their names, the others come in any order.
  std::string arguments(const EncodingEntry& entry, const std::vector<Given>& given) {
    std::vector<std::string> texts;
    std::vector<std::string> named;
    bool by_place = coin();
    for (const EncodingParameter& parameter : entry.parameters) {
      const auto found =
          std::find_if(given.begin(), given.end(), [&](const Given& one) { return one.name == parameter.name; });
      by_place = by_place && found != given.end() && draws_.below(4) != 0;
      if (found == given.end()) continue;
      if (by_place) {
        texts.push_back(found->value);
      } else {
        named.push_back(found->name + blanks() + "=" + blanks() + found->value);
      }
    }
    for (const Given& one : given) {
      if (find_parameter(entry, one.name) == nullptr) named.push_back(one.name + "=" + blanks() + one.value);
    }
    for (size_t i = named.size(); i > 1; --i) std::swap(named[i - 1], named[draws_.below(static_cast<uint32_t>(i))]);
    texts.insert(texts.end(), named.begin(), named.end());
    if (texts.empty()) return coin() ? "()" : "";
    std::string text = "(";
    for (size_t i = 0; i < texts.size(); ++i) text.append(i == 0 ? "" : ",").append(blanks()).append(texts[i]);
    return text + blanks() + ")" + blanks();
  }

  std::string assignment() {
    switch (draws_.below(8)) {
      case 0:
        return "[ heads = 2 , 0-1 ]";
      case 1:
        return "[layers=none]";
      case 2:
        return "[layers=0-1,heads=2,1]";
      case 3:
        return "[heads=0] [layers=1]";
      case 4:
        return sizes_ == Sizes::any ? "[heads=7,layers=9-65535]" : "[heads=1]";
      default:
        return "";
    }
  }

  // Where terms are added to the embeddings there is nothing to mask.
  std::string mask(const std::vector<std::string>& around) {
    if (std::find(around.begin(), around.end(), "concat") != around.end()) return "";
    switch (draws_.below(16)) {
      case 0:
        return "[window=3]";
      case 1:
        return "[ chunk = 4 , window=1048576 ]";
      case 2:
        return "[chunk=8]";
      default:
        return "";
    }
  }

  // --- Draws ----------------------------------------------------------------------------------------

  static const EncodingParameter* find_parameter(const EncodingEntry& entry, const std::string& name) {
    for (const EncodingParameter& parameter : entry.parameters) {
      if (parameter.name == name) return &parameter;
    }
    return nullptr;
  }

  static bool is_given(const std::vector<Given>& given, const std::string& name, const std::string& value) {
    return std::any_of(given.begin(), given.end(),
                       [&](const Given& one) { return one.name == name && one.value == value; });
  }

  std::string pick(const std::vector<std::string>& words) {
    return words[draws_.below(static_cast<uint32_t>(words.size()))];
  }
  std::string blanks() { return draws_.below(4) == 0 ? std::string(1 + draws_.below(2), coin() ? ' ' : '\t') : ""; }
  bool coin() { return draws_.below(2) == 0; }

  Draws draws_;
  Sizes sizes_;
};

}  // namespace phasor::testing_support
