#include "phasor/ablation/method.h"

#include <algorithm>
#include <array>

#include "phasor/base/error.h"
#include "phasor/base/suggest.h"

namespace phasor {
namespace {

struct Entry {
  AblationMethod method;
  std::string_view name, meaning;
};

constexpr std::array<Entry, 7> kMethods = {{
    {AblationMethod::zero, "zero", "output 0"},
    {AblationMethod::mean, "mean", "mean output over the tokens of other samples"},
    {AblationMethod::position_mean, "position_mean", "mean output of other samples at the same index"},
    {AblationMethod::resample, "resample", "output at the same index of another sample"},
    {AblationMethod::position_off, "position_off", "attends by content alone"},
    {AblationMethod::position_shuffled, "position_shuffled", "attends with the places of tokens shuffled"},
    {AblationMethod::content_off, "content_off", "attends by position alone"},
}};

const Entry& entry(AblationMethod method) {
  return *std::find_if(kMethods.begin(), kMethods.end(), [&](const Entry& e) { return e.method == method; });
}

AblationMethod parse_method(const std::string& text) {
  std::vector<std::string> names;
  for (const Entry& e : kMethods) {
    if (e.name == text) return e.method;
    names.emplace_back(e.name);
  }
  fail_usage("there is no ablation method '{}'{}", text, suggestion(text, names));
}

}  // namespace

std::string_view name(AblationMethod method) { return entry(method).name; }

std::string_view meaning(AblationMethod method) { return entry(method).meaning; }

std::vector<AblationMethod> all_methods() {
  std::vector<AblationMethod> methods;
  methods.reserve(kMethods.size());
  for (const Entry& e : kMethods) methods.push_back(e.method);
  return methods;
}

std::vector<AblationMethod> parse_methods(const std::string& text) {
  if (text == "all") return all_methods();
  std::vector<AblationMethod> methods;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t comma = std::min(text.find(',', begin), text.size());
    const AblationMethod method = parse_method(text.substr(begin, comma - begin));
    if (std::find(methods.begin(), methods.end(), method) != methods.end()) {
      fail_usage("the ablation method '{}' is named twice", name(method));
    }
    methods.push_back(method);
    begin = comma + 1;
  }
  return methods;
}

}  // namespace phasor
