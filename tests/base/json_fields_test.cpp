#include "phasor/base/json_fields.h"

#include <gtest/gtest.h>

namespace phasor {
namespace json_fields_test {

using Json = nlohmann::ordered_json;

enum class Colour : uint8_t { red, green };
const char* colour_name(Colour colour) { return colour == Colour::red ? "red" : "green"; }

struct Inner {
  double size = 0.0;
  std::optional<int64_t> count;
};

struct Outer {
  int64_t step = 0;
  double share = 0.0, low = 0.0;
  bool done = false;
  std::string text;
  Colour colour = Colour::red;
  std::vector<Inner> inner;
  std::optional<double> whole;
  double first = 0.0, second = 0.0;
  std::complex<double> z;

  double sum() const { return first + second; }
};

const Fields<Inner>& json_fields(const Inner*) {
  static const Fields<Inner> fields = {field("size", &Inner::size, "how large"),
                                       field("count", &Inner::count, "how many")};
  return fields;
}

const Fields<Outer>& json_fields(const Outer*) {
  static const Fields<Outer> fields = {
      size_field("step", &Outer::step, "a step"),
      share_field("share", &Outer::share, "a share"),
      field_or("low", &Outer::low, -std::numeric_limits<double>::infinity(), "an end"),
      field("done", &Outer::done, "done"),
      field("text", &Outer::text, "a text"),
      name_field("colour", &Outer::colour, {Colour::red, Colour::green}, colour_name, "a colour"),
      field("inner", &Outer::inner, "others"),
      share_if_there("whole", &Outer::whole, "whole answers"),
      group_field<Outer>("both", {field("first", &Outer::first, "one"), field("second", &Outer::second, "two")}, "two"),
      derived_field<Outer>("sum", &Outer::sum, "their sum"),
      field("z", &Outer::z, "complex").since_later()};
  return fields;
}

Outer example() {
  return {.step = 3,
          .share = 0.25,
          .low = -std::numeric_limits<double>::infinity(),
          .done = true,
          .text = "t",
          .colour = Colour::green,
          .inner = {{.size = std::nan(""), .count = 7}, {.size = 2.0, .count = {}}},
          .first = 1.0,
          .second = 2.0,
          .z = {1.0, -1.0}};
}

TEST(JsonFields, WriteTheirMembersInOrder) {
  EXPECT_EQ(
      write_json(example()).dump(),
      R"({"step":3,"share":0.25,"low":null,"done":true,"text":"t","colour":"green","inner":[{"size":null,"count":7},)"
      R"({"size":2.0,"count":null}],"both":{"first":1.0,"second":2.0},"sum":3.0,"z":[1.0,-1.0]})");
  Outer whole = example();
  whole.whole = 0.5;
  EXPECT_EQ(write_json(whole).at("whole"), 0.5);
}

TEST(JsonFields, ReadBackWhatTheyWrote) {
  const Json json = write_json(example());
  const Outer again = read_json<Outer>(json);
  EXPECT_EQ(write_json(again), json);
  EXPECT_TRUE(std::isnan(again.inner[0].size));
  EXPECT_EQ(again.low, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(again.inner[1].count, std::nullopt);
  Json older = json;
  older.erase("z");
  EXPECT_EQ(read_json<Outer>(older).z, std::complex<double>());
}

// Every mistake says where it is.
TEST(JsonFields, NameWhatIsWrong) {
  const auto error_with = [](const char* pointer, const Json& value) {
    Json json = write_json(example());
    json[Json::json_pointer(pointer)] = value;
    try {
      read_json<Outer>(json);
    } catch (const FormatError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(error_with("/step", -1), "step is -1, which is below 0");
  EXPECT_EQ(error_with("/step", 1.5), "step is 1.5, not a whole number");
  EXPECT_EQ(error_with("/step", 18446744073709551615u), "step is 18446744073709551615, not a whole number");
  EXPECT_EQ(error_with("/step", 5.7e19), "step is 5.7e+19, not a whole number");
  EXPECT_EQ(error_with("/share", 7), "share is 7, not from 0 to 1");
  EXPECT_EQ(error_with("/share", nullptr), "share is null, not from 0 to 1");
  EXPECT_EQ(error_with("/share", "x"), "share is \"x\", not a number");
  EXPECT_EQ(error_with("/done", 1), "done is 1, not true or false");
  EXPECT_EQ(error_with("/text", 1), "text is 1, not a text");
  EXPECT_EQ(error_with("/colour", "blue"), "colour is \"blue\", which is none of its names");
  EXPECT_EQ(error_with("/inner", 3), "inner is not a list");
  EXPECT_EQ(error_with("/inner/1", 3), "inner[1] is not an object");
  EXPECT_EQ(error_with("/inner/1/count", "many"), "inner[1].count is \"many\", not a whole number");
  EXPECT_EQ(error_with("/inner/1/colour", "red"), "inner[1].colour is no member of such an object");
  EXPECT_EQ(error_with("/both/first", "one"), "both.first is \"one\", not a number");
  EXPECT_EQ(error_with("/whole", 2), "whole is 2, not from 0 to 1");
  EXPECT_EQ(error_with("/z", 2), "z is 2, not a pair of numbers");
  EXPECT_EQ(error_with("/stray", 2), "stray is no member of such an object");
  Json missing = write_json(example());
  missing["inner"][0].erase("size");
  EXPECT_THROW(
      {
        try {
          read_json<Outer>(missing);
        } catch (const FormatError& error) {
          EXPECT_STREQ(error.what(), "inner[0].size is missing");
          throw;
        }
      },
      FormatError);
  EXPECT_THROW(read_json<Outer>(Json::array()), FormatError);
}

// --- Parts, lists with numbers, names, what is left out -------------------------------------------------------------

struct Part {
  double size = 0.0;
  std::optional<double> share;
};

struct Whole {
  Part part;
  std::vector<Inner> list;
  std::map<std::string, int64_t> counts;
  std::string text;
};

std::string_view json_name(const Part*) { return "part of a whole"; }

const Fields<Part>& json_fields(const Part*) {
  static const Fields<Part> fields = {size_field("size", &Part::size, "how large"),
                                      share_if_there("share", &Part::share, "how much")};
  return fields;
}

const Fields<Whole>& json_fields(const Whole*) {
  static const Fields<Whole> fields = joined_fields<Whole>(
      {part_fields(&Whole::part, fields_of<Part>()),
       {field("part", &Whole::part, "again"),
        numbered_field("list", &Whole::list, "number", fields_of<Inner>(), "one by one"),
        field("counts", &Whole::counts, "by name").left_out_if([](const Whole& whole) { return whole.counts.empty(); }),
        json_field<Whole>(
            "raw", "object",
            [](const Whole& whole) {
              return Json{{"text", whole.text}};
            },
            "as it is")}});
  return fields;
}

TEST(JsonFields, AreMadeOfParts) {
  Whole whole{.part = {.size = 2.0, .share = {}}, .list = {{.size = 1.0, .count = {}}}, .counts = {}, .text = "t"};
  const Json json = write_json(whole);
  EXPECT_EQ(json.dump(),
            R"({"size":2.0,"part":{"size":2.0},"list":[{"number":0,"size":1.0,"count":null}],"raw":{"text":"t"}})");
  whole.part.share = 0.5;
  whole.counts = {{"a", 1}, {"b", 2}};
  const Json full = write_json(whole);
  EXPECT_EQ(full.at("share"), 0.5);
  EXPECT_EQ(full.at("counts").dump(), R"({"a":1,"b":2})");
  const Whole again = read_json<Whole>(full);
  EXPECT_EQ(again.part.share, 0.5);
  EXPECT_EQ(again.list.size(), 1u);
  EXPECT_EQ(again.counts, whole.counts);
  EXPECT_EQ(again.text, "") << "what is written for readers alone is not read";
}

TEST(JsonFields, NameWhatIsWrongInParts) {
  const Json json =
      write_json(Whole{.part = {}, .list = {{.size = 1.0, .count = 3}}, .counts = {{"a", 1}}, .text = ""});
  const auto error_with = [&](const char* pointer, const Json& value) {
    Json other = json;
    other[Json::json_pointer(pointer)] = value;
    try {
      read_json<Whole>(other);
    } catch (const FormatError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(error_with("/size", -1), "size is -1, which is below 0");
  EXPECT_EQ(error_with("/list/0", Json::object()), "list[0] has no number");
  EXPECT_EQ(error_with("/list/0/count", "x"), "list[0].count is \"x\", not a whole number");
  EXPECT_EQ(error_with("/list", 1), "list is not a list");
  EXPECT_EQ(error_with("/counts/a", "x"), "counts.a is \"x\", not a whole number");
  EXPECT_EQ(error_with("/counts", 1), "counts is not an object");
}

TEST(JsonFields, AreATable) {
  EXPECT_EQ(fields_table<Inner>(),
            "| member | type | what it is |\n|---|---|---|\n| `size` | number | how large |\n"
            "| `count` | whole number or null | how many |\n");
  EXPECT_EQ(fields_table<Whole>(),
            "| member | type | what it is |\n|---|---|---|\n"
            "| `size` | number | how large |\n"
            "| `share` | number | how much |\n"
            "| `part` | part of a whole | again |\n"
            "| `list` | list of objects | one by one |\n"
            "| `list[].number` | whole number | from 0 |\n"
            "| `list[].size` | number | how large |\n"
            "| `list[].count` | whole number or null | how many |\n"
            "| `counts` | object | by name |\n"
            "| `raw` | object | as it is |\n");
}

TEST(JsonValue, HasANameForEveryType) {
  EXPECT_EQ(JsonValue<std::vector<std::vector<double>>>::type(), "list of lists of numbers");
  EXPECT_EQ(JsonValue<std::vector<std::optional<int64_t>>>::type(), "list of whole numbers or null");
  EXPECT_EQ(JsonValue<std::optional<std::vector<std::string>>>::type(), "list of texts or null");
  EXPECT_EQ(JsonValue<std::vector<std::complex<double>>>::type(), "list of pairs of numbers");
  EXPECT_EQ(JsonValue<std::vector<Part>>::type(), "list of parts of a whole");
}

}  // namespace json_fields_test
}  // namespace phasor
