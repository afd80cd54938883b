#include "phasor/checkpoint/safetensors.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <limits>
#include <numeric>

#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "support/temporary_folder.h"

namespace phasor {
namespace safetensors_test {

using namespace std::string_literals;
namespace fs = std::filesystem;

SafetensorsFile parse(std::string_view content) {
  return SafetensorsFile::parse(std::as_bytes(std::span(content)), "test");
}

std::string text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class T>
std::vector<T> values(std::span<const T> data) {
  return {data.begin(), data.end()};
}

TEST(Safetensors, ReadsAFileMadeByHand) {
  // Python: struct.pack("<Q", 163) + json.dumps(header).encode() +
  //         struct.pack("<3f2q", 1.5, -2, 0.1, -1, 2**40)
  const std::string content =
      "\xa3\0\0\0\0\0\0\0"s
      R"({"b": {"dtype": "I64", "shape": [2, 1], "data_offsets": [12, 28]}, )"
      R"("a.weight": {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]}, "__metadata__": {"k": "v"}})"
      "\x00\x00\xc0\x3f\x00\x00\x00\xc0\xcd\xcc\xcc\x3d"
      "\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00\x00\x01\x00\x00"s;
  const SafetensorsFile file = parse(content);
  EXPECT_EQ(file.names(), (std::vector<std::string>{"a.weight", "b"}));
  EXPECT_EQ(file.metadata(), (TextMap{{"k", "v"}}));
  EXPECT_EQ(values(file.data<float>("a.weight", {3})), (std::vector<float>{1.5f, -2.0f, 0.1f}));
  EXPECT_EQ(values(file.data<int64_t>("b", {2, 1})), (std::vector<int64_t>{-1, int64_t{1} << 40}));
  EXPECT_EQ(file.tensor("b").begin, 12u);
  EXPECT_TRUE(file.contains("b"));
  EXPECT_FALSE(file.contains("c"));
}

TEST(Safetensors, WritesTheBytesOfTheFormat) {
  SafetensorsWriter writer;
  const std::vector<uint16_t> half = {1, 2};
  writer.add("small", {2}, half);
  writer.add("wide", {}, std::array{1.0f});
  writer.set_metadata("format", "phasor");
  // The wide elements lie first, the header is filled to a multiple of 8.
  const std::string header = R"({"__metadata__":{"format":"phasor","xxh64":"f3270869bb520a51"},)"
                             R"("small":{"dtype":"U16","shape":[2],"data_offsets":[4,8]},)"
                             R"("wide":{"dtype":"F32","shape":[],"data_offsets":[0,4]}})";
  ASSERT_EQ(header.size(), 175u);
  EXPECT_EQ(text(writer.to_bytes()), "\xb0\0\0\0\0\0\0\0"s + header + " " + "\0\0\x80\x3f\1\0\2\0"s);
}

TEST(Safetensors, RoundTripsEveryType) {
  const TemporaryFolder folder;
  const fs::path path = folder / "all.safetensors";
  const std::vector<float> f32 = {1.0f, -0.0f, std::numeric_limits<float>::denorm_min(), 1e30f, 0.1f, 7.0f};
  const std::vector<bfloat16> bf16 = {to_bfloat16(1.5f), to_bfloat16(-3.0f)};
  const std::vector<std::byte> raw = {std::byte{1}, std::byte{0}, std::byte{1}};
  SafetensorsWriter writer;
  writer.add("f32", {2, 3}, f32);
  writer.add("bf16", {2}, bf16);
  writer.add("f64", {1}, std::vector<double>{0.1});
  writer.add("i64", {1}, std::vector<int64_t>{std::numeric_limits<int64_t>::min()});
  writer.add("i32", {2}, std::vector<int32_t>{-1, 5});
  writer.add("i16", {1}, std::vector<int16_t>{-300});
  writer.add("i8", {1}, std::vector<int8_t>{-3});
  writer.add("u64", {1}, std::vector<uint64_t>{std::numeric_limits<uint64_t>::max()});
  writer.add("u32", {1}, std::vector<uint32_t>{4'000'000'000u});
  writer.add("u16", {1}, std::vector<uint16_t>{65535});
  writer.add("u8", {1}, std::vector<uint8_t>{255});
  writer.add_bytes("bool", StoredDtype::boolean, {3}, raw);
  writer.add_bytes("f16", StoredDtype::f16, {1}, std::span(raw).first(2));
  writer.write(path);

  const SafetensorsFile file = SafetensorsFile::open(path);
  EXPECT_EQ(file.names().size(), 13u);
  EXPECT_EQ(std::memcmp(file.data<float>("f32", {2, 3}).data(), f32.data(), 24), 0) << "bits, so that -0 counts";
  EXPECT_EQ(file.data<bfloat16>("bf16")[1].bits, bf16[1].bits);
  EXPECT_EQ(file.data<double>("f64")[0], 0.1);
  EXPECT_EQ(file.data<int64_t>("i64")[0], std::numeric_limits<int64_t>::min());
  EXPECT_EQ(values(file.data<int32_t>("i32")), (std::vector<int32_t>{-1, 5}));
  EXPECT_EQ(file.data<int16_t>("i16")[0], -300);
  EXPECT_EQ(file.data<int8_t>("i8")[0], -3);
  EXPECT_EQ(file.data<uint64_t>("u64")[0], std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(file.data<uint32_t>("u32")[0], 4'000'000'000u);
  EXPECT_EQ(file.data<uint16_t>("u16")[0], 65535);
  EXPECT_EQ(file.data<uint8_t>("u8")[0], 255);
  EXPECT_EQ(values(file.bytes("bool")), raw);
  EXPECT_EQ(file.tensor("bool").dtype, StoredDtype::boolean);
  EXPECT_EQ(file.tensor("f16").dtype, StoredDtype::f16);
  for (const std::string& name : file.names()) {
    const TensorInfo& info = file.tensor(name);
    EXPECT_EQ(info.begin % static_cast<uint64_t>(byte_size(info.dtype)), 0u) << name << " is not aligned in the file";
  }
}

TEST(Safetensors, RoundTripsALargeFile) {
  const TemporaryFolder folder;
  const fs::path path = folder / "large.safetensors";
  std::vector<float> weights(3'000'000);
  std::iota(weights.begin(), weights.end(), 0.0f);
  SafetensorsWriter writer;
  const std::span<const float> all(weights);
  for (int64_t layer = 0; layer < 300; ++layer) {
    writer.add(fmt::format("layers.{}", layer), {100, 100}, all.subspan(static_cast<size_t>(layer) * 10'000, 10'000));
  }
  writer.write(path);
  EXPECT_EQ(folder.files(), 1u);
  const SafetensorsFile file = SafetensorsFile::open(path);
  ASSERT_EQ(file.names().size(), 300u);
  for (int64_t layer = 0; layer < 300; ++layer) {
    const auto data = file.data<float>(fmt::format("layers.{}", layer), {100, 100});
    EXPECT_EQ(data.front(), static_cast<float>(layer * 10'000));
    EXPECT_EQ(data.back(), static_cast<float>(layer * 10'000 + 9'999));
  }
  // What was read and what is written are the same bytes.
  EXPECT_TRUE(text(writer.to_bytes()) == read_file(path));
}

TEST(Safetensors, BytesDoNotDependOnTheOrderOfCalls) {
  const std::vector<float> a = {1, 2};
  const std::vector<uint8_t> b = {3};
  SafetensorsWriter first, second;
  first.add("a", {2}, a);
  first.add("b", {1}, b);
  first.set_metadata("x", "1");
  first.set_metadata("y", "2");
  second.set_metadata("y", "3");
  second.set_metadata("y", "2");
  second.set_metadata("x", "1");
  second.add("b", {1}, b);
  second.add("a", {2}, a);
  EXPECT_EQ(first.to_bytes(), second.to_bytes());
}

TEST(Safetensors, KeepsUnusualText) {
  const std::string odd = "quote\" back\\slash \n \x01 \xf0\x9f\x98\x80 zero"s + '\0';
  SafetensorsWriter writer;
  writer.add(odd, {}, std::array<int32_t, 1>{5});
  writer.set_metadata(odd, odd);
  writer.set_metadata("", "");
  const SafetensorsFile file = SafetensorsFile::parse(writer.to_bytes(), "test");
  EXPECT_EQ(file.data<int32_t>(odd, {})[0], 5);
  TextMap metadata = file.metadata();
  EXPECT_EQ(metadata.erase("xxh64"), 1u);
  EXPECT_EQ(metadata, (TextMap{{odd, odd}, {"", ""}}));
}

TEST(Safetensors, CopiesTemporariesAndSurvivesMoves) {
  SafetensorsWriter writer;
  for (int i = 0; i < 50; ++i) writer.add(fmt::format("t{}", i), {3}, std::vector<int32_t>{i, i + 1, i + 2});
  const SafetensorsWriter moved = std::move(writer);
  SafetensorsFile first = SafetensorsFile::parse(moved.to_bytes(), "test");
  const auto before = first.data<int32_t>("t7");
  const SafetensorsFile file = std::move(first);
  EXPECT_EQ(values(before), (std::vector<int32_t>{7, 8, 9}));
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(values(file.data<int32_t>(fmt::format("t{}", i))), (std::vector<int32_t>{i, i + 1, i + 2}));
  }
}

TEST(Safetensors, AlignsWhatTheFileDoesNot) {
  // The second tensor's data begins at byte 8 + 106 + 1.
  const std::string header = R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                             R"("b":{"dtype":"F64","shape":[1],"data_offsets":[1,9]}})";
  ASSERT_EQ(header.size(), 106u);
  const SafetensorsFile file = parse("\x6a\0\0\0\0\0\0\0"s + header + "\7\0\0\0\0\0\0\xf8\x3f"s);
  const double* value = file.data<double>("b").data();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(value) % alignof(double), 0u);
  EXPECT_EQ(*value, 1.5);
}

TEST(Safetensors, AnEmptyFileIsAFile) {
  const SafetensorsFile file = SafetensorsFile::parse(SafetensorsWriter().to_bytes(), "test");
  EXPECT_TRUE(file.names().empty());
  EXPECT_EQ(file.metadata().size(), 1u) << "its checksum";
  EXPECT_TRUE(file.is_sealed());
}

TEST(Safetensors, NoticesEveryFlippedBit) {
  SafetensorsWriter writer;
  writer.add("weights", {5}, std::array{1.0f, 2.0f, 3.0f, -4.0f, 0.0f});
  writer.add("bytes", {3}, std::array<uint8_t, 3>{1, 2, 3});
  writer.set_metadata("format", "phasor model 1");
  const std::vector<std::byte> whole = writer.to_bytes();
  ASSERT_TRUE(SafetensorsFile::parse(whole, "test").is_sealed());
  for (size_t i = 0; i < whole.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::vector<std::byte> damaged = whole;
      damaged[i] ^= static_cast<std::byte>(1 << bit);
      try {
        // A key that is no longer the checksum's makes a file of an older version, and nothing else may.
        EXPECT_FALSE(SafetensorsFile::parse(damaged, "test").is_sealed()) << "byte " << i << ", bit " << bit;
        EXPECT_EQ(text(damaged).find("\"xxh64\""), std::string::npos) << "byte " << i << ", bit " << bit;
      } catch (const FormatError&) {
      }
    }
  }
}

TEST(Safetensors, FilesOfOthersHaveNoChecksum) {
  const std::string header = R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})";
  const SafetensorsFile file =
      parse(std::string(1, static_cast<char>(header.size())) + "\0\0\0\0\0\0\0"s + header + "x");
  EXPECT_FALSE(file.is_sealed());
}

TEST(Safetensors, EmptyTensorsTakeNoSpace) {
  SafetensorsWriter writer;
  writer.add("none", {0, 5}, std::vector<float>{});
  writer.add("one", {1}, std::vector<float>{2});
  const SafetensorsFile file = SafetensorsFile::parse(writer.to_bytes(), "test");
  EXPECT_TRUE(file.data<float>("none", {0, 5}).empty());
  EXPECT_EQ(file.data<float>("one")[0], 2.0f);
}

TEST(Safetensors, WriterRefusesWhatTheFormatCannotHold) {
  const std::vector<float> two = {1, 2};
  SafetensorsWriter writer;
  writer.add("a", {2}, two);
  expect_words(message_of<Error>([&] { writer.add("a", {2}, two); }), {"'a'", "twice"});
  expect_words(message_of<Error>([&] { writer.add("b", {3}, two); }), {"'b'", "[3]", "F32", "12 bytes", "got 8"});
  expect_words(message_of<Error>([&] { writer.add("b", {-2}, two); }), {"'b'", "impossible", "[-2]"});
  expect_words(message_of<Error>([&] { writer.add("b", {int64_t{1} << 62, 2}, two); }), {"'b'", "impossible"});
  expect_words(message_of<Error>([&] { writer.add("__metadata__", {2}, two); }), {"__metadata__"});
  writer.set_metadata("k", "\xff");
  expect_words(message_of<Error>([&] { writer.to_bytes(); }), {"UTF-8"});
}

TEST(Safetensors, AFailedWriteLeavesTheOldFile) {
  const TemporaryFolder folder;
  const fs::path path = folder / "model.safetensors";
  write_file_atomically(path, std::string_view("old"));
  SafetensorsWriter writer;
  writer.set_metadata("\xff", "");
  EXPECT_THROW(writer.write(path), Error);
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(folder.files(), 1u);
  const fs::path absent = folder / "absent/model.safetensors";
  expect_words(message_of<Error>([&] { SafetensorsWriter().write(absent); }),
               {absent.string(), "No such file or directory"});
}

TEST(Safetensors, AccessorsSayWhatDiffers) {
  SafetensorsWriter writer;
  writer.add("layer.weight", {2}, std::vector<float>{1, 2});
  const SafetensorsFile file = SafetensorsFile::parse(writer.to_bytes(), "model.safetensors");
  expect_words(message_of<FormatError>([&] { file.data<int32_t>("layer.weight"); }),
               {"model.safetensors", "'layer.weight'", "is F32", "expected I32"});
  expect_words(message_of<FormatError>([&] {
                 file.data<float>("layer.weight", {1, 2});
               }),
               {"model.safetensors", "'layer.weight'", "shape [2]", "expected [1, 2]"});
  expect_words(message_of<FormatError>([&] { file.tensor("layer.wieght"); }),
               {"no tensor 'layer.wieght'", "did you mean 'layer.weight'?"});
  expect_words(message_of<FormatError>([&] { file.bytes("completely.different"); }), {"no tensor", "among its 1"});
}

}  // namespace safetensors_test
}  // namespace phasor
