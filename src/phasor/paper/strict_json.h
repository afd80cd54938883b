#pragma once
// JSON in which nothing may be missing and nothing may be left over: a member that is misspelt is an error, not a
// default. Errors are FormatErrors that say where.
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>

namespace phasor::paper {

nlohmann::ordered_json parse_strict(std::string_view text, const std::string& source);

// Reads the members of one object; done() makes sure that all of them were asked for.
class StrictObject {
 public:
  // `where` is shown in errors: "claims.json, claim 3".
  StrictObject(const nlohmann::ordered_json& object, std::string where);

  bool has(const std::string& member) const { return object_.contains(member); }
  const nlohmann::ordered_json& member(const std::string& name);
  std::string text(const std::string& name);  // not empty
  double number(const std::string& name);     // finite
  const nlohmann::ordered_json& list(const std::string& name);
  std::string optional_text(const std::string& name) { return has(name) ? text(name) : std::string(); }

  void done() const;
  const std::string& where() const { return where_; }
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  const nlohmann::ordered_json& object_;
  std::string where_;
  std::set<std::string> read_;
};

}  // namespace phasor::paper
