#pragma once
// Numbers as a page prints them: 99.4, +3.3, 20,000.
#include <string>
#include <string_view>
#include <vector>

namespace phasor::results {

struct PrintedNumber {
  size_t begin = 0, end = 0;  // in the line
  double value = 0.0;
  int digits = 0;  // behind the point
  bool is_signed = false, has_commas = false;
  // A figure that data or nothing stands behind: a decimal, a per cent figure, a number of points. Not names and
  // numbers of sections, arXiv ids, dates, versions, and the level of an interval.
  bool is_figure = false;

  // Whether the number rounds to what is printed: within half a unit of the last digit.
  bool agrees_with(double number) const;
  // The number with as many digits.
  std::string with(double number) const;
};

// From `from` on. Nothing in `code` and in the targets of links is a number of the page.
std::vector<PrintedNumber> printed_numbers(std::string_view line, size_t from, size_t to);

}  // namespace phasor::results
