#include "phasor/base/csv.h"

#include <gtest/gtest.h>

#include <optional>

#include "phasor/base/error.h"

namespace phasor {
namespace csv_test {

struct Habit {
  std::string name;
  std::optional<double> share;
  int64_t count = 0;
  bool kept = false;
};

const Fields<Habit>& json_fields(const Habit*) {
  static const Fields<Habit> fields = {field("name", &Habit::name, "its name"), field("share", &Habit::share, "part"),
                                       field("count", &Habit::count, "how many"),
                                       field("kept", &Habit::kept, "or not")};
  return fields;
}

TEST(Csv, AColumnPerMember) {
  const std::vector<Habit> habits = {{"plain", 1.0 / 3.0, -2, true}, {"a,b \"c\"\n", std::nullopt, 0, false}};
  EXPECT_EQ(csv_text(habits, fields_of<Habit>()),
            "name,share,count,kept\n"
            "plain,0.3333333333333333,-2,true\n"
            "\"a,b \"\"c\"\"\n\",,0,false\n");
}

TEST(Csv, WholeDoublesHaveNoPoint) {
  EXPECT_EQ(csv_field(nlohmann::ordered_json(1.0)), "1");
  EXPECT_EQ(csv_field(nlohmann::ordered_json(uint64_t{18446744073709551615u})), "18446744073709551615");
}

TEST(Csv, ListsHaveNoPlaceInAField) { EXPECT_THROW(csv_field(nlohmann::ordered_json::array({1, 2})), Error); }

}  // namespace csv_test
}  // namespace phasor
