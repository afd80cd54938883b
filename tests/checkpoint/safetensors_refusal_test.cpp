// Every way in which a file can break the format, each refused for its own reason.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/checkpoint/safetensors.h"
#include "support/paths.h"
#include "support/temporary_folder.h"

namespace phasor {
namespace safetensors_refusal_test {

std::string framed(uint64_t length, std::string_view header, size_t data_bytes = 0) {
  std::string content(sizeof(length), '\0');
  std::memcpy(content.data(), &length, sizeof(length));
  return content.append(header).append(data_bytes, '\1');
}

std::string framed(std::string_view header, size_t data_bytes = 0) { return framed(header.size(), header, data_bytes); }

void expect_refused(std::string_view content, std::initializer_list<std::string_view> words) {
  const std::string message =
      message_of<FormatError>([&] { SafetensorsFile::parse(std::as_bytes(std::span(content)), "model.safetensors"); });
  expect_words(message, {"'model.safetensors': at byte "});
  expect_words(message, words);
}

// A file whose one tensor "w" has the given fields, followed by 8 bytes of data.
void expect_tensor_refused(std::string_view fields, std::initializer_list<std::string_view> words) {
  expect_refused(framed("{\"w\":{" + std::string(fields) + "}}", 8), words);
  expect_refused(framed("{\"w\":{" + std::string(fields) + "}}", 8), {"tensor 'w'"});
}

constexpr std::string_view kDtype = R"("dtype":"F32",)";
constexpr std::string_view kRest = R"("shape":[2],"data_offsets":[0,8])";

std::string fields(std::string_view shape, std::string_view offsets) {
  return std::string(kDtype) + "\"shape\":" + std::string(shape) + ",\"data_offsets\":" + std::string(offsets);
}

TEST(SafetensorsRefusal, ValidNeighbourIsRead) {
  // What the cases below vary is itself accepted, so each is refused for its own fault.
  const std::string content = framed("{\"w\":{" + fields("[2]", "[0,8]") + "}}", 8);
  EXPECT_NO_THROW(SafetensorsFile::parse(std::as_bytes(std::span(content)), "test"));
}

TEST(SafetensorsRefusal, TooShortForALength) {
  expect_refused("", {"byte 0", "8 bytes", "0 bytes"});
  expect_refused(framed("").substr(0, 7), {"byte 0", "8 bytes", "7 bytes"});
}

TEST(SafetensorsRefusal, LengthZero) { expect_refused(framed(0, "{}"), {"header length", "found 0"}); }

TEST(SafetensorsRefusal, LengthBeyondTheLimit) {
  expect_refused(framed(100'000'001, "{}"), {"100000000", "found 100000001"});
  expect_refused(framed(~uint64_t{0}, "{}"), {"found 18446744073709551615"});
}

TEST(SafetensorsRefusal, LengthBeyondTheFile) {
  expect_refused(framed(3, "{}"), {"3 bytes long", "only 2", "truncated"});
  expect_refused(framed(100'000'000, "{}"), {"100000000 bytes long", "only 2"});
}

TEST(SafetensorsRefusal, FirstByte) {
  expect_refused(framed(" {}"), {"byte 8", "start with '{'", "0x20"});
  expect_refused(framed("[]"), {"byte 8", "start with '{'", "0x5b"});
  expect_refused(framed("\xef\xbb\xbf{}"), {"byte 8", "start with '{'", "0xef"});
}

TEST(SafetensorsRefusal, InvalidJson) {
  expect_refused(framed("{\"w\":"), {"byte 13", "not valid JSON", "unexpected end of input"});
  expect_refused(framed("{} x"), {"byte 11", "not valid JSON"});
  expect_refused(framed("{}{}"), {"byte 10", "not valid JSON"});
  expect_refused(framed("{'w':1}"), {"byte 9", "not valid JSON"});
  expect_refused(framed("{\"\xff\":1}"), {"not valid JSON", "UTF-8"});
  expect_refused(framed("{/**/}"), {"not valid JSON"});
  expect_refused(framed("{\"w\":1e400}"), {"not valid JSON", "overflow", "1e400"});
  expect_refused(framed(std::string_view("{}\0", 3)), {"byte 10", "zero byte"});
}

TEST(SafetensorsRefusal, DeepNestingAtOnce) {
  expect_refused(framed("{\"w\":" + std::string(1'000'000, '[')), {"byte 14", "expected an object", "an array"});
  std::string objects = "{";
  for (int i = 0; i < 100'000; ++i) objects += "\"a\":{";
  expect_refused(framed(objects), {"tensor 'a'", "unknown field 'a'"});
}

TEST(SafetensorsRefusal, DuplicateNames) {
  const std::string entry = R"({"dtype":"F32","shape":[0],"data_offsets":[0,0]})";
  expect_refused(framed("{\"w\":" + entry + ",\"w\":" + entry + "}"), {"tensor 'w'", "name occurs twice"});
  expect_refused(framed("{\"w\":" + entry + ",\"\\u0077\":" + entry + "}"), {"tensor 'w'", "name occurs twice"});
  expect_refused(framed(R"({"__metadata__":{},"__metadata__":{}})"), {"__metadata__", "occurs twice"});
}

TEST(SafetensorsRefusal, DuplicateKeys) {
  expect_tensor_refused(std::string(kDtype) + std::string(kDtype) + std::string(kRest), {"'dtype' occurs twice"});
  expect_tensor_refused(fields("[2],\"shape\":[2]", "[0,8]"), {"'shape' occurs twice"});
  expect_refused(framed(R"({"__metadata__":{"a":"1","a":"1"}})"), {"__metadata__", "'a' occurs twice"});
}

TEST(SafetensorsRefusal, UnknownDtype) {
  expect_tensor_refused(R"("dtype":"F31",)" + std::string(kRest), {"unknown dtype 'F31'"});
  expect_tensor_refused(R"("dtype":"f32",)" + std::string(kRest), {"unknown dtype 'f32'"});
}

TEST(SafetensorsRefusal, MissingFields) {
  expect_tensor_refused(std::string(kRest), {"dtype is missing"});
  expect_tensor_refused(R"("dtype":"F32","data_offsets":[0,8])", {"shape is missing"});
  expect_tensor_refused(R"("dtype":"F32","shape":[2])", {"data_offsets is missing"});
}

TEST(SafetensorsRefusal, ExtraField) {
  expect_tensor_refused(fields("[2]", "[0,8]") + ",\"strides\":[1]", {"unknown field 'strides'"});
}

TEST(SafetensorsRefusal, MistypedFields) {
  expect_tensor_refused("\"dtype\":4," + std::string(kRest), {"a string for dtype", "found 4"});
  expect_tensor_refused("\"dtype\":[]," + std::string(kRest), {"a string for dtype", "an array"});
  expect_tensor_refused(fields("2", "[0,8]"), {"an array for shape", "found 2"});
  expect_tensor_refused(fields("null", "[0,8]"), {"an array for shape", "found null"});
  expect_tensor_refused(fields("{}", "[0,8]"), {"an array for shape", "an object"});
  expect_tensor_refused(fields("[2.0]", "[0,8]"), {"integers for shape", "2.0"});
  expect_tensor_refused(fields("[true]", "[0,8]"), {"integers for shape", "true"});
  expect_tensor_refused(fields("[[2]]", "[0,8]"), {"integers for shape", "an array"});
  expect_tensor_refused(fields("[2]", "\"0-8\""), {"an array for data_offsets", "'0-8'"});
  expect_tensor_refused(fields("[2]", "[\"0\",8]"), {"integers for data_offsets", "'0'"});
  expect_refused(framed("{\"w\":1}"), {"tensor 'w'", "expected an object", "found 1"});
}

TEST(SafetensorsRefusal, NegativeNumbers) {
  expect_tensor_refused(fields("[-2]", "[0,8]"), {"non-negative", "shape", "-2"});
  expect_tensor_refused(fields("[2]", "[-8,0]"), {"non-negative", "data_offsets", "-8"});
}

TEST(SafetensorsRefusal, Overflow) {
  expect_tensor_refused(fields("[4294967296,4294967296]", "[0,0]"), {"overflows", "[4294967296, 4294967296] of F32"});
  expect_tensor_refused(fields("[4611686018427387904]", "[0,0]"), {"overflows"});  // 2^62 elements, 2^64 bytes
  expect_tensor_refused(fields("[0,9223372036854775807,3]", "[0,0]"), {"overflows"});
  expect_tensor_refused(fields("[9223372036854775808]", "[0,0]"), {"9223372036854775808", "too large"});
  expect_tensor_refused(fields("[18446744073709551616]", "[0,0]"), {"integers for shape", "18446744073709551616"});
}

TEST(SafetensorsRefusal, SpanAgainstShape) {
  expect_tensor_refused(fields("[3]", "[0,8]"), {"[3] of F32 takes 12 bytes", "[0, 8]", "which are 8"});
  expect_tensor_refused(fields("[]", "[0,8]"), {"[] of F32 takes 4 bytes"});
  expect_tensor_refused(fields("[0]", "[0,8]"), {"[0] of F32 takes 0 bytes"});
}

TEST(SafetensorsRefusal, OffsetsThatAreNoPair) {
  expect_tensor_refused(fields("[2]", "[8]"), {"[begin, end]", "1 numbers"});
  expect_tensor_refused(fields("[2]", "[]"), {"[begin, end]", "0 numbers"});
  expect_tensor_refused(fields("[2]", "[0,8,9]"), {"[begin, end]", "third number, 9"});
}

TEST(SafetensorsRefusal, OffsetsReversed) { expect_tensor_refused(fields("[2]", "[8,0]"), {"[8, 0] are reversed"}); }

TEST(SafetensorsRefusal, OffsetsPastTheEnd) {
  expect_tensor_refused(fields("[3]", "[0,12]"), {"[0, 12] run past the end", "8 bytes of data"});
  expect_tensor_refused(fields("[2]", "[18446744073709551607,18446744073709551615]"), {"run past the end"});
}

TEST(SafetensorsRefusal, Overlap) {
  const std::string header = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                             R"("b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})";
  expect_refused(framed(header, 12), {"tensor 'b' overlaps tensor 'a'", "begins at 4", "expected 8"});
  expect_refused(framed(header, 12), {"at byte " + std::to_string(8 + header.size() + 4)});
  const std::string empty_inside = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                                   R"("b":{"dtype":"F32","shape":[0],"data_offsets":[4,4]}})";
  expect_refused(framed(empty_inside, 8), {"overlaps"});
}

TEST(SafetensorsRefusal, Holes) {
  const std::string header = R"({"a":{"dtype":"I8","shape":[2],"data_offsets":[0,2]},)"
                             R"("b":{"dtype":"I8","shape":[2],"data_offsets":[3,5]}})";
  expect_refused(framed(header, 5), {"hole before tensor 'b'", "begins at 3", "expected 2"});
  expect_tensor_refused(fields("[1]", "[4,8]"), {"hole before tensor 'w'", "begins at 4", "expected 0"});
}

TEST(SafetensorsRefusal, UncoveredTail) {
  const std::string header = "{\"w\":{" + fields("[2]", "[0,8]") + "}}";
  expect_refused(framed(header, 9), {"1 bytes follow", "expected 8", "found 9"});
  expect_refused(framed("{}", 1), {"at byte 10", "1 bytes follow"});
}

TEST(SafetensorsRefusal, EveryTruncation) {
  const std::string whole = framed(R"({"__metadata__":{"k":"v"},"w":{)" + fields("[2]", "[0,8]") + "}}", 8);
  for (size_t length = 0; length < whole.size(); ++length) {
    const std::string_view part = std::string_view(whole).substr(0, length);
    EXPECT_THROW(SafetensorsFile::parse(std::as_bytes(std::span(part)), "part"), FormatError) << length;
  }
}

TEST(SafetensorsRefusal, Metadata) {
  expect_refused(framed(R"({"__metadata__":{"a":1}})"), {"__metadata__", "a string for the key 'a'", "found 1"});
  expect_refused(framed(R"({"__metadata__":{"a":{}}})"), {"__metadata__", "an object"});
  expect_refused(framed(R"({"__metadata__":{"a":null}})"), {"__metadata__", "null"});
  expect_refused(framed(R"({"__metadata__":"a"})"), {"__metadata__", "expected an object", "'a'"});
}

TEST(SafetensorsRefusal, MessagesStayShortAndPlain) {
  const std::string name = "\\u001b[31m" + std::string(1'000'000, 'x');
  const std::string content = framed("{\"" + name + "\":1}");
  const std::string message =
      message_of<FormatError>([&] { SafetensorsFile::parse(std::as_bytes(std::span(content)), "test"); });
  EXPECT_LT(message.size(), 300u);
  EXPECT_EQ(message.find('\x1b'), std::string::npos);
}

TEST(SafetensorsRefusal, FileErrorsNameThePath) {
  const TemporaryFolder folder;
  const auto path = folder / "model.safetensors";
  expect_words(message_of<Error>([&] { SafetensorsFile::open(path); }), {path.string(), "No such file"});
  write_file_atomically(path, framed("{}", 1));
  expect_words(message_of<FormatError>([&] { SafetensorsFile::open(path); }), {path.string(), "at byte 10"});
}

// The seeds of the fuzz target; see tests/fuzz/make_safetensors_corpus.py.
TEST(SafetensorsRefusal, SeedsAreReadOrRefusedAsTheirNamesSay) {
  const std::filesystem::path folder =
      std::filesystem::path(fixtures_folder()).parent_path() / "fuzz/corpus/safetensors";
  size_t valid = 0, bad = 0;
  for (const auto& seed : std::filesystem::directory_iterator(folder)) {
    const bool is_valid = seed.path().filename().string().starts_with("valid_");
    ++(is_valid ? valid : bad);
    if (is_valid) {
      EXPECT_NO_THROW(SafetensorsFile::open(seed.path())) << seed.path();
    } else {
      EXPECT_THROW(SafetensorsFile::open(seed.path()), FormatError) << seed.path();
    }
  }
  EXPECT_GE(valid, 9u);
  EXPECT_GE(bad, 29u);
}

}  // namespace safetensors_refusal_test
}  // namespace phasor
