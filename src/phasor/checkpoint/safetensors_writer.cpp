#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "phasor/base/content_hash.h"
#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/base/seal.h"
#include "phasor/checkpoint/safetensors.h"
#include "phasor/checkpoint/safetensors_header.h"

namespace phasor {
namespace {

std::string json_string(const std::string& text) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::exception&) {
    fail("safetensors: '{}' is not valid UTF-8", printable(text));
  }
}

}  // namespace

void SafetensorsWriter::add_bytes(std::string_view name, StoredDtype dtype, const TensorShape& shape,
                                  std::span<const std::byte> bytes) {
  if (name == kMetadataKey || name == kSealKey) fail("safetensors: a tensor cannot have the name '{}'", name);
  const std::optional<uint64_t> expected = tensor_bytes(dtype, shape);
  if (!expected) {
    fail("safetensors: tensor '{}' has the impossible shape {} of {}", name, shape_text(shape), phasor::name(dtype));
  }
  if (*expected != bytes.size()) {
    fail("safetensors: tensor '{}' of shape {} of {} takes {} bytes, but got {}", name, shape_text(shape),
         phasor::name(dtype), *expected, bytes.size());
  }
  const bool is_new = entries_.emplace(std::string(name), Entry{dtype, shape, bytes}).second;
  if (!is_new) fail("safetensors: tensor '{}' was added twice", name);
}

void SafetensorsWriter::set_metadata(std::string_view key, std::string_view value) {
  if (key == kSealKey) fail("safetensors: '{}' is the file's own checksum", key);
  metadata_.insert_or_assign(std::string(key), std::string(value));
}

std::span<const std::byte> SafetensorsWriter::keep(std::span<const std::byte> bytes) {
  return kept_.emplace_back(bytes.begin(), bytes.end());
}

void SafetensorsWriter::write(const std::filesystem::path& path) const {
  write_file_atomically(
      path, [&](OutputFile& file) { write_to([&](std::span<const std::byte> bytes) { file.write(bytes); }); });
}

std::vector<std::byte> SafetensorsWriter::to_bytes() const {
  std::vector<std::byte> result;
  write_to([&](std::span<const std::byte> bytes) { result.insert(result.end(), bytes.begin(), bytes.end()); });
  return result;
}

void SafetensorsWriter::write_to(const Sink& sink) const {
  std::vector<const Entry*> order;
  for (const auto& entry : entries_) order.push_back(&entry.second);
  std::stable_sort(order.begin(), order.end(),
                   [](const Entry* a, const Entry* b) { return byte_size(a->dtype) > byte_size(b->dtype); });
  std::map<const Entry*, uint64_t> begins;
  uint64_t begin = 0;
  for (const Entry* entry : order) {
    begins[entry] = begin;
    begin += entry->bytes.size();
  }

  std::string header = "{";
  std::vector<std::string> pairs;
  for (const auto& [key, value] : metadata_) pairs.push_back(json_string(key) + ":" + json_string(value));
  pairs.push_back(fmt::format(R"("{}":"{:016}")", kSealKey, 0));
  header += fmt::format(R"("{}":{{{}}},)", kMetadataKey, fmt::join(pairs, ","));
  for (const auto& [name, entry] : entries_) {
    const uint64_t at = begins[&entry];
    header += fmt::format(R"({}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}},)", json_string(name),
                          phasor::name(entry.dtype), fmt::join(entry.shape, ","), at, at + entry.bytes.size());
  }
  if (header.back() == ',') header.pop_back();
  header += '}';
  // The data begins at a multiple of 8.
  header.resize((header.size() + 7) / 8 * 8, ' ');
  if (header.size() > kMaximalHeaderBytes) {
    fail("safetensors: a header of {} bytes is longer than the format's {}", header.size(), kMaximalHeaderBytes);
  }

  const uint64_t length = header.size();
  const size_t digits = *find_seal(header);
  const auto text = [&](size_t from, size_t to) { return std::as_bytes(std::span(header).subspan(from, to - from)); };
  std::vector<std::span<const std::byte>> rest = {text(digits + kHashDigits, header.size())};
  for (const Entry* entry : order) rest.push_back(entry->bytes);
  header.replace(digits, kHashDigits, seal_digits({std::as_bytes(std::span(&length, 1)), text(0, digits)}, rest));
  sink(std::as_bytes(std::span(&length, 1)));
  sink(std::as_bytes(std::span(header)));
  for (const Entry* entry : order) sink(entry->bytes);
}

}  // namespace phasor
