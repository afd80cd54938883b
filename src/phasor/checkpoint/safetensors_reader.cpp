#include <bit>
#include <cstring>

#include "phasor/base/content_hash.h"
#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/base/seal.h"
#include "phasor/base/suggest.h"
#include "phasor/checkpoint/safetensors.h"
#include "phasor/checkpoint/safetensors_header.h"

namespace phasor {
namespace {

static_assert(std::endian::native == std::endian::little, "the format is little endian and is read without swapping");

constexpr size_t kAlignment = __STDCPP_DEFAULT_NEW_ALIGNMENT__;
static_assert(kAlignment >= alignof(double) && kAlignment >= alignof(uint64_t));

constexpr size_t aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

SafetensorsFile SafetensorsFile::open(const std::filesystem::path& path) {
  const InputFile file(path);
  return load(
      file.size(), [&](uint64_t offset, std::span<std::byte> out) { file.read(offset, out); }, path.string());
}

SafetensorsFile SafetensorsFile::parse(std::span<const std::byte> content, std::string_view source) {
  const auto read = [&](uint64_t offset, std::span<std::byte> out) {
    if (!out.empty()) std::memcpy(out.data(), content.subspan(offset, out.size()).data(), out.size());
  };
  return load(content.size(), read, source);
}

SafetensorsFile SafetensorsFile::load(uint64_t size, const ReadAt& read, std::string_view source) {
  if (size < kHeaderLengthBytes) {
    fail_format(source, 0, "expected {} bytes of header length, found a file of {} bytes", kHeaderLengthBytes, size);
  }
  uint64_t length = 0;
  read(0, std::as_writable_bytes(std::span(&length, 1)));
  if (length == 0 || length > kMaximalHeaderBytes) {
    fail_format(source, 0, "expected a header length from 1 to {}, found {}", kMaximalHeaderBytes, length);
  }
  if (length > size - kHeaderLengthBytes) {
    fail_format(source, 0, "the header is {} bytes long, but only {} follow in the file; is it truncated?", length,
                size - kHeaderLengthBytes);
  }
  std::string text(length, '\0');
  read(kHeaderLengthBytes, std::as_writable_bytes(std::span(text)));
  const uint64_t data_begin = kHeaderLengthBytes + length;
  SafetensorsHeader header = parse_safetensors_header(text, size - data_begin, source);

  SafetensorsFile file;
  file.source_ = source;
  file.metadata_ = std::move(header.metadata);
  size_t total = 0;
  for (auto& [name, info] : header.tensors) {
    const size_t bytes = info.bytes();
    file.tensors_.emplace(name, Loaded{std::move(info), total});
    total += aligned(bytes);
  }
  file.storage_ = std::make_unique_for_overwrite<std::byte[]>(total);
  for (const auto& [name, loaded] : file.tensors_) {
    read(data_begin + loaded.info.begin, {file.storage_.get() + loaded.at, loaded.info.bytes()});
  }
  file.check_seal(length, text);
  return file;
}

// Files of others have none; neither have those of older versions.
void SafetensorsFile::check_seal(uint64_t length, std::string_view header) {
  if (metadata_.find(kSealKey) == metadata_.end()) return;
  const std::optional<size_t> digits = find_seal(header);
  if (!digits) fail_broken_seal(fmt::format("'{}'", source_));
  std::map<uint64_t, std::span<const std::byte>> in_order;  // empty tensors share their places with others
  for (const auto& [name, loaded] : tensors_) {
    if (loaded.info.bytes() > 0) in_order[loaded.info.begin] = {storage_.get() + loaded.at, loaded.info.bytes()};
  }
  const auto text = [&](size_t from, size_t to) { return std::as_bytes(std::span(header).subspan(from, to - from)); };
  std::vector<std::span<const std::byte>> rest = {text(*digits + kHashDigits, header.size())};
  for (const auto& piece : in_order) rest.push_back(piece.second);
  const std::string expected = seal_digits({std::as_bytes(std::span(&length, 1)), text(0, *digits)}, rest);
  if (header.substr(*digits, kHashDigits) != expected) fail_broken_seal(fmt::format("'{}'", source_));
  sealed_ = true;
}

std::vector<std::string> SafetensorsFile::names() const {
  std::vector<std::string> names;
  names.reserve(tensors_.size());
  for (const auto& tensor : tensors_) names.push_back(tensor.first);
  return names;
}

const SafetensorsFile::Loaded& SafetensorsFile::loaded(std::string_view name) const {
  const auto found = tensors_.find(name);
  if (found != tensors_.end()) return found->second;
  const std::string nearest = nearest_word(name, names());
  const std::string hint = nearest.empty() ? fmt::format(" among its {}", tensors_.size())
                                           : fmt::format("; did you mean '{}'?", printable(nearest));
  throw FormatError(fmt::format("'{}': there is no tensor '{}'{}", source_, printable(name), hint));
}

std::span<const std::byte> SafetensorsFile::bytes(std::string_view name) const {
  const Loaded& tensor = loaded(name);
  return {storage_.get() + tensor.at, tensor.info.bytes()};
}

std::span<const std::byte> SafetensorsFile::checked_bytes(std::string_view name, StoredDtype dtype,
                                                          const TensorShape* shape) const {
  const TensorInfo& info = tensor(name);
  if (info.dtype != dtype) {
    throw FormatError(fmt::format("'{}': tensor '{}' is {}, expected {}", source_, printable(name),
                                  phasor::name(info.dtype), phasor::name(dtype)));
  }
  if (shape != nullptr && info.shape != *shape) {
    throw FormatError(fmt::format("'{}': tensor '{}' has shape {}, expected {}", source_, printable(name),
                                  shape_text(info.shape), shape_text(*shape)));
  }
  return bytes(name);
}

}  // namespace phasor
