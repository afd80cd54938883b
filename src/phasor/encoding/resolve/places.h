#pragma once
// Gathers what the terms of an encoding put into its places. Input terms and biases add up, scales
// multiply; a place that holds one thing only refuses the second with an error that names both terms.
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "phasor/encoding/resolve/resolved.h"
#include "phasor/encoding/syntax/expression.h"
#include "phasor/encoding/syntax/word_set.h"

namespace phasor {

// What tables must be able to tell apart, for all terms of an encoding together.
struct TableForm {
  bool bias_by_query = false;     // a row per head and query position instead of one per head
  bool bias_per_length = false;   // a table for each length of a sequence
  bool input_per_length = false;  // likewise
  bool scale_by_query = false;    // a factor per head and query position instead of one per head
  bool scale_per_length = false;  // a table for each length of a sequence

  TableForm& operator|=(const TableForm& other);
};

class EncodingPlaces {
 public:
  // `expression` is the text that the terms' columns point into.
  EncodingPlaces(const EncodingShape& shape, std::string expression, const TableForm& form = {});

  // What `fill` puts into places belongs to this term and goes to its heads and layers; within another term, to
  // those that both have. Throws EncodingError for heads or layers that the shape does not have.
  void within(const Term& term, const std::function<void()>& fill);

  // As the current term sees it: inside randomized() there are more positions, inside concat() the width is less.
  const EncodingShape& shape() const { return shape_; }
  const TableForm& form() const { return form_; }
  int64_t lengths() const { return resolved_.shape.positions; }  // of sequences, from 1 on
  bool randomized() const { return drawn_.has_value(); }         // positions of a sequence are not 0 .. its length - 1

  // Those of the current term.
  std::vector<int64_t> heads() const;
  std::vector<int64_t> layers() const;

  // A tensor "encoding.<term>.<name>" or, for one layer, "layers.<l>.encoding.<term>.<name>"; an empty name adds
  // nothing. The rest of `parameter` is the caller's. Returns its place in ResolvedEncoding::parameters.
  static constexpr int64_t kAllLayers = -1;
  int64_t add_parameter(std::string_view name, LearnedParameter parameter, int64_t layer = kAllLayers);

  // An error at the term where no table of the form can be held. Call it before making one.
  void check_input_size() const;
  void check_bias_size() const;

  // [positions, width], or [lengths() * positions, width] where the form says so; added to the embeddings.
  void add_input(const Table& table);
  void add_input(TableSource source);

  // [heads, 2 reach + 1], reach = positions - 1; rows of heads that are not the term's are unused. Where the form
  // has more rows, the table is repeated for all query positions and lengths.
  void add_bias(const Table& table);
  // [(lengths() *) heads (* positions), 2 reach + 1], in the form asked for.
  void add_full_bias(const Table& table, int64_t layer = kAllLayers);
  void add_bias(int64_t layer, TableSource source);
  int64_t bias_rows() const { return form_.bias_by_query ? shape_.positions : 1; }  // of one head
  int64_t bias_tables() const { return form_.bias_per_length ? lengths() : 1; }
  int64_t input_tables() const { return form_.input_per_length ? lengths() : 1; }

  // In one layer. The term's axis becomes that of the positions; rows of heads that are not the term's must be zeros.
  // A layer has one table of each kind.
  enum class RowsOf : uint8_t { queries, keys };
  void check_rows_size(int64_t rows, int64_t columns) const;
  void add_rows(int64_t layer, RowsOf which, RowTerm rows);
  // What is added to queries: to those that keys meet, to those that rows meet.
  void shift_queries(int64_t layer, ShiftTerm for_keys, ShiftTerm for_rows);

  // For all heads and layers of the term; its axes become the term's positions unless it names axes itself.
  void rotate(Rotation rotation);
  // For one head of one layer, or for all heads of the term in that layer.
  static constexpr int64_t kAllHeads = -1;
  void rotate(int64_t layer, int64_t head, const std::shared_ptr<const Rotation>& rotation);

  // By what tokens say, for the current term's heads of one layer; its parameters were added before.
  void rotate_by_tokens(int64_t layer, const TokenRotation& rotation);

  // One factor per head.
  void multiply_scale(const std::vector<double>& factors, int64_t layer = kAllLayers);
  // [scale_tables() * heads, scale_columns()], in the form asked for. Fixed ones multiply; one that is learned is alone
  // in its heads and layers, as a sum of sources cannot be multiplied.
  void multiply_row_scale(const Table& table, int64_t layer = kAllLayers);
  void multiply_row_scale(int64_t layer, TableSource source);
  int64_t scale_columns() const { return form_.scale_by_query ? shape_.positions : 1; }
  int64_t scale_tables() const { return form_.scale_per_length ? lengths() : 1; }
  void check_scale_size() const;
  void decouple(DecoupledPath path);
  // Of the current term's heads; its parameters were added before.
  void add_gates(int64_t layer, GateTerm gates);
  int64_t model_width() const { return resolved_.shape.width; }  // of the normed stream that gates are made of
  // Of all heads: the layer's queries and keys become features before they are turned.
  void map_features(FeatureMap feature);

  // Of the current term's heads, for all logits of a layer's head at once.
  void add_dense(int64_t layer, const std::shared_ptr<const DensePlace>& place);

  // A sink of this logit for every head of the term, or of the numbers that a source adds to it: [1, heads].
  void add_sink(int64_t layer, double logit);
  void add_sink(int64_t layer, double logit, TableSource source);

  // Place of the axis that the current term's positions lie on.
  int64_t position_axis();
  // Places of the axes of `count` coordinates. An error at the term where the data has fewer.
  std::vector<int64_t> coordinate_axes(int64_t count);
  int64_t axis_extent(int64_t axis) const { return resolved_.axes[static_cast<size_t>(axis)].extent; }

  // Runs `fill` with positions drawn from 0 .. extent - 1, or with only the last `width` channels that no other
  // concat() took.
  void randomize(int64_t extent, const std::function<void()>& fill);
  // Runs `fill` with the indices in a random order.
  void scatter(int64_t seed, const std::function<void()>& fill);
  // Runs `fill` with positions that the words of the tokens make. `most` of them are told apart, the rest share the
  // last; 0: as many as a sequence can have.
  enum class SegmentAxes : uint8_t { offset, segment, both };  // both: as two coordinates, the offset first
  void segment(const Segments& segments, SegmentAxes axes, int64_t most, const std::function<void()>& fill);
  // The numbers of words, for the model's task; an error at the term for those that it does not have.
  IndexSet word_numbers(const WordSet& words) const;
  void concatenate(int64_t width, const std::function<void()>& fill);

  // An error that points at the current term.
  [[noreturn]] void fail_term(std::string_view reason) const;
  // The text of the current term.
  std::string term_text() const;

  ResolvedEncoding take();

 private:
  // Who multiplied the rows of a head last.
  struct RowScaleOwner {
    const Term* term = nullptr;
    bool learned = false;
  };

  bool covers_head(int64_t head) const;
  bool covers_layer(int64_t layer) const;
  int64_t add_axis(const PositionAxis& axis);
  void require_own_positions() const;
  InputTerm& input();
  BiasTerm& bias(int64_t layer);
  ScaleTerm& row_scale(int64_t layer);
  void own_row_scale(int64_t layer, int64_t head, bool learned);
  void check_dense() const;
  void apply_masks(const Term& term);
  SinkTerm& sink(int64_t layer, double logit);
  void check_size(int64_t entries) const;
  void check_no_rows(int64_t layer) const;
  std::string clash(const Term& earlier, std::string_view what) const;

  ResolvedEncoding resolved_;
  EncodingShape shape_;
  TableForm form_;
  std::vector<std::unique_ptr<BiasTerm>> biases_;       // [layers]
  std::vector<std::unique_ptr<ScaleTerm>> row_scales_;  // [layers]
  std::deque<Term> terms_;                              // every term so far, for clashes
  std::vector<const Term*> stack_;                      // the current term, within the terms around it
  std::optional<PositionAxis> drawn_;                   // of randomized(), scattered() and segments()
  std::optional<PositionAxis> drawn_beside_;            // of segments(), the segment where both are asked for
  int64_t first_channel_ = 0;                           // of the input terms' channels
  bool concatenated_ = false;
  std::vector<std::pair<const Term*, std::string>> scopes_;  // terms and what their tensors are called
  const Term* input_term_ = nullptr;
  std::vector<const Term*> bias_terms_;                       // [layers]
  std::vector<const Term*> scale_terms_;                      // [layers]
  std::vector<RowScaleOwner> scale_owners_;                   // [layers * heads]
  std::vector<const Term*> rotation_terms_;                   // [layers * heads]
  std::vector<const Term*> decoupled_terms_;                  // [layers]; of features too: who makes queries and keys
  std::vector<const Term*> gate_terms_;                       // [layers * heads]
  std::vector<const Term*> dense_terms_;                      // [layers]
  std::vector<std::unique_ptr<SinkTerm>> sinks_;              // [layers]
  std::vector<const Term*> sink_terms_, chunk_terms_;         // [layers * heads]
  std::vector<const Term*> query_row_terms_, key_row_terms_;  // [layers]
};

}  // namespace phasor
