#pragma once
// Queries and keys of any model, out of a safetensors file: what 'phasor spectrum queries' reads.
//
//   queries, keys               [heads, n, width] or [samples, heads, n, width], as they are multiplied; keys may have
//                               fewer heads, each serving as many queries' heads as come out. Where the options say so,
//                               [n, heads, width] or [samples, n, heads, width]
//   queries_plain, keys_plain   the same before rotation (optional, both or none; the others too where these are
//   enough) bias                        [n, n] or [heads, n, n], added to the scaled products (optional)
//
// Numbers are F64, F32, F16 or BF16. The metadata may have `scale`, `causal` and `layer`, which is but a name. The
// other kind of file that is read is what 'phasor export --tensors queries,keys[,logits]' writes, a layer at a time.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "phasor/spectrum/head_logits.h"

namespace phasor {

struct ForeignOptions {
  std::optional<double> scale;   // else the file's, else 1 / sqrt(width)
  bool causal = false;           // or as the file says
  std::optional<int64_t> layer;  // of an export (else 0), or what to call that of another file
  int64_t most_samples = 64;
  bool positions_first = false;   // [n, heads, width]
  std::optional<int64_t> length;  // the first positions only
  // Queries and keys from before rotation are enough: without rotated ones they stand for these.
  bool plain_enough = false;
};

struct ForeignQueries {
  std::vector<std::vector<HeadLogits>> samples;  // [samples][heads]
  double scale = 1.0;
  bool causal = false;
  bool plain = false;   // queries and keys before rotation were there
  bool rotated = true;  // others were there than those before rotation
  bool bias = false;
  int64_t layers = 1;          // in the file
  int64_t layer = 0;           // that was read
  std::string layer_is;        // a sentence: which it is, and how that is known
  std::string note;            // what looks as if it were meant otherwise; mostly empty
  int64_t samples_stored = 0;  // of which at most `most_samples` were taken
};

// FormatError with the file's and the tensor's name for whatever does not fit.
ForeignQueries read_foreign_queries(const std::filesystem::path& path, const ForeignOptions& options);

}  // namespace phasor
