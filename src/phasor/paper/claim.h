#pragma once
// What arXiv 2505.13027 claims, as data (data/claims.json), and what a study says to it.
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace phasor::paper {

inline constexpr const char* kAnyProtocol = "any";  // of claims that no training decides

struct Claim {
  std::string id;
  std::string claim;                      // in our words
  std::string made;                       // where: version, section, figure
  std::vector<std::string> protocols;     // under which it can be judged
  std::string holds, fails;               // what would count
  std::string evidence;                   // what is read
  std::map<std::string, double> numbers;  // thresholds by name

  // Throws Error where there is none of this name.
  double threshold(const std::string& name) const;
  bool is_judged_under(const std::string& protocol) const;
};

// In the file's order.
const std::vector<Claim>& claims();
// Throws Error where there is none.
const Claim& claim(std::string_view id);

// Throws FormatError, naming `source` and the claim.
std::vector<Claim> parse_claims(std::string_view text, const std::string& source);

enum class ClaimVerdict : uint8_t { holds, fails, undetermined };
std::string_view name(ClaimVerdict verdict);

// One number that a verdict rests on, or that helps to read it; NaN where it has none.
struct Evidence {
  std::string what;
  double value = std::numeric_limits<double>::quiet_NaN();
  double low = std::numeric_limits<double>::quiet_NaN();  // 95 % interval unless the text says otherwise
  double high = std::numeric_limits<double>::quiet_NaN();
  std::string unit;
  std::string text;  // what else is to be known
};

struct JudgedClaim {
  std::string id;
  std::string protocol;  // kClean, kReleased or kAnyProtocol
  ClaimVerdict verdict = ClaimVerdict::undetermined;
  std::string reason;  // one or two sentences with numbers
  std::vector<Evidence> evidence;
  std::string needs;       // what is missing, or what would decide; empty where nothing would
  bool unasked = false;    // undetermined because cells, measures or converged runs are missing
  bool post_hoc = false;   // claims, rules or plan are not those that were registered before the first run
  bool extension = false;  // it would read otherwise without runs that were added to the study later
};

}  // namespace phasor::paper
