#pragma once
// Tensors in the safetensors format: a JSON header that names each tensor with its dtype, shape and
// span, then the data, little endian, in row-major order. The reader is strict: a file that breaks
// any rule of the format is refused with a FormatError that says where and why.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "phasor/checkpoint/stored_dtype.h"

namespace phasor {

using TensorShape = std::vector<int64_t>;
using TextMap = std::map<std::string, std::string, std::less<>>;

// What the header says of one tensor.
struct TensorInfo {
  StoredDtype dtype = StoredDtype::f32;
  TensorShape shape;   // empty for a scalar
  uint64_t begin = 0;  // bytes, from the start of the data
  uint64_t end = 0;

  uint64_t bytes() const { return end - begin; }
};

// A whole file in memory. Every tensor is aligned for its type, also where the file's is not.
class SafetensorsFile {
 public:
  static SafetensorsFile open(const std::filesystem::path& path);
  // `source` stands for the path in errors.
  static SafetensorsFile parse(std::span<const std::byte> content, std::string_view source);

  std::vector<std::string> names() const;  // sorted
  bool contains(std::string_view name) const { return tensors_.find(name) != tensors_.end(); }
  const TextMap& metadata() const { return metadata_; }
  // It carries a checksum, and matches it: one that does not is not opened.
  bool is_sealed() const { return sealed_; }

  // These fail for a tensor that is not there.
  const TensorInfo& tensor(std::string_view name) const { return loaded(name).info; }
  std::span<const std::byte> bytes(std::string_view name) const;
  // Fails also when the tensor's dtype is not that of T; the longer form when its shape differs.
  template <class T>
  std::span<const T> data(std::string_view name) const {
    return elements<T>(checked_bytes(name, StoredDtypeOf<T>::value, nullptr));
  }
  template <class T>
  std::span<const T> data(std::string_view name, const TensorShape& shape) const {
    return elements<T>(checked_bytes(name, StoredDtypeOf<T>::value, &shape));
  }

 private:
  struct Loaded {
    TensorInfo info;
    size_t at = 0;  // byte in storage_
  };
  using ReadAt = std::function<void(uint64_t offset, std::span<std::byte> out)>;

  static SafetensorsFile load(uint64_t size, const ReadAt& read, std::string_view source);
  const Loaded& loaded(std::string_view name) const;
  std::span<const std::byte> checked_bytes(std::string_view name, StoredDtype dtype, const TensorShape* shape) const;

  template <class T>
  static std::span<const T> elements(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

  void check_seal(uint64_t length, std::string_view header);

  std::string source_;
  bool sealed_ = false;
  TextMap metadata_;
  std::map<std::string, Loaded, std::less<>> tensors_;
  std::unique_ptr<std::byte[]> storage_;
};

// Collects tensors and writes them. The same content gives the same bytes, whatever the order of the
// calls: the header lists by name, and the data lies with wide elements first, so that every tensor
// is aligned in the file and a reader may map it. The metadata has a checksum of the whole file (base/seal.h).
class SafetensorsWriter {
 public:
  SafetensorsWriter() = default;
  SafetensorsWriter(SafetensorsWriter&&) = default;
  SafetensorsWriter& operator=(SafetensorsWriter&&) = default;
  SafetensorsWriter(const SafetensorsWriter&) = delete;  // entries_ point into kept_
  SafetensorsWriter& operator=(const SafetensorsWriter&) = delete;
  ~SafetensorsWriter() = default;

  // Values in a variable are borrowed and must live until the file is written; a temporary is copied.
  template <std::ranges::contiguous_range Values>
  void add(std::string_view name, const TensorShape& shape, Values&& values) {
    using T = std::ranges::range_value_t<Values>;
    std::span<const std::byte> bytes = std::as_bytes(std::span<const T>(values));
    if constexpr (!std::is_lvalue_reference_v<Values> && !std::ranges::borrowed_range<Values>) bytes = keep(bytes);
    add_bytes(name, StoredDtypeOf<T>::value, shape, bytes);
  }
  // Borrowed; of any dtype.
  void add_bytes(std::string_view name, StoredDtype dtype, const TensorShape& shape, std::span<const std::byte> bytes);

  // Replaces an earlier value of the key.
  void set_metadata(std::string_view key, std::string_view value);

  // Through write_file_atomically().
  void write(const std::filesystem::path& path) const;
  std::vector<std::byte> to_bytes() const;

 private:
  struct Entry {
    StoredDtype dtype;
    TensorShape shape;
    std::span<const std::byte> bytes;
  };
  using Sink = std::function<void(std::span<const std::byte>)>;

  std::span<const std::byte> keep(std::span<const std::byte> bytes);
  void write_to(const Sink& sink) const;

  TextMap metadata_;
  std::map<std::string, Entry, std::less<>> entries_;
  std::deque<std::vector<std::byte>> kept_;  // a deque, whose elements do not move
};

}  // namespace phasor
