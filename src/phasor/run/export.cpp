#include "phasor/run/export.h"

#include <algorithm>

#include "phasor/base/error.h"
#include "phasor/base/suggest.h"
#include "phasor/checkpoint/safetensors.h"
#include "phasor/engine/download.h"
#include "phasor/model/query_factors.h"
#include "phasor/model/token_positions.h"
#include "phasor/run/config_json.h"

namespace phasor {
namespace {

class Exporter {
 public:
  Exporter(Session& session, const Batch& batch, const std::vector<std::string>& wanted)
      : model_(session.model()), batch_(batch), wanted_(wanted) {}

  void add_layer(SafetensorsWriter& writer, int64_t l) {
    const Attention attention = model_.attention(l);
    const std::string prefix = fmt::format("layers.{}.", l);
    const AttentionShape& shape = attention.shape;
    if (wants("queries")) {
      add_heads(writer, prefix + "queries", attention.query, shape.heads, shape.key_width - shape.shared_query_width);
      add_shared(writer, prefix + "queries_shared", attention.shared_query);
    }
    if (wants("keys")) {
      add_heads(writer, prefix + "keys", attention.key, shape.key_heads, shape.key_width - shape.shared_key_width);
      add_shared(writer, prefix + "keys_shared", attention.shared_key);
    }
    if (wants("values")) {
      add_heads(writer, prefix + "values", attention.value, shape.key_heads, shape.value_width);
    }
    if (wants("queries")) add_query_factors(writer, prefix, attention);
    for (int64_t s = 0; s < batch_.sequence_count(); ++s) add_dense(writer, prefix, attention, s);
  }

  void add_hidden(SafetensorsWriter& writer) {
    if (!wants("hidden")) return;
    const auto& stream = model_.activations().stream;
    for (size_t i = 0; i < stream.size(); ++i) {
      writer.add(fmt::format("hidden.{}", i), {batch_.token_count(), stream[i].extent(1)},
                 download(model_.backend(), stream[i], batch_.token_count()));
    }
  }

 private:
  bool wants(const char* name) const { return std::find(wanted_.begin(), wanted_.end(), name) != wanted_.end(); }

  void add_heads(SafetensorsWriter& writer, const std::string& name, const ConstMatrix& matrix, int64_t heads,
                 int64_t width) {
    writer.add(name, {batch_.token_count(), heads, width}, download(model_.backend(), matrix, batch_.token_count()));
  }

  // Channels that all heads have in common: those of a decoupled path.
  void add_shared(SafetensorsWriter& writer, const std::string& name, const ConstMatrix& matrix) {
    if (matrix.empty()) return;
    writer.add(name, {batch_.token_count(), matrix.columns()},
               download(model_.backend(), matrix, batch_.token_count()));
  }

  // Logits are these times the products of queries and keys, which do not have them.
  void add_query_factors(SafetensorsWriter& writer, const std::string& prefix, const Attention& attention) {
    std::vector<float> factors = query_factors(model_.backend(), attention, batch_.offsets);
    if (factors.empty()) return;
    writer.add(prefix + "query_factors", {attention.shape.heads, batch_.token_count()}, std::move(factors));
  }

  void add_dense(SafetensorsWriter& writer, const std::string& prefix, const Attention& attention, int64_t s) {
    const int64_t heads = attention.shape.heads;
    const int64_t n = batch_.offsets[static_cast<size_t>(s) + 1] - batch_.offsets[static_cast<size_t>(s)];
    const int64_t width = attention.shape.turned_width();
    Backend& backend = model_.backend();
    AttentionDenseForward op{.sequence = static_cast<int32_t>(s), .attention = attention};
    std::vector<Memory> memory;
    const auto output = [&](View<float, 3>& view, int64_t columns) {
      memory.push_back(backend.allocate(static_cast<size_t>(heads * n * columns) * sizeof(float)));
      view = View<float, 3>(static_cast<float*>(memory.back().data()), heads, n, columns);
    };
    if (wants("logits")) output(op.logits, n);
    if (wants("weights")) output(op.weights, n);
    if (wants("queries")) output(op.turned_query, width);
    if (wants("keys")) output(op.turned_key, width);
    if (memory.empty()) return;
    backend.run(op);
    const auto add = [&](const char* name, const View<float, 3>& view) {
      if (view.empty()) return;
      writer.add(fmt::format("{}{}.{}", prefix, name, s), {heads, n, view.extent(2)},
                 download(backend, view.data(), view.size()));
    };
    add("logits", op.logits);
    add("weights", op.weights);
    add("queries_rotated", op.turned_query);
    add("keys_rotated", op.turned_key);
  }

  Transformer& model_;
  const Batch& batch_;
  const std::vector<std::string>& wanted_;
};

}  // namespace

const std::vector<std::string>& exportable_tensors() {
  static const std::vector<std::string> names = {"logits", "weights", "hidden", "queries", "keys", "values"};
  return names;
}

void export_activations(Session& session, const std::vector<std::string>& wanted, int64_t samples,
                        const std::filesystem::path& path) {
  for (const std::string& name : wanted) {
    const auto& known = exportable_tensors();
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      fail_usage("--tensors: '{}' cannot be exported{}", name, suggestion(name, known));
    }
  }
  const int64_t most = std::min(session.data().test.size(), session.config().train.batch);
  if (samples < 1 || samples > most) fail_usage("--samples: {} is out of range, 1 to {} (one batch)", samples, most);

  Batch batch;
  for (int64_t i = 0; i < samples; ++i) session.data().test.append_to(batch, i);
  batch.finish();
  session.model().forward(batch);

  SafetensorsWriter writer;
  writer.set_metadata("format", "phasor activations 1");
  writer.set_metadata("config", canonical_text(session.config()));
  writer.add("tokens", {batch.token_count()}, batch.tokens);
  writer.add("offsets", {samples + 1}, batch.offsets);
  const ResolvedEncoding& encoding = session.model().encoding();
  writer.add("positions", {batch.token_count(), static_cast<int64_t>(encoding.axes.size())},
             token_positions(batch, encoding, session.config().seed, 0));
  writer.add("targets", {static_cast<int64_t>(batch.targets.size())}, batch.targets);
  writer.add("class_logits", {static_cast<int64_t>(batch.targets.size()), outputs(session.config().model)},
             session.model().class_logits(static_cast<int64_t>(batch.targets.size())));
  Exporter exporter(session, batch, wanted);
  exporter.add_hidden(writer);
  for (int64_t l = 0; l < session.config().model.layers; ++l) exporter.add_layer(writer, l);
  writer.write(path);
}

}  // namespace phasor
