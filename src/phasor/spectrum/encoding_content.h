#pragma once
// An encoding alone: logits of made-up content, passed through the engine's attention as a model of this shape has it
// at its start. Encodings that act on queries and keys, or on logits, get random queries and keys. One that adds
// something to the embeddings acts through the projections, and gates are made of the stream: there content is random
// words, and queries and keys are the model's own with its initial weights, norm included.
#include <cstdint>
#include <string_view>
#include <vector>

#include "phasor/encoding/encoding.h"
#include "phasor/engine/backend.h"
#include "phasor/spectrum/head_logits.h"

namespace phasor {

enum class ContentKind : uint8_t {
  gaussian,  // independent N(0, 1) in every channel of every position; words: one drawn for each position
  shared,    // one query and one key at all positions; words: one word at all positions
  psd        // as gaussian, with keys = queries: the content Gram is positive semidefinite
};

const char* name(ContentKind kind);
// Throws UsageError for another word than gaussian, shared, psd.
ContentKind read_content_kind(std::string_view option, std::string_view text);

struct EncodingContent {
  ContentKind kind = ContentKind::gaussian;
  int64_t layer = 0;
  int64_t draws = 1;
  uint64_t seed = 0;  // of the content and of what the encoding learns, as it starts
};

// [draws][heads], each over shape.positions positions.
std::vector<std::vector<HeadLogits>> encoding_logits(Backend& backend, const Encoding& encoding,
                                                     const EncodingShape& shape, const EncodingContent& content);

// Whether the encoding has an input term, or gates or angles of the stream, so that content is words.
bool content_is_words(const ResolvedEncoding& encoding);

}  // namespace phasor
