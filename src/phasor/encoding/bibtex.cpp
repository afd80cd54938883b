#include "phasor/encoding/bibtex.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "phasor/base/error.h"
#include "phasor/base/version.h"

namespace phasor {
namespace {

constexpr const char* kProgramTitle = "Phasor: a laboratory for positional encodings in Transformers";
constexpr const char* kProgramAuthors = "The Phasor developers";
constexpr int kProgramYear = 2026;

constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kLetters = {{{"\u00fc", "{\\\"u}"},
                                                                                    {"\u00e1", "{\\'a}"},
                                                                                    {"\u00e9", "{\\'e}"},
                                                                                    {"\u00ed", "{\\'i}"},
                                                                                    {"\u00f3", "{\\'o}"},
                                                                                    {"\u00fa", "{\\'u}"},
                                                                                    {"\u0107", "{\\'c}"},
                                                                                    {"\u010d", "{\\v{c}}"}}};

// As TeX writes its letters.
std::string ascii(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    size_t taken = 1;
    std::string_view written = text.substr(0, 1);
    for (const auto& [letter, tex] : kLetters) {
      if (text.substr(0, letter.size()) != letter) continue;
      taken = letter.size();
      written = tex;
    }
    if (taken == 1 && static_cast<unsigned char>(text.front()) >= 0x80u)
      fail("no TeX spelling of a letter in '{}'", text);
    result += written == "&" || written == "%" || written == "#" ? "\\" : "";
    result += written;
    text.remove_prefix(taken);
  }
  return result;
}

std::string author_list(const std::vector<std::string>& authors) {
  std::string text;
  for (const std::string& author : authors) {
    if (!text.empty()) text += " and ";
    const bool person = author.find(',') != std::string::npos || author == "others";
    text += person ? ascii(author) : fmt::format("{{{}}}", ascii(author));
  }
  return text;
}

class Entry {
 public:
  Entry(std::string_view kind, std::string_view key) : text_(fmt::format("@{}{{{},\n", kind, key)) {}

  Entry& add(std::string_view name, const std::string& value) {
    if (!value.empty()) text_ += fmt::format("  {:<13} = {{{}}},\n", name, value);
    return *this;
  }
  std::string text() const { return text_ + "}\n"; }

 private:
  std::string text_;
};

}  // namespace

std::string bibtex(const Reference& reference) {
  const bool on_arxiv = !reference.arxiv.empty();
  return Entry("misc", reference.key)
      .add("author", author_list(reference.authors))
      .add("title", fmt::format("{{{}}}", ascii(reference.title)))
      .add("year", fmt::format("{}", reference.year))
      .add("howpublished", on_arxiv ? "arXiv:" + reference.arxiv : "")  // old styles pass over the next two
      .add("eprint", reference.arxiv)
      .add("archivePrefix", on_arxiv ? "arXiv" : "")
      .add("url", on_arxiv ? "https://arxiv.org/abs/" + reference.arxiv : reference.url)
      .add("note", ascii(reference.venue))
      .text();
}

std::string program_bibtex() {
  return Entry("misc", "phasor")
      .add("author", fmt::format("{{{}}}", kProgramAuthors))
      .add("title", fmt::format("{{{}}}", kProgramTitle))
      .add("year", fmt::format("{}", kProgramYear))
      .add("note", fmt::format("Version {}, commit {}", version(), commit()))
      .text();
}

nlohmann::ordered_json program_citation() {
  return {{"key", "phasor"},      {"authors", {kProgramAuthors}}, {"title", kProgramTitle}, {"year", kProgramYear},
          {"version", version()}, {"commit", commit()},           {"licence", "Apache-2.0"}};
}

}  // namespace phasor
