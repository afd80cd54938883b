#include "phasor/base/seal.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "phasor/base/content_hash.h"
#include "phasor/base/error.h"
#include "support/temporary_folder.h"

namespace phasor {
namespace seal_test {

using Json = nlohmann::ordered_json;

TEST(Seal, IsTheLastMember) {
  for (const Json& json : {Json{{"a", 1}, {"b", {{"c", "x"}}}}, Json::object()}) {
    for (const int indent : {-1, 2}) {
      const std::string text = sealed(json.dump(indent) + "\n");
      Json read = Json::parse(text);
      EXPECT_EQ(read.back().get<std::string>().size(), kHashDigits);
      EXPECT_EQ(read.size(), json.size() + 1);
      EXPECT_TRUE(check_seal(text, "test"));
      std::string zeros = text;
      zeros.replace(*find_seal(text), kHashDigits, kHashDigits, '0');
      EXPECT_EQ(content_hash(zeros), read.at("xxh64").get<std::string>()) << "the rule, as docs/formats.md has it";
    }
  }
}

TEST(Seal, NoticesEveryFlippedBit) {
  const std::string text = sealed(Json{{"accuracy", 0.5}, {"lines", {{"xxh64", "0123456789abcdef"}}}}.dump(2) + "\n");
  for (size_t i = 0; i < text.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = text;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      EXPECT_THROW(check_seal(damaged, "test"), FormatError) << i << " " << damaged;
    }
  }
}

TEST(Seal, NamesTheFile) {
  const std::string text = sealed("{\"a\": 1}");
  std::string damaged = text;
  damaged[damaged.find('1')] = '2';
  expect_words(message_of<FormatError>([&] { check_seal(damaged, "'runs/x/result.json'"); }),
               {"runs/x/result.json", "does not match its checksum"});
}

TEST(Seal, OlderFilesPass) { EXPECT_FALSE(check_seal("{\"a\": 1}", "test")); }

}  // namespace seal_test
}  // namespace phasor
