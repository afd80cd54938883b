#include "phasor/encoding/references.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "phasor/base/error.h"
#include "phasor/base/version.h"
#include "phasor/encoding/bibtex.h"
#include "phasor/encoding/catalogue.h"

namespace phasor {
namespace references_test {

using Keys = std::vector<std::string>;

Keys keys_of(const std::string& expression) { return references_of(parse_encoding(expression)).keys; }

std::string without_accents(std::string text) {
  const std::pair<const char*, const char*> letters[] = {
      {"\u010d", "c"}, {"\u0107", "c"}, {"\u00e9", "e"}, {"\u00e1", "a"}, {"\u00f3", "o"}};
  for (const auto& [letter, plain] : letters) {
    for (size_t at = text.find(letter); at != std::string::npos; at = text.find(letter)) {
      text.replace(at, std::string(letter).size(), plain);
    }
  }
  return text;
}

// The words beside an entry of the catalogue: "Su, Lu, Pan, ...: Title (arXiv 2104.09864)".
TEST(References, AgreeWithWhatTheCatalogueSays) {
  int compared = 0;
  for (const EncodingEntry& entry : encoding_catalogue()) {
    std::smatch found;
    static const std::regex words(R"((.*?): (.*) \(arXiv (\d{4}\.\d{5})\))");
    if (!std::regex_match(entry.paper, found, words)) continue;
    const Keys keys = references_of({.terms = {{.name = entry.name}}}).keys;
    ASSERT_EQ(keys.size(), 1u) << entry.name;
    const Reference& reference = find_reference(keys[0]);
    std::string names;
    for (const std::string& author : reference.authors) {
      names += (names.empty() ? "" : ", ") + without_accents(author.substr(0, author.find(',')));
    }
    EXPECT_EQ(names, found[1]) << entry.name;
    EXPECT_EQ(reference.title, found[2]) << entry.name;
    EXPECT_EQ(reference.arxiv, found[3]) << entry.name;
    EXPECT_LE(reference.year, entry.year) << entry.name;
    ++compared;
  }
  EXPECT_GE(compared, 14);
}

TEST(References, HaveOneKeyEachAndWholeData) {
  std::set<std::string> keys, numbers;
  for (const Reference& reference : references()) {
    EXPECT_TRUE(keys.insert(reference.key).second) << reference.key;
    EXPECT_FALSE(reference.authors.empty() || reference.title.empty()) << reference.key;
    EXPECT_NE(reference.arxiv.empty(), reference.url.empty()) << reference.key;
    if (reference.arxiv.empty()) continue;
    EXPECT_TRUE(numbers.insert(reference.arxiv).second) << reference.key;
    EXPECT_EQ(2000 + std::stoi(reference.arxiv.substr(0, 2)), reference.year) << "of the first version";
  }
  EXPECT_THROW(find_reference("su2021"), Error);
}

TEST(References, AreThoseOfAllTermsAndRules) {
  EXPECT_EQ(keys_of("rope"), Keys{"su2021roformer"});
  EXPECT_EQ(keys_of("rope(scaling=yarn,factor=4,original=64)+alibi"),
            (Keys{"press2021train", "su2021roformer", "peng2023yarn"}));
  EXPECT_EQ(keys_of("randomized(rope(scaling=linear,factor=2),max=512)"),
            (Keys{"ruoss2023randomized", "su2021roformer", "chen2023extending"}));
  const EncodingReferences own = references_of(parse_encoding("bias(\"-a*abs(d)\",a=learned(0.1))+scattered(rope)"));
  EXPECT_EQ(own.keys, Keys{"su2021roformer"}) << "learned(0.1) is a number";
  EXPECT_EQ(own.without_paper, (Keys{"scattered", "bias"}));
  for (const EncodingEntry& entry : encoding_catalogue()) {
    for (const std::string& key : references_of({.terms = {{.name = entry.name}}}).keys) find_reference(key);
  }
}

TEST(Bibtex, WritesEntriesInAscii) {
  EXPECT_EQ(bibtex(find_reference("su2021roformer")),
            "@misc{su2021roformer,\n"
            "  author        = {Su, Jianlin and Lu, Yu and Pan, Shengfeng and Murtadha, Ahmed and Wen, Bo and Liu, "
            "Yunfeng},\n"
            "  title         = {{RoFormer: Enhanced Transformer with Rotary Position Embedding}},\n"
            "  year          = {2021},\n"
            "  howpublished  = {arXiv:2104.09864},\n"
            "  eprint        = {2104.09864},\n"
            "  archivePrefix = {arXiv},\n"
            "  url           = {https://arxiv.org/abs/2104.09864},\n"
            "}\n");
  EXPECT_NE(bibtex(find_reference("deepseek2024v2")).find("= {{DeepSeek-AI}},"), std::string::npos);
  EXPECT_NE(bibtex(find_reference("dubey2024llama")).find("= {Dubey, Abhimanyu and others},"), std::string::npos);
  EXPECT_NE(bibtex(find_reference("barbero2024round")).find("Veli{\\v{c}}kovi{\\'c}, Petar"), std::string::npos);
  for (const Reference& reference : references()) {
    for (const char c : bibtex(reference)) EXPECT_LT(static_cast<unsigned char>(c), 0x80u) << reference.key;
  }
  EXPECT_THROW(
      bibtex({.key = "x", .authors = {"\u0141"}, .title = "t", .year = 1, .arxiv = "1", .venue = {}, .url = {}}),
      Error);
}

TEST(Bibtex, NamesTheProgramWithItsVersion) {
  const std::string text = program_bibtex();
  EXPECT_EQ(text.rfind("@misc{phasor,\n", 0), 0u);
  EXPECT_NE(text.find(std::string("{Version ") + version() + ", commit "), std::string::npos) << text;
  EXPECT_EQ(program_citation().at("version"), version());
}

}  // namespace references_test
}  // namespace phasor
