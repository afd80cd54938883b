// Any bytes are either refused with a FormatError or read; what was read, once written and read again,
// is the same, and writing it a second time gives the same bytes.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "phasor/base/error.h"
#include "phasor/base/seal.h"
#include "phasor/checkpoint/safetensors.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t maximal_size);

namespace {

using phasor::SafetensorsFile;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "safetensors_fuzz: %s\n", what);
  std::abort();
}

std::vector<std::byte> write(const SafetensorsFile& file) {
  phasor::SafetensorsWriter writer;
  for (const std::string& name : file.names()) {
    const phasor::TensorInfo& info = file.tensor(name);
    if (name != phasor::kSealKey) writer.add_bytes(name, info.dtype, info.shape, file.bytes(name));
  }
  for (const auto& [key, value] : file.metadata()) {
    if (key != phasor::kSealKey) writer.set_metadata(key, value);
  }
  return writer.to_bytes();
}

void require_equal(const SafetensorsFile& a, const SafetensorsFile& b) {
  std::vector<std::string> names = a.names();
  std::erase(names, std::string(phasor::kSealKey));
  require(names == b.names(), "names changed");
  phasor::TextMap of_a = a.metadata(), of_b = b.metadata();
  of_a.erase(std::string(phasor::kSealKey));
  of_b.erase(std::string(phasor::kSealKey));
  require(of_a == of_b, "metadata changed");
  require(b.is_sealed(), "what was written has no checksum");
  for (const std::string& name : names) {
    require(a.tensor(name).dtype == b.tensor(name).dtype, "a dtype changed");
    require(a.tensor(name).shape == b.tensor(name).shape, "a shape changed");
    require(std::ranges::equal(a.bytes(name), b.bytes(name)), "data changed");
  }
}

// Reads every element through its type, so that UBSan sees a misaligned one.
template <class T>
void touch(const SafetensorsFile& file, const std::string& name) {
  if (file.tensor(name).dtype != phasor::StoredDtypeOf<T>::value) return;
  for (const T& value : file.data<T>(name, file.tensor(name).shape)) {
    T copy = value;
    asm volatile("" : : "r"(&copy) : "memory");  // the read must happen
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::optional<SafetensorsFile> file;
  try {
    file = SafetensorsFile::parse(std::as_bytes(std::span(data, size)), "input");
  } catch (const phasor::FormatError&) {
    return 0;
  }
  for (const std::string& name : file->names()) {
    touch<double>(*file, name);
    touch<float>(*file, name);
    touch<phasor::bfloat16>(*file, name);
    touch<int64_t>(*file, name);
    touch<int32_t>(*file, name);
    touch<uint64_t>(*file, name);
    touch<uint32_t>(*file, name);
  }
  const std::vector<std::byte> written = write(*file);
  const SafetensorsFile again = SafetensorsFile::parse(written, "written");
  require_equal(*file, again);
  require(write(again) == written, "writing is not deterministic");
  return 0;
}

// Mutates the header or the data and then sets the header length right, which a blind mutation
// would almost always break. One time in eight it mutates blindly.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t maximal_size, unsigned seed) {
  constexpr size_t kLengthBytes = sizeof(uint64_t);
  uint64_t length = 0;
  if (size >= kLengthBytes) std::memcpy(&length, data, kLengthBytes);
  std::minstd_rand random(seed);
  if (size < kLengthBytes || length > size - kLengthBytes || random() % 8 == 0) {
    return LLVMFuzzerMutate(data, size, maximal_size);
  }
  std::vector<uint8_t> header(data + kLengthBytes, data + kLengthBytes + length);
  std::vector<uint8_t> body(data + kLengthBytes + length, data + size);
  std::vector<uint8_t>& changed = random() % 4 == 0 ? body : header;
  const size_t old_size = changed.size();
  if (old_size + maximal_size == size) return LLVMFuzzerMutate(data, size, maximal_size);  // there is no room
  changed.resize(old_size + maximal_size - size);
  changed.resize(LLVMFuzzerMutate(changed.data(), old_size, changed.size()));

  length = header.size();
  std::memcpy(data, &length, kLengthBytes);
  std::copy(header.begin(), header.end(), data + kLengthBytes);
  std::copy(body.begin(), body.end(), data + kLengthBytes + header.size());
  return kLengthBytes + header.size() + body.size();
}
