#include "phasor/checkpoint/safetensors_header.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

namespace phasor {
namespace {

using nlohmann::json;

// Walks over text and tells, through a shared cursor, how far the JSON parser has come.
class CursorIterator {
 public:
  // NOLINTBEGIN(readability-identifier-naming): the standard's names
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  // NOLINTEND(readability-identifier-naming)

  explicit CursorIterator(const char** cursor) : cursor_(cursor), at_(*cursor) {}
  CursorIterator(const char** cursor, const char* at) : cursor_(cursor), at_(at) {}

  reference operator*() const { return *at_; }
  CursorIterator& operator++() {
    *cursor_ = ++at_;
    return *this;
  }
  bool operator==(const CursorIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CursorIterator& other) const { return at_ != other.at_; }

 private:
  const char** cursor_;
  const char* at_;
};

// Receives the header's JSON as events, so that duplicate keys are seen, nothing nests deeper than
// the format allows, and every complaint knows its place. The names of its events are the library's.
class HeaderEvents {
 public:
  HeaderEvents(std::string_view text, uint64_t data_bytes, std::string_view source)
      : text_(text), cursor_(text.data()), data_bytes_(data_bytes), source_(source) {}

  SafetensorsHeader read() {
    const char* end = text_.data() + text_.size();
    json::sax_parse(CursorIterator(&cursor_), CursorIterator(&cursor_, end), this);
    return std::move(header_);
  }

  bool null() { mistyped("null"); }
  bool boolean(bool value) { mistyped(value ? "true" : "false"); }
  bool number_integer(json::number_integer_t value) { mistyped(fmt::format("{}", value)); }
  bool number_float(json::number_float_t, const std::string& text) { mistyped(printable(text)); }
  bool binary(json::binary_t&) { mistyped("binary data"); }

  bool number_unsigned(json::number_unsigned_t value) {
    if (place_ == Place::offsets) {
      if (offsets_.size() == 2) complain("data_offsets must be [begin, end]; found a third number, {}", value);
      offsets_.push_back(value);
    } else if (place_ == Place::shape) {
      if (value > uint64_t{std::numeric_limits<int64_t>::max()}) complain("extent {} of shape is too large", value);
      tensor_.shape.push_back(static_cast<int64_t>(value));
    } else {
      mistyped(fmt::format("{}", value));
    }
    return true;
  }

  bool string(std::string& value) {
    if (place_ == Place::metadata) {
      header_.metadata[key_] = std::move(value);
    } else if (place_ == Place::tensor && key_ == "dtype") {
      const std::optional<StoredDtype> dtype = find_stored_dtype(value);
      if (!dtype) complain("unknown dtype '{}'", printable(value));
      tensor_.dtype = *dtype;
    } else {
      mistyped(fmt::format("the string '{}'", printable(value)));
    }
    return true;
  }

  bool start_object(size_t) {
    if (place_ == Place::outside) {
      place_ = Place::entries;
    } else if (place_ == Place::entries) {
      place_ = name_ == kMetadataKey ? Place::metadata : Place::tensor;
      seen_.clear();
      tensor_ = {};
      offsets_.clear();
    } else {
      mistyped("an object");
    }
    return true;
  }

  bool key(std::string& key) {
    if (place_ == Place::entries) {
      name_ = std::move(key);
      const bool is_new =
          name_ == kMetadataKey ? !std::exchange(has_metadata_, true) : !header_.tensors.contains(name_);
      if (!is_new) complain("the name occurs twice");
      return true;
    }
    key_ = std::move(key);
    if (!seen_.insert(key_).second) complain("the key '{}' occurs twice", printable(key_));
    if (place_ == Place::tensor && key_ != "dtype" && key_ != "shape" && key_ != "data_offsets") {
      complain("unknown field '{}'; expected dtype, shape and data_offsets alone", printable(key_));
    }
    return true;
  }

  bool end_object() {
    if (place_ == Place::tensor) finish_tensor();
    place_ = place_ == Place::entries ? Place::outside : Place::entries;
    return true;
  }

  bool start_array(size_t) {
    if (place_ != Place::tensor || key_ == "dtype") mistyped("an array");
    place_ = key_ == "shape" ? Place::shape : Place::offsets;
    return true;
  }

  bool end_array() {
    place_ = Place::tensor;
    return true;
  }

  bool parse_error(size_t position, const std::string&, const json::exception& error) {
    std::string_view reason = error.what();
    // Leaves out "[json.exception.parse_error.101] parse error at line 1, column 2: ".
    for (const std::string_view mark : {"] ", "parse error at ", ": "}) {
      const size_t at = reason.find(mark);
      if (at == std::string_view::npos) break;
      reason.remove_prefix(at + mark.size());
    }
    const uint64_t at = kHeaderLengthBytes + std::max<size_t>(position, 1) - 1;
    fail_format(source_, at, "the header is not valid JSON: {}", printable(reason));
  }

 private:
  enum class Place { outside, entries, metadata, tensor, shape, offsets };

  std::string subject() const {
    if (name_ == kMetadataKey) return "__metadata__";
    return fmt::format("tensor '{}'", printable(name_));
  }

  template <class... Args>
  [[noreturn]] void complain(fmt::format_string<Args...> text, Args&&... args) const {
    const auto at = kHeaderLengthBytes + static_cast<uint64_t>(cursor_ - text_.data());
    fail_format(source_, at, "{}: {}", subject(), fmt::format(text, std::forward<Args>(args)...));
  }

  [[noreturn]] void mistyped(std::string_view found) const {
    switch (place_) {
      case Place::metadata:
        complain("expected a string for the key '{}', found {}", printable(key_), found);
      case Place::tensor:
        complain("expected {} for {}, found {}", key_ == "dtype" ? "a string" : "an array", key_, found);
      case Place::shape:
        complain("expected an array of non-negative 64-bit integers for shape, found the element {}", found);
      case Place::offsets:
        complain("expected two non-negative 64-bit integers for data_offsets, found the element {}", found);
      default:
        complain("expected an object, found {}", found);
    }
  }

  void finish_tensor() {
    for (const char* field : {"dtype", "shape", "data_offsets"}) {
      if (!seen_.contains(field)) complain("the field {} is missing", field);
    }
    if (offsets_.size() != 2) complain("data_offsets must be [begin, end]; found {} numbers", offsets_.size());
    tensor_.begin = offsets_[0];
    tensor_.end = offsets_[1];
    if (tensor_.begin > tensor_.end) {
      complain("data_offsets [{}, {}] are reversed", tensor_.begin, tensor_.end);
    }
    if (tensor_.end > data_bytes_) {
      complain("data_offsets [{}, {}] run past the end: the file holds {} bytes of data; is it truncated?",
               tensor_.begin, tensor_.end, data_bytes_);
    }
    const std::optional<uint64_t> bytes = tensor_bytes(tensor_.dtype, tensor_.shape);
    if (!bytes) complain("the size of shape {} of {} overflows", shape_text(tensor_.shape), name(tensor_.dtype));
    if (*bytes != tensor_.bytes()) {
      complain("shape {} of {} takes {} bytes, found data_offsets [{}, {}], which are {}", shape_text(tensor_.shape),
               name(tensor_.dtype), *bytes, tensor_.begin, tensor_.end, tensor_.bytes());
    }
    header_.tensors.emplace(name_, std::move(tensor_));
  }

  std::string_view text_;
  const char* cursor_;
  uint64_t data_bytes_;
  std::string_view source_;
  SafetensorsHeader header_;

  Place place_ = Place::outside;
  std::string name_;  // of the entry being read
  std::string key_;   // within that entry
  std::set<std::string> seen_;
  TensorInfo tensor_;
  std::vector<uint64_t> offsets_;
  bool has_metadata_ = false;
};

// Every byte of the data belongs to exactly one tensor.
void check_cover(const SafetensorsHeader& header, uint64_t data_begin, uint64_t data_bytes, std::string_view source) {
  std::vector<const std::pair<const std::string, TensorInfo>*> order;
  order.reserve(header.tensors.size());
  for (const auto& tensor : header.tensors) order.push_back(&tensor);
  std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return std::pair(a->second.begin, a->second.end) < std::pair(b->second.begin, b->second.end);
  });
  uint64_t covered = 0;
  std::string_view before;
  for (const auto* tensor : order) {
    const uint64_t begin = tensor->second.begin;
    if (begin < covered) {
      fail_format(source, data_begin + begin,
                  "tensor '{}' overlaps tensor '{}': it begins at {} of the data, expected {}",
                  printable(tensor->first), printable(before), begin, covered);
    }
    if (begin > covered) {
      fail_format(source, data_begin + covered, "a hole before tensor '{}': it begins at {} of the data, expected {}",
                  printable(tensor->first), begin, covered);
    }
    covered = tensor->second.end;
    before = tensor->first;
  }
  if (covered != data_bytes) {
    fail_format(source, data_begin + covered,
                "{} bytes follow that belong to no tensor: expected {} bytes of data, found {}", data_bytes - covered,
                covered, data_bytes);
  }
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view text, uint64_t data_bytes, std::string_view source) {
  if (text.empty() || text.front() != '{') {
    fail_format(source, kHeaderLengthBytes, "the header must start with '{{', found {}",
                text.empty() ? "nothing" : fmt::format("byte {:#04x}", static_cast<unsigned char>(text.front())));
  }
  // The JSON parser takes a zero byte for the end of its input.
  const size_t zero = text.find('\0');
  if (zero != std::string_view::npos) {
    fail_format(source, kHeaderLengthBytes + zero, "the header is not valid JSON: it holds a zero byte");
  }
  SafetensorsHeader header = HeaderEvents(text, data_bytes, source).read();
  check_cover(header, kHeaderLengthBytes + text.size(), data_bytes, source);
  return header;
}

std::optional<uint64_t> tensor_bytes(StoredDtype dtype, const TensorShape& shape) {
  int64_t product = byte_size(dtype);
  bool is_empty = false;
  for (const int64_t extent : shape) {
    if (extent < 0) return std::nullopt;
    is_empty = is_empty || extent == 0;
    const int64_t factor = std::max<int64_t>(extent, 1);
    if (product > std::numeric_limits<int64_t>::max() / factor) return std::nullopt;
    product *= factor;
  }
  return is_empty ? 0 : static_cast<uint64_t>(product);
}

std::string printable(std::string_view text) {
  constexpr size_t kLongest = 120;
  const bool is_long = text.size() > kLongest;
  if (is_long) {
    size_t length = kLongest;
    // Not within a UTF-8 sequence, whose later bytes are 10xxxxxx.
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xc0u) == 0x80u) --length;
    text = text.substr(0, length);
  }
  std::string result(text);
  std::replace_if(
      result.begin(), result.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return is_long ? result + "..." : result;
}

std::string shape_text(const TensorShape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

}  // namespace phasor
