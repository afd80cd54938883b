#pragma once
// Queries and keys as another program would leave them.
#include <deque>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "phasor/checkpoint/safetensors.h"
#include "phasor/random/distributions.h"
#include "support/temporary_folder.h"

namespace phasor::testing_support {

class ForeignFile {
 public:
  template <class T = float>
  ForeignFile& add(const std::string& name, const TensorShape& shape, double factor = 1.0, uint32_t site = 0) {
    int64_t count = 1;
    for (const int64_t extent : shape) count *= extent;
    const RandomStream stream{.seed = 9, .purpose = Purpose::test, .site = site};
    std::vector<T> values;
    for (int64_t i = 0; i < count; ++i) {
      values.push_back(static_cast<T>(factor * normal(stream, static_cast<uint64_t>(i))));
    }
    return put(name, shape, std::move(values));
  }
  template <class T>
  ForeignFile& put(const std::string& name, const TensorShape& shape, std::vector<T> values) {
    writer_.add(name, shape, std::move(values));
    return *this;
  }
  // One number in 16 bits.
  ForeignFile& put_bits(const std::string& name, StoredDtype dtype, uint16_t bits) {
    bits_.push_back(bits);
    writer_.add_bytes(name, dtype, {1, 1, 1}, std::as_bytes(std::span(&bits_.back(), 1)));
    return *this;
  }
  ForeignFile& say(const std::string& key, const std::string& value) {
    writer_.set_metadata(key, value);
    return *this;
  }
  std::filesystem::path path() {
    writer_.write(folder_ / "mine.safetensors");
    return folder_ / "mine.safetensors";
  }
  std::filesystem::path folder() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
  SafetensorsWriter writer_;
  std::deque<uint16_t> bits_;
};

}  // namespace phasor::testing_support
