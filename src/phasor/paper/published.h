#pragma once
// The numbers that arXiv 2505.13027 shows, to be set beside ours. data/README.md says how they were had.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace phasor::paper {

enum class Provenance : uint8_t { printed, digitised };
std::string_view name(Provenance provenance);

// A number, or the range in which it lies.
struct PublishedPoint {
  double at = 0.0;  // on the entry's axis
  double low = 0.0, high = 0.0;
  bool approximate = false;
  bool printed = false;  // although the entry is digitised

  double value() const { return 0.5 * (low + high); }
  bool is_range() const { return low != high; }
};

struct PublishedEntry {
  std::string id;
  std::string figure;    // "Fig. 2", "table of v2 Sec. 5.3"
  std::string task;      // kDistance or kCounting
  std::string encoding;  // the name in the figure
  std::string subject;   // which of paper_encodings() it is; empty where it is none
  std::string quantity;  // "test_accuracy"
  std::string axis;      // what points count, "epoch"; empty for a single number
  std::optional<double> baseline;
  std::vector<PublishedPoint> points;  // by rising `at`
  Provenance provenance = Provenance::digitised;
  double error = 0.0;
  std::string note;  // empty where there is nothing to say

  const PublishedPoint* find(double at) const;  // null: not published
  const PublishedPoint& last() const { return points.back(); }
};

// In the file's order.
const std::vector<PublishedEntry>& published();
// Throws Error where there is none.
const PublishedEntry& published_entry(std::string_view id);

// Throws FormatError, naming `source` and the entry, for anything but what data/README.md describes.
std::vector<PublishedEntry> parse_published(std::string_view text, const std::string& source);

}  // namespace phasor::paper
