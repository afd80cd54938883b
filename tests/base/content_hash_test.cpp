#include "phasor/base/content_hash.h"

#include <gtest/gtest.h>

#include <string>

namespace phasor {
namespace content_hash_test {

// As xxhsum -H1 prints them.
TEST(ContentHash, IsXxh64) {
  EXPECT_EQ(content_hash(""), "ef46db3751d8e999");
  EXPECT_EQ(content_hash("a"), "d24ec4f1a98c6e5b");
  EXPECT_EQ(content_hash("abc"), "44bc2cf5ad770999");
  EXPECT_EQ(content_hash("0123456789abcdef0123456789abcdef"), "642a94958e71e6c5");
  std::string text;
  for (int i = 0; i < 1000; ++i) text += std::to_string(i) + ",";
  EXPECT_EQ(content_hash(text), "0d16464ed17e31ea");
}

TEST(ContentHash, DoesNotDependOnThePieces) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += std::to_string(i * i);
  const std::string whole = content_hash(text);
  for (size_t piece = 1; piece < 70; ++piece) {
    ContentHash hash;
    for (size_t at = 0; at < text.size(); at += piece) hash.add(std::string_view(text).substr(at, piece));
    EXPECT_EQ(hash.digits(), whole) << piece;
  }
}

}  // namespace content_hash_test
}  // namespace phasor
