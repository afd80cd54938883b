#include "phasor/report/page.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "phasor/base/error.h"
#include "phasor/report/base64.h"
#include "phasor/report/gzip.h"

namespace phasor {
namespace page_test {

using Json = nlohmann::ordered_json;

constexpr std::string_view kPage = "<html><body><!--phasor-data--><p>after</p></body></html>";

// RFC 4648, section 10.
TEST(Base64, IsThatOfTheStandard) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64(std::string("\xff\xfe\x00", 3)), "//4A");
}

std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const size_t start = text.find(from);
  if (start == std::string::npos) return "nothing";
  const size_t begin = start + from.size();
  return text.substr(begin, text.find(to, begin) - begin);
}

TEST(Page, DataStandInItAsTheyAre) {
  const Json data = {{"name", "rope"}, {"values", {1.5, nullptr, true}}};
  const std::string page = page_with(kPage, data, false);
  const std::string text = between(page, R"(<script type="application/json" id="phasor-data">)", "</script>");
  EXPECT_EQ(Json::parse(text), data);
  EXPECT_EQ(page.substr(0, 12), "<html><body>");
  EXPECT_NE(page.find("</script><p>after</p></body></html>"), std::string::npos);
}

TEST(Page, NoNameGetsOutOfTheData) {
  const Json data = {{"name", "</script><script>alert(1)</script>"}, {"other", "<!--<script>"}};
  const std::string page = page_with(kPage, data, false);
  const std::string text = between(page, R"(id="phasor-data">)", "</script>");
  EXPECT_EQ(text.find('<'), std::string::npos);
  EXPECT_EQ(Json::parse(text), data) << "what is escaped means the same";
}

TEST(Page, BytesThatAreNoUtf8AreReplaced) {
  const std::string page = page_with(kPage, {{"what", "caf\xe9"}}, false);
  EXPECT_NE(page.find("caf\xef\xbf\xbd"), std::string::npos);
}

TEST(Page, HasOnePlaceForData) {
  EXPECT_THROW(page_with("<html></html>", Json::object(), false), Error);
  EXPECT_THROW(page_with("<!--phasor-data--><!--phasor-data-->", Json::object(), false), Error);
}

TEST(Gzip, StartsAsGzipAndIsTheSameTwice) {
  if (!has_gzip()) GTEST_SKIP() << "built without zlib";
  const std::string text(100000, 'a');
  const std::string packed = gzip(text);
  EXPECT_LT(packed.size(), 300u);
  EXPECT_EQ(packed.substr(0, 4), std::string("\x1f\x8b\x08\x00", 4)) << "deflate, no name";
  EXPECT_EQ(packed.substr(4, 4), std::string(4, '\0')) << "no time";
  EXPECT_EQ(gzip(text), packed);
  // The last four bytes are the length of what was packed.
  EXPECT_EQ(packed.substr(packed.size() - 4), std::string("\xa0\x86\x01\x00", 4));
  EXPECT_GT(gzip("").size(), 17u);
}

TEST(Page, CompressedDataAreBase64) {
  if (!has_gzip()) GTEST_SKIP() << "built without zlib";
  const Json data = {{"name", "</script>"}};
  const std::string page = page_with(kPage, data, true);
  const std::string text = between(page, R"(<script type="text/plain" id="phasor-data-gz">)", "</script>");
  EXPECT_EQ(text, base64(gzip(data.dump())));
}

}  // namespace page_test
}  // namespace phasor
